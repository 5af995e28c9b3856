"""Batch: samples as columns, and the columns of a plain table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray
from valor_files import Table, columns_beside, json_cells

from valor_core.errors import ReadError, SchemaError
from valor_core.schemas import Batch, Codes, Datum, Datums
from valor_core.schemas.columns import (
    BY_CONTENT,
    check_length,
    object_column,
    read_only,
    widen_as_printed,
)
from valor_core.schemas.datum import listed
from valor_rgb.samples.sample import (
    RGBSample,
    ability_of,
    as_answers,
    as_one_of,
    as_spellings,
    noise_of,
    text_of,
    texts_of,
    truth_of,
)

FIELDS: Mapping[str, Callable[[Any, str], Any]] = {
    "ability": ability_of,
    "response": text_of,
    "answers": as_answers,
    "false_answer": as_spellings,
    "noise_ratio": noise_of,
    "closed_book": truth_of,
    "query": text_of,
    "contexts": texts_of,
}
"""Fields of a sample except uid and metadata, with their checks."""


def _objects(values: Iterable[Any]) -> NDArray[Any]:
    return read_only(object_column(values))


_LONGEST = 200
"""Most characters of an excerpt."""


def _excerpt(text: str | None) -> str | None:
    return text if text is None or len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


@frozen
class RGBBatch(Batch):
    """Columns of samples.

    Parameters
    ----------
    datums : Datums
        Uids and metadata.
    ability, response, answers, false_answer, noise_ratio, closed_book, query, contexts : \
