from __future__ import annotations

import io

import numpy as np
import pytest
from cases import for_each
from PIL import Image
from valor_report.drawing.canvas import LONGEST, THUMBNAIL, Canvas, around

from valor_core.schemas.geometry import Box, Mask, MultiPolygon, Polygon, RotatedBox

RED, RED_RGB = "#ff0000", (255, 0, 0)
FRAME = [(2, 2), (8, 2), (8, 8), (2, 8)]
HOLE = [(4, 4), (6, 4), (6, 6), (4, 6)]


def pixels(canvas: Canvas) -> np.ndarray:
    return np.asarray(canvas.image)


def at(canvas: Canvas, x: float, y: float) -> tuple[int, ...]:
    """Color in the middle of a pixel of the data."""
    found = canvas.image.getpixel(
        (round((x + 0.5) * canvas.scale), round((y + 0.5) * canvas.scale))
    )
    return tuple(found)


def is_red(canvas: Canvas) -> np.ndarray:
    return (pixels(canvas) == RED_RGB).all(axis=2)


def test_a_small_image_is_enlarged_by_a_whole_number_and_a_large_one_reduced() -> None:
    small, large = Canvas(192, 144), Canvas(4000, 1000)

    assert (small.scale, small.image.size) == (5, (960, 720))
    assert large.image.size == (LONGEST, 400)
    assert Canvas(1000, 500).scale == 1


def test_enlarged_pixels_stay_squares() -> None:
    image = Image.fromarray(np.array([[[255, 0, 0], [0, 0, 255]]], np.uint8))

    canvas = Canvas(2, 1, image)

    assert np.unique(pixels(canvas).reshape(-1, 3), axis=0).tolist() == [[0, 0, 255], [255, 0, 0]]


@for_each(
    "geometry",
    [
        Box(2, 2, 8, 8),
        Polygon(FRAME),
        Polygon([FRAME, HOLE]),
        MultiPolygon([Polygon(FRAME)]),
        RotatedBox(5, 5, 6, 6, 90),
        Mask.of(np.pad(np.ones((6, 6)), 2)),
    ],
    ids=lambda geometry: type(geometry).__name__,
)
@for_each("dashed", [False, True])
def test_an_outline_is_at_the_edge_of_every_kind_of_shape(geometry, dashed) -> None:
    canvas = Canvas(10, 10)
    canvas.outline(geometry, RED, dashed=dashed)

    rows, columns = np.nonzero(is_red(canvas))
    edges = np.array([columns.min(), columns.max(), rows.min(), rows.max()]) / canvas.scale
    assert edges == pytest.approx([2, 8, 2, 8], abs=0.06)
    assert at(canvas, 2.6, 2.6) != RED_RGB


def test_a_dashed_outline_has_gaps() -> None:
    whole, dashed = Canvas(10, 10), Canvas(10, 10)
    whole.outline(Box(2, 2, 8, 8), RED)
    dashed.outline(Box(2, 2, 8, 8), RED, dashed=True)

    assert 0.5 < is_red(dashed).sum() / is_red(whole).sum() < 0.75


def test_a_fill_tints_what_is_inside_and_leaves_holes_and_boxes_clear() -> None:
    plain = at(Canvas(10, 10), 3, 3)
    filled = Canvas(10, 10)
    filled.fill(Polygon([FRAME, HOLE]), RED)
    mask = Canvas(10, 10)
    mask.fill(Mask.of(np.eye(10)), RED)
    box = Canvas(10, 10)
    box.fill(Box(0, 0, 9, 9), RED)

    assert at(filled, 3, 3) != plain
    assert at(filled, 4.5, 4.5) == at(filled, 9, 9) == plain
    assert at(mask, 3, 3) != plain
    assert at(mask, 3, 4) == plain
    assert at(box, 3, 3) == plain


def test_an_empty_mask_draws_nothing() -> None:
    canvas = Canvas(10, 10)
    before = pixels(canvas).copy()
    canvas.outline(Mask.of(np.zeros((10, 10))), RED)
    canvas.fill(Mask.of(np.zeros((10, 10))), RED)

    assert (pixels(canvas) == before).all()


def test_words_do_not_cover_words_while_there_is_room() -> None:
    canvas = Canvas(400, 400)
    for _ in range(4):
        canvas.write("square 0.75", Box(100, 100, 250, 250), RED)

    alone = Canvas(400, 400)
    alone.write("square 0.75", Box(100, 100, 250, 250), RED)
    assert is_red(canvas).sum() == 4 * is_red(alone).sum()


@pytest.mark.parametrize("box", [Box(0, 0, 399, 399), Box(390, 0, 400, 5), Box(-50, -50, 10, 10)])
def test_words_stay_in_the_picture(box: Box) -> None:
    inside, apart = Canvas(400, 400), Canvas(400, 400)
    inside.write("square 0.75", box, RED)
    apart.write("square 0.75", Box(100, 100, 250, 250), RED)

    assert is_red(inside).sum() == is_red(apart).sum()


def test_the_foot_is_below_the_image() -> None:
    canvas = Canvas(100, 100)
    before = pixels(canvas).copy()
    canvas.foot({"missed": 3}, {"missed": RED})

    assert (pixels(canvas)[: len(before)] == before).all()
    assert is_red(canvas)[len(before) :].any()


def test_a_picture_is_a_png_and_its_thumbnail_a_small_jpeg() -> None:
    canvas = Canvas(100, 50)

    picture, small = (Image.open(io.BytesIO(data)) for data in (canvas.png(), canvas.thumbnail()))

    assert (picture.format, picture.size) == ("PNG", (800, 400))
    assert (small.format, small.size) == ("JPEG", (THUMBNAIL, THUMBNAIL // 2))


def test_the_box_around_a_shape() -> None:
    assert around(Polygon(FRAME)) == around(Box(2, 2, 8, 8)) == (2, 2, 8, 8)


def test_of_a_dashed_outline_far_beyond_the_image_only_what_is_inside_is_drawn() -> None:
    near, far = Canvas(10, 10), Canvas(10, 10)

    far.outline(Box(5, -1e9, 1e9, 1e9), RED, dashed=True)

    rows, columns = np.nonzero(is_red(far))
    assert rows.size
    assert np.ptp(rows) > 0.8 * far.image.height
    assert columns / far.scale == pytest.approx(5, abs=0.06)
    near.outline(Box(20, 20, 30, 30), RED, dashed=True)
    assert not is_red(near).any()
