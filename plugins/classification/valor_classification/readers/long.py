"""Reader of long tables: one row for each ground truth, one row for each score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from attrs import frozen
from valor_files import Table, TableSource, WholeFiles, metadata_by_uid, read_table

from valor_classification.parameters.readers import LongParameters
from valor_classification.readers.label_cells import label_text
from valor_core.schemas import DEFAULT_KEY, Codes, Datums, Label, Vocabulary
from valor_core.schemas.classification import ClassificationBatch, ScoreList


@frozen
class LongReader:
    """Reader of (uid, label) rows of ground truths and (uid, label, score) rows of predictions.

    Parameters
    ----------
    parameters : LongParameters
        Files and names of columns.
    task : str
        Always ``"classification"``.
    """

    parameters: LongParameters
    task: str

    def partitions(self) -> Sequence[WholeFiles[TableSource]]:
        """Return one partition of both files."""
        return (WholeFiles(self.parameters.groundtruths, self.parameters.predictions),)

    def read(self, partition: WholeFiles[TableSource]) -> Iterator[ClassificationBatch]:
        """Yield the only batch."""
        chosen = self.parameters
        truths, scores = read_table(partition.groundtruths), read_table(partition.predictions)
        numbers: dict[str, int] = {}
        vocabulary = Vocabulary()
        truth_datums = _numbered(truths, chosen.uid, numbers)
        truth_labels = self._labels(truths, vocabulary)
        score_datums = _numbered(scores, chosen.uid, numbers)
        score_labels = self._labels(scores, vocabulary)
        values = scores.floats(chosen.score)
        by_truth = np.argsort(truth_datums, kind="stable")
        by_datum = np.argsort(score_datums, kind="stable")
        expected = "an item with a ground truth or a prediction"
        metadata = {}
        if chosen.metadata is not None:
            table = read_table(chosen.metadata)
            metadata = metadata_by_uid(table, chosen.uid, numbers, expected)
        yield ClassificationBatch(
            Datums(np.array(list(numbers), dtype=np.object_), metadata),
            vocabulary.labels,
            truth_datums[by_truth],
            truth_labels[by_truth],
            ScoreList(score_datums[by_datum], score_labels[by_datum], values[by_datum]),
        )

    def _labels(self, table: Table, vocabulary: Vocabulary) -> Codes:
        """Label codes of a table's rows; each distinct pair becomes a label once."""
        chosen = self.parameters
        value_codes, values = table.distinct(chosen.label)
        key_codes, keys = self._keys(table)
        pairs, first_rows, codes = np.unique(
            key_codes * len(values) + value_codes, return_index=True, return_inverse=True
        )
        label_codes = np.empty(len(pairs), dtype=np.int64)
        for at in np.argsort(first_rows).tolist():
            key, value = divmod(int(pairs[at]), len(values))
            text = label_text(values[value], table.place(int(first_rows[at]), chosen.label))
            label_codes[at] = vocabulary.code(Label(keys[key], text))
        return label_codes[codes]

    def _keys(self, table: Table) -> tuple[Codes, list[str]]:
        """Label key of each row."""
        if table.has(self.parameters.key):
            return table.categories(self.parameters.key)
        return np.zeros(len(table), dtype=np.int64), [DEFAULT_KEY]


def _numbered(table: Table, name: str, numbers: dict[str, int]) -> Codes:
    """Positions of uids in the order of their first mention."""
    codes, uids = table.categories(name)
    numbered = [numbers.setdefault(uid, len(numbers)) for uid in uids]
    return np.array(numbered, dtype=np.int64)[codes]
