"""Kernels of shifts: both implementations are equal."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from valor_text.kernels import KERNELS
from valor_text.kernels.reference import functions as reference

pytestmark = pytest.mark.skipif(KERNELS.library is None, reason=KERNELS.reason)

TEXTS = st.lists(st.integers(0, 3), max_size=14)


def check_equal(pairs):
    from valor_text.kernels.compiled import functions as compiled

    texts = [text for pair in pairs for text in pair]
    ids = np.array([token for text in texts for token in text], np.int32)
    starts = np.cumsum([0, *map(len, texts)]).astype(np.int64)
    responses = np.arange(0, len(texts), 2)
    given_columns = ids, starts, responses, responses + 1
    found, expected = (one.shifted_edits(*given_columns) for one in (compiled, reference))
    assert found.dtype == expected.dtype == np.int64
    assert found.tolist() == expected.tolist()


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=5))
def test_equal(pairs):
    check_equal(pairs)


def test_equal_for_shifted_runs():
    source = Random(1)
    pairs = []
    for _ in range(15):
        reference = source.choices(range(30), k=20)
        response = reference[7:12] + reference[:7] + reference[12:]
        response[source.randrange(20)] = 99
        pairs.append((response, reference))
    check_equal(pairs)


@pytest.mark.parametrize(("rows", "columns"), [(1, 130), (130, 1), (3, 160), (62, 30), (2, 101)])
def test_equal_outside_of_beam(rows, columns):
    source = Random(rows)
    check_equal([(source.choices(range(60), k=rows), source.choices(range(60), k=columns))])
