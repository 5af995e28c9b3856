"""Parameters of the metrics of edges."""

from __future__ import annotations

from typing import Any, Literal

from valor_core.parameters import Within, parameter, parameters
from valor_segmentation.parameters.pixels import Average, averages

_PREDICTION_ONLY: Any = parameter(
    default=False, help="Whether labels without ground truths take part in means."
)


@parameters
class BoundaryIOUParameters:
    """Parameters of BoundaryIOU."""

    width: float = parameter(
        default=0.02,
        help="Width of a boundary as a share of the image's diagonal, rounded to whole pixels, "
        "at least 1.",
        check=Within(0, 1, open_low=True),
        aliases=("dilation_ratio",),
    )
    width_in_pixels: int | None = parameter(
        default=None, help="Width of a boundary in pixels, instead of the share.", check=Within(1)
    )
    average: tuple[Average, ...] = averages(("none", "macro"))
    include_prediction_only_labels: bool = _PREDICTION_ONLY


@parameters
class HausdorffParameters:
    """Parameters of Hausdorff."""

    percentiles: tuple[float, ...] = parameter(
        default=(100.0, 95.0),
        help="Percentiles of the distances between edges, in percent; 100 is the greatest.",
        check=Within(0, 100),
        non_empty=True,
        distinct=True,
    )
    missed: Literal["skip", "diagonal", "infinite"] = parameter(
        default="skip",
        help="Distance of a label that only one side of an image has: `skip` leaves the image out "
        "and the report warns, `diagonal` counts the diagonal of the image, and with `infinite` "
        "the label has no distance.",
    )
    include_prediction_only_labels: bool = _PREDICTION_ONLY
