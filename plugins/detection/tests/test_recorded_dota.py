"""Mean average precision of DOTA equals numbers that mmrotate's evaluation gave random boxes.

``benchmarks/references/dota.py`` recorded the numbers in ``references/dota.json``, whose key
``programs`` has the versions. The tests draw the same boxes again.
"""

from __future__ import annotations

import importlib
import json
import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from valor_core import evaluate
from valor_core.schemas import Label
from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box, Polygon, RotatedBox

REFERENCES = Path(__file__).parents[3] / "benchmarks/references"
RECORDED = json.loads((Path(__file__).parent / "references/dota.json").read_text("utf-8"))
TOLERANCE = 5e-7
"""mmrotate computes precision in float32."""


@pytest.fixture(scope="module")
def boxes() -> Any:
    """The module that draws the boxes."""
    sys.path.insert(0, str(REFERENCES))
    try:
        return importlib.import_module("rotated_boxes")
    finally:
        sys.path.remove(str(REFERENCES))


def items(boxes: Any) -> Iterator[Detection]:
    """Yield the images of all sets; the number of a set is the key of its labels."""
    for number, (true, seen) in enumerate(boxes.random_sets()):
        outlines, seen_outlines = (
            [Polygon(corners) for corners in boxes.corners_of(side.boxes)] for side in (true, seen)
        )
        for image in range(boxes.IMAGES):
            yield Detection(
                f"{number:04} {image}",
                [
                    TrueObject(
                        Label(str(number), str(true.labels[row])),
                        outlines[row],
                        ignored=bool(true.last[row]),
                    )
                    for row in np.flatnonzero(true.images == image).tolist()
                ],
                [
                    PredictedObject(
                        [(Label(str(number), str(seen.labels[row])), float(seen.last[row]))],
                        seen_outlines[row],
                    )
                    for row in np.flatnonzero(seen.images == image).tolist()
                ],
            )


def test_boxes_are_those_of_the_recording(boxes: Any) -> None:
    assert boxes.checksum() == RECORDED["sha256 of the boxes"]


@pytest.fixture(scope="module")
def found(boxes: Any) -> dict[tuple[str, float], dict[str, float]]:
    """Values of mAP by protocol and IoU threshold, and by set."""
    choices = [
        {"name": "mAP", "iou_thresholds": [0.5, 0.75], "matching": matching}
        for matching in ("dota", "voc2012")
    ]
    values: dict[tuple[str, float], dict[str, float]] = {}
    for result in evaluate(list(items(boxes)), choices)["mAP"]:
        given = result.parameters
        column = values.setdefault((given["matching"], given["iou_threshold"]), {})
        # mmrotate gives 0 without any ground truth.
        column[given["label_key"]] = result.value if isinstance(result.value, float) else 0.0
    return values


@pytest.mark.parametrize(
    ("column", "matching", "threshold"),
    [(1, "dota", 0.5), (2, "dota", 0.75), (3, "voc2012", 0.5), (4, "voc2012", 0.75)],
)
def test_map_of_1200_sets_equals_recorded_numbers(
    found: Any, column: int, matching: str, threshold: float
) -> None:
    recorded = {str(row[0]): row[column] for row in RECORDED["mmrotate"]}
    assert len(recorded) == 1200
    values = found[matching, threshold]
    expected = {name: value for name, value in recorded.items() if name in values}
    assert all(recorded[name] == 0 for name in recorded.keys() - values.keys())  # no objects
    assert values == pytest.approx(expected, abs=TOLERANCE)


PROGRAMS = ("numpy", "shapely", "mmrotate==0.3.4", "mmdet==2.28.2", "terminaltables==3.1.10")


@pytest.mark.nightly
def test_mmrotate_gives_the_recorded_numbers_again(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    folder = "Scripts" if sys.platform == "win32" else "bin"
    python = tmp_path / "venv" / folder / "python"
    command = [python, "-m", "pip", "install", "--quiet", "--no-deps", *PROGRAMS]
    installed = subprocess.run(command, capture_output=True, text=True, check=False)
    if installed.returncode:
        pytest.skip(f"pip cannot install mmrotate: {installed.stderr.strip()[-200:]}")

    output = tmp_path / "numbers.json"
    subprocess.run([python, REFERENCES / "dota.py", "--output", output], check=True)

    found = json.loads(output.read_text("utf-8"))
    assert found["mmrotate"] == RECORDED["mmrotate"]


def mean_precision(true: list[TrueObject], predicted: list[PredictedObject], **chosen: Any) -> Any:
    report = evaluate([Detection("a", true, predicted)], [{"name": "DOTA", **chosen}])
    return report["mAP"].value


def test_map_by_hand() -> None:
    # Two ships count, one is difficult. By score: the first ship; the difficult one, twice, which
    # counts neither way; the first ship again, a false positive; the second ship. Precision is 1 up
    # to a recall of 1/2, which are six of eleven points, and 2/3 for the other five.
    ships = [RotatedBox(20 * i, 0, 10, 4, 30 * i) for i in range(3)]
    true = [TrueObject("ship", one, ignored=i == 1) for i, one in enumerate(ships)]
    seen = [ships[0], ships[1], ships[1], ships[0], ships[2]]
    predicted = [PredictedObject({"ship": 0.9 - i / 10}, one) for i, one in enumerate(seen)]
    assert mean_precision(true, predicted) == pytest.approx((6 + 5 * 2 / 3) / 11)


def test_iou_of_the_threshold_is_no_match() -> None:
    true = [TrueObject("ship", RotatedBox(4, 2, 8, 4))]
    half, more = (
        [PredictedObject({"ship": 0.5}, Polygon([(0, 0), (width, 0), (width, 4), (0, 4)]))]
        for width in (4, math.nextafter(4, 5))
    )
    assert mean_precision(true, half) == 0
    assert mean_precision(true, more) == 1
    assert (
        evaluate(
            [Detection("a", true, half)],
            [{"name": "mAP", "iou_thresholds": 0.5, "matching": "voc2007"}],
        )["mAP"].value
        == 1
    )


def test_upright_boxes_have_the_same_protocol() -> None:
    true = [TrueObject("ship", Box(0, 0, 8, 4))]
    assert mean_precision(true, [PredictedObject({"ship": 0.5}, Box(0, 0, 8, 4))]) == 1
