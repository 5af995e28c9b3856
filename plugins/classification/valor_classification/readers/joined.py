"""Ground truths and predictions in two tables, joined by the uid of their items."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Self

import numpy as np
from attrs import frozen
from valor_files import Table, TableSource, WholeFiles, columns_beside, read_table

from valor_classification.readers.label_cells import EmptyLabels
from valor_core.errors import ParameterError, ReadError, short_repr
from valor_core.schemas import Codes, Datums


@frozen(eq=False, repr=False)
class JoinedTables:
    """Table of ground truths and table of predictions with one row for each item.

    Parameters
    ----------
    truths, predictions : Table
        The tables.
    uid : str
        Column of the uid in both.
    uids : list
        Uids of both tables: first those of the ground truths, then those only predicted.
    true_datums, datums : ndarray of int64
        Position in `uids` of each row of the ground truths and of the predictions.
    """

    truths: Table
    predictions: Table
    uid: str
    uids: list[Any]
    true_datums: Codes
    datums: Codes

    @classmethod
    def of(cls, truths: Table, predictions: Table, uid: str) -> Self:
        """Join two tables.

        Raises
        ------
        ReadError
            If a table has a uid twice, or no item is in both.
        """
        numbers: dict[Any, int] = {}
        true_datums, datums = (
            np.array(
                [numbers.setdefault(one, len(numbers)) for one in table.uids(uid).tolist()],
                dtype=np.int64,
            )
            for table in (truths, predictions)
        )
        uids = list(numbers)
        if len(datums) and len(true_datums) and not (datums < len(true_datums)).any():
            raise ReadError(
                f"{predictions.place(0, uid)}: expected an item of {truths.source}, such as "
                f"{short_repr(uids[0])}, found {short_repr(uids[int(datums[0])])}; no item is in "
                "both",
                "Write the same uids in both tables, or name the column they share under data.uid.",
            )
        return cls(truths, predictions, uid, uids, true_datums, datums)

    @classmethod
    def read(cls, partition: WholeFiles[TableSource], uid: str) -> Self:
        """Read both tables of a partition."""
        truths = read_table(partition.groundtruths)
        return cls.of(truths, read_table(partition.predictions), uid)

    def datums_beside(self, used: Collection[str]) -> Datums:
        """Items with the metadata of both tables; the ground truths decide where both have it.

        Parameters
        ----------
        used : collection of str
            Columns that are no metadata.
        """
        metadata: dict[str, Any] = {}
        sides = ((self.predictions, self.datums), (self.truths, self.true_datums))
        for table, datums in sides:
            for name, cells in columns_beside(table, {self.uid, *used}).items():
                column = metadata.setdefault(name, np.full(len(self.uids), None, dtype=object))
                for datum, cell in zip(datums.tolist(), cells, strict=True):
                    column[datum] = cell
        return Datums(np.array(self.uids, dtype=np.object_), metadata)

    @property
    def unmatched(self) -> EmptyLabels:
        """Rows of each table whose item the other table lacks."""
        found = _unmatched(
            self.truths, self.true_datums, self.datums, "ground truth", self.predictions.source
        )
        return found | _unmatched(
            self.predictions, self.datums, self.true_datums, "prediction", self.truths.source
        )


def pair_of_files(
    paths: tuple[TableSource, ...], predictions: TableSource
) -> tuple[WholeFiles[TableSource]]:
    """Return the only partition of ground truths and predictions in two tables.

    Raises
    ------
    ParameterError
        If there are several tables of ground truths.
    """
    if len(paths) > 1:
        raise ParameterError(
            f"path must name one table next to predictions, got {len(paths)}",
            "Join the true labels in one table.",
        )
    return (WholeFiles(paths[0], predictions),)


def _unmatched(table: Table, datums: Codes, partners: Codes, side: str, source: str) -> EmptyLabels:
    rows = np.flatnonzero(~np.isin(datums, partners))
    if not len(rows):
        return EmptyLabels()
    what = f"{table.unit}s with a {side} whose item is not in {source}"
    return EmptyLabels({what: len(rows)}, {what: (table.source, table.row(int(rows[0])))})
