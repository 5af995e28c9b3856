"""AP of Pascal VOC equals numbers that other programs computed for random boxes.

``benchmarks/references/voc.py`` recorded the numbers in ``references/voc.json``, whose key
``programs`` has the versions. The tests draw the same boxes again.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from valor_core import evaluate
from valor_core.schemas import Label
from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box

REFERENCES = Path(__file__).parents[3] / "benchmarks/references"
RECORDED = json.loads((Path(__file__).parent / "references/voc.json").read_text("utf-8"))
TOLERANCE = 1e-11
"""Recorded numbers have 12 digits."""

Named = Sequence[tuple[str, Any]]


@pytest.fixture(scope="module")
def voc() -> Any:
    """The script that recorded the numbers."""
    sys.path.insert(0, str(REFERENCES))
    try:
        return importlib.import_module("voc")
    finally:
        sys.path.remove(str(REFERENCES))


@pytest.fixture(scope="module")
def sets(voc: Any) -> Named:
    return [one for has_ties in (False, True) for one in voc.recorded_sets(has_ties=has_ties)]


def box(edges: Sequence[float]) -> Box:
    left, top, right, bottom = edges
    return Box(left - 1, top - 1, right, bottom)


def items(named: Named, *, ignores_difficult: bool) -> list[Detection]:
    """Return the images of all sets; the name of a set is the key of its labels."""
    return [
        Detection(
            image,
            [
                TrueObject(
                    Label(name, true.label),
                    box(true.edges),
                    ignored=ignores_difficult and true.flag,
                )
                for true in one.truths
                if true.image == image
            ],
            [
                PredictedObject(
                    [(Label(name, predicted.label), predicted.score)], box(predicted.edges)
                )
                for predicted in one.predictions
                if predicted.image == image
            ],
        )
        for name, one in named
        for image in one.images
    ]


def found_in(
    data: Sequence[Detection], matching: str, names: Sequence[str]
) -> dict[str, float | None]:
    """Return mAP by the name of the set."""
    report = evaluate(data, [{"name": "mAP", "iou_thresholds": 0.5, "matching": matching}])
    values = {result.parameters["label_key"]: result.value for result in report["mAP"]}
    return {name: values[name] for name in names}


@pytest.mark.parametrize(("column", "matching"), [(1, "voc2007"), (2, "voc2012")])
@pytest.mark.parametrize(("program", "ignores_difficult"), [("podm", False), ("detectron2", True)])
def test_map_equals_recorded_numbers(
    sets: Named, program: str, ignores_difficult: bool, column: int, matching: str
) -> None:
    recorded = {row[0]: row[column] for row in RECORDED[program]}
    assert len(recorded) >= 1000
    chosen = [one for one in sets if one[0] in recorded]
    assert len(chosen) == len(recorded)

    found = found_in(items(chosen, ignores_difficult=ignores_difficult), matching, [*recorded])

    assert found == pytest.approx(recorded, abs=TOLERANCE)


def test_files_of_the_devkit_give_recorded_numbers(voc: Any, sets: Named, tmp_path: Path) -> None:
    recorded = {row[0]: row[2] for row in RECORDED["detectron2"][:20]}
    truths, results = tmp_path / "Annotations", tmp_path / "results"
    for name, one in sets:
        if name not in recorded:
            continue
        for folder in (truths / name, results / name):
            folder.mkdir(parents=True)
        for image in one.images:
            (truths / name / f"{image}.xml").write_text(voc.annotation(one, image), "utf-8")
        for label in sorted({predicted.label for predicted in one.predictions}):
            lines = voc.result_lines(one.predictions, label)
            file = results / name / f"comp4_det_test_{label}.txt"
            file.write_text(lines, "utf-8")

    found = {}
    for name in recorded:
        data = {
            "reader": "voc",
            "groundtruths": truths / name,
            "predictions": results / name,
            "difficult": "ignore",
        }
        report = evaluate(data, [{"name": "mAP50", "matching": "voc2012"}], task="detection")
        found[name] = report["mAP"].value

    assert found == pytest.approx(recorded, abs=TOLERANCE)
