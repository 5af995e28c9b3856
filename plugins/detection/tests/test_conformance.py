"""Every metric passes the conformance kit, with default and other parameters."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from valor_testing import cases

SIZES = {"area_ranges": {"small": [0, 100], "large": [50, 1e10]}}
VALOR = {"matching": "valor", "iou_thresholds": [0.75, 0.1, 0.5]}
VOC2007, VOC2012, DOTA, KITTI = (
    {"matching": name, "iou_thresholds": [0.5, 0.3]}
    for name in ("voc2007", "voc2012", "dota", "kitti")
)
GROUPS = {"matching": "open_images", "iou_thresholds": [0.5, 0.3]}
RANKED = {"matching": "ranked", "iou_thresholds": [0.6]} | SIZES
FEW = {"max_detections": 3, "include_prediction_only_labels": True}
FEW_OF_IMAGE = {"max_detections": 3, "max_detections_per": "image"}
SEVERAL = {"score_thresholds": [0.5, 0.0, 0.35], "iou_thresholds": [0.9, 0.5]}


THRESHOLDS = Path(__file__).with_name("thresholds.json")
"""Report with thresholds of the labels, to apply."""

PARAMETERS = {
    "detection.AP": [
        {},
        VALOR | SIZES,
        RANKED | FEW_OF_IMAGE,
        *(VOC2007, VOC2012, DOTA, GROUPS | SIZES),
    ],
    "detection.APAveragedOverIOUs": [{}, VALOR | SIZES, RANKED],
    "detection.mAP": [{}, VALOR | FEW, RANKED | FEW],
    "detection.mAPAveragedOverIOUs": [{}, VALOR | SIZES | FEW, RANKED, VOC2012],
    "detection.AR": [{}, FEW_OF_IMAGE, VALOR | {"recall_score_threshold": 0.5}, RANKED],
    "detection.ARAveragedOverScores": [{}, VALOR | {"score_thresholds": [0.5, 0]}, RANKED],
    "detection.mAR": [{}, {"max_detections": 1}, VALOR | FEW | {"recall_score_threshold": 0.5}],
    "detection.mARAveragedOverScores": [{}, FEW | SIZES, RANKED],
    "detection.Precision": [{}, SEVERAL | {"zero_division": None}, SEVERAL | RANKED],
    "detection.Recall": [{}, SEVERAL | SIZES | {"zero_division": 1.0}, VALOR | SEVERAL],
    "detection.F1": [
        {},
        VALOR | FEW_OF_IMAGE,
        SEVERAL | FEW,
        {"average": ["macro"], "zero_division": None},
    ],
    "detection.Counts": [
        {},
        SEVERAL | FEW_OF_IMAGE,
        SEVERAL | SIZES,
        SEVERAL | RANKED,
        VALOR | {"max_detections": 2},
        GROUPS,
    ],
    "detection.BestThreshold": [
        {},
        VALOR | {"objective": "cost", "false_negative_cost": 3},
        RANKED | {"objective": "recall_at_precision", "minimum": 0.5, "average": "micro"},
        {"apply": THRESHOLDS},
    ],
    "detection.PrecisionRecallCurve": [
        {},
        {"score_thresholds": [0.7, 0.35], "zero_division": None, "matching": "ranked"} | SIZES,
        {"form": "interpolated", "iou_threshold": 0.6, "matching": "valor"},
        {"form": "interpolated"} | FEW_OF_IMAGE,
    ],
    "detection.DetailedPrecisionRecallCurve": [
        {},
        {"score_thresholds": [0.5, 0.1], "matching": "valor", "max_examples": 0},
        {"iou_threshold": 0.6, "matching": "ranked", "max_detections": 2, "max_examples": 3},
    ],
    "detection.ConfusionMatrix": [
        {},
        SEVERAL | {"max_examples": 2},
        SEVERAL | {"matching": "ranked", "max_examples": 1},
        VALOR | {"score_thresholds": [0.25, 0.5]},
        GROUPS,
    ],
    "detection.Examples": [
        {},
        SEVERAL | {"order": "uid", "limit": 2, "offset": 1},
        VALOR | {"limit": None},
        GROUPS,
    ],
    "detection.CalibrationError": [
        {},
        {"bins": 4, "per_label": True, "score_threshold": 0.3, "matching": "valor"},
        {"iou_threshold": 0.75, "matching": "ranked", "max_detections": 2},
    ],
    "detection.ErrorAnalysis": [
        {},
        {"per_label": True, "iou_threshold": 0.6, "background_threshold": 0.2},
        {"matching": "valor", "include_prediction_only_labels": True},
        {"matching": "voc2012"},
        {"matching": "kitti"},
        {"matching": "dota", "overlap": "probiou", "iou_threshold": 0.3},
        {"matching": "ranked", "max_detections": 2, "per_label": True},
    ],
    "detection.LRP": [
        {},
        {"score_thresholds": [0.5, 0.0], "matching": "valor", "max_detections": 2},
        {"iou_threshold": 0.75, "matching": "ranked", "include_prediction_only_labels": True},
    ],
    "detection.OptimalLRP": [
        {},
        {"iou_threshold": 0.25, "matching": "valor", "include_prediction_only_labels": True},
        {"matching": "ranked", "max_detections": 1},
    ],
}


@pytest.mark.parametrize(
    "check",
    [pytest.param(check, id=name) for name, check in cases("detection", parameters=PARAMETERS)],
)
def test_the_plugin_conforms(check: Callable[[], None]) -> None:
    check()
