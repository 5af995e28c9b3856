"""Batch: what every task's columns have in common, and what they say of themselves unless told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import SchemaError
from valor_core.schemas.columns import Codes, with_columns
from valor_core.schemas.datum import Datums
from valor_core.schemas.label import Label
from valor_core.schemas.pairing import BOTH, LabelSides

FileRow = tuple[str, int]
"""A file, and the number of a row in it."""


def first_places(parts: Iterable[Mapping[str, FileRow]]) -> dict[str, FileRow]:
    """The first place of each thing, whichever of some mappings has it.

    Examples
    --------
    >>> first_places([{"odd": ("b.csv", 2)}, {"odd": ("a.csv", 7), "gone": ("c.csv", 2)}])
    {'odd': ('a.csv', 7), 'gone': ('c.csv', 2)}
    """
    found: dict[str, FileRow] = {}
    for part in parts:
        for what, place in part.items():
            found[what] = min(found.get(what, place), place)
    return found


class Batch:
    """Items of a task in columns; what states read.

    A batch is a frozen value that pickles, with a field `datums`. It has `of`, `select` and
    `items`; the others need to be written only where a task has more to say.

    Examples
    --------
    >>> from valor_core.schemas.text.batch import Text, TextBatch
    >>> batch = TextBatch.of([Text("q1", response="Paris")])
    >>> isinstance(batch, Batch), batch.labels
    (True, ())
    """

    __slots__ = ()

    task: ClassVar[str]
    """Short name of the task, which configs say."""

    may_lack: ClassVar[bool] = False
    """Whether there is a `lacks`. Metrics of the task may then name the fields that they read."""

    most_at_once: ClassVar[int | None] = None
    """Items that are counted at a time, where counting takes much more memory than the columns."""

    @property
    def datums(self) -> Datums:
        """Uids and metadata of the items."""
        raise NotImplementedError

    @classmethod
    def of(cls, items: Iterable[Any]) -> Self:
        """Columns of the task's objects."""
        raise NotImplementedError

    def select(self, positions: Codes) -> Self:
        """The items at some positions, ascending."""
        raise NotImplementedError

    def pieces(self) -> Iterator[Self]:
        """The items in order, at most `most_at_once` in a batch."""
        size = self.most_at_once
        if size is None or len(self) <= size:
            yield self
            return
        for start in range(0, len(self), size):
            yield self.select(np.arange(start, min(start + size, len(self))))

    def items(self) -> Iterator[Any]:
        """The items as objects."""
        raise NotImplementedError

    def lacks(self, field: str) -> NDArray[np.bool_]:
        """Which items have none of a field."""
        raise NotImplementedError

    def joins(self, other: Any) -> bool:
        """Whether `joined` can make one batch of this and another one, which may be the same.

        An `Evaluator` then counts small ones together; there are `joined`, `detached` and `nbytes`.
        """
        return False

    @classmethod
    def joined(cls, batches: Sequence[Any]) -> Self:
        """The items of some batches that join, one batch behind the other."""
        raise NotImplementedError

    def detached(self) -> Self:
        """The same batch, in arrays of its own."""
        raise NotImplementedError

    @property
    def nbytes(self) -> int:
        """Bytes of its columns."""
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self.datums)

    def renumber(self, start: int) -> Self:
        """The same data, called by their positions from `start` on."""
        return with_columns(self, datums=self.datums.renumber(start))

    def relabel(self, renames: Mapping[Label, Label]) -> Self:
        """The same data under a label map, applied to both sides.

        Raises
        ------
        SchemaError
            If there is anything to rename, where items have no labels.
        """
        if renames:
            raise SchemaError(f"label_map: expected none, items of {self.task} have no labels")
        return self

    @property
    def labels(self) -> tuple[Label, ...]:
        """Labels that the items have; a label map that renames others is warned of."""
        return ()

    @property
    def left_out(self) -> Mapping[str, int]:
        """What was left out of the data on the way here, and how often; the report says it."""
        return {}

    @property
    def first_left_out(self) -> Mapping[str, FileRow]:
        """Where something of `left_out` was met first, where that can be told."""
        return {}

    @property
    def sides(self) -> set[str]:
        """Which sides the items have, as `sides_of` says it."""
        return {BOTH}

    @property
    def label_sides(self) -> LabelSides:
        """Labels of the ground truths, and labels of the predictions."""
        return LabelSides()
