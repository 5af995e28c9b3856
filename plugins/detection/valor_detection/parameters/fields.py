"""Fields shared by the parameters of several metrics or readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from valor_core.errors import ParameterError, UnknownNameError, did_you_mean, short_repr
from valor_core.parameters import Within, parameter
from valor_core.schemas import DEFAULT_KEY

_OfThisPlugin = Literal[
    "coco",
    "lvis",
    "ranked",
    "valor",
    "voc2007",
    "voc2012",
    "dota",
    "kitti",
    "keypoints",
    "open_images",
    "open_images_v2",
]

ProtocolName = _OfThisPlugin | str
"""Name of a protocol of this plugin, or of another one."""


PROTOCOL_NAMES: tuple[str, ...] = get_args(_OfThisPlugin)
"""Names of the protocols of this plugin."""


Limited = Literal["label", "image"]


ConvertTo = Literal["box", "polygon", "mask"]


OverlapName = Literal["iou", "probiou"]


AreaRanges = Mapping[str, tuple[float | None, ...]]


COCO_IOUS: tuple[float, ...] = tuple(i / 20 for i in range(10, 20))
"""0.5, 0.55 … 0.95 as the nearest decimals."""


COCO_AREAS: Mapping[str, tuple[float, float]] = {
    "all": (0.0, 1e10),
    "small": (0.0, 1024.0),
    "medium": (1024.0, 9216.0),
    "large": (9216.0, 1e10),
}
"""COCO's area ranges, in square pixels."""


CURVE_THRESHOLDS = tuple(i / 20 for i in range(1, 20))
"""0.05 … 0.95, the score thresholds of the documented curves."""


MATCHING: Any = parameter(
    default="coco",
    help="Protocol to match predictions to ground truths: coco is bitwise equal to pycocotools; "
    "lvis is bitwise equal to lvis-api; "
    "ranked matches by score and IoU, independent of the threshold; valor matches a prediction "
    "only to its best ground truth; voc2007 and voc2012 follow PASCAL VOC's development kits, "
    "dota follows DOTA's, kitti KITTI's; keypoints is coco with the similarity of keypoints "
    "(OKS) instead of the IoU; open_images is the Open Images challenge, "
    "open_images_v2 ignores groups of objects.",
)
"""Field of the protocol."""


def _check_protocol(owner: object, _: object, name: str) -> None:
    """Raise a `ParameterError` for a name that no plugin declares."""
    if name in PROTOCOL_NAMES:
        return
    from valor_core.specs import ProtocolSpec, Registry

    registry = Registry.of_process()
    try:
        registry.find(ProtocolSpec, name)
    except UnknownNameError:
        names = [*PROTOCOL_NAMES, *(spec.name for spec in registry.all(ProtocolSpec))]
        raise ParameterError(
            f"matching must be one of {', '.join(map(repr, names))}, got {short_repr(name)}",
            did_you_mean(name, names),
            place=f"{type(owner).__name__}: ",
        ) from None


MATCHING.validator(_check_protocol)


Sigmas = tuple[float, ...] | Mapping[str, tuple[float, ...]]


SIGMAS: Any = parameter(
    default=None,
    help="Standard deviation of each keypoint under the protocol keypoints, relative to the square "
    "root of the object's area: a list for all labels, or a table of lists by label; null is "
    "COCO's 17 of a person.",
    check=Within(0, open_low=True),
    non_empty=True,
)
"""Field of the standard deviations of keypoints."""


CONVERT_TO: Any = parameter(
    default=None,
    help="Kind of shape to compare, rotated boxes exactly; null is the less detailed of each pair.",
    aliases=("convert_annotations_to_type",),
)
"""Field of the compared kind of shape."""


OVERLAP: Any = parameter(
    default="iou",
    help="Overlap that IoU thresholds refer to: iou is intersection over union; probiou compares "
    "boxes and rotated boxes as Gaussians, as Ultralytics does.",
)
"""Field of the overlap."""


def iou_thresholds(
    default: tuple[float, ...] = (0.5, 0.75), alias: str = "iou_thresholds_to_return"
) -> tuple[float, ...]:
    """Field of the IoU thresholds; one result for each."""
    thresholds: tuple[float, ...] = parameter(
        default=default,
        help="A prediction matches a ground truth if their IoU is at least this.",
        check=Within(0, 1, open_low=True),
        non_empty=True,
        distinct=True,
        aliases=(alias,),
    )
    return thresholds


COCO_IOU_THRESHOLDS: Any = iou_thresholds(COCO_IOUS, "iou_thresholds_to_compute")
"""Field of COCO's IoU thresholds, for a mean over them."""


