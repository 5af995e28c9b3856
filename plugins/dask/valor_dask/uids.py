"""Uids on their way: numbers that follow one another travel as their steps."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.evaluation import EvaluationState


@frozen(eq=False)
class Steps:
    """Whole numbers, as the first one and the steps to the next ones.

    Parameters
    ----------
    first : int
        The first number.
    steps : ndarray of uint8 or uint16
        The steps; a single one where all are the same.
    count : int
        How many numbers there are.
    """

    first: int
    steps: NDArray[Any]
    count: int

    def numbers(self) -> NDArray[np.int64]:
        """The numbers."""
        found = np.empty(self.count, np.int64)
        found[0], found[1:] = self.first, self.steps
        return np.cumsum(found, out=found)


def shortened(uids: Any) -> Any:
    """Uids as `Steps` where these are few bytes, or else as they are.

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
    # Numbers further apart than 2^63 have negative steps, whose bits stand for more.
    steps = np.diff(uids).view(np.uint64)
    most = int(steps.max())
    if most >= 1 << 16:
        return uids
    steps = steps[:1] if most == int(steps.min()) else steps
    return Steps(int(uids[0]), steps.astype(np.min_scalar_type(most)), len(uids))


def shorten(tally: EvaluationState) -> EvaluationState:
    """A tally with its uids as they travel; nobody else uses it."""
    tally.uids = [shortened(uids) for uids in tally.uids]
    return tally


def restore(tally: EvaluationState) -> EvaluationState:
    """A tally with its uids as they were."""
    travelled: list[Any] = tally.uids
    tally.uids = [uids.numbers() if isinstance(uids, Steps) else uids for uids in travelled]
    return tally
