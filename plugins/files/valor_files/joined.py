"""Ground truths and predictions in two tables, joined to rows with both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import evolve, frozen

from valor_core.errors import ReadError, short_repr
from valor_core.schemas import Codes
from valor_files.tables import Table
from valor_files.tables.table import Column

_OF_PREDICTIONS = ("response", "outcomes")
"""Fields that the table of predictions decides."""


@frozen(eq=False, repr=False)
class JoinedRows:
    """Rows of ground truths with the columns of their predictions.

    Parameters
    ----------
    table : Table
        The rows, in the order of the ground truths.
    unmatched : dict of str to int
        Number of rows of each side without a partner, by description.
    first_unmatched : dict of str to (str, int)
        File and row of the first.
    """

    table: Table
    unmatched: dict[str, int]
    first_unmatched: dict[str, tuple[str, int]]

    @classmethod
    def of(cls, truths: Table, predictions: Table, columns: Mapping[str, str]) -> JoinedRows:
        """Join two tables by their column of uids.

        Predictions without a ground truth are excluded. Ground truths without a prediction have no
        response.

        Parameters
        ----------
        truths, predictions : Table
            The tables.
        columns : mapping of str to str
            Column names by field, of both tables.

        Raises
        ------
        ReadError
            If a table lacks the uids or has one twice, or no uid is in both.

        Examples
        --------
        >>> truths = Table({"uid": ["a", "b"], "reference": ["x", "y"]}, "truths.csv")
        >>> found = Table({"uid": ["b", "a"], "response": ["y", "z"]}, "found.csv")
        >>> JoinedRows.of(truths, found, {}).table.values("response").tolist()
        ['z', 'y']
        """
        truths, predictions = _renamed(truths, predictions, columns)
        true, found = (table.uids("uid").tolist() for table in (truths, predictions))
        positions = {uid: row for row, uid in enumerate(found)}
        rows = np.array([positions.get(uid, -1) for uid in true], dtype=np.int64)
        if len(true) and len(found) and (rows < 0).all():
            raise ReadError(
                f"{predictions.place(0, 'uid')}: expected an item of {truths.source}, such as "
                f"{short_repr(true[0])}, found {short_repr(found[0])}; no item is in both",
                "Write the same uids in both tables, or name their column under data.columns.uid.",
            )
        kept = {
            name: cells
            for name, cells in truths.columns.items()
            if not (name in _OF_PREDICTIONS and predictions.has(name))
        }
        added = {
            name: _taken(predictions, name, rows) for name in predictions.names if name not in kept
        }
        table = evolve(
            truths,
            columns=kept | added,
            source=f"{truths.source} and {predictions.source}",
            row_numbers=truths.rows,
            names_in_file={**predictions.names_in_file, **truths.names_in_file},
        )
        alone = {
            f"{truths.unit}s without a prediction in {predictions.source}": (
                truths,
                np.flatnonzero(rows < 0),
            ),
            f"{predictions.unit}s with a prediction whose item is not in {truths.source}": (
                predictions,
                np.setdiff1d(np.arange(len(found)), rows),
            ),
        }
        alone = {what: pair for what, pair in alone.items() if len(pair[1])}
        return cls(
            table,
            {what: len(missing) for what, (_, missing) in alone.items()},
            {
                what: (side.source, side.row(int(missing[0])))
                for what, (side, missing) in alone.items()
            },
        )


def _renamed(truths: Table, predictions: Table, columns: Mapping[str, str]) -> tuple[Table, Table]:
    """Rename the columns of each table to the fields that it decides."""
    sides: tuple[dict[str, str], dict[str, str]] = ({}, {})
    for field, name in columns.items():
        is_predicted = field in _OF_PREDICTIONS or not truths.has(name)
        for is_wanted, side in zip((not is_predicted, is_predicted), sides, strict=True):
            if is_wanted or field == "uid":
                side[field] = name
    return truths.renamed(sides[0]), predictions.renamed(sides[1])


def _taken(table: Table, name: str, rows: Codes) -> Column:
    """Cells of a column at the rows, None for a row of -1."""
    cells: Any = table.values(name).astype(object)
    found = cells[rows] if len(cells) else np.full(len(rows), None, dtype=object)
    found[rows < 0] = None
    return found.tolist()
