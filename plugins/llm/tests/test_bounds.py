"""Bounds of a mean, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from attrs import evolve
from valor_llm.trust.bounds import Bounds, bounds_of

from valor_core import MetricSpec, Range

SPEC = MetricSpec(
    name="mylab.Share",
    task="text",
    summary="",
    implementation="m:f",
    higher_is_better=True,
    range=Range(0, 1),
)


def test_failed_items_have_the_worst_score_or_the_best() -> None:
    # 0.5 + 1 = 1.5 of 2 items, 2 more failed: 1.5 / 4 and (1.5 + 2) / 4
    assert bounds_of(np.array([0.5, 1.0]), 2, SPEC) == Bounds(worst=0.375, best=0.875)


def test_the_worst_is_the_highest_where_lower_is_better() -> None:
    spec = evolve(SPEC, higher_is_better=False)

    assert bounds_of(np.array([0.5, 1.0]), 2, spec) == Bounds(worst=0.875, best=0.375)


def test_the_range_may_be_another_one() -> None:
    # 3 + 5 = 8 of 2 items, 1 more failed: (8 + 1) / 3 and (8 + 5) / 3
    spec = evolve(SPEC, range=Range(1, 5))

    assert bounds_of(np.array([3.0, 5.0]), 1, spec) == Bounds(worst=3.0, best=13 / 3)


def test_they_are_all_there_is_where_every_item_failed() -> None:
    assert bounds_of(np.array([]), 3, SPEC) == Bounds(worst=0.0, best=1.0)


@pytest.mark.parametrize(
    ("failed", "spec"),
    [(0, SPEC), (1, evolve(SPEC, range=Range(0))), (1, evolve(SPEC, higher_is_better=None))],
)
def test_there_are_none_where_nothing_failed_or_nothing_is_worst(
    failed: int, spec: MetricSpec
) -> None:
    assert bounds_of(np.array([0.5]), failed, spec) is None
