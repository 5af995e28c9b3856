from __future__ import annotations

import re

import numpy as np
import pytest
from attrs import frozen

from valor_core.errors import SchemaError
from valor_core.schemas.segmentation.pixels import (
    ImageInMemory,
    Pixels,
    as_pixels,
)


@frozen
class Striped:
    """Image with strips of three rows."""

    shape: tuple[int, int] = (10, 4)
    strip_rows: int = 3

    def read(self, first, last):
        return np.zeros((last - first, 4), np.uint8)


def test_arrays_are_read_only_views():
    array = np.zeros((2, 3), np.uint16)

    pixels = ImageInMemory(array)

    assert pixels.shape == (2, 3)
    assert np.shares_memory(pixels.read(1, 2), array)
    with pytest.raises(ValueError, match="read-only"):
        pixels.array[0, 0] = 1
    array[0, 0] = 1


def test_booleans_become_0_and_1():
    assert ImageInMemory(np.array([[False, True]])).array.tolist() == [[0, 1]]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([0.5], "pixels: expected rows and columns of whole numbers, got array of"),
        ([[0.5]], "pixels: expected rows and columns of whole numbers, got array of"),
        ([1, 2], "pixels: expected rows and columns of whole numbers, got array of int64,"),
        ([[["x"]]], "pixels: expected rows and columns of whole numbers, got array of <U1,"),
    ],
)
def test_image_must_be_two_dimensional_integers(value, message: str):
    with pytest.raises(SchemaError, match=re.escape(message)):
        ImageInMemory(value)


class Tensor:
    """Object that NumPy converts to an array or rejects."""

    def __init__(self, array, error=None):
        self.array, self.error = np.asarray(array), error

    def __array__(self, dtype=None, copy=None):
        if self.error is not None:
            raise self.error
        return self.array


def test_tensors_are_converted():
    assert ImageInMemory(Tensor([[1]])) == ImageInMemory([[1]])


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            TypeError("it is of a type that NumPy does not have"),
            "expected an array, got Tensor: it is of a type that NumPy does not have",
        ),
        (RuntimeError("it is on disk"), "pixels: expected an array, got Tensor: it is on disk"),
    ],
)
def test_unreadable_tensors_are_rejected(error, message: str):
    with pytest.raises(SchemaError, match=re.escape(message)) as caught:
        ImageInMemory(Tensor([[1]], error))

    assert caught.value.__cause__ is error


def test_object_with_pixels_methods_is_unchanged():
    striped = Striped()

    assert isinstance(striped, Pixels)
    assert as_pixels(striped) is striped
    assert as_pixels([[1]]) == ImageInMemory([[1]])
