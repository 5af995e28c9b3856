"""ExactMatch: whether a response is one of its references."""

from __future__ import annotations

from collections.abc import Mapping
from operator import eq, not_
from typing import Any

import numpy as np

from valor_core.schemas.text import TextBatch
from valor_text.counting.answers import Answers
from valor_text.parameters.answers import ExactMatchParameters


def score(batch: TextBatch, parameters: ExactMatchParameters, resources: Mapping[str, Any]) -> Any:
    """Whether the response of each item is one of its references, once both are normalised.

    With the normaliser `squad` equal to SQuAD's evaluation script 1.1; with `no_answer` as well,
    to that of 2.0.

    Parameters
    ----------
    batch : TextBatch
        Items with a response.
    parameters : ExactMatchParameters
        How texts are prepared.
    resources : mapping
        None are used.

    Returns
    -------
    Numbers or ItemRows
        1 or 0. Undefined for an item without references, unless `no_answer`.
    """
    answers = Answers.of(batch, no_answer=parameters.no_answer)
    pairs = answers.pairs.normalised(parameters.normaliser)
    responses, references = pairs.sides
    is_right = np.fromiter(map(eq, responses, references), bool, len(pairs))
    if parameters.no_answer:
        is_empty = np.fromiter(map(not_, references), bool, len(pairs))
        is_right &= ~is_empty | answers.are_no_answers(is_empty)
    right = is_right.astype(np.float64)
    numbers = answers.numbers(right[pairs.best(right)])
    if all(references):
        return numbers
    # Imported here: few items have references of which nothing is left.
    from valor_text.counting import preparation

    counts = np.fromiter(map(len, pairs.texts), np.int64, len(pairs.texts))
    codes = preparation.faults(answers.pairs, counts, normaliser=parameters.normaliser)
    return preparation.rows(batch, numbers, codes, answers.positions)
