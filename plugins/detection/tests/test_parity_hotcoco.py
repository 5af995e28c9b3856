"""Boxes and keypoints: numbers equal to those of hotcoco.

Its sums have another order, so the last digits may differ. For LVIS, hotcoco's numbers differ from
those of lvis-api in many small data sets; `test_parity_lvis` compares with lvis-api.
"""

from __future__ import annotations

import contextlib
import copy
import io
from typing import Any

import hotcoco
import numpy as np
import pytest
from valor_detection import coco as facade

from .test_parity_keypoints import Poses
from .test_parity_lvis import LvisData


def stats(
    module: Any, data_set: dict[str, Any], results: list[dict[str, Any]], iou_type: str
) -> Any:
    """Return the summary by the classes of hotcoco, or by those that replace pycocotools."""
    data_set, results = copy.deepcopy(data_set), copy.deepcopy(results)
    with contextlib.redirect_stdout(io.StringIO()):
        if module is hotcoco:
            truths = module.COCO(data_set)
            found = truths.load_res(results)
        else:
            truths = module.COCO()
            truths.dataset = data_set
            truths.createIndex()
            found = truths.loadRes(results)
        evaluation = module.COCOeval(truths, found, iou_type)
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return np.array(evaluation.stats)


def boxes(seed: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Random boxes with crowds, equal scores, and areas that are 0 or at bounds of ranges."""
    data = LvisData(seed)

    def of(record: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in record.items() if name != "segmentation"}

    truths = [of(one) | {"iscrowd": one.get("ignore", 0)} for one in data.truths]
    data_set = {
        "info": {},
        "images": data.images,
        "categories": data.categories,
        "annotations": truths,
    }
    return data_set, list(map(of, data.results))


@pytest.mark.parametrize("block", range(10))
def test_summary_of_boxes_equals_hotcoco(block: int) -> None:
    """1,000 random sets."""
    for seed in range(100 * block, 100 * block + 100):
        data_set, results = boxes(seed)
        ours, theirs = (stats(one, data_set, results, "bbox") for one in (facade, hotcoco))
        assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-12), seed


@pytest.mark.parametrize("block", range(10))
def test_summary_of_keypoints_equals_hotcoco(block: int) -> None:
    """1,000 random sets."""
    for seed in range(100 * block, 100 * block + 100):
        poses = Poses(seed)
        data_set, results = poses.data_set(), poses.results
        ours, theirs = (stats(one, data_set, results, "keypoints") for one in (facade, hotcoco))
        assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-12), seed
