"""Reader of responses from anywhere: tables that say beside each response what it is judged by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import field, fields, frozen

from valor_core.plugin import ParameterError, TablePartition, did_you_mean, read_table
from valor_core.schemas import Datums
from valor_core.schemas.columns import with_columns
from valor_rgb.parameters.readers import ResponsesParameters
from valor_rgb.readers.records import split_records
from valor_rgb.samples.batch import RGBBatch, from_table
from valor_rgb.samples.sample import RGBSample


@frozen
class ResponsesReader:
    """Reads one sample from each row, by our names of columns or by those of the paper's program.

    Parameters
    ----------
    parameters : ResponsesParameters
        Files, names of columns, and what all rows of a file have in common.
    task : str
        Always ``"rgb"``.

    Raises
    ------
    ParameterError
        If `columns` names a field that samples do not have.
    """

    parameters: ResponsesParameters
    task: str = field(default="rgb")

    def __attrs_post_init__(self) -> None:
        known = [one.name for one in fields(RGBSample) if one.name != "metadata"]
        for name in self.parameters.columns:
            if name not in known:
                raise ParameterError(
                    f"columns.{name}: unknown field",
                    did_you_mean(name, known) or f"Known fields: {', '.join(known)}.",
                )

    def partitions(self) -> Sequence[TablePartition]:
        """Ranges of the files."""
        chosen = self.parameters
        return [
            part for path in chosen.path for part in split_records(path, chosen.partition_bytes)
        ]

    def read(self, partition: TablePartition) -> Iterator[RGBBatch]:
        """The batch of one range."""
        table = read_table(partition, columns=self.parameters.columns)
        batch = from_table(table, self._same(partition.path))
        if len(self.parameters.path) > 1 and not table.has("uid"):
            # Several files number their rows alike.
            name = partition.path.name.partition(".")[0]
            uids = [f"{name}/{uid}" for uid in batch.datums.uids.tolist()]
            batch = with_columns(batch, datums=Datums(uids, batch.datums.metadata))
        yield batch

    def _same(self, path: Path) -> dict[str, Any]:
        """What all rows of a file have in common."""
        chosen = self.parameters
        place = chosen.path.index(path)
        named = {"ability": chosen.ability, "noise_ratio": chosen.noise_ratio}
        return {
            name: values[place if len(values) > 1 else 0]
            for name, values in named.items()
            if values
        }
