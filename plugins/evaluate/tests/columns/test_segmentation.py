"""Columns of segmentation: images of integers, and segments."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from PIL import Image
from valor_evaluate import module

from valor_core import evaluate
from valor_core.errors import SchemaError
from valor_core.schemas.segmentation import Segmentation, Segments

TRUE = [[0, 1, 1], [2, 2, 9]]
SEEN = [[0, 1, 2], [2, 2, 1]]


def test_by_hand() -> None:
    # 9 does not count. car: 1 pixel of 2 true and 1 predicted, 1/2; road: 2 of 2 true and 3
    # predicted, 2/3; their mean is 7/12.
    miou = module("segmentation.mIOU", data={"labels": ["car", "road"], "ignore": 9})

    assert miou.compute(predictions=[SEEN], references=[TRUE]) == {
        "mIOU": pytest.approx(7 / 12, abs=1e-15)
    }


@pytest.mark.parametrize("make", [np.array, lambda rows: Image.fromarray(np.array(rows, np.uint8))])
def test_arrays_and_images_are_images(make: Any) -> None:
    iou = module(
        "segmentation.IOU", data={"labels": {"1": "car", "2": "road", "0": None}, "ignore": 9}
    )

    scores = iou.compute(predictions=[make(SEEN)], references=[make(TRUE)])

    assert scores["IOU/label:car"] == 1 / 2


def test_segments_are_separate_objects() -> None:
    """In the format of panoptic post-processing of transformers; 3 is a crowd, sky is stuff."""
    true = {
        "segmentation": [[1, 1, 2, 3], [4, 4, 4, 4]],
        "segments_info": [
            {"id": 1, "label": "car", "iscrowd": False},
            {"id": 2, "label": "car"},
            {"id": 3, "label": "car", "iscrowd": True},
            {"id": 4, "label": "sky"},
        ],
    }
    seen = {
        "segmentation": [[1, 1, 1, 0], [7, 7, 7, 7]],
        "segments_info": [{"id": 1, "label": "car"}, {"id": 7, "label": "sky"}],
    }
    quality = module("segmentation.PanopticQuality", data={"stuff": "sky"})
    item = Segmentation(
        0,
        Segments(true["segmentation"], {1: "car", 2: "car", 3: "car", 4: "sky"}, crowd=[3]),
        Segments(seen["segmentation"], {1: "car", 7: "sky"}),
        stuff="sky",
    )

    quality.compute(predictions=[seen], references=[true])

    expected = evaluate([item], ["segmentation.PanopticQuality"])
    assert list(quality.report.results) == list(expected.results)


@pytest.mark.parametrize(
    ("seen", "true", "said", "message"),
    [
        (SEEN, TRUE, {}, "predictions: expected labels, which say what pixels mean, got none"),
        (
            {"segmentation": [[1]]},
            {"segmentation": [[1]]},
            {},
            'segmentation.IOU: item 0, references: expected {"segmentation": …,',
        ),
        (
            {"segmentation": [[1]], "segments_info": 3},
            {"segmentation": [[1]], "segments_info": []},
            {},
            "item 0, predictions, segments_info: expected a list, got 3",
        ),
        (
            {"segmentation": [[1]], "segments_info": [{"id": 1}]},
            {"segmentation": [[1]], "segments_info": []},
            {},
            'segmentation.IOU: item 0, predictions, segments_info: expected {"id":',
        ),
    ],
)
def test_invalid_input_is_rejected(
    seen: Any, true: Any, said: dict[str, Any], message: str
) -> None:
    exported = module("segmentation.IOU", data=said)

    with pytest.raises(SchemaError, match=re.escape(message)):
        exported.add(prediction=seen, reference=true)


def test_pixel_value_without_label_suggests_labels() -> None:
    iou = module("segmentation.IOU", data={"labels": ["car"]})

    with pytest.raises(
        SchemaError, match=r"segmentation\.IOU: item 0, groundtruth: expected the value of a label,"
    ):
        iou.compute(predictions=[SEEN], references=[TRUE])
