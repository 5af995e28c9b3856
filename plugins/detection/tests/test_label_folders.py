"""Folders of labels in the wild: poses, macOS files, other image formats, mistakes."""

import io
import re
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest
from PIL import Image
from valor_detection.parameters.readers import YoloParameters
from valor_detection.readers.images import image_size
from valor_detection.readers.yolo import YoloReader

from valor_core import evaluate
from valor_core.errors import ReadError
from valor_core.results import Report

BOX = "0 0.5 0.5 0.4 0.4"
DATA = {"reader": "yolo", "groundtruths": "gt", "predictions": "dt", "sizes": "s.csv"}
PERFECT = {"tp": 1, "fp": 0, "fn": 0}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    put("names.txt", "cat\n")
    put("s.csv", "uid,width,height\na,100,100\n")
    put("dt/a.txt", f"{BOX} 0.9\n")
    return tmp_path


def put(name: str, content: str | bytes) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def evaluated(line: str, names: str = "names.txt", **chosen: Any) -> Report:
    put("gt/a.txt", f"{line}\n")
    data = {**DATA, "names": names, **chosen}
    return evaluate({key: one for key, one in data.items() if one}, ["Counts"], "detection")


TWO = "0.4 0.4 0.6 0.45"
THREE = "0.4 0.4 2 0.6 0.45 1 0.5 0.5 0 0.5 0.6 2"


@pytest.mark.parametrize(("shape", "points"), [("[2, 2]", TWO), ("[4, 3]", THREE)])
def test_labels_of_a_pose_data_set_are_compared_by_their_boxes(shape: str, points: str) -> None:
    put("data.yaml", f"names: [cat]\nkpt_shape: {shape}\n")
    put("dt/a.txt", f"{BOX} {points} 0.9\n")
    report = evaluated(f"{BOX} {points}", "data.yaml")
    assert report["Counts"].value == PERFECT
    assert set(report.warnings) == {
        "1 groundtruth with keypoints, compared by their boxes except with matching: keypoints",
        "1 prediction with keypoints, compared by their boxes except with matching: keypoints",
    }


def keypoints_of_labels(line: str, shape: str) -> Any:
    put("data.yaml", f"names: [cat]\nkpt_shape: {shape}\n")
    put("s.csv", "uid,width,height\na,100,50\n")
    put("gt/a.txt", f"{line}\n")
    put("dt/a.txt", "")
    chosen = YoloParameters(
        groundtruths=Path("gt"),
        predictions=Path("dt"),
        names=Path("data.yaml"),
        sizes=Path("s.csv"),
    )
    reader = YoloReader(chosen, "detection")
    (batch,) = (batch for part in reader.partitions() for batch in reader.read(part))
    return batch.groundtruths.keypoints


def test_keypoints_are_read_in_pixels_with_their_visibility() -> None:
    """The image is 100 wide and 50 high."""
    found = keypoints_of_labels(f"{BOX} {THREE}", "[4, 3]")
    expected = [[40, 20, 2], [60, 22.5, 1], [50, 25, 0], [50, 30, 2]]
    assert found.points.tolist() == expected
    assert found.labeled.tolist() == [3]


def test_negative_coordinates_without_visibility_are_no_labels() -> None:
    found = keypoints_of_labels(f"{BOX} 0.25 0.5 -1 -1", "[2, 2]")
    assert found.points.tolist() == [[25, 25, 2], [-100, -50, 0]]


def test_keypoints_in_pixels_are_rejected() -> None:
    message = "line 1: expected keypoints normalized to the image, found a coordinate of 40"
    with pytest.raises(ReadError, match=re.escape(message)):
        keypoints_of_labels(f"{BOX} 40 20 0.6 0.4", "[2, 2]")


def test_boxes_without_keypoints_are_read_despite_kpt_shape() -> None:
    put("data.yaml", "names: [cat]\nkpt_shape: [2, 2]\n")
    report = evaluated(BOX, "data.yaml")
    assert report["Counts"].value == PERFECT
    assert report.warnings == ()


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ("[17, 3]", "gt/a.txt, line 1: expected 5 or 56 numbers: class, box, 17 keypoints of"),
        ("17", "expected the number of keypoints and 2 or 3 values of each, found 17"),
        ("[2, 4]", "data.yaml, kpt_shape: expected the number of keypoints and 2 or 3"),
        ("[0, 2]", "data.yaml, kpt_shape: expected the number of keypoints and 2 or 3"),
    ],
)
def test_keypoints_that_contradict_kpt_shape_are_rejected(shape: str, message: str) -> None:
    put("data.yaml", f"names: [cat]\nkpt_shape: {shape}\n")
    with pytest.raises(ReadError, match=re.escape(message)):
        evaluated(f"{BOX} {TWO}", "data.yaml")


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (THREE, "gt/a.txt, line 1: expected a box or a polygon, found what looks like a"),
        ("0.4 0.4 2", "gt/a.txt, line 1: expected class, x, y, width, height, or the points of"),
        (
            "0.4 0.4 1 0.6 0.5 0",
            "gt/a.txt, line 1: expected a box or a polygon, found what looks like a",
        ),
    ],
)
def test_keypoints_with_visibility_without_kpt_shape_name_data_yaml(
    points: str, message: str
) -> None:
    with pytest.raises(ReadError, match=re.escape(message)):
        evaluated(f"{BOX} {points}")


