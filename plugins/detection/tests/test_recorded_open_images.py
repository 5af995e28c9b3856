"""mAP of the Open Images challenge equals numbers that TensorFlow's API computed for random boxes.

``benchmarks/references/open_images.py`` recorded the numbers in ``references/open_images.json``,
whose key ``programs`` has the versions. The tests draw the same boxes again, write them into the
tables of the challenge and read these.
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

REFERENCES = Path(__file__).parents[3] / "benchmarks/references"
RECORDED = json.loads((Path(__file__).parent / "references/open_images.json").read_text("utf-8"))
TOLERANCE = 1e-11
"""Recorded numbers have 12 digits."""

EDGES = "XMin,XMax,YMin,YMax"
Named = Sequence[tuple[str, Any]]


@pytest.fixture(scope="module")
def open_images() -> Any:
    """The script that recorded the numbers."""
    sys.path.insert(0, str(REFERENCES))
    try:
        return importlib.import_module("open_images")
    finally:
        sys.path.remove(str(REFERENCES))


@pytest.fixture(scope="module")
def sets(open_images: Any) -> Named:
    return list(open_images.recorded_sets())


def renamed(node: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a hierarchy whose labels begin with the name of a set."""
    children = [renamed(child, name) for child in node.get("Subcategory", ())]
    return {"LabelName": f"{name}/{node['LabelName']}", "Subcategory": children}


def write_tables(open_images: Any, named: Named, folder: Path) -> dict[str, str]:
    """Write the tables of all sets, whose labels begin with the name of the set."""

    def edges(of: Any) -> str:
        left, top, right, bottom = open_images.fractions(of.edges)
        return f"{left!r},{right!r},{top!r},{bottom!r}"

    boxes = [
        f"{true.image},{name}/{true.label},{edges(true)},{int(true.flag)}"
        for name, one in named
        for true in one.truths
    ]
    labels = [
        f"{each.image},{name}/{each.label},{int(each.is_present)}"
        for name, one in named
        for each in open_images.verified_labels(name, one)
    ]
    predictions = [
        f"{each.image},{name}/{each.label},{each.score!r},{edges(each)}"
        for name, one in named
        for each in one.predictions
    ]
    hierarchy = [
        node for name, _ in named for node in renamed(open_images.HIERARCHY, name)["Subcategory"]
    ]
    files = {
        "groundtruths": [f"ImageID,LabelName,{EDGES},IsGroupOf", *boxes],
        "image_labels": ["ImageID,LabelName,Confidence", *labels],
        "predictions": [f"ImageID,LabelName,Score,{EDGES}", *predictions],
    }
    for part, lines in files.items():
        (folder / f"{part}.csv").write_text("\n".join(lines) + "\n", "utf-8")
    (folder / "hierarchy.json").write_text(
        json.dumps({"LabelName": "entity", "Subcategory": hierarchy}), "utf-8"
    )
    return {
        "reader": "open_images",
        "hierarchy": str(folder / "hierarchy.json"),
        **{part: str(folder / f"{part}.csv") for part in files},
    }


@pytest.fixture(scope="module")
def data(open_images: Any, sets: Named, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Tables of all sets."""
    return write_tables(open_images, sets, tmp_path_factory.mktemp("tables"))


@pytest.mark.parametrize(("column", "matching"), [(1, "open_images"), (2, "open_images_v2")])
def test_map_equals_recorded_numbers(data: dict[str, str], column: int, matching: str) -> None:
    recorded = {row[0]: row[column] for row in RECORDED["api"] if row[column] is not None}
    assert len(recorded) >= 1000

    report = evaluate(
        data, [{"name": "AP", "iou_thresholds": 0.5, "matching": matching}], task="detection"
    )

    values: dict[str, list[float]] = {}
    for result in report["AP"]:
        name = str(result.parameters["label"]).split("/", maxsplit=1)[0]
        if isinstance(result.value, float):
            values.setdefault(name, []).append(result.value)
    found = {name: sum(each) / len(each) for name, each in values.items()}
    assert found == pytest.approx(recorded, abs=TOLERANCE)
