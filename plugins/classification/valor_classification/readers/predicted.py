"""Reader of predicted labels: one row for each item, with the score of its label or without."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from attrs import evolve, frozen
from valor_files import Table, TablePartition, WholeFiles, columns_beside, read_table

from valor_classification.parameters.readers import PredictedParameters
from valor_classification.readers.item_tables import UID, ItemTables
from valor_classification.readers.joined import JoinedTables, pair_of_files
from valor_classification.readers.label_cells import LabelColumns
from valor_core.errors import ReadError, and_more
from valor_core.readers import Partition
from valor_core.schemas import Datums, Vocabulary
from valor_core.schemas.classification import ClassificationBatch, ScoreList


@frozen
class PredictedReader:
    """Reader of rows of true and predicted label; other columns are metadata.

    Without a column of scores, predictions score 1. That column is also metadata, for slices.

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
        chosen = self.parameters
        if chosen.predictions is not None:
            return pair_of_files(chosen.path, chosen.predictions)
        return self._tables.partitions()

    def read(self, partition: Partition) -> Iterator[ClassificationBatch]:
        """Yield the batch of one range, or of both files."""
        if isinstance(partition, WholeFiles):
            yield self._joined(JoinedTables.read(partition, self.parameters.uid or UID))
        elif isinstance(partition, TablePartition):
            yield self._batch(read_table(partition))

    def _batch(self, table: Table) -> ClassificationBatch:
        vocabulary = Vocabulary()
        truths, predicted = self._sides(table, table, vocabulary)
        empty = truths.empty | predicted.empty
        metadata = columns_beside(
            table, self._tables.columns_read(*truths.columns, *predicted.columns)
        )
        return ClassificationBatch(
            Datums(self._tables.uids(table), metadata),
            vocabulary.labels,
            truths.rows,
            truths.labels,
            self._scores(table, predicted),
            empty.counts,
            empty.first,
        )

    def _joined(self, tables: JoinedTables) -> ClassificationBatch:
        """Make the batch of two tables, joined by uid."""
        vocabulary = Vocabulary()
        truths, predicted = self._sides(tables.truths, tables.predictions, vocabulary)
        empty = truths.empty | predicted.empty | tables.unmatched
        scores = self._scores(tables.predictions, predicted)
        datums = tables.datums[scores.datums]
        order = np.argsort(datums, kind="stable")
        return ClassificationBatch(
            tables.datums_beside((*truths.columns, *predicted.columns)),
            vocabulary.labels,
            tables.true_datums[truths.rows],
            truths.labels,
            evolve(
                scores,
                datums=datums[order],
                labels=scores.labels[order],
                values=scores.values[order],
            ),
            empty.counts,
            empty.first,
        )

    def _sides(
        self, truths: Table, predictions: Table, vocabulary: Vocabulary
    ) -> tuple[LabelColumns, LabelColumns]:
        """True labels of one table, and predicted labels of another or the same."""
        chosen = self.parameters
        names = self._names(truths, chosen.label_prefix)
        predicted_names = self._names(predictions, chosen.prediction_prefix)
        if names is not None and predicted_names is not None:
            names = predicted_names
        found = (
            (truths, chosen.label, chosen.label_prefix, names),
            (predictions, chosen.prediction, chosen.prediction_prefix, predicted_names),
        )
        true, predicted = (
            LabelColumns.of(table, column, chosen.key, vocabulary)
            if names is None
            else LabelColumns.of_indicators(table, prefix or "", names, chosen.key, vocabulary)
            for table, column, prefix, names in found
        )
        return true, predicted

    def _names(self, table: Table, prefix: str | None) -> list[str] | None:
        """Labels of the columns of 0 and 1 that start with a prefix."""
        if prefix is None:
            return None
        uid = self.parameters.uid or UID
        starting = [name for name in table.names if name.startswith(prefix) and name != uid]
        return [name.removeprefix(prefix) for name in starting]

    def _scores(self, table: Table, predicted: LabelColumns) -> ScoreList:
        """Predicted labels with their scores, or without."""
        name, rows = self.parameters.score, predicted.rows
        if name is None:
            return ScoreList(rows, predicted.labels, np.ones(len(rows)), scored=False)
        again = np.flatnonzero(rows[1:] == rows[:-1])
        if len(again):
            row = int(rows[again[0]])
            count = int(np.count_nonzero(rows == row))
            raise ReadError(
                f"{table.place(row, name)}: expected the score of one predicted label, found "
                f"{count} labels",
                "Write lists of labels and of scores, and choose the reader lists.",
            )
        values = table.floats(name, allow_missing=True)[rows]
        missing = np.flatnonzero(np.isnan(values))
        if len(missing):
            raise ReadError(
                f"{table.place(int(rows[missing[0]]), name)}: expected the score of the predicted "
                f"label, found none{and_more(len(missing) - 1)}"
            )
        return ScoreList(rows, predicted.labels, values, best_only=True)

    @property
    def _tables(self) -> ItemTables:
        chosen = self.parameters
        return ItemTables(chosen.path, chosen.uid, chosen.partition_bytes)
