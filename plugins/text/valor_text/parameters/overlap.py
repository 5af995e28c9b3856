"""Parameters of metrics of what texts have in common."""

from __future__ import annotations

import re
from typing import Literal

from valor_core.errors import ParameterError, shown
from valor_core.parameters import parameter, parameters

ROUGE_TYPES = ("rouge1", "rouge2", "rougeL", "rougeLsum")

_ROUGE_TYPE = re.compile("rouge([1-9]|L|Lsum)")


@parameters
class ROUGEParameters:
    """Parameters of ROUGE."""

    rouge_types: tuple[str, ...] = parameter(
        default=ROUGE_TYPES,
        help="Which numbers every item gets: rouge1 to rouge9 count n-grams, rougeL the longest "
        "common subsequence of whole texts, rougeLsum those of their lines.",
        non_empty=True,
        distinct=True,
    )
    use_stemmer: bool = parameter(
        default=False,
        help="Whether English words are compared by their stems (Porter's, of nltk).",
        aliases=("rouge_use_stemmer",),
    )
    measures: tuple[Literal["fmeasure", "precision", "recall"], ...] = parameter(
        default=("fmeasure",),
        help="fmeasure is called as the type is, rouge1; precision and recall, of the reference "
        "with the best F-measure, are called rouge1_precision and rouge1_recall.",
        non_empty=True,
        distinct=True,
    )

    def __attrs_post_init__(self) -> None:
        for name in self.rouge_types:
            if not _ROUGE_TYPE.fullmatch(name):
                raise ParameterError(
                    f"rouge_types must be rouge1 to rouge9, rougeL or rougeLsum, got {shown(name)}",
                    f"All that are usual: rouge_types: [{', '.join(ROUGE_TYPES)}]",
                )