ndarray of object, shape (n,)
        The fields of `RGBSample`, one value for each sample.

    Raises
    ------
    SchemaError
        If a column has another length, or a cell holds something else; the message names item and
        field.

    Examples
    --------
    >>> batch = RGBBatch.of([RGBSample("q1", "negative_rejection", "I cannot tell.")])
    >>> batch.response
    array(['I cannot tell.'], dtype=object)
    """

    task: ClassVar[str] = "rgb"
    may_lack: ClassVar[bool] = True

    datums: Datums
    ability: NDArray[Any] = field(eq=BY_CONTENT, converter=_objects)
    response: NDArray[Any] = field(eq=BY_CONTENT, converter=_objects)
    answers: NDArray[Any] = field(eq=BY_CONTENT, converter=_objects)
    false_answer: NDArray[Any] = field(eq=BY_CONTENT, converter=_objects)
    noise_ratio: NDArray[Any] = field(eq=BY_CONTENT, converter=_objects)
    closed_book: NDArray[Any] = field(eq=BY_CONTENT, converter=_objects)
    query: NDArray[Any] = field(eq=BY_CONTENT, converter=_objects)
    contexts: NDArray[Any] = field(eq=BY_CONTENT, converter=_objects)

    def __attrs_post_init__(self) -> None:
        for name, check in FIELDS.items():
            column = getattr(self, name)
            check_length(column, name, len(self))
            checked = [
                check(cell, f"{self.datums.name(row)}, {name}") for row, cell in enumerate(column)
            ]
            object.__setattr__(self, name, _objects(checked))

    @classmethod
    def of(cls, items: Iterable[RGBSample]) -> RGBBatch:
        """Columns of the objects."""
        items = listed(items, RGBSample)
        datums = Datums.of(Datum(item.uid, item.metadata) for item in items)
        columns = {name: [getattr(item, name) for item in items] for name in FIELDS}
        return cls._of_checked(datums, columns)

    @classmethod
    def _of_checked(cls, datums: Datums, columns: Mapping[str, Any]) -> Self:
        """The batch of columns whose cells were checked when their samples were made."""
        batch = object.__new__(cls)
        object.__setattr__(batch, "datums", datums)
        for name, column in columns.items():
            object.__setattr__(batch, name, _objects(column))
        return batch

    def lacks(self, field: str) -> NDArray[np.bool_]:
        """Return which samples have no value or an empty list in a field.

        Examples
        --------
        >>> batch = RGBBatch.of([RGBSample("q1", "noise_robustness", "", "Paris")])
        >>> batch.lacks("response"), batch.lacks("false_answer")
        (array([False]), array([ True]))
        """
        cells = getattr(self, field).tolist()
        return np.array([cell is None or cell == () for cell in cells], np.bool_)

    def item_details(self) -> Mapping[str, NDArray[Any]]:
        """Return excerpts of the answer and of the response of each sample.

        Examples
        --------
        >>> batch = RGBBatch.of([RGBSample("q1", "noise_robustness", "In Paris", [["Paris", "X"]])])
        >>> {name: column.tolist() for name, column in batch.item_details().items()}
        {'truth': ['Paris'], 'prediction': ['In Paris']}
        """
        answers = [", ".join(part[0] for part in parts) or None for parts in self.answers.tolist()]
        found = {"truth": answers, "prediction": self.response.tolist()}
        return {name: object_column(map(_excerpt, texts)) for name, texts in found.items()}

    def select(self, positions: Codes) -> RGBBatch:
        """Return the samples at positions."""
        columns = {name: getattr(self, name)[positions] for name in FIELDS}
        return self._of_checked(self.datums.select(positions), columns)

    def relabel(self, renames: Mapping[Any, Any]) -> RGBBatch:
        """Samples have no labels.

        Raises
        ------
        SchemaError
            If there is a label to rename.
        """
        if renames:
            raise SchemaError("label_map: expected none, samples of the task rgb have no labels")
        return self

    def items(self) -> Iterator[RGBSample]:
        """The samples as objects."""
        for row in range(len(self)):
            datum = self.datums.at(row)
            fields = {name: getattr(self, name)[row] for name in FIELDS}
            yield RGBSample(datum.uid, **fields, metadata=datum.metadata)


NAMES: Mapping[str, tuple[str, ...]] = {
    "uid": ("uid", "id"),
    "ability": ("ability",),
    "response": ("response", "prediction", "actual_output"),
    "answers": ("answers", "answer", "ans", "references", "reference", "expected_output"),
    "false_answer": ("false_answer", "fakeanswer"),
    "noise_ratio": ("noise_ratio", "noise_rate"),
    "closed_book": ("closed_book",),
    "query": ("query", "question", "user_input", "input"),
    "contexts": ("contexts", "docs", "retrieved_contexts", "retrieval_context"),
}
"""Names of each field in tables: Valor's, those of the paper's program, and other common ones."""

_REFERENCES = ("references", "reference", "expected_output")
"""Columns whose lists are alternative spellings of one answer."""

_NAME_THE_ABILITY = "Name it for all rows, with the reader rgb.responses: ability: noise_robustness"
_NESTED = ("answers", "false_answer", "contexts")


def from_table(table: Table, same: Mapping[str, Any] | None = None) -> RGBBatch:
    """Return the samples of a table, one for each row; other columns are metadata.

    Parameters
    ----------
    table : Table
        The rows. Rows without a uid are named by their number in the file.
    same : mapping of str to object, optional
        Values of fields for all rows without a value.

    Raises
    ------
    ReadError
        If a column of responses or of abilities is missing and has no value for all rows, or
        a cell holds something else than its field; names file, row and column.

    Examples
    --------
    >>> cells = {"id": [7], "prediction": ["Paris"], "ans": [[["Paris", "paris"]]]}
    >>> batch = from_table(Table(cells, "a.jsonl"), {"ability": "noise_robustness"})
    >>> next(batch.items()).answers
    (('Paris', 'paris'),)
    """
    same = {} if same is None else same
    found = {
        field: next((name for name in names if table.has(name)), None)
        for field, names in NAMES.items()
    }
    if found["response"] is None and table.unit == "row":
        raise table.missing("response")
    if found["ability"] is None and same.get("ability") is None:
        error = table.missing("ability", purpose=" of what each response tests")
        raise ReadError(error.message, error.remedy or _NAME_THE_ABILITY)
    uids: Any = [table.row(row) for row in range(len(table))]
    if found["uid"] is not None:
        uids = table.uids(found["uid"])
    columns = (
        _column(table, name, found[name], same.get(name), check) for name, check in FIELDS.items()
    )
    used = [name for name in found.values() if name is not None]
    return RGBBatch(Datums(uids, columns_beside(table, used)), *columns)


def _column(
    table: Table, field: str, name: str | None, otherwise: Any, check: Callable[[Any, str], Any]
) -> list[Any]:
    """Return the checked values of a field."""
    if name is None:
        return [check(otherwise, field)] * len(table)
    cells = [otherwise if cell is None else cell for cell in _cells(table, field, name)]
    if name in _REFERENCES:
        check = as_one_of
    return checked_cells(table, name, cells, check)


def checked_cells(
    table: Table, name: str, cells: Iterable[Any], check: Callable[[Any, str], Any]
) -> list[Any]:
    """Return the checked cells of a column.

    Raises
    ------
    ReadError
        If the check fails; names the location in the file.

    Examples
    --------
    >>> checked_cells(Table({"answer": ["Paris"]}, "a.csv"), "answer", ["Paris"], as_answers)
    [(('Paris',),)]
    """
    try:
        return [check(cell, table.place(row, name)) for row, cell in enumerate(cells)]
    except SchemaError as error:
        raise ReadError(error.message, error.remedy) from error


def _cells(table: Table, field: str, name: str) -> list[Any]:
    """Return the cells of a field, parsed if the format only has text."""
    if field in _NESTED:
        return list(json_cells(table, name))
    cells: list[Any] = table.values(name).tolist()
    if field == "noise_ratio":
        numbers = widen_as_printed(table.floats(name, allow_missing=True)).tolist()
        return [None if math.isnan(number) else number for number in numbers]
    if field == "closed_book" and table.is_text:
        return [_TRUTH.get(cell.lower(), cell) if cell is not None else None for cell in cells]
    return cells


_TRUTH = {"true": True, "false": False}
