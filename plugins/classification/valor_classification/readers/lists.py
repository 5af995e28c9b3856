"""Reader of lists: one row for each item, its predictions as lists."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

from attrs import frozen

from valor_classification.parameters.readers.lists import ListsParameters
from valor_classification.readers.tables import ItemTables
from valor_classification.readers.truth import label_text, labels
from valor_core.plugin import (
    ReadError,
    Table,
    TablePartition,
    as_number,
    columns_beside,
    field_tables,
    parsed,
    read_table,
    shown,
)
from valor_core.schemas.classification import Classification, ClassificationBatch
from valor_core.schemas.label import DEFAULT_KEY, Label


@frozen
class ListsReader:
    """Reads rows such as ``{"uid": "a", "groundtruths": "dog", "predictions": {"dog": 0.75}}``.

    Predictions are a table of label and score, a list of (label, score) pairs, a list of labels
    beside a list of scores, or a list of tables with ``label``, ``score`` and, if need be,
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
        """The batch of one range."""
        table = read_table(partition)
        chosen = self.parameters
        uids = self._tables.uids(table)
        truths = parsed(table, chosen.groundtruths)
        predictions = parsed(table, chosen.predictions)
        has_scores = table.has(chosen.scores)
        beside = parsed(table, chosen.scores) if has_scores else [None] * len(table)
        facts = self._facts(table)
        yield ClassificationBatch.of(
            Classification(
                uids[row],
                labels(truths[row], table.place(row, chosen.groundtruths), DEFAULT_KEY),
                self._predictions(table, row, predictions[row], beside[row]),
                facts[row],
            )
            for row in range(len(table))
        )

    def _predictions(
        self, table: Table, row: int, cell: Any, beside: Any
    ) -> list[tuple[Label, float]]:
        place = table.place(row, self.parameters.predictions)
        if cell is None:
            return []
        if isinstance(cell, dict):
            return list(_scored(cell, place, DEFAULT_KEY))
        if not isinstance(cell, list):
            if beside is None:
                raise _scoreless(cell, place)
            cell, beside = [cell], beside if isinstance(beside, list) else [_single(beside)]
        if beside is None or all(isinstance(one, dict) for one in cell):
            return [_scored_label(one, place) for one in cell]
        score_place = table.place(row, self.parameters.scores)
        if not isinstance(beside, list) or len(beside) != len(cell):
            found = f"{len(beside)}" if isinstance(beside, list) else shown(beside)
            raise ReadError(
                f"{score_place}: expected a list of {len(cell)} scores, one for each prediction, "
                f"found {found}"
            )
        return [
            (Label(DEFAULT_KEY, label_text(value, place)), score_of(score, score_place))
            for value, score in zip(cell, beside, strict=True)
        ]

    def _facts(self, table: Table) -> list[dict[str, Any]]:
        """Metadata of each row: columns that are nothing else, and the table of fields."""
        chosen = self.parameters
        own = self._tables.own(
            chosen.groundtruths, chosen.predictions, chosen.scores, chosen.metadata
        )
        columns = columns_beside(table, own)
        facts = [{name: cells[row] for name, cells in columns.items()} for row in range(len(table))]
        if table.has(chosen.metadata):
            for row, fields in enumerate(field_tables(table, chosen.metadata)):
                facts[row] |= fields
        return facts

    @property
    def _tables(self) -> ItemTables:
        chosen = self.parameters
        return ItemTables(chosen.path, chosen.uid, chosen.partition_bytes)


def _scored(cell: dict[str, Any], place: str, key: str) -> Iterator[tuple[Label, float]]:
    for name, score in cell.items():
        if isinstance(score, dict):
            yield from _scored(score, place, name)
        else:
            yield Label(key, label_text(name, place)), score_of(score, place)


def _single(score: Any) -> Any:
    """A score that has a cell of its own, where CSV has it as text."""
    number = as_number(score)
    return score if number is None else number


def _scoreless(prediction: Any, place: str) -> ReadError:
    written = json.dumps(str(prediction), ensure_ascii=False)
    return ReadError(
        f"{place}: expected a score with each label, found {shown(prediction)}",
        f"Write it as: {{{written}: 0.5}}, or name the column of scores under data.scores.",
    )


def _scored_label(one: Any, place: str) -> tuple[Label, float]:
    """What one entry of a list says: a table, or a pair of label and score."""
    if isinstance(one, dict):
        return _of_table(one, place)
    if not isinstance(one, list):
        raise _scoreless(one, place)
    if len(one) != 2:
        raise ReadError(f"{place}: expected pairs of label and score, found {shown(one)}")
    label, score = one
    return Label(DEFAULT_KEY, label_text(label, place)), score_of(score, place)


def _of_table(one: dict[str, Any], place: str) -> tuple[Label, float]:
    if "label" not in one or "score" not in one:
        raise ReadError(f"{place}: expected tables with label and score, found {shown(one)}")
    key = str(one.get("key", DEFAULT_KEY))
    return Label(key, label_text(one["label"], place)), score_of(one["score"], place)


def score_of(value: Any, place: str) -> float:
    """A finite score.

    Raises
    ------
    ReadError
        If the value is not a finite number; `place` says where it is.

    Examples
    --------
    >>> score_of(1, "")
    1.0
    """
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value):
        raise ReadError(f"{place}: expected a finite number as score, found {shown(value)}")
    return float(value)
