from __future__ import annotations

import re

import numpy as np
import pytest
from valor_detection.coco_json import coco_masks
from valor_detection.geometry import coco_pixels

from valor_core.errors import SchemaError


def rows(corners, size):
    mask = coco_pixels(np.array(corners, float), size)
    return ["".join(".#"[int(pixel)] for pixel in row) for row in mask]


def test_box_on_grid_has_its_pixels():
    assert rows([(1, 0), (3, 0), (3, 2), (1, 2)], (3, 4)) == [".##.", ".##.", "...."]


def test_pixels_do_not_depend_on_direction_of_ring():
    corners = [(0.2, 0.7), (8.9, 2.3), (6.3, 9.1), (2.6, 8.4)]

    assert rows(corners, (10, 10)) == rows(corners[::-1], (10, 10))


def test_pixels_are_clipped_to_image():
    assert rows([(-5, -5), (1, -5), (1, 9), (-5, 9)], (2, 2)) == ["#.", "#."]
    assert rows([(5, 5), (7, 5), (7, 7)], (1, 2)) == [".."]


def test_area_enclosed_twice_is_outside():
    twice = [(0, 0), (2, 0), (2, 2), (0, 2)] * 2

    assert rows(twice, (2, 2)) == ["..", ".."]


def test_ring_without_area_has_no_pixels():
    assert rows([(1, 1), (1, 1), (1, 1)], (2, 2)) == ["..", ".."]
    assert coco_pixels(np.array([[0.0, 0.0]]), (0, 3)).shape == (0, 3)


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (np.nan, "expected corners with finite coordinates, got nan"),
        (np.inf, "expected corners with finite coordinates, got inf"),
    ],
)
def test_error_names_infinite_corner(number, message: str):
    with pytest.raises(SchemaError, match=re.escape(message)):
        rows([(0, 0), (number, 1), (1, 1)], (2, 2))


def test_error_names_corner_far_from_image():
    with pytest.raises(
        SchemaError, match=r"expected corners within 100,000,000 pixels, got 1e\+30"
    ):
        rows([(0, 0), (1e30, 1), (1, 1)], (2, 2))


def test_empty_segmentation_has_no_pixels() -> None:
    triangle = {"segmentation": [[0, 0, 2, 0, 2, 2]]}

    found = coco_masks([triangle, {"segmentation": []}], (2, 2), "annotations[{}]".format)

    assert found.areas.tolist() == [1.0, 0.0]
