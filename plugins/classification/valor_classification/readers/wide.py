"""Reader of wide tables: one row for each item, one score column for each label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from attrs import frozen

from valor_classification.parameters import WideParameters
from valor_classification.readers.truth import labels
from valor_core.errors import ReadError
from valor_core.readers import Table, TablePartition, read_table, split_table
from valor_core.readers.metadata import typed_column
from valor_core.readers.nested import parsed
from valor_core.schemas.classification import ClassificationBatch
from valor_core.schemas.datum import Datums
from valor_core.schemas.label import Label, Vocabulary
from valor_core.schemas.scores import ScoreMatrix


@frozen
class WideReader:
    """Reads rows of uid, true label and one score for each label; other columns are metadata.

    Parameters
    ----------
    parameters : WideParameters
        File and names of columns.
    task : str
        Always ``"classification"``.
    """

    parameters: WideParameters
    task: str

    def partitions(self) -> Sequence[TablePartition]:
        """Ranges of the file."""
        chosen = self.parameters
        return split_table(chosen.path, partition_bytes=chosen.partition_bytes)

    def read(self, partition: TablePartition) -> Iterator[ClassificationBatch]:
        """The batch of one range."""
        table = read_table(partition)
        chosen = self.parameters
        columns = self._score_columns(table)
        vocabulary = Vocabulary()
        codes = vocabulary.join(Label(chosen.key, value) for value in columns.values())
        truths = [
            (row, label)
            for row, cell in enumerate(parsed(table, chosen.label))
            for label in labels(cell, table.place(row, chosen.label), chosen.key)
        ]
        truth_labels = vocabulary.join(label for _, label in truths)
        own = {chosen.uid, chosen.label, *columns}
        metadata = {
            name: typed_column(table.values(name)) for name in table.names if name not in own
        }
        yield ClassificationBatch(
            Datums(table.strings(chosen.uid), metadata),
            vocabulary.labels,
            np.array([row for row, _ in truths], dtype=np.int64),
            truth_labels,
            ScoreMatrix(np.stack([table.floats(name) for name in columns], axis=1), codes),
        )

    def _score_columns(self, table: Table) -> dict[str, str]:
        """Score columns with the values of their labels."""
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
        return {name: name.removeprefix(chosen.prefix) for name in found}
