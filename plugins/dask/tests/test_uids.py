"""Tests that uids survive compression."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from valor_dask.uids import restore, shorten

from valor_core.evaluation import EvaluationState

INTEGERS = st.integers(-(2**63), 2**63 - 1)
NEAR = st.integers(0, 400)


def travelled(uids: np.ndarray) -> np.ndarray:
    (found,) = restore(pickle.loads(pickle.dumps(shorten(EvaluationState(uids=[uids]))))).uids
    return found


@given(st.lists(INTEGERS) | st.lists(NEAR) | st.lists(NEAR, unique=True).map(sorted))
def test_integers_survive_compression(numbers: list[int]) -> None:
    uids = np.array(numbers, np.int64)

    found = travelled(uids)

    assert found.dtype == uids.dtype
    assert found.tolist() == numbers


@pytest.mark.parametrize("uids", [["b", "a"], [b"x"], []])
def test_strings_survive_compression(uids: list[object]) -> None:
    found = travelled(np.array(uids))

    assert found.tolist() == uids


def test_differences_above_int64_survive_compression() -> None:
    ends = [-(2**63), 2**63 - 1]

    assert travelled(np.array(ends)).tolist() == ends


def test_consecutive_integers_take_constant_space() -> None:
    uids = np.arange(10**6)

    assert len(pickle.dumps(shorten(EvaluationState(uids=[uids])))) < 1500
    assert len(pickle.dumps(shorten(EvaluationState(uids=[uids**2 // 10**6])))) > 10**6
