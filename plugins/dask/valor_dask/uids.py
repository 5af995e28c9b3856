"""Compression of integer uids sent from workers, as differences of neighbors."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.evaluation import EvaluationState


@frozen(eq=False)
class Steps:
    """Increasing integers, stored as the first one and the differences.

    Parameters
    ----------
    first : int
        First integer.
    steps : ndarray of uint8 or uint16
        Differences, shape (count - 1,), or (1,) if all are equal.
    count : int
        Number of integers.
    """

    first: int
    steps: NDArray[Any]
    count: int

    def numbers(self) -> NDArray[np.int64]:
        """Return the integers, shape (count,)."""
        found = np.empty(self.count, np.int64)
        found[0], found[1:] = self.first, self.steps
        return np.cumsum(found, out=found)


def shortened(uids: Any) -> Any:
    """Return uids as `Steps` if that is smaller, else unchanged.

    Parameters
    ----------
    uids : ndarray
        Uids of a batch.

    Examples
    --------
    >>> short = shortened(np.arange(5, 1005))
    >>> short.steps, short.numbers()[-1]
    (array([1], dtype=uint8), np.int64(1004))
    >>> shortened(np.array([3, 1]))
    array([3, 1])
    """
    if getattr(uids, "dtype", None) != np.int64 or len(uids) < 2:
        return uids
    if not bool((uids[1:] > uids[:-1]).all()):
        return uids
    # Differences above 2^63 overflow to negative numbers, which are correct as unsigned ones.
    steps = np.diff(uids).view(np.uint64)
    most = int(steps.max())
    if most >= 1 << 16:
        return uids
    steps = steps[:1] if most == int(steps.min()) else steps
    return Steps(int(uids[0]), steps.astype(np.min_scalar_type(most)), len(uids))


def shorten(state: EvaluationState) -> EvaluationState:
    """Compress the uids of a state in place, and return it."""
    state.uids = [shortened(uids) for uids in state.uids]
    return state


def restore(state: EvaluationState) -> EvaluationState:
    """Restore the uids of a state in place, and return it."""
    sent: list[Any] = state.uids
    state.uids = [uids.numbers() if isinstance(uids, Steps) else uids for uids in sent]
    return state
