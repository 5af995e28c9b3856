"""Columns of a task whose items can be rows of a table, such as text."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from types import UnionType
from typing import Any

import attrs
from attrs import NOTHING, frozen
from datasets import Features, Value
from datasets import Sequence as ListOf

from valor_core.errors import ParameterError
from valor_core.readers import Table
from valor_core.schemas import Batch
from valor_core.spec import MetricSpec, TaskSpec, by_reference

FIELDS: Mapping[str, str] = {"predictions": "response"}
"""What evaluate calls a field of an item, where it has a name of its own for it."""

_COLUMNS: Mapping[str, str] = {field: column for column, field in FIELDS.items()}
_TYPES: Mapping[type, str] = {bool: "bool", int: "int64", float: "float64", str: "string"}


@frozen
class RowColumns:
    """How columns called like the fields of an item are read.

    Parameters
    ----------
    task : TaskSpec
        The task; says how a table becomes a batch.
    read : tuple of str
        Fields that the metric reads.

    Examples
    --------
    >>> from valor_core import Registry
    >>> columns = RowColumns(Registry().find(TaskSpec, "text"), ("response", "references"))
    >>> batch = columns.batch({"predictions": ["a", "b"], "references": ["a", ["b", "c"]]}, 0)
    >>> batch.references.tolist()
    [('a',), ('b', 'c')]
    """

    task: TaskSpec
    read: tuple[str, ...]

    @classmethod
    def of(cls, spec: MetricSpec, task: TaskSpec, options: Mapping[str, Any]) -> RowColumns:
        """The columns of a metric's task."""
        for name in options:
            raise ParameterError(
                f"data.{name}: unknown key, nothing has to be said about columns of "
                f"{task.short_name}",
                place=f"{spec.name}: ",
            )
        if task.rows is None:
            raise ParameterError(
                f"expected a metric of a task whose items can be rows, got {task.short_name}",
                f"Declare how a table becomes a batch, rows of the TaskSpec {task.name!r}.",
                f"{spec.name}: ",
            )
        return cls(task, spec.reads or _asked_for(by_reference(task.item)))

    @property
    def names(self) -> tuple[str, ...]:
        """Columns that may be given."""
        own = (one.name for one in attrs.fields(by_reference(self.task.item)))
        return tuple(_COLUMNS.get(name, name) for name in own if name != "metadata")

    @property
    def features(self) -> list[Features]:
        """The fields that the metric reads; one text in the place of several, too."""
        hints = typing.get_type_hints(by_reference(self.task.item))
        listed = {_COLUMNS.get(name, name): _feature(hints.get(name, str)) for name in self.read}
        single = {
            name: Value("string") if feature == ListOf(Value("string")) else feature
            for name, feature in listed.items()
        }
        return [Features(one) for one in ([listed] if listed == single else [listed, single])]

    def batch(self, columns: Mapping[str, Any], start: int) -> Batch:
        """The batch of some columns."""
        cells = {FIELDS.get(name, name): list(column) for name, column in columns.items()}
        table = Table(cells, "columns", first_row=start)
        batch: Batch = by_reference(self.task.rows or "")(table)
        return batch if "uid" in columns else batch.renumber(start)


def _asked_for(item: type[Any]) -> tuple[str, ...]:
    """What is asked for where a metric does not say what it reads."""
    own = [one for one in attrs.fields(item) if one.name not in ("uid", "metadata")]
    names = [one.name for one in own]
    if "response" in names:
        return tuple(name for name in ("response", "references") if name in names)
    required = [one.name for one in own if one.default is NOTHING]
    return tuple(required or names)


def _feature(hint: Any) -> Any:
    """The type of a column, from what a field is annotated with; text where it has many forms."""
    if typing.get_origin(hint) in (typing.Union, UnionType):
        hint = next(one for one in typing.get_args(hint) if one is not type(None))
    if typing.get_origin(hint) in (tuple, list):
        return ListOf(_feature(typing.get_args(hint)[0]))
    return Value(_TYPES.get(hint, "string"))
