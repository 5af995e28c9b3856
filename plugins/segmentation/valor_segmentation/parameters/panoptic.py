"""Parameters of the panoptic metrics."""

from __future__ import annotations

from valor_core.parameters import Within, parameter, parameters


def _stuff() -> tuple[str, ...] | None:
    stuff: tuple[str, ...] | None = parameter(
        default=None,
        help="Labels that are stuff, by value; all others are things. Null is those that the data "
        "say, as COCO's panoptic files do. With any, there are means over the two kinds as well.",
        distinct=True,
    )
    return stuff


def _background_is_void() -> bool:
    is_void: bool = parameter(
        default=False,
        help="Whether true background is void too, so that predictions there are not false. Void "
        "is else what the data ignore, as they do pixels of no segment in COCO's panoptic files.",
    )
    return is_void


def _prediction_only() -> bool:
    include: bool = parameter(
        default=False,
        help="Whether labels without ground truths take part in means, as they do in COCO's "
        "panoptic API.",
    )
    return include


@parameters
class PanopticQualityParameters:
    """Parameters of PanopticQuality."""

    stuff: tuple[str, ...] | None = _stuff()
    background_is_void: bool = _background_is_void()
    include_prediction_only_labels: bool = _prediction_only()


@parameters
class RecognitionQualityParameters:
    """Parameters of RecognitionQuality."""

    stuff: tuple[str, ...] | None = _stuff()
    background_is_void: bool = _background_is_void()
    include_prediction_only_labels: bool = _prediction_only()


@parameters
class SegmentationQualityParameters:
    """Parameters of SegmentationQuality."""

    stuff: tuple[str, ...] | None = _stuff()
    background_is_void: bool = _background_is_void()
    include_prediction_only_labels: bool = _prediction_only()
    zero_division: float | None = parameter(
        default=0.0,
        help="Value of a label of which nothing is matched; null makes it undefined: means "
        "exclude and count it.",
        check=Within(0, 1),
    )
