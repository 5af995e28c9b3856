"""Parameters of the metrics of agreement beyond chance."""

from __future__ import annotations

from typing import Literal

from valor_classification.parameters import fields
from valor_core.errors import ParameterError
from valor_core.parameters import parameter, parameters


@parameters
class MatthewsParameters:
    """Parameters of MatthewsCorrelation."""

    score_thresholds: fields.Thresholds = fields.score_thresholds()


@parameters
class KappaParameters:
    """Parameters of CohenKappa."""

    score_thresholds: fields.Thresholds = fields.score_thresholds()
    weights: Literal["none", "linear", "quadratic"] = parameter(
        default="none",
        help="How much a disagreement weighs by the distance of the two labels in their order.",
    )
    order: tuple[str | int, ...] | None = parameter(
        default=None,
        help="All labels from the lowest to the highest, for weights; null is by their size where "
        "all labels are numbers.",
        non_empty=True,
        distinct=True,
    )

    def __attrs_post_init__(self) -> None:
        if self.order is not None and self.weights == "none":
            raise ParameterError(
                "order needs weights, got weights 'none', for which labels have no order",
                "Choose weights: linear or quadratic, or leave order out.",
            )
