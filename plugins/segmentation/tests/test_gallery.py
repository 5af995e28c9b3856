from __future__ import annotations

import io
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from valor_report.gallery.worst_items import plan
from valor_segmentation.gallery.gallery import (
    COLORS,
    FALSE,
    MISSED,
    RIGHT,
    WRONG,
    SegmentationGallery,
    colors_of,
)
from valor_segmentation.parameters.gallery import GalleryParameters

from valor_core import Registry
from valor_core.errors import ParameterError, ReadError
from valor_core.evaluation import Evaluation, Plan
from valor_core.readers import InMemory
from valor_core.schemas import Label
from valor_core.schemas.segmentation import Segmentation, SegmentationBatch

from .png_images import SIGNATURE, chunk, head, rows_of

TRUE = np.array([[1, 1, 1, 0], [2, 2, 0, 0], [9, 9, 1, 0]], np.uint8)
SEEN = np.array([[1, 1, 2, 0], [2, 0, 1, 2], [1, 2, 1, 0]], np.uint8)


def item(uid: str = "a", true: Any = TRUE, predicted: Any = SEEN, **facts: Any) -> Segmentation:
    return Segmentation(uid, true, predicted, labels=["cat", "dog"], ignore=9, metadata=facts)


def gallery(**parameters: Any) -> SegmentationGallery:
    return SegmentationGallery(GalleryParameters(**parameters))


def drawn(one: Segmentation, **parameters: Any) -> Any:
    return gallery(**parameters).draw(SegmentationBatch.of([one]))


def pixels(png: bytes) -> Any:
    return np.asarray(Image.open(io.BytesIO(png)))


def has_color(image: Any, name: str) -> bool:
    color = [int(name[i : i + 2], 16) for i in (1, 3, 5)]
    return bool((image == color).all(axis=2).any())


def test_errors_are_wrong_pixels_in_the_order_of_the_batch() -> None:
    # One of the wrong label, two false, one missed; the ignored ones do not count.
    batch = SegmentationBatch.of([item("b"), item("a", TRUE, None), item("c", None, None)])

    assert gallery().errors(batch).tolist() == [4, 6, 0]


def test_errors_can_be_those_of_a_metric() -> None:
    right = item("right", TRUE, np.where(TRUE == 9, 0, TRUE))
    batch = SegmentationBatch.of([item(), right])

    for order in ("iou", "boundary_iou", "hausdorff", "panoptic_quality"):
        errors = gallery(order=order).errors(batch).tolist()
        assert errors[0] > 0
        assert errors[1] == 0
    # IoUs of cat 3 / 5 and of dog 1 / 4.
    assert gallery(order="iou").errors(batch)[0] == pytest.approx(1 - (3 / 5 + 1 / 4) / 2)
    assert gallery(order="iou", label="dog").errors(batch)[0] == 0.75


def test_a_picture_says_the_value_that_ranks_it() -> None:
    assert drawn(item(), order="iou", label="dog").notes == ["iou 0.25"]


def test_settings_that_the_metric_lacks_are_an_error() -> None:
    with pytest.raises(
        ParameterError, match=r"segmentation\.Examples: settings\.width: unknown key"
    ):
        gallery(order="iou", settings={"width": 0.1})


def test_a_picture_counts_and_colors_what_became_of_every_pixel() -> None:
    picture = drawn(item())

    assert picture.counts == {RIGHT: 4, WRONG: 1, FALSE: 2, MISSED: 1}
    # Three panels of 4 by 3 pixels, each a square of 80: in the last one all kinds are seen.
    panel = pixels(picture.image)[32 : 32 + 240, 8 + 2 * 328 :]
    assert [name for name in COLORS if has_color(panel, COLORS[name])] == list(COLORS)
    assert panel[0, 0].tolist() == [0x2B, 0x8A, 0x3E]
    assert panel[0, 2 * 80].tolist() == [0xF0, 0x8C, 0x00]


def test_labels_have_their_colors_on_both_sides() -> None:
    picture = drawn(item())
    image = pixels(picture.image)[32 : 32 + 240]

    cat, dog = colors_of([Label("class", "cat"), Label("class", "dog")])
    assert cat != dog
    for panel in (image[:, 8:328], image[:, 336:656]):
        assert has_color(panel, cat)
        assert has_color(panel, dog)


def test_many_labels_have_colors_too() -> None:
    labels = [Label("class", str(i)) for i in range(50)]

    assert len(set(colors_of(labels)[:20])) == len(set(colors_of(labels))) == 20


def test_an_image_is_found_by_its_file_name_and_else_by_its_uid(tmp_path: Path) -> None:
    Image.new("RGB", (8, 6), "#123456").save(tmp_path / "a.png")
    named = item("x", file_name="a.png")

    for one, notes in ((named, ["a.png"]), (item("a.png"), []), (item("a"), [])):
        picture = drawn(one, images=tmp_path)
        image = pixels(picture.image)
        assert image.shape[1] == 8 + 4 * 328
        assert image[40, 20].tolist() == [0x12, 0x34, 0x56]
        assert picture.notes == notes


