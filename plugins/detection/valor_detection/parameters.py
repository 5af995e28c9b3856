"""Parameters of the detection metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from valor_core.errors import ParameterError, shown
from valor_core.parameters import Within, parameter, parameters

Rule = Literal["coco", "ranked", "valor"]

COCO_IOUS: tuple[float, ...] = tuple(i / 20 for i in range(10, 20))
"""0.5, 0.55 … 0.95, as people write them."""

CURVE_THRESHOLDS = tuple(i / 20 for i in range(1, 20))
"""0.05 … 0.95, the score thresholds of the documented curves."""

ConvertTo = Literal["box", "polygon", "mask"]

Average = Literal["none", "micro", "macro", "weighted"]

EVERY_SIZE: Mapping[str, tuple[float, ...]] = {"all": (0.0, 1e10)}
"""The one area range of metrics that are not asked for sizes."""

COCO_AREAS: Mapping[str, tuple[float, ...]] = {
    "all": (0.0, 1e10),
    "small": (0.0, 1024.0),
    "medium": (1024.0, 9216.0),
    "large": (9216.0, 1e10),
}
"""COCO's area ranges, in square pixels."""


def _matching() -> Rule:
    rule: Rule = parameter(
        default="coco",
        help="Rule by which predictions find ground truths: coco is that of pycocotools, to the "
        "last bit; ranked goes by score and IoU whatever the threshold; valor gives a prediction "
        "its one best ground truth or none.",
    )
    return rule


def _convert_to() -> ConvertTo | None:
    kind: ConvertTo | None = parameter(
        default=None,
        help="Kind of shape that is compared: box, polygon, or mask; null is the less detailed of "
        "each pair, and a box that is turned is compared exactly.",
        aliases=("convert_annotations_to_type",),
    )
    return kind


def _iou_thresholds(
    default: tuple[float, ...] = (0.5, 0.75), alias: str = "iou_thresholds_to_return"
) -> tuple[float, ...]:
    thresholds: tuple[float, ...] = parameter(
        default=default,
        help="A prediction matches a ground truth if their IoU is at least this.",
        check=Within(0, 1, open_low=True),
        non_empty=True,
        distinct=True,
        aliases=(alias,),
    )
    return thresholds


def _iou_threshold() -> float:
    threshold: float = parameter(
        default=0.5,
        help="A prediction matches a ground truth if their IoU is at least this.",
        check=Within(0, 1, open_low=True),
        aliases=("pr_curve_iou_threshold",),
    )
    return threshold


def _score_thresholds(default: tuple[float, ...]) -> tuple[float, ...]:
    thresholds: tuple[float, ...] = parameter(
        default=default,
        help="A prediction counts if its score is at least this.",
        non_empty=True,
        distinct=True,
    )
    return thresholds


def _recall_score_threshold() -> float:
    threshold: float = parameter(
        default=0.0, help="A prediction counts towards recall if its score is at least this."
    )
    return threshold


def _max_detections() -> int | None:
    most: int | None = parameter(
        default=None,
        help="Most predictions of a label that count in an image, the best-scoring ones; null is "
        "100 under the rule coco and all otherwise.",
        check=Within(1),
    )
    return most


def _area_ranges() -> Mapping[str, tuple[float, ...]]:
    ranges: Mapping[str, tuple[float, ...]] = parameter(
        default=EVERY_SIZE,
        help="Names and bounds, in square pixels, of the sizes that are counted apart; COCO's are "
        "small 0 to 1024, medium to 9216, large to 1e10. Objects of other sizes are ignored.",
        check=Within(0),
        non_empty=True,
    )
    return ranges


class _Sized:
    """Checks the area ranges of a parameter class."""

    area_ranges: Mapping[str, tuple[float, ...]]

    def __attrs_post_init__(self) -> None:
        for name, bounds in self.area_ranges.items():
            if len(bounds) != 2 or bounds[0] > bounds[1]:
                raise ParameterError(
                    f"area_ranges must be pairs [low, high], got {shown(list(bounds))} as {name!r}",
                    place=f"{type(self).__name__}: ",
                )


def _prediction_only() -> bool:
    include: bool = parameter(
        default=False,
        help="Whether labels without ground truth take part in means, with 0.",
    )
    return include


def _average() -> tuple[Average, ...]:
    average: tuple[Average, ...] = parameter(
        default=("none", "micro", "macro", "weighted"),
        help="none is one result for each label; micro pools all labels, macro is the plain mean "
        "over labels, weighted the mean by number of ground truths.",
        non_empty=True,
        distinct=True,
    )
    return average


def _zero_division() -> float | None:
    zero_division: float | None = parameter(
        default=0.0,
        help="Value of 0/0; null makes it undefined, left out of means and counted.",
        check=Within(0, 1),
    )
    return zero_division


@parameters
class APParameters(_Sized):
    """Parameters of AP."""

    iou_thresholds: tuple[float, ...] = _iou_thresholds()
    matching: Rule = _matching()
    max_detections: int | None = _max_detections()
    area_ranges: Mapping[str, tuple[float, ...]] = _area_ranges()
    convert_to: ConvertTo | None = _convert_to()


