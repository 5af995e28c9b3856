"""Parameters of the counts at every threshold."""

from __future__ import annotations

from valor_classification.parameters import fields
from valor_core.parameters import Within, parameter, parameters

CURVE_THRESHOLDS = tuple(i / 20 for i in range(1, 20))
"""0.05 … 0.95, the thresholds of the documented curves."""


def _curve_thresholds() -> tuple[float, ...]:
    thresholds: tuple[float, ...] = parameter(
        default=CURVE_THRESHOLDS,
        help="A prediction counts if its score is at least this; one point for each.",
        non_empty=True,
        distinct=True,
    )
    return thresholds


@parameters
class PrecisionRecallCurveParameters:
    """Parameters of PrecisionRecallCurve."""

    score_thresholds: tuple[float, ...] = _curve_thresholds()
    zero_division: float | None = fields.zero_division()


@parameters
class DetailedCurveParameters:
    """Parameters of DetailedPrecisionRecallCurve."""

    score_thresholds: tuple[float, ...] = _curve_thresholds()
    max_examples: int = parameter(
        default=1,
        help="Most items named for each count, in the order of their uids.",
        check=Within(0),
        aliases=("pr_curve_max_examples",),
    )
