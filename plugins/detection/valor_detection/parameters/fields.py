"""Fields that the parameters of several metrics share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from valor_core.errors import ParameterError, shown
from valor_core.parameters import Within, parameter

Rule = Literal["coco", "ranked", "valor"]


ConvertTo = Literal["box", "polygon", "mask"]


AreaRanges = Mapping[str, tuple[float | None, ...]]


COCO_IOUS: tuple[float, ...] = tuple(i / 20 for i in range(10, 20))
"""0.5, 0.55 … 0.95, as people write them."""


COCO_AREAS: Mapping[str, tuple[float, float]] = {
    "all": (0.0, 1e10),
    "small": (0.0, 1024.0),
    "medium": (1024.0, 9216.0),
    "large": (9216.0, 1e10),
}
"""COCO's area ranges, in square pixels."""


CURVE_THRESHOLDS = tuple(i / 20 for i in range(1, 20))
"""0.05 … 0.95, the score thresholds of the documented curves."""


def matching() -> Rule:
    """The rule of matching."""
    rule: Rule = parameter(
        default="coco",
        help="Rule by which predictions find ground truths: coco is that of pycocotools, to the "
        "last bit; ranked goes by score and IoU whatever the threshold; valor gives a prediction "
        "its one best ground truth or none.",
    )
    return rule


def convert_to() -> ConvertTo | None:
    """The kind of shape that is compared."""
    kind: ConvertTo | None = parameter(
        default=None,
        help="Kind of shape that is compared: box, polygon, or mask; null is the less detailed of "
        "each pair, and a box that is turned is compared exactly.",
        aliases=("convert_annotations_to_type",),
    )
    return kind


def iou_thresholds(
    default: tuple[float, ...] = (0.5, 0.75), alias: str = "iou_thresholds_to_return"
) -> tuple[float, ...]:
    """From which IoUs on a prediction matches; one result for each."""
    thresholds: tuple[float, ...] = parameter(
        default=default,
        help="A prediction matches a ground truth if their IoU is at least this.",
        check=Within(0, 1, open_low=True),
        non_empty=True,
        distinct=True,
        aliases=(alias,),
    )
    return thresholds


def coco_iou_thresholds() -> tuple[float, ...]:
    """COCO's IoU thresholds, over which a mean is taken."""
    return iou_thresholds(COCO_IOUS, "iou_thresholds_to_compute")


def iou_threshold() -> float:
    """From which IoU on a prediction matches."""
    threshold: float = parameter(
        default=0.5,
        help="A prediction matches a ground truth if their IoU is at least this.",
        check=Within(0, 1, open_low=True),
        aliases=("pr_curve_iou_threshold",),
    )
    return threshold


def score_thresholds(default: tuple[float, ...]) -> tuple[float, ...]:
    """From which scores on a prediction counts."""
    thresholds: tuple[float, ...] = parameter(
        default=default,
        help="A prediction counts if its score is at least this.",
        non_empty=True,
        distinct=True,
    )
    return thresholds


def max_detections(without: str = "all") -> int | None:
    """How many predictions of an image count."""
    most: int | None = parameter(
        default=None,
        help="Most predictions of a label that count in an image, the best-scoring ones; null is "
        f"{without}.",
        check=Within(1),
    )
    return most


def coco_max_detections() -> int | None:
    """How many predictions of an image count, by default as the rule has it."""
    return max_detections("100 under the rule coco and all otherwise")


def area_ranges(without: str = "all sizes") -> AreaRanges | None:
    """The sizes that are counted apart."""
    ranges: AreaRanges | None = parameter(
        default=None,
        help="Names and bounds, in square pixels, of the sizes that are counted apart; an upper "
        "bound of null is none. COCO's are small 0 to 1024, medium to 9216, large to 1e10. Objects "
        f"of other sizes are ignored. Without ranges it is {without}.",
        check=Within(0),
        non_empty=True,
    )
    return ranges


def coco_area_ranges() -> AreaRanges | None:
    """The sizes that are counted apart, by default as the rule has it."""
    return area_ranges("all sizes, under the rule coco up to 1e10")


class Sized:
    """Checks the area ranges of a parameter class."""

    area_ranges: AreaRanges | None

    def __attrs_post_init__(self) -> None:
        for name, bounds in (self.area_ranges or {}).items():
            if not _is_range(bounds):
                raise ParameterError(
                    f"area_ranges must be pairs [low, high], got {shown(list(bounds))} as {name!r}",
                    "Write small: [0, 1024], or large: [9216, null] for sizes without an end.",
                    place=f"{type(self).__name__}: ",
                )


def _is_range(bounds: tuple[float | None, ...]) -> bool:
    if len(bounds) != 2 or bounds[0] is None:
        return False
    return bounds[1] is None or bounds[0] <= bounds[1]


def prediction_only(value: str = "0") -> bool:
    """Whether labels that are only predicted take part in means."""
    include: bool = parameter(
        default=False,
        help=f"Whether labels without ground truth take part in means, with {value}.",
    )
    return include


def per_label() -> bool:
    """Whether labels have results of their own."""
    own: bool = parameter(
        default=False, help="Whether every label has a result of its own besides that of its key."
    )
    return own


Policy = Literal["error", "repair", "skip", "accept"]
"""Policy for invalid geometries: raise, repair, leave them out, or compute with them."""
