from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_st
from numpy.testing import assert_array_equal
from pycocotools import mask as coco

from valor_core.errors import SchemaError
from valor_core.schemas.geometry.run_lengths import (
    compressed,
    decoded,
    decompressed,
    encoded,
    runs_of,
)

COUNTS = st.lists(st.integers(0, 2**32 - 1) | st.integers(0, 50), max_size=12)
PIXELS = arrays_st.arrays(bool, st.tuples(st.integers(0, 9), st.integers(0, 9)))


@given(COUNTS)
def test_run_lengths_come_back_from_compressed_text(counts: list[int]) -> None:
    runs = np.array(counts, np.uint32)
    found = decompressed(compressed(runs))
    assert found.dtype == np.uint32
    assert_array_equal(found, runs)


@given(arrays_st.arrays(bool, st.tuples(st.integers(1, 9), st.integers(1, 9))))
def test_text_and_pixels_are_those_of_pycocotools(pixels: Any) -> None:
    rle = coco.encode(np.asfortranarray(pixels.astype(np.uint8)))
    assert compressed(encoded(pixels)) == rle["counts"].decode()
    assert_array_equal(decoded(decompressed(rle["counts"]), *pixels.shape), pixels)


@given(PIXELS)
def test_pixels_come_back_from_run_lengths(pixels: Any) -> None:
    assert_array_equal(decoded(encoded(pixels), *pixels.shape), pixels)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("!", "counts: expected COCO's compressed run lengths, got '!'"),
        ("52p", "counts: expected COCO's compressed run lengths, got '52p'"),
        ("5P", "counts: expected COCO's compressed run lengths, got '5P'"),
        ("52é", "counts: expected COCO's compressed run lengths, got '52é'"),
        ("O", "counts: expected COCO's compressed run lengths, got 'O'"),
        ("PPPPPPPPPPPPP0", "counts: expected COCO's compressed run lengths, got 'PPPPPPPPPPPPP0'"),
        ("PPPPPPP8", "counts: expected COCO's compressed run lengths, got 'PPPPPPP8'"),
    ],
)
def test_another_text_is_an_error(text: str, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        runs_of(text)


def test_run_lengths_cannot_be_written_to() -> None:
    own = np.array([1, 2], np.uint32)
    for runs in (runs_of(own), runs_of("12"), encoded(np.ones((2, 2), bool))):
        assert not runs.flags.writeable
    assert own.flags.writeable


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([[1], [1, 2]], "counts: expected non-negative run lengths, got [[1], [1, 2]]"),
        ([[1, 2]], "counts: expected non-negative run lengths, got [[1, 2]]"),
        ({1, 2}, "counts: expected non-negative run lengths, got {1, 2}"),
        ([True, False], "counts: expected non-negative run lengths, got [True, False]"),
        ([1.5], "counts: expected non-negative run lengths, got [1.5]"),
        (
            np.ma.masked_array([1, 2], [0, 1]),
            "counts: expected non-negative run lengths, got array of int64, shape (2,)",
        ),
    ],
)
def test_counts_that_are_no_row_of_whole_numbers_are_an_error(counts: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        runs_of(counts)


def test_no_counts_are_no_runs() -> None:
    assert runs_of([]).tolist() == runs_of("").tolist() == []
