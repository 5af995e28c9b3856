"""Task schemas: an object form that people type and a columnar batch that states read.

Every task has both; they are found by the task's name through `batch_class`.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping, Sized
from typing import Any, ClassVar, Protocol, Self, TypeGuard, cast, runtime_checkable
from weakref import WeakKeyDictionary

from valor_core.errors import SchemaError, did_you_mean
from valor_core.schemas.arrays import Codes
from valor_core.schemas.datum import Datum, Datums
from valor_core.schemas.label import DEFAULT_KEY, Label, Vocabulary, as_label, label_map

__all__ = [
    "DEFAULT_KEY",
    "TASKS",
    "Batch",
    "Codes",
    "Datum",
    "Datums",
    "Label",
    "Vocabulary",
    "as_label",
    "batch_class",
    "is_batch",
    "label_map",
]

TASKS: Mapping[str, str] = {
    "classification": "valor_core.schemas.classification:ClassificationBatch",
    "detection": "valor_core.schemas.detection:DetectionBatch",
    "segmentation": "valor_core.schemas.segmentation:SegmentationBatch",
    "text": "valor_core.schemas.text:TextBatch",
}
"""Where every task's batch is."""


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


def batch_class(task: str) -> type[Batch]:
    """The batch of a task.

    Raises
    ------
    SchemaError
        If there is no such task.

    Examples
    --------
    >>> batch_class("text").__name__
    'TextBatch'
    """
    if task not in TASKS:
        raise SchemaError(
            f"task: expected one of {', '.join(TASKS)}, got {task!r}", did_you_mean(task, TASKS)
        )
    module, _, name = TASKS[task].partition(":")
    return cast("type[Batch]", getattr(importlib.import_module(module), name))
