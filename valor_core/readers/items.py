"""Reader of plain tables, one row for each item, for tasks whose items are rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import fields, frozen

from valor_core.errors import ParameterError, did_you_mean
from valor_core.parameters import Within, parameter, parameters
from valor_core.readers import (
    DEFAULT_PARTITION_BYTES,
    Table,
    TablePartition,
    read_table,
    split_table,
)
from valor_core.readers.metadata import columns_beside, unpacked
from valor_core.readers.nested import tables
from valor_core.schemas import Batch, Datums
from valor_core.schemas.text import TEXT_FIELDS, TextBatch
from valor_core.spec import TaskSpec, by_reference


@parameters
class TableParameters:
    """Parameters of the reader of plain tables."""

    path: Path = parameter(
        help="Table with one row for each item, in .csv, .tsv, .jsonl, .json or .parquet."
    )
    columns: Mapping[str, str] = parameter(
        default={}, help="Names of columns in the file, by the schema's names: {query: question}."
    )
    partition_bytes: int = parameter(
        default=DEFAULT_PARTITION_BYTES,
        help="Size of the parts that workers read, in bytes.",
        check=Within(1),
    )


_STANDARD_NAMES: Mapping[str, str] = {
    "user_input": "query",
    "reference": "references",
    "retrieved_contexts": "contexts",
}
"""Names that other programs give to the schema's fields."""

_FIELDS = ("uid", *TEXT_FIELDS, "metadata")


@frozen
class TableReader:
    """Reads one item from each row; columns that are not of the schema are metadata.

    Parameters
    ----------
    parameters : TableParameters
        File, names of columns and size of partitions.
    task : TaskSpec
        Task of the batches.

    Raises
    ------
    ParameterError
        If the task does not say how its items are rows, or `columns` names a field that its items
        do not have.
    """

    parameters: TableParameters
    task: TaskSpec

    def __attrs_post_init__(self) -> None:
        task = self.task
        if task.rows is None:
            raise ParameterError(
                f"reader: expected a task whose items can be rows, got {task.short_name}",
                "See the readers of the task with: valor list --readers",
            )
        known = [each.name for each in fields(by_reference(task.item))]
        for name in self.parameters.columns:
            if name not in known:
                raise ParameterError(
                    f"columns.{name}: unknown field",
                    did_you_mean(name, known) or f"Known fields: {', '.join(known)}.",
                )

    def partitions(self) -> Sequence[TablePartition]:
        """Ranges of the file."""
        chosen = self.parameters
        return split_table(chosen.path, partition_bytes=chosen.partition_bytes)

    def read(self, partition: TablePartition) -> Iterator[Batch]:
        """The batch of one range."""
        table = read_table(partition, columns=self.parameters.columns)
        yield by_reference(self.task.rows or "")(table)


def text_batch(table: Table) -> TextBatch:
    """Text items of a table; rows without a uid column are called by their number in the file."""
    names = {name: _STANDARD_NAMES.get(name, name) for name in table.names}
    columns = {standard: table.values(name) for name, standard in names.items()}
    if table.unit == "row" and not set(columns) & set(TEXT_FIELDS):
        raise table.missing(*TEXT_FIELDS)
    metadata: dict[str, Any] = unpacked(tables(table, "metadata") if table.has("metadata") else ())
    metadata |= columns_beside(table, own=[name for name in names if names[name] in _FIELDS])
    uids: Any = [table.row(i) for i in range(len(table))]
    if "uid" in columns:
        uids = table.uids("uid")
    fields: list[Any] = [columns.get(name, [None] * len(table)) for name in TEXT_FIELDS]
    return TextBatch(Datums(uids, metadata), *fields[:2], *map(_texts, fields[2:]))


def _texts(column: Sequence[Any]) -> list[tuple[str, ...]]:
    """Lists of texts; one text is a list of one, nothing an empty list."""
    return [
        () if value is None else tuple(value) if isinstance(value, (list, tuple)) else (value,)
        for value in column
    ]
