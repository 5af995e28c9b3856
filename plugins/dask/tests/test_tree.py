"""Tests of the shape of merge trees."""

from __future__ import annotations

import pytest
from valor_dask.tree import FAN_IN, MOST_TREES, merged, trees


@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 128, 129, 1000, 100_000])
def test_trees_partition_input_and_are_few(count: int) -> None:
    found = [list(tree) for tree in trees(range(count))]

    assert [one for tree in found for one in tree] == list(range(count))
    assert len(found) <= MOST_TREES
    assert count <= MOST_TREES or len(found) > MOST_TREES / FAN_IN


def test_tree_shape_depends_on_number_of_leaves() -> None:
    def shape(few: object) -> str:
        assert isinstance(few, list)
        assert 1 < len(few) <= FAN_IN
        return f"({''.join(few)})"

    assert merged(list("a"), shape) == "a"
    assert merged(list("abcd"), shape) == "(abcd)"
    assert merged(list("abcdefghi"), shape) == "((abcd)(efgh)i)"
