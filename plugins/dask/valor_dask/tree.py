"""Tree: in which order the tallies of many partitions are merged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

FAN_IN = 4
"""Tallies that are merged at a time."""

MOST_TREES = 32
"""Tallies that arrive where the run was started, at the most."""


def trees(partitions: Sequence[T]) -> Iterator[Sequence[T]]:
    """Neighboring partitions that are merged into one tally; few partitions stay alone.

    The shape follows from the number of partitions, whatever the cluster looks like.

    Parameters
    ----------
    partitions : sequence
        All partitions of a run.

    Examples
    --------
    >>> [len(tree) for tree in trees(range(70))]
    [4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 2]
    """
    size = 1
    while -(-len(partitions) // size) > MOST_TREES:
        size *= FAN_IN
    for start in range(0, len(partitions), size):
        yield partitions[start : start + size]


def merged(leaves: Sequence[T], merge: Callable[[Sequence[T]], T]) -> T:
    """All leaves of a tree as one, a few neighbors at a time.

    Parameters
    ----------
    leaves : sequence
        What is merged; one at least.
    merge : callable
        Makes one of several neighbors.

    Examples
    --------
    >>> merged(list("abcdef"), "".join)
    'abcdef'
    """
    while len(leaves) > 1:
        level = (leaves[start : start + FAN_IN] for start in range(0, len(leaves), FAN_IN))
        leaves = [merge(few) if len(few) > 1 else few[0] for few in level]
    return leaves[0]
