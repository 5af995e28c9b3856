"""Gathering: thin batches of a stream, counted together.

Counting a batch costs something whatever its size, so that a stream of very small ones spends its
time on that. Any split of the data gives the same bits, so thin batches wait for each other.

What that brings was measured for classification on 2026-11-25: 400 batches of 32 items and 10
labels take 49 ms with Accuracy alone, 66 ms with 5 metrics and 55 ms with 7; counted one by one
they take 182, 324 and 465 ms. With 16 items each it is 28, 58 and 47 ms for 115, 220 and 459, and
batches of 1,000 items take less than two thirds.
"""

from __future__ import annotations

from attrs import define, field

from valor_core.evaluation.request import Evaluation
from valor_core.schemas import Batch
from valor_core.schemas.datum import Uids, compact

_THIN = 1 << 18  # bytes from which a batch is worth being counted alone
_FULL = 1 << 20  # bytes that wait at the most, but for the last batch
_MOST = 256  # batches that wait at the most, since each takes some bytes besides its columns


@define(repr=False)
class BatchBuffer:
    """Thin batches that wait to be counted as one.

    Examples
    --------
    >>> from valor_core.evaluation.plan import Plan
    >>> from valor_core.schemas.classification import ClassificationBatch
    >>> buffer, evaluation = BatchBuffer(), Evaluation("classification", Plan((), ()))
    >>> from valor_classification.arrays import from_arrays
    >>> batch = from_arrays([0], [[0.75, 0.25]])
    >>> [buffer.try_add(batch, evaluation) for _ in range(2)], len(buffer.joined())
    ([True, True], 2)
    """

    waiting: list[Batch] = field(factory=list)
    nbytes: int = 0

    def __bool__(self) -> bool:
        return bool(self.waiting)

    @property
    def items(self) -> int:
        """How many items wait."""
        return sum(map(len, self.waiting))

    @property
    def is_full(self) -> bool:
        """Whether it is time to count what waits."""
        return self.nbytes >= _FULL or len(self.waiting) >= _MOST

    def try_add(self, batch: Batch, evaluation: Evaluation) -> bool:
        """Take a copy of a batch in, if it is thin and can be joined with those that wait."""
        first = self.waiting[0] if self.waiting else batch
        if not (_may_wait(batch, evaluation) and batch.joins(first) and batch.nbytes < _THIN):
            return False
        self.waiting.append(batch.detached())
        self.nbytes += batch.nbytes
        return True

    def joined(self) -> Batch:
        """All that waits, as one batch."""
        return type(self.waiting[0]).joined(self.waiting)

    def uids(self) -> list[Uids]:
        """The uids of each batch that waits, none of which has one twice."""
        return [compact(batch.datums.uids) for batch in self.waiting]

    def clear(self) -> None:
        """Let go of what waits."""
        self.waiting, self.nbytes = [], 0


def _may_wait(batch: Batch, evaluation: Evaluation) -> bool:
    """Whether nothing that is wrong with a batch would be found only when it is counted."""
    return (
        batch.task == evaluation.task
        and evaluation.filter is None
        and all(
            one.prepare is None and one.state.refuses_nothing for one in evaluation.plan.requests
        )
    )
