"""Readers of YOLO's and Pascal VOC's folders, and their errors."""

import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import for_each
from valor_detection.parameters.readers import VocParameters, YoloParameters
from valor_detection.readers.images import image_size
from valor_detection.readers.voc import VocReader
from valor_detection.readers.yolo import YoloReader

from valor_core.errors import ReadError
from valor_core.schemas.detection import DetectionBatch
from valor_core.schemas.geometry import Polygon


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(**files: str) -> None:
    """Write text files; in names, ``__`` is a slash and the last ``_`` the dot of the suffix."""
    for name, text in files.items():
        stem, _, suffix = name.rpartition("_")
        path = Path(f"{stem.replace('__', '/')}.{suffix}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def labels_of(batch: DetectionBatch, side: str) -> list[str]:
    return [batch.labels[code].value for code in getattr(batch, side).labels]


PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 20, 10) + bytes(9)
JPEG = (
    b"\xff\xd8\xff\xe0" + struct.pack(">H", 6) + b"JFIF"
    + b"\xff\xc4" + struct.pack(">H", 3) + b"\x00"
    + b"\xff\xff\xc2" + struct.pack(">HBHH", 17, 8, 10, 20) + bytes(9)
)  # fmt: skip
BMP = b"BM" + bytes(12) + struct.pack("<Iii", 40, 20, -10)
GIF = b"GIF89a" + struct.pack("<HH", 20, 10)


@pytest.mark.parametrize("content", [PNG, JPEG, BMP, GIF])
def test_sizes_of_images_are_read_from_headers(content: bytes) -> None:
    Path("image").write_bytes(content)
    assert image_size(Path("image")) == (10, 20)


@pytest.mark.parametrize("content", [b"", b"text", PNG[:20], JPEG[:12], JPEG[:21], b"\xff\xd8\xff"])
def test_file_that_is_no_image_is_rejected(content: bytes) -> None:
    Path("image").write_bytes(content)
    with pytest.raises(
        ReadError, match="image: expected a complete PNG, JPEG, BMP, GIF or WebP image"
    ):
        image_size(Path("image"))


def yolo(**chosen: Any) -> YoloReader:
    given: dict[str, Any] = {
        "groundtruths": Path("gt"),
        "predictions": Path("dt"),
        "names": Path("names.txt"),
        "sizes": Path("sizes.csv"),
    }
    return YoloReader(YoloParameters(**{**given, **chosen}), "detection")


def yolo_files(**files: str) -> None:
    given = {
        "gt__a_txt": "0 0.5 0.5 0.5 0.25\n1 0 0 0.5 0 0.5 1\n",
        "gt__sub__b_txt": "",
        "dt__sub__b_txt": "1 0.25 0.5 0.5 1 0.75\n",
        "names_txt": "cat\ndog\n",
        "sizes_csv": "uid,width,height\na,20,8\nsub/b,10,10\n",
    }
    write(**{**given, **files})


def test_lines_of_yolo_are_normalized_coordinates() -> None:
    yolo_files()
    (part,) = yolo().partitions()
    (batch,) = yolo().read(part)
    assert batch.datums.uids.tolist() == ["a", "sub/b"]
    assert batch.sizes.tolist() == [[8, 20], [10, 10]]
    assert labels_of(batch, "groundtruths") == ["cat", "dog"]
    assert batch.groundtruths.shapes.boxes.tolist() == [[5, 3, 10, 2], [0, 0, 10, 8]]
    assert isinstance(batch.groundtruths.shapes.at(1), Polygon)
    assert batch.groundtruths.areas.tolist() == [20, 40]
    assert batch.predictions.shapes.boxes.tolist() == [[0, 0, 5, 10]]
    assert batch.predictions.scores.tolist() == [0.75]
    assert batch.label_ids.tolist() == [0, 1]


