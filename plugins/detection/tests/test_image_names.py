"""File names as image ids, as in results of Ultralytics and other programs."""

import json
from pathlib import Path
from typing import Any

import pytest

from valor_core import evaluate
from valor_core.errors import ReadError
from valor_core.results import Report

NAMES = ("sub/frame_a.jpg", "b/000139.jpg", "c/x.1.png")
CATEGORIES = [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}]
WARNING = "predictions with the name of a file as image_id, matched by file_name"


def written(folder: Path, ids: list[Any], names: Any = NAMES, **chosen: Any) -> Report:
    """Evaluate one perfect prediction for each id."""
    images = [
        {"id": i, "file_name": name, "width": 100, "height": 100} for i, name in enumerate(names, 1)
    ]
    box = {"category_id": 1, "bbox": [10, 10, 20, 20]}
    truths = [{"id": image["id"], "image_id": image["id"], **box} for image in images]
    data_set = {"images": images, "annotations": truths, "categories": CATEGORIES}
    found = [{"image_id": one, "score": 0.9, **box} for one in ids]
    (folder / "gt.json").write_text(json.dumps(data_set), encoding="utf-8")
    (folder / "dt.json").write_text(json.dumps(found), encoding="utf-8")
    data = {"reader": "coco", "groundtruths": "gt.json", "predictions": "dt.json", **chosen}
    return evaluate(data, ["Counts"], "detection")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "ids",
    [
        ["frame_a", 139, "x.1"],  # as Ultralytics writes them: stems, and numeric stems as numbers
        ["sub/frame_a.jpg", "b/000139.jpg", "c/x.1.png"],
        ["frame_a.jpg", "000139.jpg", "x.1.png"],
        ["frame_a", "000139", "x.1"],
        ["sub\\frame_a.jpg", "139", "sub/x.1"],
    ],
)
def test_image_ids_that_are_file_names_are_matched_and_reported(
    folder: Path, ids: list[Any]
) -> None:
    report = written(folder, ids)
    assert report["Counts"].value == {"tp": 3, "fp": 0, "fn": 0}
    assert report.warnings == (f"3 {WARNING}",)


@pytest.mark.parametrize("step", [None, 1])
def test_numbers_of_file_names_are_matched_if_no_id_matches(folder: Path, step: int | None) -> None:
    report = written(folder, [139, 140], ("000139.jpg", "000140.jpg"), partition_images=step)
    assert report["Counts"].value == {"tp": 2, "fp": 0, "fn": 0}
    assert report.warnings == (f"2 {WARNING}",)


@pytest.mark.parametrize("ids", [["1", "2", "3"], [1.0, 2.0, 3.0], [" 1", 2, "3 "]])
def test_image_ids_that_are_digits_in_quotes_are_ids(folder: Path, ids: list[Any]) -> None:
    report = written(folder, ids)
    assert report["Counts"].value == {"tp": 3, "fp": 0, "fn": 0}
    assert report.warnings == ()


def test_file_names_that_differ_in_unicode_form_are_matched(folder: Path) -> None:
    report = written(folder, ["cafe\u0301"], ["caf\u00e9.jpg"])
    assert report["Counts"].value == {"tp": 1, "fp": 0, "fn": 0}


def test_stem_of_several_images_is_rejected_and_full_name_accepted(folder: Path) -> None:
    names = ["x/a.jpg", "y/a.jpg"]
    with pytest.raises(
        ReadError, match=r"expected the file_name of one image of gt\.json, found 'a', a name of"
    ):
        written(folder, ["a"], names)
    report = written(folder, ["x/a.jpg", "y/a.jpg"], names)
    assert report["Counts"].value == {"tp": 2, "fp": 0, "fn": 0}


def test_ambiguous_image_id_is_rejected(folder: Path) -> None:
    with pytest.raises(
        ReadError, match="expected the id or the file_name of one image, found '2', the id of one"
    ):
        written(folder, ["2"], ["2.jpg", "1.jpg"])


def test_unknown_image_name_is_rejected_or_skipped(folder: Path) -> None:
    with pytest.raises(
        ReadError, match=r"expected the id or the file_name of one of the 3 images of gt\.json,"
    ):
        written(folder, ["frame_a", "frame_z"])
    report = written(folder, ["frame_a", "frame_z"], unknown="skip")
    assert report["Counts"].value == {"tp": 1, "fp": 0, "fn": 2}
    assert set(report.warnings) == {
        f"1 {WARNING}".replace("predictions", "prediction"),
        "1 prediction left out: unknown image (first: dt.json, results:1)",
    }
