from __future__ import annotations

import io
import re
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from valor_detection.gallery.gallery import COLORS, FALSE, FOUND, MISSED, WRONG, DetectionGallery
from valor_detection.parameters.gallery import GalleryParameters
from valor_report.gallery.worst_items import plan

from valor_core import Registry, evaluate
from valor_core.errors import MissingExtraError, ParameterError, ReadError
from valor_core.evaluation import Evaluation, Plan
from valor_core.packages import ways
from valor_core.readers import InMemory
from valor_core.schemas.detection import Detection, DetectionBatch, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box, Mask, Polygon

BOX = Box(10, 10, 30, 30)


def box(x: float, width: float = 20) -> Box:
    return Box(x, 10, x + width, 30)


MIXED = Detection(
    "mixed",
    [
        TrueObject("dog", box(10)),
        TrueObject("cat", box(40)),
        TrueObject("dog", box(70)),
        TrueObject("dog", box(100), is_crowd=True),
    ],
    [
        PredictedObject({"dog": 0.9}, box(10)),
        PredictedObject({"dog": 0.8}, box(40)),
        PredictedObject({"dog": 0.7}, box(130)),
        PredictedObject({"dog": 0.6}, box(100)),
        PredictedObject({"cat": 0.1}, box(160)),
    ],
)
GOOD = Detection("good", [TrueObject("dog", BOX)], [PredictedObject({"dog": 0.9}, BOX)])
BAD = Detection("bad", [TrueObject("dog", BOX)], [])


def gallery(**parameters: object) -> DetectionGallery:
    return DetectionGallery(GalleryParameters(**parameters))


def drawn(item: Detection, **parameters: object):
    return gallery(**parameters).draw(DetectionBatch.of([item]))


def has_color(png: bytes, kind: str) -> bool:
    """Return True if a color is in the image area, above the caption."""
    pixels = np.asarray(Image.open(io.BytesIO(png)))[:-40]
    color = [int(COLORS[kind][i : i + 2], 16) for i in (1, 3, 5)]
    return bool((pixels == color).all(axis=2).any())


def test_errors_count_false_positives_and_false_negatives_per_item() -> None:
    # mixed: a wrong label counts as false positive and as false negative, one prediction has no
    # match, one dog is missed; predictions on the crowd and with score 0.1 do not count.
    items = [MIXED, GOOD, BAD]

    assert gallery().errors(DetectionBatch.of(items)).tolist() == [4, 0, 1]
    assert gallery().errors(DetectionBatch.of(items[::-1])).tolist() == [1, 0, 4]


def test_errors_equal_those_of_examples() -> None:
    items = [MIXED, GOOD, BAD]

    (listed,) = evaluate(items, ["Examples"], "detection").results

    count = {e["datum_id"]: len(e["false_positives"] + e["false_negatives"]) for e in listed.value}
    errors = gallery().errors(DetectionBatch.of(items)).tolist()
    assert [count[item.uid] for item in items] == errors


def test_picture_counts_and_colors_objects_by_outcome() -> None:
    picture = drawn(MIXED)

    assert picture.counts == {FOUND: 1, WRONG: 1, FALSE: 1, MISSED: 1}
    assert [kind for kind in COLORS if has_color(picture.image, kind)] == list(COLORS)
    assert not has_color(drawn(GOOD).image, MISSED)


def test_thresholds_and_rule_follow_the_parameters() -> None:
    assert drawn(MIXED, score_threshold=0.0).counts[FALSE] == 2
    assert drawn(MIXED, score_threshold=0.75).counts == {FOUND: 1, WRONG: 1, FALSE: 0, MISSED: 1}
    loose = Detection("a", [TrueObject("dog", BOX)], [PredictedObject({"dog": 1.0}, box(20))])
    assert drawn(loose).counts == {FOUND: 0, WRONG: 0, FALSE: 1, MISSED: 1}
    assert drawn(loose, iou_threshold=0.25).counts[FOUND] == 1
    assert drawn(MIXED, matching="valor").counts == drawn(MIXED).counts


def test_polygons_and_masks_are_drawn() -> None:
    pixels = np.zeros((40, 40))
    pixels[10:30, 10:30] = 1
    square = Polygon([(10, 10), (30, 10), (30, 30), (10, 30)])
    item = Detection(
        "a", [TrueObject("dog", square)], [PredictedObject({"dog": 0.9}, Mask.of(pixels))]
    )

    picture = drawn(item)

    assert picture.counts[FOUND] == 1
    assert has_color(picture.image, FOUND)


