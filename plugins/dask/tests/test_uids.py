"""Uids are after their way what they were before it."""

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
def test_any_numbers_arrive_as_they_were(numbers: list[int]) -> None:
    uids = np.array(numbers, np.int64)

    found = travelled(uids)

    assert found.dtype == uids.dtype
    assert found.tolist() == numbers


@pytest.mark.parametrize("uids", [["b", "a"], [b"x"], []])
def test_names_arrive_as_they_were(uids: list[object]) -> None:
    found = travelled(np.array(uids))

    assert found.tolist() == uids


def test_numbers_far_apart_at_both_ends_arrive_as_they_were() -> None:
    ends = [-(2**63), 2**63 - 1]

    assert travelled(np.array(ends)).tolist() == ends


def test_numbers_that_follow_one_another_cost_nothing() -> None:
    uids = np.arange(10**6)

    assert len(pickle.dumps(shorten(EvaluationState(uids=[uids])))) < 1500
    assert len(pickle.dumps(shorten(EvaluationState(uids=[uids**2 // 10**6])))) > 10**6
