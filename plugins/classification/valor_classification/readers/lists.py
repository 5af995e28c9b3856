"""Reader of lists: one row for each item, its predictions as lists."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from attrs import evolve, frozen
from valor_files import (
    Table,
    TablePartition,
    as_number,
    columns_beside,
    field_tables,
    json_cells,
    read_table,
)

from valor_classification.parameters.readers import ListsParameters
from valor_classification.readers.item_tables import ItemTables, ListEntries
from valor_classification.readers.label_cells import EmptyLabels, label_column, label_text, labels
from valor_core.errors import ReadError, SchemaError, short_repr
from valor_core.schemas import DEFAULT_KEY, Datums, Label, Vocabulary
from valor_core.schemas.classification import Classification, ClassificationBatch, ScoreList


@frozen
class ListsReader:
    """Reader of rows such as ``{"uid": "a", "groundtruths": "dog", "predictions": {"dog": 0.75}}``.

    Predictions are a table of label and score, a list of (label, score) pairs, a list of labels
    with a list of scores, or a list of tables with ``label``, ``score`` and, if need be,
    ``key``. Labels of several keys are tables by key.

    Parameters
    ----------
    parameters : ListsParameters
        Files and names of columns.
    task : str
        Always ``"classification"``.
    """

    parameters: ListsParameters
    task: str

    def partitions(self) -> Sequence[TablePartition]:
        """Ranges of the files."""
        return self._tables.partitions()

    def read(self, partition: TablePartition) -> Iterator[ClassificationBatch]:
        """Yield the batch of one range."""
        table = read_table(partition)
        yield self._plain_batch(table) or self._batch(table)

    def _plain_batch(self, table: Table) -> ClassificationBatch | None:
        """Make the batch without an object per label; None if a cell is unusual or invalid."""
        chosen = self.parameters
        vocabulary = Vocabulary()
        try:
            score_cells = json_cells(table, chosen.scores) if table.has(chosen.scores) else None
            listing = ListEntries.of(json_cells(table, chosen.predictions), score_cells)
            if listing is None:
                return None
            rows, truths, untold = label_column(table, chosen.groundtruths, DEFAULT_KEY, vocabulary)
            scores = ScoreList(listing.rows, listing.codes(vocabulary), listing.scores)
            datums = Datums(self._tables.uids(table), self._facts(table))
            found = untold.counts, untold.first
            return ClassificationBatch(datums, vocabulary.labels, rows, truths, scores, *found)
        except (ReadError, SchemaError):  # which the other way finds again, in the order of rows
            return None

    def _batch(self, table: Table) -> ClassificationBatch:
        """Make the batch label by label; the first invalid label raises its error."""
        chosen = self.parameters
        uids = self._tables.uids(table)
        truths = json_cells(table, chosen.groundtruths)
        predictions = json_cells(table, chosen.predictions)
        has_scores = table.has(chosen.scores)
        score_cells = json_cells(table, chosen.scores) if has_scores else [None] * len(table)
        facts = self._facts(table)
        batch = ClassificationBatch.of(
            Classification(
                uids[row],
                labels(truths[row], table.place(row, chosen.groundtruths), DEFAULT_KEY),
                self._predictions(table, row, predictions[row], score_cells[row]),
                {name: column[row] for name, column in facts.items()},
            )
            for row in range(len(table))
        )
        untold = EmptyLabels.of(table, chosen.groundtruths, _empty(truths))
        untold |= EmptyLabels.of(table, chosen.predictions, _empty(predictions))
        return evolve(batch, left_out=untold.counts, first_left_out=untold.first)

    def _predictions(
        self, table: Table, row: int, cell: Any, score_cells: Any
    ) -> list[tuple[Label, float]]:
        where = table.place(row, self.parameters.predictions)
        if cell is None:
            return []
        if isinstance(cell, dict):
            return list(_scored(cell, where, DEFAULT_KEY))
        if not isinstance(cell, list):
            if score_cells is None:
                raise _scoreless(cell, where)
            cell, score_cells = (
                [cell],
                score_cells if isinstance(score_cells, list) else [_single(score_cells)],
            )
        if score_cells is None or all(isinstance(one, dict) for one in cell):
            return [_scored_label(one, where) for one in cell]
        score_place = table.place(row, self.parameters.scores)
        if not isinstance(score_cells, list) or len(score_cells) != len(cell):
            found = (
                f"{len(score_cells)}" if isinstance(score_cells, list) else short_repr(score_cells)
            )
            raise ReadError(
                f"{score_place}: expected a list of {len(cell)} scores, one for each prediction, "
                f"found {found}"
            )
        return [
            (Label(DEFAULT_KEY, label_text(value, where)), score_of(score, score_place))
            for value, score in zip(cell, score_cells, strict=True)
        ]

    def _facts(self, table: Table) -> dict[str, list[Any]]:
        """Metadata: the remaining columns, overridden by tables of fields."""
        chosen = self.parameters
        used = self._tables.columns_read(
            chosen.groundtruths, chosen.predictions, chosen.scores, chosen.metadata
        )
        facts = columns_beside(table, used)
        if table.has(chosen.metadata):
            fields = field_tables(table, chosen.metadata)
            for name in dict.fromkeys(chain.from_iterable(fields)):
                score_cells = facts.get(name, [None] * len(table))
                facts[name] = [
                    one.get(name, cell) for one, cell in zip(fields, score_cells, strict=True)
                ]
        return facts

    @property
    def _tables(self) -> ItemTables:
        chosen = self.parameters
        return ItemTables(chosen.path, chosen.uid, chosen.partition_bytes)


def _empty(cells: Sequence[Any]) -> list[int]:
    return [row for row, cell in enumerate(cells) if cell is None]


def _scored(cell: dict[str, Any], where: str, key: str) -> Iterator[tuple[Label, float]]:
    for name, score in cell.items():
        if isinstance(score, dict):
            yield from _scored(score, where, name)
        else:
            yield Label(key, label_text(name, where)), score_of(score, where)


def _single(score: Any) -> Any:
    """Return a score from a separate cell, which is text in CSV."""
    number = as_number(score)
    return score if number is None else number


def _scoreless(prediction: Any, where: str) -> ReadError:
    written = json.dumps(str(prediction), ensure_ascii=False)
    return ReadError(
        f"{where}: expected a score with each label, found {short_repr(prediction)}",
        f"Write it as: {{{written}: 0.5}}, or name the column of scores under data.scores.",
    )


def _scored_label(one: Any, where: str) -> tuple[Label, float]:
    """Return label and score of one entry of a list: a table or a pair."""
    if isinstance(one, dict):
        return _of_table(one, where)
    if not isinstance(one, list):
        raise _scoreless(one, where)
    if len(one) != 2:
        raise ReadError(f"{where}: expected pairs of label and score, found {short_repr(one)}")
    label, score = one
    return Label(DEFAULT_KEY, label_text(label, where)), score_of(score, where)


def _of_table(one: dict[str, Any], where: str) -> tuple[Label, float]:
    if "label" not in one or "score" not in one:
        raise ReadError(f"{where}: expected tables with label and score, found {short_repr(one)}")
    key = str(one.get("key", DEFAULT_KEY))
    return Label(key, label_text(one["label"], where)), score_of(one["score"], where)


def score_of(value: Any, where: str) -> float:
    """A finite score.

    Raises
    ------
    ReadError
        If the value is not a finite number; `where` says where it is.

    Examples
    --------
    >>> score_of(1, "")
    1.0
    """
    number = as_number(value) if isinstance(value, (int, float)) else None
    if number is None or not math.isfinite(number):
        raise ReadError(f"{where}: expected a finite number as score, found {short_repr(value)}")
    return number
