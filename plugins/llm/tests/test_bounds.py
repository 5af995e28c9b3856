"""Bounds of a mean, calculated by hand."""

from __future__ import annotations

import numpy as np
import pytest
from valor_llm.item_details import bounds_of

from valor_core.specs import Range


def test_failed_items_have_the_lowest_score_or_the_highest() -> None:
    # 0.5 + 1 = 1.5 of 2 items, 2 more failed: 1.5 / 4 and (1.5 + 2) / 4
    assert bounds_of(np.array([0.5, 1.0]), 2, Range(0, 1)) == [0.375, 0.875]


def test_the_range_may_be_another_one() -> None:
    # 3 + 5 = 8 of 2 items, 1 more failed: (8 + 1) / 3 and (8 + 5) / 3
    assert bounds_of(np.array([3.0, 5.0]), 1, Range(1, 5)) == [3.0, 13 / 3]


def test_they_are_the_range_where_every_item_failed() -> None:
    assert bounds_of(np.array([]), 3, Range(0, 1)) == [0.0, 1.0]


@pytest.mark.parametrize(
    ("failed", "range"), [(0, Range(0, 1)), (1, Range(0)), (1, Range(None, 1)), (1, Range())]
)
def test_there_are_none_where_nothing_failed_or_the_range_has_no_end(
    failed: int, range: Range
) -> None:
    assert bounds_of(np.array([0.5]), failed, range) is None