def test_sizes_come_from_images_and_names_from_yaml() -> None:
    yolo_files(names_yaml="names: {0: cat, 1: dog}\n")
    for name in ("images/a.png", "images/sub/b.jpg"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(PNG if name.endswith("png") else JPEG)
    reader = yolo(sizes=None, images=Path("images"), names=Path("names.yaml"), partition_images=1)
    batches = [batch for part in reader.partitions() for batch in reader.read(part)]
    assert [batch.datums.uids.tolist() for batch in batches] == [["a"], ["sub/b"]]
    assert batches[0].sizes.tolist() == [[10, 20]]


def test_names_file_in_label_folder_is_no_label_file() -> None:
    yolo_files(gt__classes_txt="cat\ndog\n")
    (part,) = yolo(names=Path("gt/classes.txt")).partitions()
    assert part.uids == ("a", "sub/b")


WRONG_YOLO = [
    ({"gt__a_txt": "0 0.5 0.5 0.5"}, "expected class, x, y, width, height"),
    ({"dt__sub__b_txt": "1 0.25 0.5 0.5 1"}, "dt/sub/b.txt, line 1: expected class"),
    ({"gt__a_txt": "0.5 0.5 0.5 0.5 0.5"}, "expected a class number first"),
    ({"gt__a_txt": "0 5_0 0 1 1"}, "expected numbers, found '0 5_0 0 1 1'"),
    ({"gt__a_txt": "0 \u0665 0 1 1"}, "expected numbers, found '0 \u0665 0 1 1'"),
    ({"gt__a_txt": "\n0 x"}, "expected numbers, found '0 x'"),
    ({"gt__a_txt": "0 0 0 nan 1"}, "expected finite numbers, found '0 0 0 nan 1'"),
    ({"gt__a_txt": "0 0 0 -1 1"}, "expected a width and height of 0 or more"),
    ({"gt__a_txt": "0 10 4 6 3"}, "line 1: expected normalized coordinates"),
    ({"gt__a_txt": "7 0 0 1 1"}, "expected one of the 2 classes that have"),
    ({"sizes_csv": "uid,width,height\na,20,8\n"}, "expected width and height of every image"),
    ({"names_txt": "cat\ncat\n"}, "expected every name once, found 'cat'"),
    ({"names_txt": ""}, "expected names of classes, found none"),
]


@pytest.mark.parametrize(("files", "message"), WRONG_YOLO)
def test_invalid_yolo_files_are_rejected(files: dict[str, str], message: str) -> None:
    yolo_files(**files)
    (part,) = yolo().partitions()
    with pytest.raises(ReadError, match=re.escape(message)):
        list(yolo().read(part))


def test_yolo_needs_sizes_and_folders() -> None:
    with pytest.raises(
        ReadError, match="data: expected either the folder of the images or a table of their"
    ):
        yolo(sizes=None)
    with pytest.raises(ReadError, match="gt: no such folder"):
        yolo().partitions()
    Path("gt").mkdir()
    Path("dt").mkdir()
    with pytest.raises(ReadError, match=r"gt: expected \.txt files, found none"):
        yolo().partitions()


def xml(*objects: str) -> str:
    size = "<size><width>20</width><height>10</height><depth>3</depth></size>"
    return f"<annotation><folder>F</folder>{size}{''.join(objects)}</annotation>"


def an_object(name: str, *edges: object, **tags: Any) -> str:
    names = ("xmin", "ymin", "xmax", "ymax")
    box = "".join(f"<{n}>{edge}</{n}>" for n, edge in zip(names, edges, strict=True))
    more = "".join(f"<{tag}>{value}</{tag}>" for tag, value in tags.items())
    return f"<object><name>{name}</name><bndbox>{box}</bndbox>{more}</object>"


def voc(**chosen: Any) -> VocReader:
    given: dict[str, Any] = {"groundtruths": Path("gt"), "predictions": Path("dt")}
    return VocReader(VocParameters(**{**given, **chosen}), "detection")


def voc_files(**files: str) -> None:
    given = {
        "gt__a_xml": xml(an_object("dog", 1, 1, 4, 2), an_object("cat", 2, 2, 3, 3, difficult=1)),
        "gt__b_xml": xml(),
        "dt__comp4_det_test_dog_txt": "a 0.5 1 1 4 2\nb 0.25 2.5 2 3 3\n",
    }
    write(**{**given, **files})


def test_voc_coordinates_start_at_1_and_include_last_pixel() -> None:
    voc_files()
    (part,) = voc().partitions()
    (batch,) = voc().read(part)
    assert batch.datums.uids.tolist() == ["a", "b"]
    assert labels_of(batch, "groundtruths") == ["dog", "cat"]
    assert batch.groundtruths.shapes.boxes.tolist() == [[0, 0, 4, 2], [1, 1, 2, 2]]
    assert batch.predictions.shapes.boxes.tolist() == [[0, 0, 4, 2], [1.5, 1, 1.5, 2]]
    assert labels_of(batch, "predictions") == ["dog", "dog"]
    assert batch.predictions.scores.tolist() == [0.5, 0.25]
    assert batch.sizes.tolist() == [[10, 20], [10, 20]]
    assert batch.datums.metadata["folder"].tolist() == ["F", "F"]


def test_coordinates_can_be_edges_and_difficult_objects_skipped() -> None:
    voc_files()
    reader = voc(inclusive=False, difficult="skip")
    (batch,) = reader.read(reader.partitions()[0])
    assert batch.groundtruths.shapes.boxes.tolist() == [[1, 1, 3, 1]]
    assert batch.left_out == {"groundtruths left out: difficult": 1}


def test_difficult_objects_can_be_ignored() -> None:
    voc_files()
    reader = voc(difficult="ignore")
    (batch,) = reader.read(reader.partitions()[0])
    assert batch.groundtruths.ignored.tolist() == [False, True]
    assert batch.left_out == {}


def test_list_of_images_selects_annotations() -> None:
    voc_files(test_txt="b  1\n\n")
    Path("dt/comp4_det_test_dog.txt").write_text("b 0.25 2 2 3 3\n", "utf-8")
    (part,) = voc(images=Path("test.txt")).partitions()
    (batch,) = voc(images=Path("test.txt")).read(part)
    assert batch.datums.uids.tolist() == ["b"]
    assert len(batch.predictions) == 1


def test_results_of_images_outside_the_list_are_rejected() -> None:
    voc_files(test_txt="b\n")
    reader = voc(images=Path("test.txt"))
    with pytest.raises(ReadError) as caught:
        list(reader.read(reader.partitions()[0]))
    assert str(caught.value) == (
        "dt/comp4_det_test_dog.txt, line 1: expected one of the 1 images of test.txt, found 'a'"
    )
    Path("dt/comp4_det_test_dog.txt").unlink()
    write(dt__a_xml=xml(an_object("dog", 1, 1, 4, 2, score=0.5)))
    with pytest.raises(ReadError, match=r"dt/a\.xml: expected one of the 1 images of test\.txt"):
        reader.partitions()


def test_listed_image_without_annotations_is_rejected() -> None:
    voc_files(test_txt="b\nc\nd\n")
    with pytest.raises(ReadError) as caught:
        voc(images=Path("test.txt")).partitions()
    assert str(caught.value) == (
        "test.txt: expected images with an XML file in gt, found 'c' (and 1 more)"
    )


def test_results_can_be_xml() -> None:
    voc_files(dt__a_xml=xml(an_object("dog", 1, 1, 4, 2, score=0.5)))
    Path("dt/comp4_det_test_dog.txt").unlink()
    reader = voc(partition_images=1)
    batches = [batch for part in reader.partitions() for batch in reader.read(part)]
    assert [len(batch.predictions) for batch in batches] == [1, 0]
    np.testing.assert_array_equal(batches[0].predictions.scores, [0.5])


WRONG_VOC = [
    (
        {"gt__a_xml": xml(an_object("dog", 5, 1, 2, 2))},
        "gt/a.xml, object[0]: expected a box with xmin <= xmax and ymin <= ymax, found "
        "[5.0, 1.0, 2.0, 2.0]",
    ),
    (
        {"gt__a_xml": xml(an_object("dog", 1, 1, 0, 2))},
        "gt/a.xml, object[0]: expected a box with xmin <= xmax and ymin <= ymax, found "
        "[1.0, 1.0, 0.0, 2.0]",
    ),
    (
        {"gt__a_xml": '<?xml version="1.0" encoding="none"?><a/>'},
        "gt/a.xml: expected XML in a supported encoding, found: unknown encoding: none",
    ),
    (
        {"gt__a_xml": "<annotation><object></annotation>"},
        "gt/a.xml, line 1: expected XML, found: mismatched tag: line 1, column 22",
    ),
    (
        {"gt__a_xml": xml("<object><name>dog</name></object>")},
        "gt/a.xml, object[0], xmin: expected a number, found None",
    ),
    (
        {"gt__a_xml": "<html><object/></html>"},
        "gt/a.xml: expected an element annotation, found 'html'",
    ),
    *(
        (
            {"gt__a_xml": xml().replace("20", size)},
            f"gt/a.xml, size, width: expected a {kind}, found {size!r}",
        )
        for size, kind in (
            ("²", "number"),
            ("2_0", "number"),
            ("wide", "number"),
            ("2.5", "whole number of pixels"),
            ("-5", "whole number of pixels"),
            ("1" + "0" * 20, "whole number of pixels"),
        )
    ),
    (
        {"gt__a_xml": xml(an_object("dog", "1_0", 1, 20, 2))},
        "gt/a.xml, object[0], xmin: expected a number, found '1_0'",
    ),
    ({"gt__a_xml": xml("<object/>")}, "gt/a.xml, object[0], name: expected a name, found none"),
    (
        {"gt__a_xml": '<!DOCTYPE a [<!ENTITY b "c">\n<!ENTITY d "&b;&b;">]><a>&d;</a>'},
        "gt/a.xml, line 1: expected XML without entity declarations, found one\n"
        "Remove the DOCTYPE and its entities from the file.",
    ),
    (
        {"dt__comp4_det_test_dog_txt": "a 0.5 1 1 4\n"},
        "dt/comp4_det_test_dog.txt, line 1: expected image, score, xmin, ymin, xmax and ymax, "
        "found 'a 0.5 1 1 4'",
    ),
    (
        {"dt__comp4_det_test_dog_txt": "z 0.5 1 1 4 5\n"},
        "dt/comp4_det_test_dog.txt, line 1: expected one of the 2 images of gt, found 'z'",
    ),
    (
        {"dt__a_xml": xml(an_object("dog", 1, 1, 4, 2))},
        "dt/a.xml, object[0]: expected a score, found none\n"
        "Write the confidence of each predicted object: <score>0.9</score>",
    ),
]


@for_each(("files", "message"), WRONG_VOC)
def test_invalid_voc_files_are_rejected(files: dict[str, str], message: str) -> None:
    voc_files(**files)
    if "dt__a_xml" in files:
        Path("dt/comp4_det_test_dog.txt").unlink()
    (part,) = voc().partitions()
    with pytest.raises(ReadError) as caught:
        list(voc().read(part))
    assert str(caught.value) == message


def test_mixed_voc_results_are_rejected() -> None:
    voc_files(dt__a_xml=xml(an_object("dog", 1, 1, 4, 2, score=0.5)))
    with pytest.raises(
        ReadError, match=r"dt: expected results as \.xml or as \.txt files, found both, such as"
    ):
        voc().partitions()


@pytest.mark.parametrize("size", ["", "0"])
def test_missing_size_is_unknown(size: str) -> None:
    voc_files(gt__a_xml=xml().replace("20", size), gt__b_xml=xml())
    (part,) = voc().partitions()
    (batch,) = voc().read(part)
    assert batch.sizes is not None
    assert batch.sizes.tolist() == [[0, 0], [10, 20]]


def test_object_inside_another_element_is_skipped() -> None:
    part_of = an_object("hand", 1, 1, 2, 2)
    voc_files(gt__a_xml=xml(an_object("person", 1, 1, 4, 2), f"<part>{part_of}</part>"))
    (part,) = voc().partitions()
    (batch,) = voc().read(part)
    assert labels_of(batch, "groundtruths") == ["person"]


def test_text_not_in_utf_8_is_rejected() -> None:
    voc_files()
    Path("dt/comp4_det_test_dog.txt").write_bytes(b"a 0.5 1 1 4 2\nb\xff 0.5 1 1 4 2\n")
    (part,) = voc().partitions()
    with pytest.raises(ReadError, match="expected text in UTF-8, found the byte 0xff"):
        list(voc().read(part))


BOW = "0 0 0 0.5 0.5 0.5 0 0 0.5\n"


def test_invalid_yolo_shapes_follow_the_policy() -> None:
    yolo_files(gt__a_txt=f"0 0.5 0.5 0 0.25\n0 0.5 0.5 0.5 -0.25\n{BOW}")
    (part,) = yolo().partitions()
    (batch,) = yolo(invalid_geometry="skip").read(part)
    assert len(batch.groundtruths) == 0
    (batch,) = yolo(invalid_geometry="repair").read(part)
    assert batch.groundtruths.annotations.tolist() == [1, 2]
    assert batch.left_out == {
        "groundtruths left out: zero area": 1,
        "groundtruths repaired: inverted": 1,
        "groundtruths repaired: self-crossing": 1,
    }
    yolo_files(gt__a_txt=BOW)
    with pytest.raises(
        ReadError, match="expected a shape whose edges do not cross, got a polygon of 4 corners"
    ):
        list(yolo().read(part))


def test_invalid_voc_boxes_follow_the_policy() -> None:
    voc_files(gt__a_xml=xml(an_object("dog", 5, 1, 2, 2), an_object("dog", 30, 1, 40, 2)))
    (part,) = voc().partitions()
    (batch,) = voc(invalid_geometry="repair").read(part)
    assert batch.groundtruths.shapes.boxes.tolist() == [[1, 0, 4, 2]]
    assert batch.left_out == {
        "groundtruths left out: out of the image": 1,
        "groundtruths repaired: inverted": 1,
    }
    voc_files(gt__a_xml=xml(an_object("dog", 30, 1, 40, 2)))
    with pytest.raises(
        ReadError,
        match=r"gt/a\.xml, object\[0\]: expected a shape inside its image, got 29, 0, 40, 2",
    ):
        list(voc().read(part))


def test_voc_objects_keep_their_positions_after_skipped_objects() -> None:
    hard = an_object("dog", 1, 1, 2, 2, difficult=1)
    flat = an_object("dog", 9, 1, 5, 2)
    voc_files(gt__a_xml=xml(hard, flat, an_object("dog", 3, 1, 5, 2)))
    reader = voc(invalid_geometry="skip", difficult="skip")
    (batch,) = reader.read(reader.partitions()[0])
    assert batch.groundtruths.annotations.tolist() == [2]
    assert batch.left_out == {
        "groundtruths left out: difficult": 1,
        "groundtruths left out: inverted": 1,
    }


def test_missing_names_file_lists_accepted_files() -> None:
    yolo_files()
    reader = yolo(names=Path("classes.txt"))
    with pytest.raises(
        ReadError, match=r"classes\.txt: expected the names of classes, found no such file"
    ):
        list(reader.read(reader.partitions()[0]))