def test_image_is_found_by_file_name_or_uid(tmp_path: Path) -> None:
    Image.new("RGB", (120, 60), "#123456").save(tmp_path / "a.png")
    named = Detection("x", [TrueObject("dog", BOX)], metadata={"file_name": "a.png"})
    plain = Detection("a.png", [TrueObject("dog", BOX)])

    for item in (named, plain):
        picture = drawn(item, images=tmp_path)
        image = Image.open(io.BytesIO(picture.image))
        assert (image.width, image.getpixel((800, 20))) == (840, (0x12, 0x34, 0x56))
    assert drawn(named, images=tmp_path).notes == ["a.png"]
    assert drawn(plain, images=tmp_path).notes == []


def test_missing_image_is_an_empty_background_with_a_note(tmp_path: Path) -> None:
    item = Detection("x", [TrueObject("dog", BOX)], metadata={"file_name": "day/a.png"})

    picture = drawn(item, images=tmp_path)

    assert picture.notes == [f"no image: no such file: {tmp_path.name}/day/a.png"]

    elsewhere = Detection("x", [TrueObject("dog", BOX)], metadata={"file_name": "/none/a.png"})
    assert drawn(elsewhere, images=tmp_path).notes == [
        f"no image: /none/a.png leads out of the folder {tmp_path.name}"
    ]
    assert has_color(picture.image, MISSED)


@pytest.mark.parametrize("name", ["../secret.png", "sub/../../secret.png", "link.png", "{}"])
def test_gallery_never_draws_an_image_outside_of_its_folder(name: str, tmp_path: Path) -> None:
    secret, images = tmp_path / "secret.png", tmp_path / "images"
    (images / "sub").mkdir(parents=True)
    Image.new("RGB", (20, 20), "#123456").save(secret)
    (images / "link.png").symlink_to(secret)
    wanted = name.format(secret)
    item = Detection("x", [TrueObject("dog", BOX)], metadata={"file_name": wanted})

    assert drawn(item, images=images).notes == [
        f"no image: {wanted} leads out of the folder images"
    ]


def test_folder_of_images_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real" / "sub").mkdir(parents=True)
    Image.new("RGB", (20, 20), "#123456").save(tmp_path / "real" / "a.png")
    (tmp_path / "images").symlink_to(tmp_path / "real")
    item = Detection("x", [TrueObject("dog", BOX)], metadata={"file_name": "sub/../a.png"})

    assert drawn(item, images=tmp_path / "images").notes == ["sub/../a.png"]


