"""Trees that determine the order in which the states of partitions are merged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

FAN_IN = 4
"""Number of states merged by one task."""

MOST_TREES = 32
"""Maximum number of trees, and so of states sent to the client."""


def trees(partitions: Sequence[T]) -> Iterator[Sequence[T]]:
    """Group neighboring partitions to merge into one state; few partitions stay separate.

    The shape depends only on the number of partitions, not on the cluster.

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
    """Merge the leaves of a tree, `FAN_IN` neighbors at a time.

    Parameters
    ----------
    leaves : sequence
        At least one leaf.
    merge : callable
        Function that merges a sequence of neighbors.

    Examples
    --------
    >>> merged(list("abcdef"), "".join)
    'abcdef'
    """
    while len(leaves) > 1:
        level = (leaves[start : start + FAN_IN] for start in range(0, len(leaves), FAN_IN))
        leaves = [merge(few) if len(few) > 1 else few[0] for few in level]
    return leaves[0]
