"""Parameters of the metrics that name single objects: matrices, examples, detailed curves."""

from __future__ import annotations

from typing import Literal

from valor_core.parameters import Within, parameter, parameters
from valor_detection.parameters import fields


@parameters
class ConfusionMatrixParameters:
    """Parameters of ConfusionMatrix."""

    iou_thresholds: tuple[float, ...] = fields.iou_thresholds((0.5,))
    score_thresholds: tuple[float, ...] = fields.score_thresholds((0.5,))
    matching: fields.Rule = fields.matching()
    max_examples: int = parameter(
        default=0,
        help="Most objects named for each cell, the best-scoring first; unmatched ground truths "
        "in the order of images.",
        check=Within(0),
    )
    convert_to: fields.ConvertTo | None = fields.convert_to()


@parameters
class ExamplesParameters:
    """Parameters of Examples."""

    iou_thresholds: tuple[float, ...] = fields.iou_thresholds((0.5,))
    score_thresholds: tuple[float, ...] = fields.score_thresholds((0.5,))
    matching: fields.Rule = fields.matching()
    order: Literal["errors", "uid"] = parameter(
        default="errors",
        help="errors puts images with the most false positives and false negatives first, equal "
        "ones by uid; uid goes by uid alone.",
    )
    limit: int | None = parameter(
        default=100, help="Most images listed; null is all.", check=Within(0)
    )
    offset: int = parameter(default=0, help="Images skipped first.", check=Within(0))
    convert_to: fields.ConvertTo | None = fields.convert_to()


@parameters
class DetailedCurveParameters:
    """Parameters of DetailedPrecisionRecallCurve."""

    iou_threshold: float = fields.iou_threshold()
    score_thresholds: tuple[float, ...] = fields.score_thresholds(fields.CURVE_THRESHOLDS)
    matching: fields.Rule = fields.matching()
    max_detections: int | None = fields.max_detections()
    max_examples: int = parameter(
        default=1,
        help="Most objects shown for each count: of predictions those with the best scores, of "
        "ground truths the first in the order of images.",
        check=Within(0),
        aliases=("pr_curve_max_examples",),
    )
    convert_to: fields.ConvertTo | None = fields.convert_to()