IOU_THRESHOLD: Any = parameter(
    default=0.5,
    help="A prediction matches a ground truth if their IoU is at least this.",
    check=Within(0, 1, open_low=True),
    aliases=("pr_curve_iou_threshold",),
)
"""Field of one IoU threshold."""


def score_thresholds(default: tuple[float, ...]) -> tuple[float, ...]:
    """Field of the score thresholds."""
    thresholds: tuple[float, ...] = parameter(
        default=default,
        help="A prediction counts if its score is at least this.",
        non_empty=True,
        distinct=True,
    )
    return thresholds


def max_detections(without: str = "all") -> int | None:
    """Field of the maximum number of predictions in an image."""
    most: int | None = parameter(
        default=None,
        help="Maximum number of predictions in an image, of each label or of all labels by "
        f"max_detections_per, by descending score; null is {without}.",
        check=Within(1),
    )
    return most


MAX_DETECTIONS_PER: Any = parameter(
    default=None,
    help="Predictions of an image that max_detections limits: label, those of each label; image, "
    "those of all labels of a key. Null is the choice of the protocol.",
)
"""Field of the predictions that share the maximum number."""


COCO_MAX_DETECTIONS: Any = max_detections(
    "100 under the protocol coco, 20 under keypoints, and all otherwise"
)
"""Field of the maximum number of predictions, by default that of the protocol."""


def area_ranges(without: str = "all sizes") -> AreaRanges | None:
    """Field of the object sizes with separate results."""
    ranges: AreaRanges | None = parameter(
        default=None,
        help="Names and bounds, in square pixels, of object sizes with separate results; an upper "
        "bound of null is unlimited. COCO's are small 0 to 1024, medium to 9216, large to 1e10. "
        f"Objects of other sizes are ignored. The default is {without}.",
        check=Within(0),
        non_empty=True,
    )
    return ranges


COCO_AREA_RANGES: Any = area_ranges("all sizes, under the protocols coco and keypoints up to 1e10")
"""Field of the object sizes, by default those of the protocol."""


class Counted:
    """Mixin of parameter classes that validates the limit of detections."""

    max_detections: int | None
    max_detections_per: Limited | None

    def __attrs_post_init__(self) -> None:
        if self.max_detections_per is not None and self.max_detections is None:
            raise ParameterError(
                f"max_detections_per: {self.max_detections_per} requires max_detections, got null",
                "Write a number, such as: max_detections: 100",
                place=f"{type(self).__name__}: ",
            )


class Sized(Counted):
    """Mixin of parameter classes that also validates area ranges."""

    area_ranges: AreaRanges | None

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        for name, bounds in (self.area_ranges or {}).items():
            if not _is_range(bounds):
                raise ParameterError(
                    "area_ranges must be pairs [low, high], "
                    f"got {short_repr(list(bounds))} as {name!r}",
                    "Write small: [0, 1024], or large: [9216, null] without an upper bound.",
                    place=f"{type(self).__name__}: ",
                )


def _is_range(bounds: tuple[float | None, ...]) -> bool:
    if len(bounds) != 2 or bounds[0] is None:
        return False
    return bounds[1] is None or bounds[0] <= bounds[1]


def prediction_only(value: str = "0") -> bool:
    """Field that includes labels without ground truth in means."""
    include: bool = parameter(
        default=False,
        help=f"If true, means include labels without ground truth, with {value}.",
    )
    return include


PER_LABEL: Any = parameter(
    default=False, help="If true, add a result for each label to the result of the label key."
)
"""Field that adds a result for each label."""


Policy = Literal["error", "repair", "skip", "accept"]
"""Policy for invalid geometries: raise, repair, exclude them, or compute with them."""


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Raise a `ParameterError` for an unknown value of an argument.

    Examples
    --------
    >>> check_choice("iou_type", "segm", ("bbox", "segm"))
    """
    if value not in choices:
        raise ParameterError(
            f"{name}: expected one of {', '.join(choices)}, got {short_repr(value)}",
            did_you_mean(value, choices) if isinstance(value, str) else None,
        )


LABEL_KEY: Any = parameter(default=DEFAULT_KEY, help="Key of all labels.")
"""Field of the key of all labels."""


def invalid_geometry_field(shapes: str) -> Policy:
    """Field of the policy for invalid shapes."""
    policy: Policy = parameter(
        default="error",
        help=f"Policy for invalid {shapes}, such as empty ones or those outside an image of known "
        "size: error raises an error, repair fixes what it can and excludes the rest, skip "
        "excludes them, accept computes with them unless they are inverted or not finite.",
    )
    return policy


PARTITION_IMAGES: Any = parameter(
    default=2000, help="Number of images per partition.", check=Within(1)
)
"""Field of the number of images per partition."""
