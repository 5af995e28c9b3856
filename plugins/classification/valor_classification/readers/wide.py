"""Reader of wide tables: one row for each item, one score column for each label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from attrs import frozen
from valor_files import (
    Table,
    TablePartition,
    WholeFiles,
    columns_beside,
    listed_labels,
    read_table,
)

from valor_classification.parameters.readers import WideParameters
from valor_classification.readers.item_tables import UID, ItemTables
from valor_classification.readers.joined import JoinedTables, pair_of_files
from valor_classification.readers.label_cells import LabelColumns
from valor_core.errors import ReadError, and_more, did_you_mean, short_repr
from valor_core.readers import Partition
from valor_core.schemas import Codes, Datums, Floats, Label, Vocabulary
from valor_core.schemas.classification import ClassificationBatch, ScoreList, ScoreMatrix
from valor_core.schemas.columns import widen_as_printed


@frozen(eq=False, repr=False)
class _Sides:
    """True labels and scores of the rows of tables.

    Parameters
    ----------
    vocabulary : Vocabulary
        Labels of both.
    truths : LabelColumns
        True labels.
    columns : tuple of str
        Columns of the scores.
    codes : ndarray of int64, shape (n_labels,)
        Code of each scored label.
    scores : ndarray, shape (n, n_labels)
        The scores.
    """

    vocabulary: Vocabulary
    truths: LabelColumns
    columns: tuple[str, ...]
    codes: Codes
    scores: Floats


_SHOWN = 20
"""Most names that an error lists."""


@frozen
class WideReader:
    """Reader of rows of uid, true label and one score for each label; other columns are metadata.

    Parameters
    ----------
    parameters : WideParameters
        Files and names of columns.
    task : str
        Always ``"classification"``.
    """

    parameters: WideParameters
    task: str

    def partitions(self) -> Sequence[Partition]:
        """Ranges of the files, or both files if the scores have their own."""
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
        sides = self._sides(table, table)
        used = self._tables.columns_read(*sides.truths.columns, *sides.columns)
        metadata = columns_beside(table, used)
        return ClassificationBatch(
            Datums(self._tables.uids(table), metadata),
            sides.vocabulary.labels,
            sides.truths.rows,
            sides.truths.labels,
            ScoreMatrix(sides.scores, sides.codes),
            sides.truths.empty.counts,
            sides.truths.empty.first,
        )

    def _joined(self, tables: JoinedTables) -> ClassificationBatch:
        """Make the batch of two tables, joined by uid; an item may have no scores."""
        sides = self._sides(tables.truths, tables.predictions)
        empty = sides.truths.empty | tables.unmatched
        order = np.argsort(tables.datums, kind="stable")
        width = len(sides.codes)
        return ClassificationBatch(
            tables.datums_beside((*sides.truths.columns, *sides.columns)),
            sides.vocabulary.labels,
            tables.true_datums[sides.truths.rows],
            sides.truths.labels,
            ScoreList(
                np.repeat(tables.datums[order], width),
                np.tile(sides.codes, len(order)),
                sides.scores[order].ravel(),
            ),
            empty.counts,
            empty.first,
        )

    def _sides(self, truths: Table, predictions: Table) -> _Sides:
        """Read the true labels of one table, and the scores of another or the same."""
        chosen = self.parameters
        columns = self._score_columns(predictions)
        scored = self._scored_labels(predictions, columns)
        vocabulary = Vocabulary()
        codes = vocabulary.join(scored)
        count = len(vocabulary)
        if chosen.label_prefix is None:
            found = LabelColumns.of(truths, chosen.label, chosen.key, vocabulary)
        else:
            names = [label.value for label in scored]
            found = LabelColumns.of_indicators(
                truths, chosen.label_prefix, names, chosen.key, vocabulary
            )
        unscored = np.flatnonzero(found.labels >= count)
        if len(unscored) and not chosen.unscored_labels:
            first = vocabulary.labels[found.labels[unscored[0]]]
            row = int(found.rows[unscored[0]])
            raise self._unscored(truths, row, first, scored, len(unscored))
        scores = _scores(predictions, columns, len(scored))
        return _Sides(vocabulary, found, tuple(columns), codes, scores)

    @property
    def _tables(self) -> ItemTables:
        chosen = self.parameters
        return ItemTables(chosen.path, chosen.uid, chosen.partition_bytes)

    def _score_columns(self, table: Table) -> list[str]:
        chosen = self.parameters
        if chosen.scores is None:
            found = [name for name in table.names if name.startswith(chosen.prefix)]
        else:
            found = list(chosen.scores)
            for name in found:
                if not table.has(name):
                    raise table.missing(name)
        if not found:
            raise ReadError(
                f"{table.source}: has no column that starts with {chosen.prefix!r}, "
                f"{table.known_names}",
                table.header_remedy
                or "Name the score columns under data.scores, or their start under data.prefix.",
            )
        return found

    def _scored_labels(self, table: Table, columns: Sequence[str]) -> list[Label]:
        """Label of each score; both labels if one column has the probability of the second."""
        chosen = self.parameters
        if chosen.labels is None:
            return [Label(chosen.key, name.removeprefix(chosen.prefix)) for name in columns]
        labels = listed_labels(chosen.labels)
        if len(labels) != len(columns) and (len(columns), len(labels)) != (1, 2):
            raise ReadError(
                f"{table.source}: expected a score column for each of {len(labels)} labels, "
                f"found {_listed(columns)}",
                "Name under data.labels the label of each column, or two labels for one column.",
            )
        return [Label(chosen.key, str(value)) for value in labels]

    def _unscored(
        self, table: Table, row: int, label: Label, scored: Sequence[Label], count: int
    ) -> ReadError:
        """Error for true labels without a column of scores, which would count as missed."""
        scored_names, found = list(map(self._shown, scored)), self._shown(label)
        return ReadError(
            f"{table.place(row, self.parameters.label)}: expected a label that a column has scores "
            f"of ({_listed(scored_names)}), found {short_repr(found)}{and_more(count - 1)}",
            self._remedy(found, scored_names),
        )

    def _shown(self, label: Label) -> str:
        return label.value if label.key == self.parameters.key else f"{label.key}: {label.value}"

    def _remedy(self, found: str, scored_names: Sequence[str]) -> str:
        is_alone = len(scored_names) == 1
        which = "both labels, that of the probability last," if is_alone else "the columns' labels"
        remedy = (
            f"Name {which} under data.labels, or set data.unscored_labels: true to count others "
            "as missed."
        )
        return " ".join(filter(None, (did_you_mean(found, scored_names), remedy)))


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(map(repr, names[:_SHOWN]))}{and_more(len(names) - _SHOWN)}"


def _scores(table: Table, columns: Sequence[str], width: int) -> Floats:
    """Score column of each label; a single probability gives the scores of both labels."""
    if len(columns) == width:
        found = [table.floats(name) for name in columns]
        if len({column.dtype for column in found}) > 1:
            found = [widen_as_printed(column) for column in found]
        return np.stack(found, axis=1)
    second = table.floats(columns[0])
    outside = np.flatnonzero((second < 0) | (second > 1))
    if len(outside):
        raise ReadError(
            f"{table.place(int(outside[0]), columns[0])}: expected a probability in [0, 1], found "
            f"{float(second[outside[0]])}{and_more(len(outside) - 1)}",
            "Write probabilities of the second label, or the scores of both in two columns.",
        )
    return np.stack([1 - second, second], axis=1)
