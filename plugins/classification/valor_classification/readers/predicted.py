"""Reader of predicted labels: one row for each item, its labels without scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from attrs import frozen
from valor_files import Table, TablePartition, WholeFiles, columns_beside, read_table

from valor_classification.parameters.readers import PredictedParameters
from valor_classification.readers.item_tables import ItemTables
from valor_classification.readers.label_cells import EmptyLabels, label_column
from valor_core.errors import ParameterError
from valor_core.readers import Partition
from valor_core.schemas import Codes, Datums, Vocabulary
from valor_core.schemas.classification import ClassificationBatch, ScoreList

_UID = "uid"


@frozen
class PredictedReader:
    """Reader of rows of true and predicted label; predictions score 1, other columns are metadata.

    Parameters
    ----------
    parameters : PredictedParameters
        Files and names of columns.
    task : str
        Always ``"classification"``.
    """

    parameters: PredictedParameters
    task: str

    def partitions(self) -> Sequence[Partition]:
        """Ranges of the files, or both files if the predictions have their own."""
        paths, predictions = self.parameters.path, self.parameters.predictions
        if predictions is None:
            return self._tables.partitions()
        if len(paths) > 1:
            raise ParameterError(
                f"path must name one table next to predictions, got {len(paths)}",
                "Join the true labels in one table.",
            )
        return (WholeFiles(paths[0], predictions),)

    def read(self, partition: Partition) -> Iterator[ClassificationBatch]:
        """Yield the batch of one range, or of both files."""
        if isinstance(partition, WholeFiles):
            yield self._joined(
                read_table(partition.groundtruths), read_table(partition.predictions)
            )
        elif isinstance(partition, TablePartition):
            yield self._batch(read_table(partition))

    def _batch(self, table: Table) -> ClassificationBatch:
        chosen = self.parameters
        vocabulary = Vocabulary()
        truth_rows, truths, missing = label_column(table, chosen.label, chosen.key, vocabulary)
        rows, predicted, unseen = label_column(table, chosen.prediction, chosen.key, vocabulary)
        untold = missing | unseen
        used = self._tables.columns_read(chosen.label, chosen.prediction)
        metadata = columns_beside(table, used)
        return ClassificationBatch(
            Datums(self._tables.uids(table), metadata),
            vocabulary.labels,
            truth_rows,
            truths,
            ScoreList(rows, predicted, np.ones(len(rows)), scored=False),
            untold.counts,
            untold.first,
        )

    def _joined(self, truths: Table, predictions: Table) -> ClassificationBatch:
        """Make the batch of two tables, joined by uid."""
        chosen, uid = self.parameters, self.parameters.uid or _UID
        numbers: dict[Any, int] = {}
        true_datums, datums = (
            np.array([numbers.setdefault(one, len(numbers)) for one in table.uids(uid).tolist()])
            for table in (truths, predictions)
        )
        vocabulary = Vocabulary()
        rows, labels, missing = label_column(truths, chosen.label, chosen.key, vocabulary)
        labelled, predicted, unlabelled = label_column(
            predictions, chosen.prediction, chosen.key, vocabulary
        )
        order = np.argsort(datums[labelled], kind="stable")
        untold = missing | unlabelled
        untold |= _alone(truths, true_datums, datums, "ground truth", predictions.source)
        untold |= _alone(predictions, datums, true_datums, "prediction", truths.source)
        return ClassificationBatch(
            Datums(
                np.array(list(numbers), dtype=np.object_),
                self._metadata(len(numbers), (predictions, datums), (truths, true_datums)),
            ),
            vocabulary.labels,
            true_datums[rows],
            labels,
            ScoreList(datums[labelled][order], predicted[order], np.ones(len(order)), scored=False),
            untold.counts,
            untold.first,
        )

    def _metadata(self, count: int, *tables: tuple[Table, Codes]) -> dict[str, Any]:
        """Metadata columns of all tables; the last one decides where two have a column."""
        chosen = self.parameters
        used = {chosen.uid or _UID, chosen.label, chosen.prediction}
        metadata: dict[str, Any] = {}
        for table, datums in tables:
            for name, cells in columns_beside(table, used).items():
                column = metadata.setdefault(name, np.full(count, None, dtype=object))
                for datum, cell in zip(datums.tolist(), cells, strict=True):
                    column[datum] = cell
        return metadata

    @property
    def _tables(self) -> ItemTables:
        chosen = self.parameters
        return ItemTables(chosen.path, chosen.uid, chosen.partition_bytes)


def _alone(table: Table, datums: Codes, partners: Codes, side: str, source: str) -> EmptyLabels:
    """Rows of a table whose item the other table lacks."""
    rows = np.flatnonzero(~np.isin(datums, partners))
    if not len(rows):
        return EmptyLabels()
    what = f"{table.unit}s with a {side} whose item is not in {source}"
    return EmptyLabels({what: len(rows)}, {what: (table.source, table.row(int(rows[0])))})
