"""Reader of plain text files with one item per line, in parallel files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from attrs import field, frozen
from valor_files import TablePartition, checked_size, unreadable_error

from valor_core.errors import ReadError
from valor_core.readers import Partition
from valor_core.schemas import Datums
from valor_core.schemas.text import TextBatch
from valor_text.parameters.readers import LinesParameters

_SCANNED = 1 << 20  # bytes read at a time
_FEED = ord("\n")


@frozen
class LinesPartition(Partition):
    """Range of lines of all files; small and picklable.

    Parameters
    ----------
    first, stop : int
        First line number, starting at 1, and the number after the last one.
    parts : tuple of TablePartition
        Byte ranges in the responses, the references, and the queries if given.
    """

    first: int
    stop: int
    parts: tuple[TablePartition, ...]

    @property
    def _range(self) -> str:
        return f", lines {self.first} to {self.stop - 1}"

    @property
    def name(self) -> str:
        """Name of the partition in a run."""
        return f"{self.parts[0].path}{self._range}"

    @property
    def identity(self) -> str:
        """Name with absolute paths."""
        return f"{' '.join(str(path.resolve()) for path in self.paths)}{self._range}"

    @property
    def paths(self) -> tuple[Path, ...]:
        """Files."""
        return tuple(part.path for part in self.parts)

    def texts(self, part: TablePartition) -> list[str]:
        """Return the lines of a file without line ends.

        Raises
        ------
        ReadError
            If the file cannot be read, has changed, or is not encoded in UTF-8.
        """
        lines = part.content().decode("utf-8").split("\n")
        if not lines[-1]:
            lines.pop()  # empty rest after the last line end
        if len(lines) != self.stop - self.first:
            raise ReadError(
                f"{part.path}: expected {self.stop - self.first:,} lines from line {self.first:,} "
                f"on as when it was opened, found {len(lines):,}"
            )
        return [line.removesuffix("\r") for line in lines]


@frozen
class LinesReader:
    """Reader of one item per line; the uid is the line number, starting at 1.

    Lines end with a line feed, or a carriage return and line feed. An empty line is an empty text.

    Parameters
    ----------
    parameters : LinesParameters
        Files, and size of partitions.
    task : str
        ``"text"``.
    """

    parameters: LinesParameters
    task: str = field(default="text")

    @property
    def paths(self) -> tuple[Path, ...]:
        """All files."""
        chosen = self.parameters
        queries = () if chosen.queries is None else (chosen.queries,)
        return (chosen.responses, *chosen.references, *queries)

    def partitions(self) -> Sequence[LinesPartition]:
        """Split the files into ranges of lines with about `partition_bytes` of responses.

        Raises
        ------
        ReadError
            If a file cannot be read, or numbers of lines differ.
        """
        paths = self.paths
        first = _Lines.scanned(paths[0], step=self.parameters.partition_bytes)
        scanned = [first, *(_Lines.scanned(path, numbers=first.numbers) for path in paths[1:])]
        for other in scanned[1:]:
            if other.count != first.count:
                raise ReadError(
                    f"{other.path}: expected as many lines as in {first.path}, {first.count:,}, "
                    f"found {other.count:,}",
                    "Each line belongs to the line of the same number in the other files.",
                )
        bounds = [1, *first.numbers, first.count + 1]
        parts = [list(lines.parts()) for lines in scanned]
        return [
            LinesPartition(start, stop, tuple(ranges))
            for (start, stop), *ranges in zip(pairwise(bounds), *parts, strict=True)
        ]

    def read(self, partition: LinesPartition) -> Iterator[TextBatch]:
        """Read the batch of a range of lines."""
        responses, *further = map(partition.texts, partition.parts)
        count = len(responses)
        nothing: list[Any] = [None] * count
        queries = nothing if self.parameters.queries is None else further.pop()
        references: list[Any] = list(zip(*further, strict=True)) if further else [()] * count
        if len(further) > 1:
            references = [tuple(filter(None, texts)) for texts in references]
        yield TextBatch(
            Datums(np.arange(partition.first, partition.stop)),
            queries,
            responses,
            references,
            [()] * count,
            [()] * count,
        )


@frozen
class _Lines:
    """Offsets of lines of a file.

    Parameters
    ----------
    path : Path
        File.
    size : int
        Size in bytes.
    count : int
        Number of lines.
    numbers, offsets : sequence of int
        Line numbers, starting at 1, and their offsets.
    """

    path: Path
    size: int
    count: int
    numbers: Sequence[int]
    offsets: Sequence[int]

    @classmethod
    def scanned(cls, path: Path, *, step: int = 0, numbers: Sequence[int] = ()) -> _Lines:
        """Find the offsets of lines at intervals of `step` bytes, or of given line numbers."""
        size = checked_size(path)
        wanted = [number - 2 for number in numbers]  # index of the preceding line end
        found: list[tuple[int, int]] = []
        offset = feeds = 0
        target, is_ended = step, True
        try:
            with path.open("rb") as stream:
                while chunk := stream.read(_SCANNED):
                    line_starts = (
                        np.flatnonzero(np.frombuffer(chunk, np.uint8) == _FEED) + offset + 1
                    )
                    if step:
                        at = int(np.searchsorted(line_starts, target))
                        while at < len(line_starts) and line_starts[at] < size:
                            found.append((feeds + at + 2, int(line_starts[at])))
                            target = int(line_starts[at]) + step
                            at = int(np.searchsorted(line_starts, target))
                    while wanted and wanted[0] < feeds + len(line_starts):
                        found.append((wanted[0] + 2, int(line_starts[wanted.pop(0) - feeds])))
                    feeds, offset = feeds + len(line_starts), offset + len(chunk)
                    is_ended = chunk.endswith(b"\n")
        except OSError as error:
            raise unreadable_error(path, error) from error
        lines = feeds + (not is_ended)
        return cls(
            path,
            size,
            lines,
            [n for n, _ in found],
            [offset_of_line for _, offset_of_line in found],
        )

    def parts(self) -> Iterator[TablePartition]:
        """Yield the byte ranges between these lines."""
        rows, bounds = [1, *self.numbers], [0, *self.offsets, self.size]
        for row, (start, stop) in zip(rows, pairwise(bounds), strict=True):
            yield TablePartition(self.path, "lines", start, stop, row)
