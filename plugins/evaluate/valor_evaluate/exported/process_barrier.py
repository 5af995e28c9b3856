"""Rendezvous: processes that count parts of one data set, and the first of them, which gathers."""

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

_PAUSE = 0.01  # seconds between two looks at the folder


@define
class Rendezvous:
    """Where one process hands over what it counted, or gathers what the others did.

    The first process opens a round with a file of a name that was never there before. The others
    save their counts under the name of the round that they see, so that the first one waits for
    these, and never takes what a program that was killed left behind.

    Parameters
    ----------
    folder : Path
        A folder that all processes share.
    experiment : str
        What their files begin with.
    process, processes : int
        Which of them this is, and how many they are.
    timeout : float
        Seconds to wait for the others.
    """

    folder: Path
    experiment: str
    process: int
    processes: int
    timeout: float
    _round: str | None = field(default=None, init=False)

    def open(self) -> None:
        """Open a round, if this is the first process and none is open."""
        if self.process or self._round is not None:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for left in self._opened():
                left.unlink(missing_ok=True)
            self._round = uuid4().hex
            self._path(self._round).touch()
        except OSError as error:
            raise StateError(
                f"{self.folder}: expected a folder to meet in, found: {error.strerror}",
                "Name a folder that all processes can write to: cache_dir=….",
            ) from error

    def hand_over(self, evaluator: Evaluator) -> None:
        """Save what this process counted, for the first one.

        Raises
        ------
        StateError
            If that one opens no round in time.
        """
        self._round = self._wait(self._another_round, "process 0")
        evaluator.save(self._path(self._round, self.process))

    def gather(self, evaluator: Evaluator) -> None:
        """Count what the other processes counted, and close the round.

        Raises
        ------
        StateError
            If one of them does not hand over in time, or made another request.
        """
        self.open()
        name = self._round or ""
        try:
            for process in range(1, self.processes):
                path = self._path(name, process)
                self._wait(partial(_there, path), f"process {process}")
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
        """The round that is open and that this process did not take part in yet."""
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


def _there(path: Path) -> Path | None:
    return path if path.exists() else None
