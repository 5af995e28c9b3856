"""Modules and classes that a new process loads for COCO's numbers; time would be flaky."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from valor_detection.kernels import KERNELS

pytestmark = pytest.mark.skipif(KERNELS.library is None, reason="NumPy's way loads more")

LOADED = """
import sys
before = set(sys.modules)
from valor_core import evaluate
metric, iou_type = sys.argv[1:]
chosen = {"reader": "detection.coco", "groundtruths": "truths.json", "predictions": "results.json"}
evaluate(chosen | {"iou_type": iou_type}, [metric], task="detection")

def classes(cls=object):
    for below in type.__subclasses__(cls):
        if "__attrs_attrs__" in vars(below) and below.__module__.startswith("valor_"):
            yield f"{below.__module__}:{below.__qualname__}"
        yield from classes(below)

print("\\n".join([*sorted(set(sys.modules) - before), *sorted(set(classes()))]))
"""

BOX = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9], "keypoints": [1, 1, 2] * 17}


def loaded_by(folder: Path, metric: str, iou_type: str = "bbox", **fields: Any) -> set[str]:
    """Modules and classes that a process loads for a metric; `fields` are of the image."""
    truths = {
        "images": [{"id": 1, "width": 9, "height": 9} | fields],
        "categories": [{"id": 1, "name": "dog", "frequency": "r"}],
        "annotations": [BOX | {"id": 1, "area": 81, "iscrowd": 0}],
    }
    (folder / "truths.json").write_text(json.dumps(truths))
    (folder / "results.json").write_text(json.dumps([BOX | {"score": 0.5}]))
    command = [sys.executable, "-c", LOADED, metric, iou_type]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return set(run.stdout.split())


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    return loaded_by(tmp_path_factory.mktemp("coco"), "COCOSummary")


def names(loaded: set[str], top: str) -> list[str]:
    return [name for name in loaded if name.partition(".")[0] == top and ":" not in name]


def test_coco_s_numbers_need_few_modules(loaded: set[str]) -> None:
    assert len(names(loaded, "valor_core")) <= 74
    assert len(names(loaded, "valor_detection")) <= 47


def test_coco_s_numbers_need_few_classes(loaded: set[str]) -> None:
    assert len([name for name in loaded if ":" in name]) <= 148


@pytest.mark.parametrize(
    "name",
    ["email", "zipfile", "hashlib", "decimal", "gzip", "msgspec", "multiprocessing", "logging"],
)
def test_coco_s_numbers_load_no_unused_library(loaded: set[str], name: str) -> None:
    assert names(loaded, name) == []


@pytest.mark.parametrize(
    "name",
    [
        "valor_files.filters",
        "valor_files.tables",
        "valor_core.results.item_rows",
        "valor_core.schemas.classification",
        "valor_core.schemas.detection.items",
        "valor_core.schemas.geometry.geometry",
        "valor_detection.coco_json.reference_scanner",
        "valor_detection.kernels.masks",
        "valor_detection.readers.coco_split",
    ],
)
def test_coco_s_numbers_of_boxes_load_no_code_of_masks_and_objects(
    loaded: set[str], name: str
) -> None:
    assert name not in loaded


def test_numbers_of_boxes_poses_and_lvis_load_no_masked_arrays(
    loaded: set[str], tmp_path: Path
) -> None:
    poses = loaded_by(tmp_path, "KeypointSummary", "keypoints")
    lists: Any = {"neg_category_ids": [1], "not_exhaustive_category_ids": [1]}
    federated = loaded_by(tmp_path, "LVISSummary", **lists)

    assert "valor_detection.matching.overlap.oks" in poses
    assert "valor_detection.metrics.lvis_summary" in federated
    assert "numpy.ma" not in loaded | poses | federated
