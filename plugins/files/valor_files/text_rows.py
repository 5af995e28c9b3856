"""Reader of tables with one row per item."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, Mapping, Sequence, ValuesView
from functools import partial
from typing import Any

import numpy as np
from attrs import define, evolve, field, fields, frozen

from valor_core.errors import (
    ParameterError,
    ReadError,
    SchemaError,
    ValorError,
    did_you_mean,
    short_repr,
)
from valor_core.parameters import Within, parameter, parameters
from valor_core.readers import Partition
from valor_core.schemas import Batch, Datums
from valor_core.schemas.columns import with_columns
from valor_core.schemas.text import TextBatch
from valor_core.schemas.text.batch import TEXT_FIELDS, as_text
from valor_core.schemas.text.pairs import are_texts, noted_lists, printed_lists, text_tuples
from valor_core.specs import TaskSpec
from valor_core.specs.spec import import_object
from valor_files.joined import JoinedRows
from valor_files.tables import (
    DEFAULT_PARTITION_BYTES,
    Table,
    TablePartition,
    TableSource,
    read_table,
    split_table,
)
from valor_files.tables.cells import Cells
from valor_files.tables.metadata import cell_value, columns_beside, unpacked
from valor_files.tables.nested import field_tables, json_cells
from valor_files.tables.table import Column
from valor_files.whole_files import WholeFiles


@parameters
class TableParameters:
    """Parameters of the reader of tables."""

    path: TableSource = parameter(
        help="Table with one row per item: a .csv, .tsv, .jsonl, .json or .parquet file."
    )
    predictions: TableSource | None = parameter(
        default=None, help="Table of predictions, if path has no predictions; joined by uid."
    )
    columns: Mapping[str, str] = parameter(
        default={}, help="Column names in the file by field: {query: question}."
    )
    partition_bytes: int = parameter(
        default=DEFAULT_PARTITION_BYTES,
        help="Minimum size of partitions, in bytes.",
        check=Within(1),
    )


_STANDARD_NAMES: Mapping[str, str] = {
    "user_input": "query",
    "reference": "references",
    "retrieved_contexts": "contexts",
    "input": "query",
    "actual_output": "response",
    "expected_output": "references",
    "retrieval_context": "contexts",
}
"""Field names of Ragas and DeepEval."""

_FIELDS = ("uid", *TEXT_FIELDS, "metadata")


@frozen(repr=False)
class TableReader:
    """Reader of tables with one item per row; columns outside the schema become metadata.

    Parameters
    ----------
    parameters : TableParameters
        File, names of columns and size of partitions.
    task : TaskSpec
        Task whose specification converts a table to a batch.

    Raises
    ------
    ParameterError
        If `columns` names a field that items of the task do not have.
    """

    parameters: TableParameters
    task: TaskSpec

    def __attrs_post_init__(self) -> None:
        names = [each.name for each in fields(import_object(self.task.item))]
        for name in self.parameters.columns:
            if name not in names:
                raise ParameterError(
                    f"columns.{name}: unknown field",
                    did_you_mean(name, names) or f"Known fields: {', '.join(names)}.",
                )

    def partitions(self) -> Sequence[Partition]:
        """Partitions of the file, or both files if the predictions have their own."""
        chosen = self.parameters
        if chosen.predictions is not None:
            return (WholeFiles(chosen.path, chosen.predictions),)
        return split_table(
            chosen.path, partition_bytes=chosen.partition_bytes, may_be_read_ahead=True
        )

    def read(self, partition: Partition) -> Iterator[Batch]:
        """Read the batch of a partition."""
        make, columns = row_batches(self.task), self.parameters.columns
        if make is None:
            return
        if isinstance(partition, WholeFiles):
            truths = read_table(partition.groundtruths)
            joined = JoinedRows.of(truths, read_table(partition.predictions), columns)
            batch = make(joined.table)
            yield (
                with_columns(
                    batch,
                    left_out={**batch.left_out, **joined.unmatched},
                    first_left_out={**batch.first_left_out, **joined.first_unmatched},
                )
                if isinstance(batch, TextBatch)
                else batch
            )
        elif isinstance(partition, TablePartition):
            yield make(read_table(partition, columns=columns))


def row_batches(task: TaskSpec) -> Callable[[Table], Batch] | None:
    """Function that converts a table to a batch; None if items of the task are not rows.

    Examples
    --------
    >>> from valor_core import Registry
    >>> row_batches(Registry().find(TaskSpec, "detection")) is None
    True
    """
    if task.rows is not None:
        return partial(batch_of_rows, task=task, make=import_object(task.rows))
    return text_batch if task.name == _TEXT else None


_TEXT = "core.text"


def batch_of_rows(table: Table, task: TaskSpec, make: Callable[[Table], Batch]) -> Batch:
    """Batch of a plugin's task; unused columns become metadata unless the batch has metadata.

    Parameters
    ----------
    table : Table
        The table.
    task : TaskSpec
        Task of the plugin.
    make : callable
        Implementation of the task's `rows`.

    Raises
    ------
    ReadError
        If `make` rejects a row; names file and row.
    """
    columns = _ReadColumns(table.columns)
    try:
        batch = make(evolve(table, columns=columns))
    except ReadError:
        raise
    except Exception as error:
        raise _row_error(table, task, make, error) from error
    if len(batch) != len(table) or batch.datums.metadata:
        return batch
    if "uid" in columns.names and not np.array_equal(batch.datums.uids, table.uids("uid")):
        return batch  # in another order than the rows
    used = columns.names.union(each.name for each in fields(import_object(task.item)))
    metadata = columns_beside(table, own=used)
    return with_columns(batch, datums=evolve(batch.datums, metadata=metadata))


@define(repr=False)
class _ReadColumns(Mapping[str, Column]):
    """Columns of a table, and the names of those that were read."""

    columns: Mapping[str, Column]
    names: set[str] = field(factory=set)

    def __getitem__(self, name: str) -> Column:
        cells = self.columns[name]
        self.names.add(name)
        return cells

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def values(self) -> ValuesView[Column]:
        """Cells of all columns, for their length; does not count as read."""
        return self.columns.values()

    def items(self) -> ItemsView[str, Column]:
        """Names and cells of all columns; does not count as read."""
        return self.columns.items()


def _row_error(
    table: Table, task: TaskSpec, make: Callable[[Table], Batch], error: Exception
) -> Exception:
    """Error with the first row that raises such an error by itself; otherwise the same error."""
    columns = {
        name: cells.tolist() if isinstance(cells, Cells) else cells
        for name, cells in table.columns.items()
    }
    for index in range(len(table)):
        cells = {name: column[index : index + 1] for name, column in columns.items()}
        try:
            make(evolve(table, columns=cells, first_row=table.row(index), row_numbers=None))
        except Exception as found:
            if type(found) is not type(error):
                continue
            place = f"{table.source}, {table.unit} {table.row(index)}: "
            if isinstance(found, ValorError):
                return ReadError(f"{place}{found.message}", found.remedy)
            return ReadError(f"{place}{task.rows}: {type(found).__name__}: {found}")
    return error


def text_batch(table: Table) -> TextBatch:
    """Batch of the text items in a table; without a uid column, row numbers are the uids."""
    found = fields_of(table)
    if table.unit == "row" and not set(found) & set(TEXT_FIELDS):
        raise table.missing(*TEXT_FIELDS)
    metadata: dict[str, Any] = unpacked(
        field_tables(table, "metadata") if table.has("metadata") else ()
    )
    metadata |= columns_beside(table, own=found.values())
    uids: Any = table.uids(found["uid"]) if "uid" in found else table.rows
    query, response = (
        _one_text(table, found[name]) if name in found else [None] * len(table)
        for name in ("query", "response")
    )
    lists = {name: table.values(found[name]).tolist() for name in _LIST_FIELDS if name in found}
    if any(isinstance(cell, Mapping) for cell in lists.get("references", ())):
        lists["references"] = list(map(answer_texts, lists["references"]))
    for name, cells in lists.items():
        _check_lists(table, found[name], cells)
    listed = (
        text_tuples(lists[name]) if name in found else [()] * len(table) for name in _LIST_FIELDS
    )
    outcomes = _outcomes(table, found["outcomes"]) if "outcomes" in found else [()] * len(table)
    printed = {
        table.names_in_file.get(found[name], found[name]): [
            (table.source, table.row(index)) for index in printed_lists(name, cells, response)
        ]
        for name, cells in lists.items()
    }
    notes = noted_lists(printed)
    if "references" in found:
        _note_empty(notes, table, found["references"], lists["references"])
    return TextBatch(Datums(uids, metadata), query, response, *listed, outcomes=outcomes, **notes)


_LIST_FIELDS = ("references", "contexts", "reference_contexts")


def answer_texts(cell: Any) -> Any:
    """Unpack the answers of an item of SQuAD, a table of their texts and starts.

    Examples
    --------
    >>> answer_texts({"text": ["Paris"], "answer_start": [3]})
    ['Paris']
    >>> answer_texts("Paris")
    'Paris'
    """
    return cell["text"] if isinstance(cell, Mapping) and "text" in cell else cell


def _note_empty(notes: dict[str, Any], table: Table, name: str, cells: list[Any]) -> None:
    """Add the number of empty strings in a column of references to the notes of a batch."""
    count = cells.count("")
    if count:
        what = f"{table.unit}s with an empty text in {table.names_in_file.get(name, name)!r}"
        notes["left_out"][what] = count
        notes["first_left_out"][what] = (table.source, table.row(cells.index("")))


def _unlisted(cell: Any) -> Any:
    """Unpack a list of one string, as lm-evaluation-harness writes responses."""
    is_one = isinstance(cell, (list, tuple)) and len(cell) == 1 and isinstance(cell[0], str)
    return cell[0] if is_one else cell


def _one_text(table: Table, name: str) -> Any:
    """Column of strings; a list of one string is unpacked.

    Raises
    ------
    SchemaError
        If a cell is neither text nor missing.
    """
    cells = table.values(name)
    listed = cells.tolist()
    kinds = set(map(type, listed))
    if kinds <= {str, type(None)}:
        return cells
    texts = list(map(_unlisted, listed))
    for index, cell in enumerate(texts):
        if cell is not None and not isinstance(cell, str):
            raise SchemaError(
                f"{table.place(index, name)}: expected a string, found {short_repr(cell)}",
                as_text(cell),
            )
    return texts


def _check_lists(table: Table, name: str, cells: Sequence[Any]) -> None:
    """Raise a `SchemaError` if a cell is neither a string nor a list of strings."""
    if set(map(type, cells)) <= {str}:
        return
    for index, cell in enumerate(cells):
        if cell is not None and not are_texts(cell):
            raise SchemaError(
                f"{table.place(index, name)}: expected strings, found {short_repr(cell)}",
                'Write each item as a string: ["…", "…"]',
            )


def fields_of(table: Table) -> dict[str, str]:
    """Column of each field in a table; names given in a config take precedence.

    Raises
    ------
    ReadError
        If two columns have the same field.
    """
    found: dict[str, str] = {}
    for name in table.names:
        standard = _STANDARD_NAMES.get(name, name)
        if standard not in _FIELDS or (name != standard and standard in table.names_in_file):
            continue
        if standard in found:
            what = "column" if table.unit == "row" else "field"
            raise ReadError(
                f"{table.source}: expected one {what} for {standard!r}, found "
                f"{found[standard]!r} and {name!r}",
                f"Select one with the reader's key: columns: {{{standard}: {name}}}",
            )
        found[standard] = name
    return found


def _outcomes(table: Table, name: str) -> list[tuple[bool, ...]]:
    """Parse lists of booleans; a single value becomes a list of one."""
    found = []
    for row, cell in enumerate(json_cells(table, name)):
        value = cell_value(cell) if table.is_text else cell
        listed = () if value is None else value if isinstance(value, (list, tuple)) else (value,)
        for one in listed:
            if not isinstance(one, int) or one not in (0, 1):
                raise ReadError(
                    f"{table.place(row, name)}: expected a list of true and false, "
                    f"found {short_repr(cell)}"
                )
        found.append(tuple(map(bool, listed)))
    return found
