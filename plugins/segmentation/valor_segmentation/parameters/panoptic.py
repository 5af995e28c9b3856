"""Parameters of the panoptic metrics."""

from __future__ import annotations

from valor_core.parameters import Within, parameter, parameters


@parameters
class PanopticQualityParameters:
    """Parameters of PanopticQuality."""

    stuff: tuple[str, ...] | None = parameter(
        default=None,
        help="Labels that are stuff, by value; all others are things. Null is those that the data "
        "say, as COCO's panoptic files do. With any, there are means over the two kinds as well.",
        distinct=True,
    )
    background_is_void: bool = parameter(
        default=False,
        help="Whether true background is void too, so that predictions there are not false. Void "
        "is else what the data ignore, as they do pixels of no segment in COCO's panoptic files.",
    )
    include_prediction_only_labels: bool = parameter(
        default=False,
        help="Whether labels without ground truths take part in means, as they do in COCO's "
        "panoptic API.",
    )


@parameters
class RecognitionQualityParameters(PanopticQualityParameters):
    """Parameters of RecognitionQuality."""


@parameters
class SegmentationQualityParameters(PanopticQualityParameters):
    """Parameters of SegmentationQuality."""

    zero_division: float | None = parameter(
        default=0.0,
        help="Value of a label of which nothing is matched; null makes it undefined: means "
        "exclude and count it.",
        check=Within(0, 1),
    )
