"""Batch: columns of items, with defaults shared by all tasks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import SchemaError, not_defined
from valor_core.schemas.columns import Codes, with_columns
from valor_core.schemas.datum import Datums
from valor_core.schemas.label import Label
from valor_core.schemas.pairing import BOTH, LabelSides

FileRow = tuple[str, int]
"""File name and row number in it."""


def first_places(parts: Iterable[Mapping[str, FileRow]]) -> dict[str, FileRow]:
    """Merge mappings to rows of files, keeping the least row of each key.

    Examples
    --------
    >>> first_places([{"odd": ("b.csv", 2)}, {"odd": ("a.csv", 7), "gone": ("c.csv", 2)}])
    {'odd': ('a.csv', 7), 'gone': ('c.csv', 2)}
    """
    found: dict[str, FileRow] = {}
    for part in parts:
        for description, row in part.items():
            found[description] = min(found.get(description, row), row)
    return found


class Batch:
    """Items of a task in columns, the input of states.

    A batch is a picklable frozen value with a field `datums`. A task implements `of`, `select` and
    `items`, and overrides the other members only if their defaults do not apply.

    Examples
    --------
    >>> from valor_core.schemas.text.batch import Text, TextBatch
    >>> batch = TextBatch.of([Text("q1", response="Paris")])
    >>> isinstance(batch, Batch), batch.labels
    (True, ())
    """

    __slots__ = ("__dict__",)  # for results that states keep with a batch

    task: ClassVar[str]
    """Short name of the task, as in configs."""

    may_lack: ClassVar[bool] = False
    """True if `lacks` is implemented; metrics can then declare the fields that they require."""

    datums: Datums
    """Uids and metadata of the items."""

    labels: tuple[Label, ...] = ()
    """Labels of the items. A label map that renames any other label causes a warning."""

    left_out: Mapping[str, int] = MappingProxyType({})
    """Number of excluded or unusual rows or items by description, for the report."""

    first_left_out: Mapping[str, FileRow] = MappingProxyType({})
    """First row of each description in `left_out`, if known."""

    most_at_once: ClassVar[int | None] = None
    """Largest number of items to count at once, where counting needs much more memory."""

    @classmethod
    def of(cls, items: Iterable[Any]) -> Self:
        """Convert the objects of the task to a batch."""
        raise not_defined(cls, "of(items)")

    def item_details(self) -> Mapping[str, NDArray[Any]]:
        """Return columns for the rows of items in reports: ``truth`` and ``prediction``."""
        return {}

    def select(self, positions: Codes) -> Self:
        """Return the items at the given ascending positions."""
        raise not_defined(self, "select(positions)")

    def pieces(self) -> Iterator[Self]:
        """Yield the items in order, in batches of at most `most_at_once`."""
        size = self.most_at_once
        if size is None or len(self) <= size:
            yield self
            return
        for start in range(0, len(self), size):
            yield self.select(np.arange(start, min(start + size, len(self))))

    def items(self) -> Iterator[Any]:
        """Yield the items as objects."""
        raise not_defined(self, "items()")

    def lacks(self, field: str) -> NDArray[np.bool_]:
        """Return a mask of the items that lack a field."""
        raise not_defined(self, "lacks(field)")

    def joins(self, other: Any) -> bool:
        """Return whether `joined` can concatenate this batch and another (or the same).

        If so, an `Evaluator` counts small batches together, which needs `joined`, `detached` and
        `nbytes`.
        """
        return False

    @classmethod
    def joined(cls, batches: Sequence[Any]) -> Self:
        """Concatenate batches for which `joins` is true."""
        raise not_defined(cls, "joined(batches)")

    def detached(self) -> Self:
        """Return the same batch with copies of its arrays."""
        raise not_defined(self, "detached()")

    @property
    def nbytes(self) -> int:
        """Size of the columns in bytes."""
        raise not_defined(self, "nbytes")

    def __len__(self) -> int:
        return len(self.datums)

    def renumber(self, start: int) -> Self:
        """Return the same data, with positions counted from `start` as uids."""
        return with_columns(self, datums=self.datums.renumber(start))

    def relabel(self, renames: Mapping[Label, Label]) -> Self:
        """Return the data with renamed labels on both sides.

        Raises
        ------
        SchemaError
            If the map renames a label although the items have none.
        """
        if renames:
            raise SchemaError(f"label_map: expected none, items of {self.task} have no labels")
        return self

    @property
    def sides(self) -> set[str]:
        """Sides of the items, as returned by `sides_of`."""
        return {BOTH}

    @property
    def label_sides(self) -> LabelSides:
        """Labels of the ground truths and of the predictions."""
        return LabelSides()
