"""Reader of plain tables, one row for each item, for tasks whose items are rows."""

from __future__ import annotations

import json
import re
from ast import literal_eval
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import fields, frozen

from valor_core.errors import ParameterError, ReadError, SchemaError, did_you_mean, shown
from valor_core.parameters.declaration import parameter, parameters
from valor_core.parameters.kinds import Within
from valor_core.plugins.spec import TaskSpec, by_reference
from valor_core.readers.tables import (
    DEFAULT_PARTITION_BYTES,
    Table,
    TablePartition,
    TableSource,
    read_table,
    split_table,
)
from valor_core.readers.tables.metadata import columns_beside, typed, unpacked
from valor_core.readers.tables.nested import field_tables, parsed
from valor_core.schemas import Batch, Datums
from valor_core.schemas.text import TEXT_FIELDS, TextBatch, as_text


@parameters
class TableParameters:
    """Parameters of the reader of plain tables."""

    path: TableSource = parameter(
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
    "input": "query",
    "actual_output": "response",
    "expected_output": "references",
    "retrieval_context": "contexts",
}
"""Names that Ragas, and then DeepEval, give to the schema's fields."""

_FIELDS = ("uid", *TEXT_FIELDS, "metadata")


@frozen(repr=False)
class TableReader:
    """Reads one item from each row; columns that are not of the schema are metadata.

    Parameters
    ----------
    parameters : TableParameters
        File, names of columns and size of partitions.
    task : TaskSpec
        Task of the batches, which says how its items are rows.

    Raises
    ------
    ParameterError
        If `columns` names a field that items of the task do not have.
    """

    parameters: TableParameters
    task: TaskSpec

    def __attrs_post_init__(self) -> None:
        known = [each.name for each in fields(by_reference(self.task.item))]
        for name in self.parameters.columns:
            if name not in known:
                raise ParameterError(
                    f"columns.{name}: unknown field",
                    did_you_mean(name, known) or f"Known fields: {', '.join(known)}.",
                )

    def partitions(self) -> Sequence[TablePartition]:
        """Ranges of the file."""
        chosen = self.parameters
        return split_table(
            chosen.path, partition_bytes=chosen.partition_bytes, may_be_read_ahead=True
        )

    def read(self, partition: TablePartition) -> Iterator[Batch]:
        """The batch of one range."""
        table = read_table(partition, columns=self.parameters.columns)
        yield by_reference(self.task.rows or "")(table)


def two_sides(references: Any, responses: Any) -> TextBatch | None:
    """References, a text or a list of texts for each item, and responses; None for what is neither.

    Examples
    --------
    >>> next(two_sides([["Paris", "in Paris"]], ["Paris"]).items()).references
    ('Paris', 'in Paris')
    """
    sides = [_cells_of(side) for side in (references, responses)]
    _check_texts(sides)
    if None in sides or not all(isinstance(cell, str) for cell in sides[1] or ()):
        return None
    true, seen = sides[0] or [], sides[1] or []
    if not all(_are_texts(cell) for cell in true):
        return None
    if len(true) != len(seen):
        raise SchemaError(
            f"references and responses: expected as many, got {len(true):,} and {len(seen):,}"
        )
    nothing: list[Any] = [None] * len(seen)
    lists: list[Any] = [()] * len(seen)
    places = _places_of_lists("references", true, seen)
    noted = _noted({"references": [("references", place) for place in places]})
    datums = Datums.numbers(len(seen))
    return TextBatch(datums, nothing, seen, _texts(true), lists, lists, **noted)


def _check_texts(sides: Sequence[list[Any] | None]) -> None:
    """Raise a `SchemaError` for a cell that is no text in a side that has texts."""
    if None in sides or len({len(side or ()) for side in sides}) > 1:
        return
    if not all(any(isinstance(cell, str) for cell in side or ()) for side in sides):
        return
    for name, side in zip(("references", "responses"), sides, strict=True):
        for place, cell in enumerate(side or ()):
            if isinstance(cell, str) or (name == "references" and _are_texts(cell)):
                continue
            raise SchemaError(
                f"{name}[{place}]: expected a string, got {shown(cell)}",
                _text_of(name, place, cell),
            )


def _text_of(name: str, place: int, cell: Any) -> str:
    """The remedy for a cell that is not text."""
    if cell is None or (isinstance(cell, float) and cell != cell):
        return "Leave the item out on both sides, or write an empty string for an empty text."
    if isinstance(cell, bytes):
        return f"Decode it: {name}[{place}].decode()"
    if isinstance(cell, (int, float)):
        return f"Convert it: str({name}[{place}])"
    return "Pass a string for each response, and a string or a list of strings for each reference."


def _cells_of(side: Any) -> list[Any] | None:
    """The cells of a list or of an array of objects or text."""
    if isinstance(side, (list, tuple)):
        return list(side)
    # an array of numbers is no text, and may have millions of them
    are_numbers = getattr(getattr(side, "dtype", None), "kind", "") in tuple("iufcb")
    listed = side.tolist() if not are_numbers and hasattr(side, "tolist") else None
    return listed if isinstance(listed, list) else None


def _are_texts(cell: Any) -> bool:
    is_list = isinstance(cell, (list, tuple)) and all(isinstance(one, str) for one in cell)
    return is_list or isinstance(cell, str)


