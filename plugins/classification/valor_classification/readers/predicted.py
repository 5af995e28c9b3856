"""Reader of predicted labels: one row for each item, its labels without scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from attrs import frozen

from valor_classification.parameters.readers.predicted import PredictedParameters
from valor_classification.readers.tables import ItemTables
from valor_classification.readers.truth import label_column
from valor_core.plugin import TablePartition, columns_beside, read_table
from valor_core.schemas.classification import ClassificationBatch
from valor_core.schemas.classification.scores import ScoreList
from valor_core.schemas.datum import Datums
from valor_core.schemas.label import Vocabulary


@frozen
class PredictedReader:
    """Reads rows of true and predicted label; a prediction scores 1, other columns are metadata.

    Parameters
    ----------
    parameters : PredictedParameters
        Files and names of columns.
    task : str
        Always ``"classification"``.
    """

    parameters: PredictedParameters
    task: str

    def partitions(self) -> Sequence[TablePartition]:
        """Ranges of the files."""
        return self._tables.partitions()

    def read(self, partition: TablePartition) -> Iterator[ClassificationBatch]:
        """The batch of one range."""
        table = read_table(partition)
        chosen = self.parameters
        vocabulary = Vocabulary()
        truth_rows, truths, missing = label_column(table, chosen.label, chosen.key, vocabulary)
        rows, predicted, unseen = label_column(table, chosen.prediction, chosen.key, vocabulary)
        untold = missing | unseen
        own = self._tables.own(chosen.label, chosen.prediction)
        metadata = columns_beside(table, own)
        yield ClassificationBatch(
            Datums(self._tables.uids(table), metadata),
            vocabulary.labels,
            truth_rows,
            truths,
            ScoreList(rows, predicted, np.ones(len(rows)), scored=False),
            untold.counts,
            untold.first,
        )

    @property
    def _tables(self) -> ItemTables:
        chosen = self.parameters
        return ItemTables(chosen.path, chosen.uid, chosen.partition_bytes)
