"""Barrier of processes that count parts of the data; the first process gathers the counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

from attrs import define, field

from valor_core import Evaluator
from valor_core.errors import StateError

T = TypeVar("T")

_PAUSE = 0.01  # seconds between two checks of the folder


@define
class ProcessBarrier:
    """Exchange of counts between processes, through files in a shared folder.

    Process 0 opens a round with a file of a unique name. The other processes save their counts
    under the name of that round, so process 0 waits for these, and never reads files old by a
    killed program.

    Parameters
    ----------
    folder : Path
        Folder shared by all processes.
    experiment : str
        Prefix of file names.
    process, processes : int
        Number of this process, and number of processes.
    timeout : float
        Seconds to wait for other processes.
    """

    folder: Path
    experiment: str
    process: int
    processes: int
    timeout: float
    _round: str | None = field(default=None, init=False)

    def open(self) -> None:
        """Open a round, if this is process 0 and none is open."""
        if self.process or self._round is not None:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for old in self._opened():
                old.unlink(missing_ok=True)
            self._round = uuid4().hex
            self._path(self._round).touch()
        except OSError as error:
            raise StateError(
                f"{self.folder}: expected a folder to meet in, found: {error.strerror}",
                "Name a folder that all processes can write to: cache_dir=….",
            ) from error

    def hand_over(self, evaluator: Evaluator) -> None:
        """Save the counts of this process, for process 0.

        Raises
        ------
        StateError
            If process 0 opens no round in time.
        """
        self._round = self._wait(self._another_round, "process 0")
        evaluator.save(self._path(self._round, self.process))

    def gather(self, evaluator: Evaluator) -> None:
        """Add the counts of the other processes, and close the round.

        Raises
        ------
        StateError
            If a process does not arrive in time, or counts another request.
        """
        self.open()
        name = self._round or ""
        try:
            for process in range(1, self.processes):
                path = self._path(name, process)
                self._wait(partial(_existing, path), f"process {process}")
                evaluator.resume(path)
                path.unlink()
        finally:
            self._path(name).unlink(missing_ok=True)
            self._round = None

    def _path(self, name: str, process: int | None = None) -> Path:
        who = "round" if process is None else f"{process}.npz"
        return self.folder / f"{self.experiment}-{self.processes}-{name}.{who}"

    def _opened(self) -> Iterator[Path]:
        begin, end = f"{self.experiment}-{self.processes}-", ".round"
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            if path.name.startswith(begin) and path.name.endswith(end):
                yield path

    def _another_round(self) -> str | None:
        """Return the open round, unless this process took part in it already."""
        names = (path.name.removesuffix(".round").rpartition("-")[2] for path in self._opened())
        return next((name for name in names if name != self._round), None)

    def _wait(self, found: Callable[[], T | None], whom: str) -> T:
        end = time.monotonic() + self.timeout
        while (it := found()) is None:
            if time.monotonic() > end:
                raise StateError(
                    f"{self.folder}: expected to meet {whom} of {self.processes} within "
                    f"{self.timeout:g} s, found nothing of it",
                    "Give all processes one cache_dir and one experiment_id, or a longer timeout.",
                )
            time.sleep(_PAUSE)
        return it


def _existing(path: Path) -> Path | None:
    return path if path.exists() else None