def text_batch(table: Table) -> TextBatch:
    """Text items of a table; rows without a uid column are called by their number in the file."""
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
    several = {name: table.values(found[name]).tolist() for name in _SEVERAL if name in found}
    for name, cells in several.items():
        _check_lists(table, found[name], cells)
    listed = (_texts(several[name]) if name in found else [()] * len(table) for name in _SEVERAL)
    outcomes = _outcomes(table, found["outcomes"]) if "outcomes" in found else [()] * len(table)
    places = {
        table.names_in_file.get(found[name], found[name]): [
            (table.source, table.row(place)) for place in _places_of_lists(name, cells, response)
        ]
        for name, cells in several.items()
    }
    noted = _noted(places)
    return TextBatch(Datums(uids, metadata), query, response, *listed, outcomes=outcomes, **noted)


_SEVERAL = ("references", "contexts", "reference_contexts")
_LIST = re.compile(
    r"\s*(?:array\()?(\[(?:\s*|\s*['\"].*['\"]\s*,?\s*)\])(?:,\s*dtype=\w+)?\)?\s*", re.DOTALL
)


def _only(cell: Any) -> Any:
    """The text of a list of one text, as lm-evaluation-harness writes responses."""
    is_one = isinstance(cell, (list, tuple)) and len(cell) == 1 and isinstance(cell[0], str)
    return cell[0] if is_one else cell


def _places_of_lists(name: str, cells: Sequence[Any], responses: Any) -> list[int]:
    """Positions of texts that are a printed list of texts.

    References that are lists like their responses are not among them: both are JSON or code.
    """
    found = []
    for place, cell in enumerate(cells):
        if isinstance(cell, str) and cell.lstrip()[:1] in ("[", "a") and _is_list(cell):
            response = responses[place] if name == "references" else None
            if not (isinstance(response, str) and response.lstrip()[:1] == "["):
                found.append(place)
    return found


def _is_list(text: str) -> bool:
    r"""Whether a text is a list of texts as Python, NumPy or JSON write it.

    Examples
    --------
    >>> [_is_list(text) for text in ("['a', 'b']", '["a"]', "['a'\n 'b']", "[1, 2]", "['a'] [b]")]
    [True, True, True, False, False]
    """
    match = _LIST.fullmatch(text)
    if match is None:
        return False
    try:
        value = json.loads(match[1])
    except (ValueError, RecursionError):
        try:
            value = literal_eval(match[1])
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return False
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _noted(places: Mapping[str, Sequence[tuple[str, int]]]) -> dict[str, Any]:
    """The warnings of a batch about texts that are printed lists."""
    told = {
        f"cells of {name!r} used as one text although printed as a list; write the data as JSON "
        "Lines or Parquet to keep lists": found
        for name, found in places.items()
        if found
    }
    return {
        "left_out": {what: len(found) for what, found in told.items()},
        "first_left_out": {what: found[0] for what, found in told.items()},
    }


def _one_text(table: Table, name: str) -> Any:
    """Cells of one text each; a list of one text is that text.

    Raises
    ------
    SchemaError
        With the row of the first cell that is neither text nor missing.
    """
    cells = table.values(name)
    listed = cells.tolist()
    kinds = set(map(type, listed))
    if kinds <= {str, type(None)}:
        return cells
    texts = list(map(_only, listed))
    for index, cell in enumerate(texts):
        if cell is not None and not isinstance(cell, str):
            raise SchemaError(
                f"{table.place(index, name)}: expected a string, found {shown(cell)}",
                as_text(cell),
            )
    return texts


def _check_lists(table: Table, name: str, cells: Sequence[Any]) -> None:
    """Raise a `SchemaError` with the row of the first cell that is neither text nor texts."""
    if set(map(type, cells)) <= {str}:
        return
    for index, cell in enumerate(cells):
        if cell is not None and not _are_texts(cell):
            raise SchemaError(
                f"{table.place(index, name)}: expected strings, found {shown(cell)}",
                'Write each of them as a string: ["…", "…"]',
            )


def fields_of(table: Table) -> dict[str, str]:
    """The column of each field that the table has; what a config names comes before other names.

    Raises
    ------
    ReadError
        If there are two columns for a field.
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
                f"Say which it is with the reader's key: columns: {{{standard}: {name}}}",
            )
        found[standard] = name
    return found


def _texts(cells: list[Any]) -> list[tuple[str, ...]]:
    """Lists of texts; one text is a list of one, nothing an empty list."""
    kinds = set(map(type, cells))
    if kinds <= {str}:
        return list(zip(cells, strict=True))
    if kinds <= {list, tuple}:
        return list(map(tuple, cells))
    return [
        () if cell is None else tuple(cell) if isinstance(cell, (list, tuple)) else (cell,)
        for cell in cells
    ]


def _outcomes(table: Table, name: str) -> list[tuple[bool, ...]]:
    """Lists of true and false, or of 1 and 0; one of them is a list of one."""
    found = []
    for row, cell in enumerate(parsed(table, name)):
        value = typed(cell) if table.is_text else cell
        listed = () if value is None else value if isinstance(value, (list, tuple)) else (value,)
        for one in listed:
            if not isinstance(one, int) or one not in (0, 1):
                raise ReadError(
                    f"{table.place(row, name)}: expected a list of true and false, "
                    f"found {shown(cell)}"
                )
        found.append(tuple(map(bool, listed)))
    return found
