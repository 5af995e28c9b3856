"""Reader of tables with responses and correct answers."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import field, fields, frozen
from valor_files import (
    Detected,
    TableInMemory,
    TablePartition,
    TableSource,
    first_rows,
    named_source,
    read_table,
    split_table,
    table_format,
)

from valor_core.errors import ParameterError, did_you_mean
from valor_core.schemas import Datums
from valor_core.schemas.columns import with_columns
from valor_rgb.parameters.readers import ResponsesParameters
from valor_rgb.parameters.rules import ABILITIES
from valor_rgb.samples.batch import NAMES, RGBBatch, from_table
from valor_rgb.samples.sample import RGBSample

_GZIP = ".gz"
_SOME = 1 << 12


def split_records(path: TableSource, partition_bytes: int = 1 << 62) -> tuple[TablePartition, ...]:
    """Partitions of a table; a .json file that begins with an object is JSON Lines.

    Raises
    ------
    ReadError
        If the file is missing, is empty, or has an unsupported suffix.
    """
    if isinstance(path, TableInMemory):
        return split_table(path)
    format = table_format(path)
    if format == "json" and _begins_with_an_object(path):
        format = "jsonl"
    return split_table(path, partition_bytes=partition_bytes, format=format)


def _begins_with_an_object(path: Path) -> bool:
    try:
        with (gzip.open if path.suffix.lower() == _GZIP else open)(path, "rb") as stream:
            start = stream.read(_SOME)
    except (OSError, EOFError):
        return False  # the reader reports the error
    return bool(start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"))


@frozen
class ResponsesReader:
    """Reader of one sample per row, with the column names of Valor or of the paper's program.

    Parameters
    ----------
    parameters : ResponsesParameters
        Files, names of columns, and values for all rows of a file.
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
        field_names = [one.name for one in fields(RGBSample) if one.name != "metadata"]
        for name in self.parameters.columns:
            if name not in field_names:
                raise ParameterError(
                    f"columns.{name}: unknown field",
                    did_you_mean(name, field_names) or f"Known fields: {', '.join(field_names)}.",
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
        sources = self.parameters.path
        source_index = next(
            i for i, one in enumerate(sources) if one in (partition, partition.path)
        )
        batch = from_table(table, self._same(source_index))
        if len(sources) > 1 and not table.has("uid"):
            # Row numbers repeat between files.
            is_file = isinstance(sources[source_index], Path)
            name = partition.path.name.partition(".")[0] if is_file else f"table {source_index}"
            uids = [f"{name}/{uid}" for uid in batch.datums.uids.tolist()]
            batch = with_columns(batch, datums=Datums(uids, batch.datums.metadata))
        yield batch

    def _same(self, source_index: int) -> dict[str, Any]:
        """Return the values for all rows of a file."""
        chosen = self.parameters
        named = {"ability": chosen.ability, "noise_ratio": chosen.noise_ratio}
        return {
            name: values[source_index if len(values) > 1 else 0]
            for name, values in named.items()
            if values
        }


_METRICS = dict(
    zip(
        ABILITIES,
        (
            "NoiseRobustness",
            "NegativeRejection",
            "InformationIntegration",
            "CounterfactualRobustness",
        ),
        strict=True,
    )
)


def detected(files: Sequence[TableSource]) -> Detected | None:
    """Detect tables with a column of abilities."""
    named: list[Any] = []
    for file in files:
        table = first_rows(file)
        if table is None or not table.has("ability") or not any(map(table.has, NAMES["response"])):
            return None
        named += table.values("ability").tolist()
    if not any(ability in named for ability in _METRICS):
        return None
    # all abilities, since later rows may have other ones
    metrics = tuple(_METRICS.values())
    return Detected(data={"path": [named_source(file) for file in files]}, metrics=metrics)