def test_photo_with_a_wrong_checksum_is_not_drawn(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    Image.effect_noise((40, 40), 99).save(path)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    item = Detection("x", [TrueObject("dog", BOX)], metadata={"file_name": "a.png"})

    (note,) = drawn(item, images=tmp_path).notes

    assert note.startswith("no image: a.png cannot be read, broken PNG file")


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "I;16"])
def test_truncated_photo_is_not_drawn(mode: str, tmp_path: Path) -> None:
    """Pillow fills missing rows with zeros without an error."""
    path = tmp_path / "a.png"
    image = Image.new(mode, (37, 21), 1 if mode != "RGBA" else (1, 2, 3, 4))
    image.save(path)
    item = Detection("x", [TrueObject("dog", BOX)], metadata={"file_name": "a.png"})
    assert drawn(item, images=tmp_path).notes == ["a.png"]
    content = path.read_bytes()
    place = content.index(b"IDAT")
    length = int.from_bytes(content[place - 4 : place], "big")
    rows = zlib.decompress(content[place + 4 : place + 4 + length])
    data = b"IDAT" + zlib.compress(rows[: len(rows) * 2 // 3])
    size, checksum = (n.to_bytes(4, "big") for n in (len(data) - 4, zlib.crc32(data)))
    path.write_bytes(content[: place - 4] + size + data + checksum + content[-12:])

    (note,) = drawn(item, images=tmp_path).notes

    found, whole = f"{len(rows) * 2 // 3:,}", f"{len(rows):,}"
    assert note == f"no image: a.png cannot be read, found {found} of {whole} bytes of its rows"


def test_interlaced_photo_is_drawn(tmp_path: Path) -> None:
    data = zlib.compress(bytes(12 * 6 + 12))  # pixels, and filters of the 12 rows of Adam7
    head = struct.pack(">IIBBBBB", 12, 6, 8, 0, 0, 0, 1)
    chunks = b"".join(
        len(part).to_bytes(4, "big") + name + part + zlib.crc32(name + part).to_bytes(4, "big")
        for name, part in ((b"IHDR", head), (b"IDAT", data), (b"IEND", b""))
    )
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + chunks)
    item = Detection("x", [TrueObject("dog", BOX)], metadata={"file_name": "a.png"})

    assert drawn(item, images=tmp_path).notes == ["a.png"]


def test_corrupt_image_is_an_empty_background_with_a_note(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG nothing")
    item = Detection("x", [TrueObject("dog", BOX)], metadata={"file_name": "a.png"})

    (note,) = drawn(item, images=tmp_path).notes

    assert note.startswith("no image: a.png cannot be read, ")


def test_another_metadata_field_can_name_the_image(tmp_path: Path) -> None:
    Image.new("RGB", (120, 60)).save(tmp_path / "a.png")
    item = Detection("x", [TrueObject("dog", BOX)], metadata={"path": "a.png"})

    assert drawn(item, images=tmp_path, image_field="path").notes == ["a.png"]


@pytest.mark.parametrize(
    ("size", "expected"), [((50, 200), (800, 200)), (None, (812, 812))], ids=["given", "unknown"]
)
def test_picture_without_image_has_the_size_of_the_data(size, expected) -> None:
    image = Image.open(io.BytesIO(drawn(Detection("x", [TrueObject("dog", BOX)], size=size)).image))

    assert abs(image.width - expected[0]) <= 30
    assert image.height >= expected[1]


def test_an_image_without_objects_can_be_drawn() -> None:
    assert drawn(Detection("x")).counts == {FOUND: 0, WRONG: 0, FALSE: 0, MISSED: 0}


def test_missing_folder_of_images_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"detection\.Gallery: expected a folder of images"):
        gallery(images=tmp_path / "nowhere")


def test_gallery_of_the_task_is_the_default(tmp_path: Path) -> None:
    planned = plan({"folder": str(tmp_path / "worst"), "most": 5}, "detection", Registry())

    warnings = planned.draw(
        Evaluation("detection", Plan.of([], Registry())),
        InMemory.of([GOOD, BAD, MIXED], DetectionBatch.of),
    )

    assert warnings == ()
    text = planned.page.read_text(encoding="utf-8")
    assert re.findall(r"<b>(.*?)</b>", text) == ["mixed", "bad"]
    assert "<span>wrong label 1</span>" in text


def test_missing_pillow_suggests_install_command() -> None:
    code = (
        "import sys; sys.modules['PIL'] = None\n"
        "from valor_core.specs.registry import Registry\n"
        "from valor_report.gallery.worst_items import plan\n"
        "print(*plan({'folder': '.'}, 'detection', Registry()).draw(None, None))"
    )

    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True
    )

    missing = MissingExtraError(
        "detection.Gallery: its code needs 'PIL', which is not installed",
        f"Install it with: {ways('valor-detection[plot]')}",
    )
    assert run.stdout == f"gallery: not drawn, {missing.one_line}\n"
    assert sys.prefix not in run.stdout


def pixels_of(color: str, picture: Any) -> set[tuple[int, int]]:
    image = Image.open(io.BytesIO(picture.image)).convert("RGB")
    wanted = tuple(bytes.fromhex(color[1:]))
    found = np.argwhere((np.asarray(image) == wanted).all(axis=2))
    return set(map(tuple, found.tolist()))


def test_keypoints_are_drawn_with_lines_of_their_skeleton() -> None:
    """The skeleton joins the first two points; the third is not visible."""
    points = [(20, 20, 2), (180, 180, 2), (20, 180, 0)]
    predicted = PredictedObject({"dog": 0.9}, Box(2, 2, 4, 4), keypoints=points)
    item = Detection("a", [], [predicted], size=(200, 200))
    chosen = {"matching": "keypoints", "sigmas": [0.1] * 3}
    without = pixels_of(COLORS[FALSE], drawn(item, **chosen))
    with_lines = pixels_of(COLORS[FALSE], drawn(item, **chosen, skeleton=[[1, 2], [2, 3]]))
    assert without < with_lines
    picture = drawn(item, **chosen)
    height = Image.open(io.BytesIO(picture.image)).width  # without the legend
    middle = height // 2
    near = [(y, x) for y, x in with_lines if abs(y - middle) < 9 and abs(x - middle) < 9]
    assert near  # the line from the first to the second point
    assert not [(y, x) for y, x in without if abs(y - middle) < 9 and abs(x - middle) < 9]
    scale = height / 200
    corner = [(y, x) for y, x in with_lines if y > 150 * scale and x < 40 * scale and y < height]
    assert not corner  # the invisible point


def test_invalid_skeleton_is_rejected() -> None:
    with pytest.raises(ParameterError, match="skeleton must have pairs of point numbers from 1"):
        gallery(skeleton=[[0, 1]])
