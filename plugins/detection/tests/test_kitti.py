"""KITTI's protocol and reader, by hand and compared with recorded numbers.

``benchmarks/references/kitti.py`` recorded the numbers in ``references/kitti.json``, whose key
``program`` names the port of the development kit.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from valor_detection.parameters.readers import KittiParameters
from valor_detection.readers.kitti import KittiReader
from valor_detection.readers.recognized import dota, kitti, yolo

from valor_core import evaluate
from valor_core.errors import ReadError
from valor_core.schemas.detection import DetectionBatch

REFERENCES = Path(__file__).parents[3] / "benchmarks/references"
RECORDED = json.loads((Path(__file__).parent / "references/kitti.json").read_text("utf-8"))
ALL = "AP by set, difficulty and category"
WITHOUT_LOW = "AP without predictions below the minimum height"
CATEGORIES = ("Car", "Pedestrian", "Cyclist")
DIFFICULTIES = ("easy", "moderate", "hard")
THRESHOLDS = (0.7, 0.5, 0.5)

TRUTHS, RESULTS = Path("label_2"), Path("results")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    TRUTHS.mkdir()
    RESULTS.mkdir()


def line(category: str, *box: float, truncated: float = 0, occluded: int = 0) -> str:
    edges = " ".join(map(str, box))
    return f"{category} {truncated} {occluded} -10 {edges} -1 -1 -1 -1000 -1000 -1000 -10"


def write(name: str, truths: list[str], results: list[str]) -> None:
    TRUTHS.joinpath(f"{name}.txt").write_text("".join(f"{one}\n" for one in truths))
    RESULTS.joinpath(f"{name}.txt").write_text("".join(f"{one}\n" for one in results))


def read(**chosen: Any) -> DetectionBatch:
    parameters = KittiParameters(groundtruths=TRUTHS, predictions=RESULTS, **chosen)
    reader = KittiReader(parameters, "detection")
    (batch,) = [batch for part in reader.partitions() for batch in reader.read(part)]
    return batch


def results(*metrics: Any, **chosen: Any) -> dict[Any, Any]:
    data = {"reader": "kitti", "groundtruths": "label_2", "predictions": "results", **chosen}
    return {
        (found.parameters["label"], found.parameters["iou_threshold"]): found.value
        for found in evaluate(data, metrics or ["KITTI"], task="detection")
    }


def test_average_precision_by_hand() -> None:
    # 40 cars, of which 20 are found with precisions 1/1 and then 2/3, 3/4 … 20/21: the second best
    # prediction is false. Each of 40 cars is nearest to one of the 41 recalls from 0 on, so recall
    # 1/40 has the second car. Greatest precision at it or later: 20/21 for 19 of 40 recalls.
    for i in range(40):
        car = line("Car", 0, 0, 50, 50)
        found = [f"{line('Car', 0, 0, 50, 50)} {0.9 - 0.01 * i}"] if i < 20 else []
        write(f"{i:06}", [car], found)
    write("000040", [], [f"{line('Car', 0, 0, 50, 50)} 0.895"])

    assert results()["Car", 0.7] == pytest.approx(19 * 20 / 21 / 40, rel=1e-14)


def test_objects_beyond_difficulty_are_ignored() -> None:
    write(
        "000000",
        [
            line("Car", 0, 0, 90, 40),
            line("Car", 0, 0, 90, 39),
            line("Car", 0, 0, 90, 25, occluded=2),
            line("car", 0, 0, 90, 40, truncated=0.4),
            line("Pedestrian", 0, 0, 90, 24),
        ],
        [],
    )
    for difficulty, ignored in (
        ("easy", [False, True, True, True, True]),
        ("moderate", [False, False, True, True, True]),
        ("hard", [False, False, False, False, True]),
    ):
        assert read(difficulty=difficulty).groundtruths.ignored.tolist() == ignored


def test_neighbours_are_ignored_and_areas_are_crowds_of_each_category() -> None:
    write(
        "000000",
        [
            line("Van", 0, 0, 90, 90),
            line("DontCare", 5, 5, 10, 10, truncated=-1, occluded=-1),
            line("Person_sitting", 0, 0, 90, 90),
            line("Truck", 0, 0, 90, 90),
            line("Cyclist", 0, 0, 90, 90),
        ],
        [],
    )
    batch = read()
    truths = batch.groundtruths

    assert [batch.labels[code].value for code in truths.labels] == [
        "Car",
        *CATEGORIES,
        "Pedestrian",
        "Cyclist",
    ]
    assert truths.ignored.tolist() == [True, False, False, False, True, False]
    assert truths.crowd.tolist() == [False, True, True, True, False, False]
    assert dict(batch.left_out) == {"groundtruths left out: not Car, Pedestrian or Cyclist": 1}


def test_low_predictions_and_other_categories_are_excluded() -> None:
    box = (0, 0, 90, 24.9)
    write(
        "000000",
        [],
        [f"{line('Car', *box)} 0.9", f"{line('Van', *box)} 0.8", f"{line('Car', 0, 0, 9, 25)} 1"],
    )
    batch = read()

    assert batch.predictions.scores.tolist() == [1.0]
    assert dict(batch.left_out) == {
        "predictions left out: not Car, Pedestrian or Cyclist": 1,
        "predictions left out: lower than 25 pixels": 1,
    }


def test_prediction_mostly_in_area_counts_neither_way() -> None:
    # Shares of the predictions inside of the area: 30/50, 25/50 and 30/50.
    area = line("DontCare", 0, 0, 30, 100)
    boxes = [(0, 0, 50, 50), (5, 0, 55, 50), (-5, 50, 45, 100)]
    write("000000", [area], [f"{line('Cyclist', *box)} 0.{9 - i}" for i, box in enumerate(boxes)])
    counts = {"name": "Counts", "matching": "kitti", "iou_thresholds": [0.5, 0.6, 0.45]}

    found = results(counts)

    false = {iou: found["Cyclist", iou]["fp"] for iou in (0.45, 0.5, 0.6)}
    assert false == {0.45: 0, 0.5: 1, 0.6: 3}


def test_overlap_equal_to_threshold_is_no_match() -> None:
    write("000000", [line("Car", 0, 0, 100, 100)], [f"{line('Car', 0, 0, 100, 50)} 0.9"])
    counts = {"name": "Counts", "iou_thresholds": [0.5]}

    assert results(counts | {"matching": "kitti"}) == {("Car", 0.5): {"tp": 0, "fp": 1, "fn": 1}}
    assert results(counts) == {("Car", 0.5): {"tp": 1, "fp": 0, "fn": 0}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Car 0 0", "label_2/000000.txt, line 2: expected 15 fields"),
        (f"{line('Car', 0, 0, 9, 9)} 0.5", "label_2/000000.txt, line 2: expected 15 fields"),
        (line("Car", 0, 0, 9, 9).replace("-10", "x"), "line 2: expected finite numbers, found 'x'"),
        (line("Car", 9, 0, 0, 9), "label_2/000000.txt, line 2: expected a box"),
    ],
)
def test_invalid_line_is_named(text: str, expected: str) -> None:
    write("000000", [line("DontCare", 0, 0, 9, 9), text], [])

    with pytest.raises(ReadError, match=expected):
        read()


def test_image_without_results_is_reported_unless_listed_images_exclude_it() -> None:
    write("000000", [], [])
    write("000001", [line("Car", 0, 0, 50, 50)], [])
    RESULTS.joinpath("000000.txt").unlink()

    with pytest.raises(ReadError, match="results: expected a file for each image of label_2"):
        read()

    Path("val.txt").write_text("000001\n")
    assert read(images=Path("val.txt")).datums.uids.tolist() == ["000001"]
    Path("val.txt").write_text("000002\n")
    with pytest.raises(ReadError, match=r"val.txt: expected images .* found '000002'"):
        read(images=Path("val.txt"))


def test_folders_are_recognized() -> None:
    car = line("Car", 0, 0, 50, 50)
    write("000000", [car], [f"{car} 0.9"])
    folders = (TRUTHS, RESULTS)

    found = kitti(folders)

    assert found is not None
    assert found.metrics == ("KITTI", "F1")
    assert dota(folders) is None
    assert yolo(folders) is None
    assert kitti((RESULTS, TRUTHS)) is None


@pytest.fixture(scope="module")
def files() -> Any:
    """The module that draws the label files."""
    sys.path.insert(0, str(REFERENCES))
    try:
        return importlib.import_module("kitti_files")
    finally:
        sys.path.remove(str(REFERENCES))


def test_files_are_those_of_the_recording(files: Any) -> None:
    assert files.checksum() == RECORDED["sha256 of the files"]


def test_average_precision_equals_recorded_numbers(files: Any) -> None:
    # 100 sets of 16 images, 3 difficulties and categories. Without predictions below the minimum
    # height all numbers are equal; with them, the port matches such predictions to objects.
    found = []
    for pairs in files.random_sets():
        for image, (true, seen) in enumerate(pairs):
            write(f"{image:06}", true.splitlines(), seen.splitlines())
        for difficulty in DIFFICULTIES:
            values = results(difficulty=difficulty)
            found.append([values.get(one) for one in zip(CATEGORIES, THRESHOLDS, strict=True)])
    numbers = np.array([[one if isinstance(one, float) else 0 for one in row] for row in found])
    low, high = (np.reshape(RECORDED[name], (-1, 3)) for name in (ALL, WITHOUT_LOW))

    np.testing.assert_allclose(numbers, high, rtol=0, atol=1e-12)
    differences = np.abs(numbers - low)
    assert (differences < 1e-12).mean() > 0.9
    assert differences.max() < 0.026
