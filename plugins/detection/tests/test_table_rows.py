"""Tables of boxes in the wild: images without boxes, no header, angles, Unicode forms."""

import re
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest

from valor_core import evaluate
from valor_core.errors import ReadError
from valor_core.results import Report

HEADER = "image,label,xmin,ymin,xmax,ymax"
PREDICTED = f"{HEADER},score\na,cat,0,0,10,10,0.9\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def evaluated(truths: str, found: str = PREDICTED, **chosen: Any) -> Report:
    Path("t.csv").write_text(truths, encoding="utf-8")
    Path("p.csv").write_text(found, encoding="utf-8")
    data = {"reader": "table", "groundtruths": "t.csv", "predictions": "p.csv", "uid": "image"}
    return evaluate({**data, **chosen}, ["Counts"], "detection")


def test_row_with_empty_cells_is_an_image_without_boxes() -> None:
    report = evaluated(f"{HEADER}\na,cat,0,0,10,10\nb,,,,,\n")
    assert report["Counts"].value == {"tp": 1, "fp": 0, "fn": 0}
    assert report.counts["read"] == 2
    report = evaluated(f"{HEADER}\na,cat,0,0,10,10\n", f"{PREDICTED}c,,,,,,\n")
    assert report["Counts"].value == {"tp": 1, "fp": 0, "fn": 0}
    assert report.counts["read"] == 2


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("b,,0,0,1,1", "t.csv, row 4, column 'label': expected text, found no value"),
        ("b,cat,,,,", "t.csv, row 4, column 'xmin': expected a number, found no value"),
        ("b,,,,,1", "t.csv, row 4, column 'label': expected text, found no value"),
        (",,,,,", "t.csv, row 4, column 'image': expected text, found no value"),
    ],
)
def test_row_with_missing_cells_is_rejected(row: str, message: str) -> None:
    with pytest.raises(ReadError, match=re.escape(message)):
        evaluated(f"{HEADER}\na,cat,0,0,10,10\nc,,,,,\n{row}\n")


@pytest.mark.parametrize(
    ("first", "message"),
    [
        (
            "a.jpg,10,10,30,40,cat",
            "t.csv: expected every column once in the header, found '10' 2 times",
        ),
        (
            "a.jpg,10,20,30,40,cat",
            "t.csv: expected a column 'image', the columns are 'a.jpg', '10', '20',",
        ),
        ("sep=;\n" + HEADER, "t.csv, row 2: expected 2 cells as in the header, found 1"),
    ],
)
def test_table_without_header_names_the_remedy(first: str, message: str) -> None:
    with pytest.raises(ReadError, match=re.escape(message)):
        evaluated(f"{first}\n")


def test_file_of_excel_with_a_line_of_the_delimiter_names_the_remedy() -> None:
    with pytest.raises(
        ReadError, match=r"t\.csv, row 2: expected 2 cells as in the header, found 6 \(and 1 more\)"
    ):
        evaluated(f"sep=;\n{HEADER}\na,cat,0,0,10,10\n".replace(",", ";"))


def test_angles_in_a_table_are_a_warning_unless_they_are_0() -> None:
    report = evaluated(f"{HEADER},angle\na,cat,0,0,10,10,30\n")
    assert report.warnings == (
        "1 groundtruth with a column 'angle' that is not read: boxes are upright",
    )
    assert evaluated(f"{HEADER},angle\na,cat,0,0,10,10,0\n").warnings == ()


def test_unicode_forms_of_a_uid_are_one_image() -> None:
    name = "café"
    truths = f"{HEADER}\n{normalize('NFD', name)},cat,0,0,10,10\n"
    found = PREDICTED.replace("\na,", f"\n{normalize('NFC', name)},")
    assert evaluated(truths, found)["Counts"].value == {"tp": 1, "fp": 0, "fn": 0}
