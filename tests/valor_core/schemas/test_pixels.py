from __future__ import annotations

import numpy as np
import pytest
from attrs import frozen

from valor_core.errors import SchemaError
from valor_core.schemas.pixels import InMemory, Pixels, as_pixels, strips


@frozen
class Striped:
    """An image that is best read three rows at a time."""

    shape: tuple[int, int] = (10, 4)
    strip_rows: int = 3

    def read(self, first, last):
        return np.zeros((last - first, 4), np.uint8)


def test_arrays_are_kept_without_a_copy_and_cannot_be_written_to():
    array = np.zeros((2, 3), np.uint16)

    pixels = InMemory(array)

    assert pixels.shape == (2, 3)
    assert np.shares_memory(pixels.read(1, 2), array)
    with pytest.raises(ValueError, match="read-only"):
        pixels.array[0, 0] = 1
    array[0, 0] = 1


def test_booleans_are_zeros_and_ones():
    assert InMemory(np.array([[False, True]])).array.tolist() == [[0, 1]]


@pytest.mark.parametrize("value", [[0.5], [[0.5]], [1, 2], [[["x"]]]])
def test_an_image_has_rows_and_columns_of_whole_numbers(value):
    with pytest.raises(SchemaError, match="expected rows and columns of whole numbers"):
        InMemory(value)


def test_what_reads_like_pixels_stays_what_it_is():
    striped = Striped()

    assert isinstance(striped, Pixels)
    assert as_pixels(striped) is striped
    assert as_pixels([[1]]) == InMemory([[1]])


@pytest.mark.parametrize(
    ("most", "expected"),
    [
        (1, [(0, 3), (3, 6), (6, 9), (9, 10)]),
        (24, [(0, 6), (6, 10)]),
        (1000, [(0, 10)]),
    ],
)
def test_strips_are_whole_and_bounded(most, expected):
    assert list(strips((10, 4), Striped(), most=most)) == expected


def test_the_longer_strip_decides():
    assert list(strips((10, 4), Striped(), Striped(strip_rows=7), most=1)) == [(0, 7), (7, 10)]


def test_an_image_without_rows_has_no_strips():
    assert list(strips((0, 4), InMemory(np.zeros((0, 4), np.uint8)))) == []
