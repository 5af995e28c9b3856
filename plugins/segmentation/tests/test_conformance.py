"""Every metric of the plugin keeps every law of the conformance kit, by default and otherwise."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from valor_testing import cases

ALL = {"average": ["weighted", "none", "macro", "micro"]}
WIDE = {"include_prediction_only_labels": True}

PARAMETERS = {
    "segmentation.IOU": [{}, ALL | WIDE],
    "segmentation.mIOU": [{}, {"background": True}, WIDE, {"average": "weighted"}],
    "segmentation.Precision": [{}, ALL | WIDE | {"zero_division": None}],
    "segmentation.Recall": [{}, ALL | {"zero_division": 1.0}],
    "segmentation.F1": [
        {},
        {"average": ["macro"], "zero_division": None},
        {"per": "image"},
        {"per": "image", "ignore_empty": False, "zero_division": 1.0},
    ],
    "segmentation.Accuracy": [{}, {"background": False}],
    "segmentation.Counts": [{}],
    "segmentation.ConfusionMatrix": [
        {"normalize": way} for way in ("none", "truth", "prediction", "all", "iou")
    ],
    "segmentation.Examples": [
        {},
        {"order": "iou", "limit": None},
        {"order": "uid", "limit": 2, "offset": 1},
        {"label": "cat", "errors_only": True},
        {"order": "boundary_iou", "settings": {"width_in_pixels": 1}},
        {"order": "hausdorff"},
        {"order": "panoptic_quality"},
    ],
}


@pytest.mark.parametrize(
    "check",
    [pytest.param(check, id=name) for name, check in cases("segmentation", parameters=PARAMETERS)],
)
def test_the_plugin_conforms(check: Callable[[], None]) -> None:
    check()
