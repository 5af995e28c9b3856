"""Parameters of the metrics of how far scores can be believed."""

from __future__ import annotations

from valor_core.parameters import Within, parameter, parameters


@parameters
class BrierParameters:
    """Parameters of BrierScore."""

    scale_by_half: bool | None = parameter(
        default=None,
        help="Whether the sum over labels is halved, so that two labels give the classical score "
        "of one; null halves it where the label key has two labels or one.",
    )


@parameters
class CalibrationParameters:
    """Parameters of CalibrationError."""

    bins: int = parameter(
        default=15,
        help="Number of equal bins in [0, 1].",
        check=Within(1, 10_000),
        aliases=("number_of_bins", "n_bins"),
    )