def test_a_missing_image_is_a_note(tmp_path: Path) -> None:
    picture = drawn(item(file_name="day/a.png"), images=tmp_path)

    assert picture.notes == [f"no image: no such file: {tmp_path.name}/day/a.png"]
    assert picture.counts[WRONG] == 1


@pytest.mark.parametrize("name", ["/nowhere/a.png", "a" * 300, "."])
def test_a_name_that_is_no_file_of_the_folder_is_a_note(tmp_path: Path, name: str) -> None:
    (note,) = drawn(item(file_name=name), images=tmp_path).notes

    assert note.startswith("no image: ")
    assert drawn(item(name), images=tmp_path).counts[WRONG] == 1


def test_a_label_that_is_missed_is_worse_than_any_distance() -> None:
    batch = SegmentationBatch.of([item("near"), item("missed", TRUE, None)])

    near, missed = gallery(order="hausdorff").errors(batch).tolist()

    assert near < missed == np.inf


@pytest.mark.parametrize("name", ["../secret.png", "link.png", "{}"])
@pytest.mark.parametrize("is_uid", [False, True])
def test_gallery_never_draws_an_image_outside_of_its_folder(
    name: str, is_uid: bool, tmp_path: Path
) -> None:
    secret, images = tmp_path / "secret.png", tmp_path / "images"
    images.mkdir()
    Image.new("RGB", (20, 20), "#123456").save(secret)
    (images / "link.png").symlink_to(secret)
    wanted = name.format(secret)
    one = item(wanted) if is_uid else item(file_name=wanted)

    assert drawn(one, images=images).notes == [f"no image: {wanted} leads out of the folder images"]


def test_a_broken_image_is_a_note(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG nothing")

    (note,) = drawn(item(file_name="a.png"), images=tmp_path).notes

    assert note.startswith("no image: a.png cannot be read, ")


@pytest.mark.parametrize("interlace", [0, 1])
def test_image_that_lacks_rows_is_a_note(interlace: int, tmp_path: Path) -> None:
    """Pillow fills the rows with zeros and says nothing."""
    rows = rows_of(np.full((9, 5, 3), 7), 8, interlace)
    parts = (chunk(b"IDAT", zlib.compress(rows[:-16])), chunk(b"IEND", b""))
    content = SIGNATURE + head(5, 9, 8, 2, interlace) + b"".join(parts)
    (tmp_path / "a.png").write_bytes(content)

    (note,) = drawn(item(file_name="a.png"), images=tmp_path).notes

    found = f"found {len(rows) - 16:,} of {len(rows):,} bytes of its rows"
    assert note == f"no image: a.png cannot be read, {found}"


def test_a_folder_that_is_none_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"segmentation\.Gallery: expected a folder of images"):
        gallery(images=tmp_path / "none")


def test_every_label_key_has_a_row_of_panels() -> None:
    cat = {"cat": TRUE == 1, ("color", "white"): TRUE == 2}
    one = Segmentation("a", cat, {"cat": SEEN == 1})

    picture = drawn(one)

    assert pixels(picture.image).shape[0] > 2 * (240 + 32)
    assert picture.counts == {RIGHT: 3, WRONG: 0, FALSE: 2, MISSED: 3}


def test_a_large_image_is_reduced_and_counted_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    true = np.zeros((1500, 900), np.uint8)
    true[:, :450] = 1
    monkeypatch.setattr("valor_segmentation.gallery.gallery._BLOCK", 900 * 7)

    picture = drawn(item("a", true, None))

    assert picture.counts[MISSED] == 1500 * 450
    assert pixels(picture.image).shape[0] < 800


def test_images_without_pixels_or_annotations_are_drawn() -> None:
    assert drawn(item("a", None, None)).counts[RIGHT] == 0
    empty = np.zeros((0, 3), np.uint8)
    assert drawn(item("a", empty, empty)).counts[RIGHT] == 0


def test_the_worst_are_hung_first(tmp_path: Path) -> None:
    items = [
        item("right-item", TRUE, np.where(TRUE == 9, 0, TRUE)),
        item("worst-item", TRUE, None),
        item("bad-item"),
    ]
    planned = plan({"folder": tmp_path / "shown"}, "segmentation", Registry())
    evaluation = Evaluation("segmentation", Plan.of([], Registry()))

    warnings = planned.draw(evaluation, InMemory.of(items, SegmentationBatch.of))

    assert warnings == ()
    text = planned.page.read_text(encoding="utf-8")
    assert "right-item" not in text
    assert text.index("worst-item") < text.index("bad-item")


def test_the_small_picture_is_wide_enough_for_its_panels_and_leaves_the_legend_to_the_page() -> (
    None
):
    picture = drawn(item())
    whole = Image.open(io.BytesIO(picture.image))
    small = Image.open(io.BytesIO(picture.thumbnail))

    assert picture.wide
    assert set(picture.colors) == {"cat", "dog"}
    assert small.width == whole.width <= 1280
    assert small.height < whole.height