@parameters
class APAveragedParameters(_Sized):
    """Parameters of APAveragedOverIOUs."""

    iou_thresholds: tuple[float, ...] = _iou_thresholds(COCO_IOUS, "iou_thresholds_to_compute")
    matching: Rule = _matching()
    max_detections: int | None = _max_detections()
    area_ranges: Mapping[str, tuple[float, ...]] = _area_ranges()
    convert_to: ConvertTo | None = _convert_to()


@parameters
class MeanAPParameters(_Sized):
    """Parameters of mAP."""

    iou_thresholds: tuple[float, ...] = _iou_thresholds()
    matching: Rule = _matching()
    max_detections: int | None = _max_detections()
    area_ranges: Mapping[str, tuple[float, ...]] = _area_ranges()
    include_prediction_only_labels: bool = _prediction_only()
    convert_to: ConvertTo | None = _convert_to()


@parameters
class MeanAPAveragedParameters(_Sized):
    """Parameters of mAPAveragedOverIOUs."""

    iou_thresholds: tuple[float, ...] = _iou_thresholds(COCO_IOUS, "iou_thresholds_to_compute")
    matching: Rule = _matching()
    max_detections: int | None = _max_detections()
    area_ranges: Mapping[str, tuple[float, ...]] = _area_ranges()
    include_prediction_only_labels: bool = _prediction_only()
    convert_to: ConvertTo | None = _convert_to()


@parameters
class ARParameters(_Sized):
    """Parameters of AR."""

    iou_thresholds: tuple[float, ...] = _iou_thresholds(COCO_IOUS, "iou_thresholds_to_compute")
    recall_score_threshold: float = _recall_score_threshold()
    matching: Rule = _matching()
    max_detections: int | None = _max_detections()
    area_ranges: Mapping[str, tuple[float, ...]] = _area_ranges()
    convert_to: ConvertTo | None = _convert_to()


@parameters
class ARAveragedParameters(_Sized):
    """Parameters of ARAveragedOverScores."""

    iou_thresholds: tuple[float, ...] = _iou_thresholds(COCO_IOUS, "iou_thresholds_to_compute")
    score_thresholds: tuple[float, ...] = _score_thresholds(CURVE_THRESHOLDS)
    matching: Rule = _matching()
    max_detections: int | None = _max_detections()
    area_ranges: Mapping[str, tuple[float, ...]] = _area_ranges()
    convert_to: ConvertTo | None = _convert_to()


@parameters
class MeanARParameters(_Sized):
    """Parameters of mAR."""

    iou_thresholds: tuple[float, ...] = _iou_thresholds(COCO_IOUS, "iou_thresholds_to_compute")
    recall_score_threshold: float = _recall_score_threshold()
    matching: Rule = _matching()
    max_detections: int | None = _max_detections()
    area_ranges: Mapping[str, tuple[float, ...]] = _area_ranges()
    include_prediction_only_labels: bool = _prediction_only()
    convert_to: ConvertTo | None = _convert_to()


@parameters
class MeanARAveragedParameters(_Sized):
    """Parameters of mARAveragedOverScores."""

    iou_thresholds: tuple[float, ...] = _iou_thresholds(COCO_IOUS, "iou_thresholds_to_compute")
    score_thresholds: tuple[float, ...] = _score_thresholds(CURVE_THRESHOLDS)
    matching: Rule = _matching()
    max_detections: int | None = _max_detections()
    area_ranges: Mapping[str, tuple[float, ...]] = _area_ranges()
    include_prediction_only_labels: bool = _prediction_only()
    convert_to: ConvertTo | None = _convert_to()


@parameters
class LabelParameters(_Sized):
    """Parameters of Precision, Recall and F1."""

    iou_thresholds: tuple[float, ...] = _iou_thresholds((0.5,))
    score_thresholds: tuple[float, ...] = _score_thresholds((0.5,))
    average: tuple[Average, ...] = _average()
    matching: Rule = _matching()
    max_detections: int | None = _max_detections()
    area_ranges: Mapping[str, tuple[float, ...]] = _area_ranges()
    zero_division: float | None = _zero_division()
    include_prediction_only_labels: bool = _prediction_only()
    convert_to: ConvertTo | None = _convert_to()


@parameters
class CountsParameters(_Sized):
    """Parameters of Counts."""

    iou_thresholds: tuple[float, ...] = _iou_thresholds((0.5,))
    score_thresholds: tuple[float, ...] = _score_thresholds((0.5,))
    matching: Rule = _matching()
    max_detections: int | None = _max_detections()
    area_ranges: Mapping[str, tuple[float, ...]] = _area_ranges()
    convert_to: ConvertTo | None = _convert_to()


@parameters
class PrecisionRecallCurveParameters(_Sized):
    """Parameters of PrecisionRecallCurve."""

    iou_threshold: float = _iou_threshold()
    form: Literal["thresholds", "interpolated"] = parameter(
        default="thresholds",
        help="thresholds counts at every score threshold; interpolated gives precision and score "
        "at 101 recalls from 0 to 1.",
    )
    score_thresholds: tuple[float, ...] = _score_thresholds(CURVE_THRESHOLDS)
    matching: Rule = _matching()
    max_detections: int | None = _max_detections()
    area_ranges: Mapping[str, tuple[float, ...]] = _area_ranges()
    zero_division: float | None = _zero_division()
    convert_to: ConvertTo | None = _convert_to()


@parameters
class COCOSummaryParameters:
    """Parameters of COCOSummary."""

    convert_to: ConvertTo | None = _convert_to()
