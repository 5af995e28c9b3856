"""float32 and float16 scores equal the decimals that they print as, in every reader."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import for_each
from valor_detection.arrays.from_arrays import (
    Objects,
    from_arrays,
    from_supervision,
    from_torchvision,
)

from valor_core import evaluate
from valor_core.schemas.detection import Detection, DetectionBatch, PredictedObjects
from valor_core.schemas.geometry import Shapes

from .support import predicted, results_of, true, value_of

BOX = np.array([[0, 0, 4, 4]], np.float32)
DECIMALS = (0.05, 0.1, 0.2, 0.3, 0.35, 0.6, 0.7, 0.85, 0.9, 0.95)
FOUND = {"tp": 1, "fp": 0, "fn": 0}


class Detections:
    """Fake output of a detection library."""

    def __init__(self, score: Any) -> None:
        self.xyxy, self.class_id, self.confidence, self.mask = BOX, np.array([1]), score, None


def objects(score: Any) -> Any:
    return [Detection("a", [true("1", 0, 0, 4, 4)], [predicted({"1": score[0]}, 0, 0, 4, 4)])]


def arrays(score: Any) -> DetectionBatch:
    truths = Objects(boxes=BOX, labels=np.array([1]))
    return from_arrays([truths], [Objects(boxes=BOX, labels=np.array([1]), scores=score)])


def torchvision(score: Any) -> DetectionBatch:
    one = {"boxes": BOX, "labels": np.array([1])}
    return from_torchvision([one], [one | {"scores": score}])


def supervision(score: Any) -> DetectionBatch:
    return from_supervision([Detections(None)], [Detections(score)])


@for_each("dtype", [np.float16, np.float32, np.float64])
@for_each("door", [objects, arrays, torchvision, supervision])
def test_score_reaches_threshold_equal_to_its_decimal(door: Any, dtype: type) -> None:
    for decimal in DECIMALS:
        data = door(np.array([decimal], dtype))
        passed = results_of(data, {"name": "Counts", "score_thresholds": [decimal, 1]})

        assert passed.find(score_threshold=decimal).value == FOUND, decimal
        curve = value_of(data, "PrecisionRecallCurve", score_thresholds=[decimal])
        assert curve["1"][repr(decimal)]["tp"] == 1
        matrix = value_of(data, "ConfusionMatrix", score_thresholds=[decimal])
        assert matrix["confusion_matrix"] == {"1": {"1": 1}}
        assert value_of(data, "AR", recall_score_threshold=decimal) == 1.0
        (calibrated,) = results_of(data, {"name": "CalibrationError", "score_threshold": decimal})
        assert calibrated.value["ece"] == pytest.approx(1 - decimal, rel=1e-15)
        best = results_of(data, "OptimalLRP").find(label="1").value
        assert best["score_threshold"] == decimal


def test_images_with_mixed_float_types_keep_their_decimals() -> None:
    scores = [np.array([0.35], np.float32), np.array([0.35]), np.array([0.35], np.float16)]
    one = Objects(boxes=BOX, labels=np.array([1]))
    predicted = [Objects(boxes=BOX, labels=np.array([1]), scores=score) for score in scores]
    batch = from_arrays([one, one, one], predicted)

    assert batch.predictions.scores.tolist() == [0.35, 0.35, 0.35]


def test_float32_columns_keep_their_decimals() -> None:
    column = PredictedObjects(
        datums=[0], labels=[0], shapes=Shapes(BOX), scores=np.array([0.35], np.float32), areas=[16]
    )

    assert column.scores.tolist() == [0.35]


def test_a_parquet_table_of_float32_scores_keeps_their_decimals(tmp_path: Path) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    edges = dict(zip(("xmin", "ymin", "xmax", "ymax"), ([0.0], [0.0], [4.0], [4.0]), strict=True))
    rows = {"uid": ["a"], "label": ["x"]} | edges
    parquet.write_table(pa.table(rows), tmp_path / "truths.parquet")
    rows["score"] = pa.array([0.35], pa.float32())
    parquet.write_table(pa.table(rows), tmp_path / "seen.parquet")
    data = {
        "reader": "detection.table",
        "groundtruths": str(tmp_path / "truths.parquet"),
        "predictions": str(tmp_path / "seen.parquet"),
    }
    counts = {"name": "Counts", "score_thresholds": [0.35]}

    assert evaluate(data, [counts], task="detection")["Counts"].value == FOUND


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("protocol", ["coco", "lvis", "ranked", "valor", "voc2007", "voc2012"])
def test_iou_reaches_threshold_equal_to_its_decimal(protocol: str, dtype: type) -> None:
    for part in range(1, 100):
        size = np.array([[0, 0, 10, 10]], dtype)
        other = np.array([[0, 0, part / 10, 10]], dtype)
        if (other != np.round(other)).any() and dtype is np.float32:
            continue  # an edge of 1.1 in float32 is not exactly 1.1
        one = Objects(boxes=size, labels=np.array([1]))
        found = Objects(boxes=other, labels=np.array([1]), scores=np.array([0.5]))
        counts = {"name": "Counts", "iou_thresholds": [part / 100], "matching": protocol}

        assert results_of(from_arrays([one], [found]), counts)["Counts"].value == FOUND, part
