"""Readers that kill workers or fail on chosen partitions."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from valor_core import metric
from valor_core.errors import ReadError
from valor_core.readers.reader import Position
from valor_core.schemas import Batch


@metric("oncluster.Length", task="text", higher_is_better=None)
def length(item: Any) -> float:
    """Return the length of the response."""
    return len(item.response) / 10


@frozen
class Deadly:
    """Reader that kills its worker on chosen partitions, once or always.

    Parameters
    ----------
    batches : tuple of Batch
        The batches.
    folder : Path
        Folder for a file per killed worker.
    once : tuple of int
        Partitions that kill the first worker that reads them.
    always : tuple of int
        Partitions that kill every worker.
    broken : tuple of int
        Partitions that cannot be read.
    victim : int, optional
        Process id that partition 20 kills.
    """

    batches: tuple[Batch, ...]
    folder: Path
    once: tuple[int, ...] = ()
    always: tuple[int, ...] = ()
    broken: tuple[int, ...] = ()
    victim: int | None = None

    def partitions(self) -> Sequence[Position]:
        """Return one partition per batch."""
        return tuple(map(Position, range(len(self.batches))))

    def read(self, partition: Position) -> Iterator[Batch]:
        """Yield the batch if the worker survives."""
        number = partition.number
        if number in self.always or (number in self.once and self._is_first(number)):
            os.kill(os.getpid(), signal.SIGKILL)
        if number == 20 and self.victim is not None:
            os.kill(self.victim, signal.SIGKILL)
        if number in self.broken:
            raise ReadError(f"part-{number}.csv, row 3: expected a number, found 'x'", "Mend it.")
        yield self.batches[number]

    def _is_first(self, number: int) -> bool:
        try:
            (self.folder / f"died-{number}-{os.getpid()}").touch()
            (self.folder / f"died-{number}").touch(exist_ok=False)
        except FileExistsError:
            return False
        return True
