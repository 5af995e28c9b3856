"""Columns of tasks whose items can be rows of a table, such as text."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from types import UnionType
from typing import Any

import attrs
from attrs import NOTHING, frozen
from datasets import Features, Value
from datasets import Sequence as ListOf
from valor_files import Table, row_batches

from valor_core.errors import ParameterError
from valor_core.schemas import Batch
from valor_core.specs import MetricSpec, TaskSpec
from valor_core.specs.spec import import_object

FIELDS: Mapping[str, str] = {"predictions": "response"}
"""Fields of items by name of the column, if evaluate has another name."""

_GIVEN_TO_ALL = ("response", "references")
_COLUMNS: Mapping[str, str] = {field: column for column, field in FIELDS.items()}
_TYPES: Mapping[type, str] = {bool: "bool", int: "int64", float: "float64", str: "string"}


@frozen
class RowColumns:
    """Columns named like the fields of an item.

    Parameters
    ----------
    task : TaskSpec
        Task, which defines how a table becomes a batch.
    read : tuple of str
        Required fields.

    Examples
    --------
    >>> from valor_core import Registry
    >>> columns = RowColumns(Registry().find(TaskSpec, "text"), ("response",))
    >>> batch = columns.batch({"predictions": ["a", "b"], "references": ["a", ["b", "c"]]}, 0)
    >>> batch.references.tolist()
    [('a',), ('b', 'c')]
    """

    task: TaskSpec
    read: tuple[str, ...]

    @classmethod
    def of(cls, spec: MetricSpec, task: TaskSpec, options: Mapping[str, Any]) -> RowColumns:
        """Make the reader of a metric's task."""
        for name in options:
            raise ParameterError(
                f"data.{name}: unknown key, nothing has to be said about columns of "
                f"{task.short_name}",
                place=f"{spec.name}: ",
            )
        if row_batches(task) is None:
            raise ParameterError(
                f"expected a metric of a task whose items can be rows, got {task.short_name}",
                f"Declare how a table becomes a batch, rows of the TaskSpec {task.name!r}.",
                f"{spec.name}: ",
            )
        return cls(task, spec.requires or _without_default(import_object(task.item)))

    @property
    def names(self) -> tuple[str, ...]:
        """Accepted columns."""
        return tuple(map(_column, _fields(import_object(self.task.item))))

    @property
    def required(self) -> tuple[str, ...]:
        """Required columns."""
        return tuple(map(_column, self.read))

    @property
    def features(self) -> list[Features]:
        """Required columns and those that evaluate passes to all modules, as lists or strings.

        Combined modules receive no other columns.
        """
        item = import_object(self.task.item)
        hints = typing.get_type_hints(item)
        given_to_all = [name for name in _GIVEN_TO_ALL if name in _fields(item)]
        names = dict.fromkeys([*given_to_all, *self.read])
        listed = {_column(name): _feature(hints.get(name, str)) for name in names}
        single = {
            name: Value("string") if feature == ListOf(Value("string")) else feature
            for name, feature in listed.items()
        }
        return [Features(one) for one in ([listed] if listed == single else [listed, single])]

    def batch(self, columns: Mapping[str, Any], start: int) -> Batch:
        """Make a batch of columns."""
        cells = {FIELDS.get(name, name): list(column) for name, column in columns.items()}
        table = Table(cells, "columns", first_row=start)
        make: Any = row_batches(self.task)
        batch: Batch = make(table)
        return batch if "uid" in columns else batch.renumber(start)


def _column(field: str) -> str:
    return _COLUMNS.get(field, field)


def _fields(item: type[Any]) -> list[str]:
    return [one.name for one in attrs.fields(item) if one.name != "metadata"]


def _without_default(item: type[Any]) -> tuple[str, ...]:
    """Return the required fields of an item, and its response."""
    return tuple(
        one.name
        for one in attrs.fields(item)
        if one.name == "response" or (one.default is NOTHING and one.name != "uid")
    )


def _feature(hint: Any) -> Any:
    """Return the type of a column for the annotation of a field; string for other types."""
    if typing.get_origin(hint) in (typing.Union, UnionType):
        hint = next(one for one in typing.get_args(hint) if one is not type(None))
    if typing.get_origin(hint) in (tuple, list):
        return ListOf(_feature(typing.get_args(hint)[0]))
    return Value(_TYPES.get(hint, "string"))
