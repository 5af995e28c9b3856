"""Panoptic quality is that of torchmetrics, whose answers are recorded with the data.

All pixels are predicted: torchmetrics takes those that are not out of true segments, unlike the
COCO panoptic API.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from valor_core.schemas.segmentation import Segmentation, Segments

from .support import results_of

RECORD = json.loads((Path(__file__).parent / "golden" / "panoptic_torchmetrics.json").read_text())
METRICS = ("PanopticQuality", "SegmentationQuality", "RecognitionQuality")


def segments(image: Any) -> Segments:
    """A pixel's tens are its category; 0 is void in a ground truth."""
    numbers = [number for number in np.unique(image).tolist() if number]
    return Segments(image, {number: RECORD["labels"][str(number // 10)] for number in numbers})


def items() -> list[Segmentation]:
    return [
        Segmentation(
            i, segments(one["true"]), segments(one["seen"]), ignore=0, stuff=RECORD["stuff"]
        )
        for i, one in enumerate(RECORD["images"])
    ]


@pytest.mark.parametrize("column", range(3))
def test_every_label_and_the_mean_are_torchmetrics(column: int) -> None:
    metric = {"name": METRICS[column], "include_prediction_only_labels": True}

    results = results_of(items(), metric)

    found = {r.parameters["label"]: r.value for r in results if "label" in r.parameters}
    # It divides in 32 bits.
    expected = {label: values[column] for label, values in RECORD["per_label"].items()}
    assert found == pytest.approx(expected, abs=1e-7)
    (mean,) = (r for r in results if r.parameters.get("average") == "all")
    assert mean.value == pytest.approx(RECORD["mean"][column], abs=1e-7)
