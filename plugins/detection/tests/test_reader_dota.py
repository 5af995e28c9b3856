"""Reader of DOTA's text files of oriented boxes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from valor_detection.parameters.readers import DotaParameters
from valor_detection.readers.dota import DotaReader
from valor_detection.readers.recognized import dota as recognized
from valor_detection.readers.recognized import voc, yolo

from valor_core.errors import ReadError
from valor_core.schemas.detection import DetectionBatch
from valor_core.schemas.geometry import Polygon

FILES = {
    "labelTxt/P0001.txt": (
        "imagesource:GoogleEarth\ngsd:0.15\n"
        "0 0 4 0 4 2 0 2 ship 0\n10.5 10 12 12 10 14 8 12 plane 1\n"
    ),
    "labelTxt/P0002.txt": "imagesource:JL-1\ngsd:None\n",
    "labelTxt/P0003.txt": "5 5 9 5 9 9 5 9 ship\n",
    "results/Task1_ship.txt": (
        "P0001 0.75 0 0 4 0 4 2 0 2\n\nP0003 5e-1 5.00 5.00 9.00 5.00 9.00 9.00 5.00 9.00\n"
    ),
    "results/Task1_plane.txt": "",
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(**changes: str) -> None:
    """Write the files with changes; names are those of `FILES` without folder and suffix."""
    for name, text in FILES.items():
        path = Path(name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(changes.get(path.stem, text), encoding="utf-8")


def read(**chosen: Any) -> DetectionBatch:
    folders = {"groundtruths": Path("labelTxt"), "predictions": Path("results")}
    reader = DotaReader(DotaParameters(**folders, **chosen), "detection")
    (batch,) = [batch for part in reader.partitions() for batch in reader.read(part)]
    return batch


def test_lines_are_corners_with_category_and_difficult() -> None:
    write()
    batch = read()
    truths, predictions = batch.groundtruths, batch.predictions
    assert batch.datums.uids.tolist() == ["P0001", "P0002", "P0003"]
    assert [label.value for label in batch.labels] == ["plane", "ship"]
    assert truths.datums.tolist() == [0, 0, 2]
    assert truths.labels.tolist() == [1, 0, 1]
    assert truths.ignored.tolist() == [False, True, False]
    assert truths.shapes.at(1) == Polygon([(10.5, 10), (12, 12), (10, 14), (8, 12)])
    assert truths.shapes.boxes[1].tolist() == [8, 10, 4, 4]
    assert truths.areas[0] == 8
    assert predictions.datums.tolist() == [0, 2]
    assert predictions.labels.tolist() == [1, 1]
    assert predictions.scores.tolist() == [0.75, 0.5]
    assert predictions.shapes.at(1) == truths.shapes.at(2)


def test_header_lines_are_metadata_of_images() -> None:
    write()
    metadata = read().datums.metadata
    assert metadata["imagesource"].tolist() == ["GoogleEarth", "JL-1", None]
    assert metadata["gsd"].tolist() == [0.15, None, None]


@pytest.mark.parametrize(
    ("difficult", "ignored", "left_out"),
    [
        ("keep", [False] * 3, {}),
        ("skip", [False] * 2, {"groundtruths left out: difficult": 1}),
    ],
)
def test_difficult_objects_can_be_counted_or_skipped(
    difficult: str, ignored: list[bool], left_out: dict[str, int]
) -> None:
    write()
    batch = read(difficult=difficult)
    assert batch.groundtruths.ignored.tolist() == ignored
    assert batch.left_out == left_out


def test_self_crossing_outline_is_rejected_with_its_line_or_skipped() -> None:
    write(Task1_ship="P0001 0.5 0 0 4 0 4 2 0 2\n\nP0001 0.25 0 0 4 2 4 0 0 2\n")
    with pytest.raises(
        ReadError, match=r"Task1_ship\.txt, line 3: expected a shape whose edges do"
    ):
        read()
    batch = read(invalid_geometry="skip")
    assert batch.predictions.scores.tolist() == [0.5]
    assert batch.left_out == {"predictions left out: self-crossing": 1}


CORNERS = "0 0 4 0 4 2 0 2"
WRONG = {
    "seven coordinates": (
        {"P0003": "0 0 4 0 4 2 0 ship 0\n\n1 1 x"},
        "labelTxt/P0003.txt, line 3: expected four corners, a category and 0 or 1 for difficult, "
        "found '1 1 x'\n"
        "Write: x1 y1 x2 y2 x3 y3 x4 y4 category difficult, such as 0 0 4 0 4 2 0 2 ship 0. Names "
        "of categories have no spaces.",
    ),
    "difficult": (
        {"P0003": f"{CORNERS} ship no"},
        "labelTxt/P0003.txt, line 1: expected 0 or 1 for difficult, found 'no'\n"
        "End the line with 1 for a difficult object, otherwise with 0: x1 y1 x2 y2 x3 y3 x4 y4 "
        "ship 0",
    ),
    "number": (
        {"P0003": f"{CORNERS} ship 0\n0 0 4 0 4 2_0 0 2 ship 0"},
        "labelTxt/P0003.txt, line 2: expected finite numbers, found '2_0'\n"
        "Write coordinates in pixels, separated by spaces, such as 12.5.",
    ),
    "infinite": (
        {"Task1_ship": "P0001 0.5 0 0 4 0 4 inf 0 2"},
        "results/Task1_ship.txt, line 1: expected finite numbers, found 'inf'\n"
        "Write coordinates in pixels, separated by spaces, such as 12.5.",
    ),
    "gsd": (
        {"P0001": "gsd:fine\n"},
        "labelTxt/P0001.txt, line 1: expected a number of meters per pixel, found 'fine'\n"
        "Write gsd:null if it is unknown.",
    ),
    "upright": (
        {"Task1_ship": "P0001 0.5 0 0 4 2"},
        "results/Task1_ship.txt, line 1: expected an image, a score and four corners, found "
        "'P0001 0.5 0 0 4 2'\n"
        "Write: image score x1 y1 x2 y2 x3 y3 x4 y4, in a file for each category such as "
        "Task1_ship.txt.",
    ),
    "image": (
        {"Task1_ship": f"P0001 0.5 {CORNERS}\nP9 0.5 {CORNERS}\nP8 0.5 {CORNERS}"},
        "results/Task1_ship.txt, line 2: expected one of the 3 images of labelTxt, found 'P9' "
        "(and 1 more)\n"
        "Add its file of ground truths, which is empty for an image without objects: P9.txt",
    ),
    "suffix": (
        {"Task1_ship": f"P0001.png 0.5 {CORNERS}"},
        "results/Task1_ship.txt, line 1: expected one of the 3 images of labelTxt, found "
        "'P0001.png'\nWrite the name without its suffix: P0001",
    ),
}


@pytest.mark.parametrize(("changes", "message"), WRONG.values(), ids=WRONG)
def test_invalid_line_is_rejected_with_place_and_remedy(
    changes: dict[str, str], message: str
) -> None:
    write(**changes)
    with pytest.raises(ReadError) as caught:
        read()
    assert str(caught.value) == message


def test_missing_folders_are_rejected() -> None:
    with pytest.raises(ReadError, match="labelTxt: no such folder"):
        read()
    Path("labelTxt").mkdir()
    with pytest.raises(ReadError, match=r"labelTxt: expected \.txt files, found none"):
        read()
    Path("labelTxt/P1.txt").touch()
    with pytest.raises(ReadError, match="results: no such folder"):
        read()


def test_data_without_objects_are_empty() -> None:
    write(P0001="", P0003="", Task1_ship="")
    batch = read()
    assert len(batch.groundtruths) == len(batch.predictions) == 0
    assert len(batch) == 3


@pytest.mark.parametrize("first", ["labelTxt", "."])
def test_folders_are_recognized(tmp_path: Path, first: str) -> None:
    write()
    root = Path("val")
    root.mkdir()
    Path("labelTxt").rename(root / "labelTxt")
    both = root / first if first == "labelTxt" else root, Path("results")
    found = recognized(both)
    assert found is not None
    assert found.data == {"groundtruths": "val/labelTxt", "predictions": "results"}
    assert yolo(both) is None
    assert voc(both) is None


def test_other_folders_of_text_files_are_not_recognized() -> None:
    write(P0001="0 0.5 0.5 0.2 0.2\n", P0002="", P0003="")
    assert recognized((Path("labelTxt"), Path("results"))) is None
    write(Task1_ship="notes\n")
    assert recognized((Path("labelTxt"), Path("results"))) is None


def test_many_lines_are_read_quickly() -> None:
    random = np.random.default_rng(1)
    outline = np.array([[0, 0], [20, 0], [20, 9], [0, 9]])
    corners = random.uniform(0, 4000, (20_000, 1, 2)) + outline
    rows = (" ".join(f"{number:.2f}" for number in row) for row in corners.reshape(-1, 8).tolist())
    write(Task1_ship="".join(f"P0001 0.5 {row}\n" for row in rows))
    batch = read()
    assert len(batch.predictions) == 20_000
    assert np.abs(batch.predictions.areas - 180).max() < 1
