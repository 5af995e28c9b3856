"""Parameters that several metrics have, each declared once."""

from __future__ import annotations

from typing import Any, Literal

from valor_core.errors import ParameterError
from valor_core.parameters import Within, parameter

Average = Literal["none", "micro", "macro", "weighted", "samples"]


Thresholds = tuple[float | None, ...]


SCORE_THRESHOLDS: Any = parameter(
    default=(None,),
    help="A prediction counts if its score is at least this; one result for each. With null "
    "the best-scoring label is always predicted.",
    non_empty=True,
    distinct=True,
)
"""Field of the score thresholds."""


HARDMAX: Any = parameter(
    default=True,
    help="Whether only the best-scoring label of an item is a prediction (ties go to the "
    "first listed), or every label that passes the threshold, which has to be given then.",
)
"""Field of the number of predictions per item."""


class Predictions:
    """Parameters that select the predicted labels of an item."""

    score_thresholds: Thresholds
    hardmax: bool

    def __attrs_post_init__(self) -> None:
        if not self.hardmax and None in self.score_thresholds:
            raise ParameterError(
                "score_thresholds must be numbers where hardmax is false, got null",
                "Say from which score on a label is a prediction: score_thresholds: [0.5].",
            )


ZERO_DIVISION: Any = parameter(
    default=0.0,
    help="Value of 0/0; null makes it undefined: means exclude and count it.",
    check=Within(0, 1),
)
"""Field of the value of 0/0."""
