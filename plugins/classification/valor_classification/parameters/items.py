"""Parameters of confusion matrices and lists of items."""

from __future__ import annotations

from typing import Literal

from valor_classification.parameters import fields
from valor_core.parameters import Within, parameter, parameters


@parameters
class ConfusionMatrixParameters(fields.Predictions):
    """Parameters of ConfusionMatrix."""

    score_thresholds: fields.Thresholds = fields.SCORE_THRESHOLDS
    hardmax: bool = fields.HARDMAX
    normalize: Literal["none", "truth", "prediction", "all"] = parameter(
        default="none",
        help="Counts, or shares of each ground truth's row, each prediction's column, or of all.",
    )
    max_examples: int = parameter(
        default=0,
        help="Most items named for each cell, in the order of their uids.",
        check=Within(0),
    )


@parameters
class ExamplesParameters(fields.Predictions):
    """Parameters of Examples."""

    score_thresholds: fields.Thresholds = fields.SCORE_THRESHOLDS
    hardmax: bool = fields.HARDMAX
    errors_only: bool = parameter(
        default=False,
        help="Whether to omit items without a false positive or a false negative.",
    )
    limit: int | None = parameter(
        default=None, help="Most items listed; null is all.", check=Within(0)
    )
    offset: int = parameter(
        default=0, help="Items skipped first, in the order of uids.", check=Within(0)
    )
