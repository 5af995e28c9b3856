"""Reader of Open Images' tables, expansion by a hierarchy, and their errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from valor_detection.parameters.open_images import OpenImagesParameters
from valor_detection.readers.hierarchy import Hierarchy
from valor_detection.readers.open_images import OpenImagesReader
from valor_detection.readers.recognized import open_images

from valor_core.errors import ReadError
from valor_core.schemas.detection import Detection, DetectionBatch

BOXES = "ImageID,LabelName,XMin,XMax,YMin,YMax,IsGroupOf\n"
RESULTS = "ImageID,LabelName,Score,XMin,XMax,YMin,YMax\n"
VERIFIED = "ImageID,LabelName,Confidence\n"
ANIMALS = [
    {"LabelName": "animal", "Subcategory": [{"LabelName": "cat"}, {"LabelName": "dog"}]},
    {"LabelName": "toy", "Subcategory": [{"LabelName": "dog"}]},
]
FILES = {
    "boxes.csv": f"{BOXES}a,cat,0,0.5,0,0.25,0\na,dog,0.5,1,0.5,1,1\n",
    "predictions.csv": f"{RESULTS}a,cat,0.75,0,0.5,0,0.5\nb,dog,0.5,0,1,0,1\n",
    "labels.csv": f"{VERIFIED}a,toy,0\nb,cat,1\nb,animal,0\n",
    "hierarchy.json": json.dumps({"LabelName": "entity", "Subcategory": ANIMALS}),
}
PARTS = {
    "groundtruths": "boxes.csv",
    "predictions": "predictions.csv",
    "image_labels": "labels.csv",
    "hierarchy": "hierarchy.json",
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(*parts: str, **files: str) -> DetectionBatch:
    """Read the example files, of which some are replaced; ``__`` in names is a dot."""
    written = FILES | {name.replace("__", "."): text for name, text in files.items()}
    for name, text in written.items():
        Path(name).write_text(text, encoding="utf-8")
    sources: dict[str, Any] = {part: Path(PARTS[part]) for part in ("groundtruths", "predictions")}
    sources |= {part: Path(PARTS.get(part, f"{part}.csv")) for part in parts}
    reader = OpenImagesReader(OpenImagesParameters(**sources), "detection")
    (batch,) = reader.read(reader.partitions()[0])
    return batch


def labels_of(item: Detection) -> list[list[str]]:
    return [[label.value for label in true.labels] for true in item.groundtruths]


def searched_in(item: Detection) -> list[str]:
    assert item.searched is not None
    return sorted(label.value for label in item.searched)


def test_edges_are_fractions_and_groups_are_crowds() -> None:
    batch = read()
    assert batch.datums.uids.tolist() == ["a", "b"]
    assert batch.groundtruths.shapes.boxes.tolist() == [[0, 0, 0.5, 0.25], [0.5, 0.5, 0.5, 0.5]]
    assert batch.groundtruths.crowd.tolist() == [False, True]
    assert batch.predictions.scores.tolist() == [0.75, 0.5]
    assert batch.searched is None


def test_boxes_get_the_labels_above() -> None:
    first, second = read("hierarchy").items()
    assert labels_of(first) == [["cat", "animal"], ["dog", "toy", "animal"]]
    assert [true.is_crowd for true in first.groundtruths] == [False, True]
    assert labels_of(second) == []


def test_searched_labels_are_verified_ones_and_those_of_boxes() -> None:
    first, second = read("image_labels").items()
    assert searched_in(first) == ["cat", "dog", "toy"]
    assert searched_in(second) == ["animal", "cat"]


def test_present_labels_imply_those_above_and_absent_ones_those_below() -> None:
    first, second = read("image_labels", "hierarchy").items()
    # a: toy is absent, hence dog; cat and dog have boxes, hence animal and toy.
    assert searched_in(first) == ["animal", "cat", "dog", "toy"]
    # b: cat is present, hence animal; animal is absent, hence cat and dog.
    assert searched_in(second) == ["animal", "cat", "dog"]


def test_images_without_verified_labels_have_no_searched_label() -> None:
    batch = read("image_labels", predictions__csv=f"{RESULTS}c,cat,0.5,0,1,0,1\n")
    searched = {item.uid: searched_in(item) for item in batch.items()}
    assert searched == {"a": ["cat", "dog", "toy"], "b": ["animal", "cat"], "c": []}


def test_two_ways_to_an_ancestor_add_it_once() -> None:
    dog = {"LabelName": "dog"}
    inner = [{"LabelName": name, "Subcategory": [dog]} for name in ("pet", "mammal")]
    root = {"Subcategory": [{"LabelName": "animal", "Subcategory": inner}]}
    found = Hierarchy.of(root, "h.json")
    assert sorted(found.ancestors["dog"]) == ["animal", "mammal", "pet"]
    assert sorted(found.descendants["animal"]) == ["dog", "mammal", "pet"]


def test_names_replace_labels() -> None:
    batch = read("names", names__csv='cat,"Cat, domestic"\ndog,Dog\n')
    assert [label.value for label in batch.labels] == ["Cat, domestic", "Dog"]


def test_sizes_of_images_give_areas_in_pixels() -> None:
    batch = read("images", images__csv="ImageID,width,height\nb,10,10\na,20,40\n")
    assert batch.datums.uids.tolist() == ["b", "a"]
    assert batch.groundtruths.areas.tolist() == [100, 200]


def test_rejected_boxes_keep_the_labels_of_others() -> None:
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    Path("boxes.csv").write_text(f"{BOXES}a,dog,0,0,0,1,0\na,cat,0,1,0,1,0\n", encoding="utf-8")
    sources: dict[str, Any] = {part: Path(name) for part, name in PARTS.items()}
    chosen = OpenImagesParameters(**sources, invalid_geometry="skip")
    reader = OpenImagesReader(chosen, "detection")
    (batch,) = reader.read(reader.partitions()[0])
    assert labels_of(next(batch.items())) == [["cat", "animal"]]
    assert batch.groundtruths.annotations.tolist() == [1, 1]
    assert batch.left_out == {"groundtruths left out: zero area": 1}


WRONG: list[tuple[tuple[str, ...], dict[str, str], str]] = [
    (
        ("hierarchy",),
        {"boxes__csv": f"{BOXES}a,fish,0,1,0,1,0\n"},
        "boxes.csv, row 2, column 'LabelName': expected one of the 4 labels of hierarchy.json, "
        "found 'fish'",
    ),
    (
        (),
        {"boxes__csv": f"{BOXES}a,cat,0,1,0,1,-1\n"},
        "boxes.csv, row 2, column 'IsGroupOf': expected 0 or 1, found -1\n"
        "Select the rows that people verified, whose flags are 0 or 1.",
    ),
    (
        ("image_labels",),
        {"labels__csv": f"{VERIFIED}a,cat,1\na,dog,0.7\na,dog,0.6\n"},
        "labels.csv, row 3, column 'Confidence': expected 0 or 1, found 0.7 (and 1 more)\n"
        "Select the rows that people verified, whose flags are 0 or 1.",
    ),
    (
        ("hierarchy",),
        {"hierarchy__json": "[1]"},
        "hierarchy.json: expected nodes with a LabelName and a list Subcategory, found [1]\n"
        "Use the hierarchy of the data set, such as challenge-2019-label500-hierarchy.json.",
    ),
    (
        ("hierarchy",),
        {"hierarchy__json": '{"Subcategory": [{"LabelName": 1}]}'},
        "hierarchy.json: expected a node with a LabelName, found {'LabelName': 1}",
    ),
    (
        ("hierarchy",),
        {
            "hierarchy__json": '{"Subcategory": [{"LabelName": "a", "Subcategory": '
            '[{"LabelName": "a"}]}]}'
        },
        "hierarchy.json: expected no label below itself, found 'a'",
    ),
    (
        ("hierarchy",),
        {"hierarchy__json": "{"},
        "hierarchy.json: expected JSON, found: Expecting property name enclosed in double quotes: "
        "line 1 column 2 (char 1)",
    ),
    (
        ("names",),
        {"names__csv": "cat,Pet\ndog,Pet\n"},
        "data.names: expected different names for 'cat' and 'dog', found 'Pet'\n"
        "Omit data.names to use the names of the tables.",
    ),
    (
        ("names",),
        {"names__csv": "cat\n"},
        "names.csv, row 1: expected a label and its name, found ['cat']\n"
        "Use the file of the data set, such as class-descriptions-boxable.csv.",
    ),
    (
        ("images",),
        {"images__csv": "ImageID,width,height\na,20,10\n"},
        "images.csv: expected width and height of every image, found none of 'b'",
    ),
]


@pytest.mark.parametrize(("parts", "files", "message"), WRONG)
def test_invalid_files_are_rejected(
    parts: tuple[str, ...], files: dict[str, str], message: str
) -> None:
    with pytest.raises(ReadError) as caught:
        read(*parts, **files)
    assert str(caught.value) == message


def test_files_are_recognized_in_any_order() -> None:
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    found = open_images([Path(name) for name in sorted(FILES)])
    assert found is not None
    assert found.data == PARTS
    assert open_images([Path("boxes.csv"), Path("labels.csv")]) is None
    assert open_images([Path("boxes.csv"), Path("boxes.csv"), Path("predictions.csv")]) is None
