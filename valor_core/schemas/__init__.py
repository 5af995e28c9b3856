"""Task schemas: an object form that people type and a columnar batch that states read.

Every task has both; a `valor_core.plugin.TaskSpec` says where they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sized
from typing import Any, ClassVar, Protocol, Self, TypeGuard, runtime_checkable
from weakref import WeakKeyDictionary

from valor_core.schemas.columns import Codes
from valor_core.schemas.datum import Datum, Datums
from valor_core.schemas.label import DEFAULT_KEY, Label, Vocabulary, as_label, label_map

__all__ = [
    "DEFAULT_KEY",
    "VERSION",
    "Batch",
    "Codes",
    "Datum",
    "Datums",
    "Label",
    "Vocabulary",
    "as_label",
    "is_batch",
    "label_map",
]

VERSION = 1
"""Raised when the same data can become other columns; a saved state is bound to it."""


@runtime_checkable
class Batch(Sized, Protocol):
    """What core needs to know of a batch, whatever its task."""

    task: ClassVar[str]

    @property
    def datums(self) -> Datums:
        """Uids and metadata of the items."""

    @classmethod
    def of(cls, items: Iterable[Any]) -> Self:
        """Columns of the task's objects."""

    def select(self, positions: Codes) -> Self:
        """The items at some positions, ascending."""

    def relabel(self, renames: Mapping[Label, Label]) -> Self:
        """The same data under a label map."""

    def renumber(self, start: int) -> Self:
        """The same data, called by their positions from `start` on."""

    def items(self) -> Iterator[Any]:
        """The items as objects."""


def is_batch(value: Any) -> TypeGuard[Batch]:
    """Whether the value is a batch; as `isinstance` says, but asked once for every class.

    Examples
    --------
    >>> is_batch("text")
    False
    """
    kind = type(value)
    if kind not in _asked:
        _asked[kind] = isinstance(value, Batch)
    return _asked[kind]


_asked: WeakKeyDictionary[type, bool] = WeakKeyDictionary()