@pytest.mark.parametrize(
    "polygon",
    [
        "0 0.3 0.3 0.7 0.3 0.7 0.7 0.3 0.7",
        "0 0.5 0.3 0.7 0.5 0.9 0.8 1 0.7 0.8 0",  # coordinates that are 0 or 1, but no keypoints
        "0 0 0 1 0 1 1 0 1",
    ],
)
def test_polygons_are_not_read_as_keypoints(polygon: str) -> None:
    assert evaluated(polygon, invalid_geometry="accept")["Counts"].value["fn"] in (0, 1)


def test_resource_files_of_macos_are_ignored() -> None:
    for name in ("gt/._a.txt", "dt/._a.txt", "dt/__MACOSX/._a.txt", "gt/.DS_Store"):
        put(name, b"\x00\x05\x16\x07")
    report = evaluated(BOX)
    assert report["Counts"].value == PERFECT
    assert report.counts["read"] == 1


def test_resource_files_of_macos_are_ignored_in_xml_folders() -> None:
    box = "<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox>"
    one = f"<object><name>cat</name><score>0.9</score>{box}</object>"
    for side in ("xml", "xml2"):
        put(f"{side}/a.xml", f"<annotation>{one}</annotation>")
        put(f"{side}/._a.xml", b"\x00\x05\x16\x07")
    data = {"reader": "voc", "groundtruths": "xml", "predictions": "xml2"}
    assert evaluate(data, ["Counts"], "detection")["Counts"].value == PERFECT


def test_unicode_forms_of_a_file_name_are_one_image() -> None:
    put("dt/a.txt", "")
    put(f"gt/{normalize('NFD', 'café')}.txt", f"{BOX}\n")
    put(f"dt/{normalize('NFC', 'café')}.txt", f"{BOX} 0.9\n")
    put("s.csv", f"uid,width,height\na,100,100\n{normalize('NFD', 'café')},100,100\n")
    assert evaluated("")["Counts"].value == PERFECT


@pytest.mark.parametrize(
    ("suffix", "options"),
    [
        ("webp", {"lossless": True}),
        ("webp", {"lossless": False}),
        ("webp", {"lossless": True, "exif": b"Exif\0\0"}),  # the extended form
        ("tiff", {}),
        ("ppm", {}),
        ("jfif", {"format": "JPEG"}),
    ],
)
def test_images_in_other_formats_have_a_size(suffix: str, options: dict[str, Any]) -> None:
    out = io.BytesIO()
    Image.new("RGB", (300, 80)).save(out, **{"format": suffix.upper(), **options})
    put(f"images/a.{suffix}", out.getvalue())
    assert image_size(Path(f"images/a.{suffix}")) == (80, 300)
    assert evaluated(BOX, sizes=None, images="images")["Counts"].value == PERFECT


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.webp", "a.webp: expected a complete PNG, JPEG, BMP, GIF or WebP image"),
        ("a.tiff", "a.tiff: expected a readable file, found"),
    ],
)
def test_broken_images_in_other_formats_are_named(name: str, message: str) -> None:
    put(name, b"RIFF\x00\x00\x00\x00WEBPVP8 ")
    with pytest.raises(ReadError, match=re.escape(message)):
        image_size(Path(name))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("cat 10 10 30 40", "gt/a.txt, line 1: expected numbers, found 'cat 10 10 30 40'"),
        ("0,0.5,0.5,0.2,0.2", "gt/a.txt, line 1: expected numbers, found '0,0.5,0.5,0.2,0.2'"),
        ("0 10 10 30 40", "expected normalized coordinates from 0 to 1, found 40"),
    ],
)
def test_names_and_pixels_in_labels_name_the_remedy(line: str, message: str) -> None:
    with pytest.raises(ReadError, match=re.escape(message)):
        evaluated(line)


def test_class_with_empty_name_is_rejected() -> None:
    put("names.txt", "cat\n\ndog\n")
    with pytest.raises(
        ReadError, match=r"gt/a\.txt, line 1: expected one of the 2 classes that have a name, found"
    ):
        evaluated("1 0.5 0.5 0.4 0.4")
    assert evaluated(BOX)["Counts"].value == PERFECT
    put("names.txt", "cat\r\n\r\n")
    with pytest.raises(ReadError, match="expected one of the 1 classes that have a name, found 1"):
        evaluated("1 0.5 0.5 0.4 0.4")


def test_oriented_boxes_in_xml_are_rejected() -> None:
    one = "<object><name>cat</name><robndbox><cx>5</cx><angle>1</angle></robndbox></object>"
    put("xml/a.xml", f"<annotation>{one}</annotation>")
    put("xml2/a.xml", "<annotation/>")
    with pytest.raises(
        ReadError, match=r"xml/a\.xml, object\[0\]: expected an upright box, found an oriented one"
    ):
        evaluate(
            {"reader": "voc", "groundtruths": "xml", "predictions": "xml2"}, ["Counts"], "detection"
        )
