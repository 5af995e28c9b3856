"""Polygons become the pixels whose centers are inside."""

from __future__ import annotations

import re
from typing import Any

import pytest
from valor_detection.geometry import center_pixels
from valor_segmentation.readers.drawing import drawn

from valor_core.errors import MissingExtraError, SchemaError
from valor_core.schemas import Label
from valor_core.schemas.geometry import Box, MultiPolygon, Polygon, RotatedBox
from valor_core.schemas.segmentation import Segmentation, SegmentationBatch

CAT, DOG = Label("class", "cat"), Label("class", "dog")
SQUARE = Polygon([(0, 0), (2, 0), (2, 2), (0, 2)])


def rows(mask: Any) -> list[str]:
    return ["".join(".#"[int(pixel)] for pixel in row) for row in mask]


def test_a_pixel_is_inside_where_its_center_is() -> None:
    polygon = Polygon([(0.6, 0.4), (2.6, 0.4), (2.6, 1.4), (0.6, 1.4)])
    assert rows(center_pixels([polygon], (2, 4))) == [".##.", "...."]


def test_holes_are_outside() -> None:
    ring = Polygon([[(0, 0), (3, 0), (3, 3), (0, 3)], [(1, 1), (2, 1), (2, 2), (1, 2)]])
    assert rows(drawn({"cat": ring}, (3, 3))[CAT]) == ["###", "#.#", "###"]


def test_what_lies_outside_is_cut_off() -> None:
    assert rows(center_pixels([Polygon([(-5, -5), (1, -5), (1, 9), (-5, 9)])], (2, 2))) == [
        "#.",
        "#.",
    ]
    assert rows(center_pixels([Polygon([(5, 5), (7, 5), (7, 7)])], (1, 2))) == [".."]


def test_all_kinds_of_shapes_are_drawn() -> None:
    far = Polygon([(3, 0), (4, 0), (4, 1), (3, 1)])
    assert rows(drawn({"cat": MultiPolygon([SQUARE, far])}, (2, 4))[CAT]) == ["##.#", "##.."]
    assert rows(drawn({"cat": [SQUARE, far]}, (2, 4))[CAT]) == ["##.#", "##.."]
    assert rows(drawn({"cat": Box(1, 0, 3, 1)}, (2, 4))[CAT]) == [".##.", "...."]
    assert rows(drawn({"cat": RotatedBox(1, 1, 2, 2, 90)}, (2, 4))[CAT]) == ["##..", "##.."]
    assert rows(drawn({"cat": []}, (1, 2))[CAT]) == [".."]


def test_what_is_drawn_is_a_side_of_an_item() -> None:
    true = drawn({"cat": SQUARE, ("class", "dog"): Box(2, 0, 4, 2)}, (2, 4))
    batch = SegmentationBatch.of([Segmentation("a", true, drawn({"cat": SQUARE}, (2, 4)))])
    assert batch.labels == (CAT, DOG)


def test_neighbors_share_no_pixel_and_leave_none_out() -> None:
    left = center_pixels([Polygon([(0, 0), (1.5, 0), (1.5, 2), (0, 2)])], (2, 3))
    right = center_pixels([Polygon([(1.5, 0), (3, 0), (3, 2), (1.5, 2)])], (2, 3))
    assert (left ^ right).all()


def test_what_is_no_shape_is_named() -> None:
    with pytest.raises(SchemaError, match=r"label 'cat': expected polygons or boxes, got \[0, 0\]"):
        drawn({"cat": [[0, 0], [1, 1]]}, (2, 2))


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (float("nan"), "label 'cat': expected corners with finite coordinates, got nan"),
        (float("inf"), "label 'cat': expected corners with finite coordinates, got inf"),
    ],
)
def test_corners_that_are_not_finite_are_named(number: float, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        drawn({"cat": Polygon([(0, 0), (number, 1), (1, 1)])}, (2, 2))


def test_error_without_detection_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "valor_detection.geometry", None)
    with pytest.raises(
        MissingExtraError,
        match="segmentation: drawing polygons needs valor_detection, which is not installed",
    ):
        drawn({"cat": SQUARE}, (2, 2))
