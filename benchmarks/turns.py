"""Turns: programs side by side, each in a process of its own, asked one after the other.

The processes take turns, so that other work on the machine troubles all of them alike.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

_ENOUGH = 0.15  # seconds that the calls of a turn add up to


class Worker:
    """One implementation in a process of its own.

    Parameters
    ----------
    name : str
        What the table calls it; ``valor-numpy`` runs without compiled kernels.
    command : sequence of str
        A script of this folder that ends in `answer`, and its arguments.
    """

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self.name = name
        self.seconds: list[float] = []
        self.cpu: list[float] = []
        self.megabytes = 0.0
        environment = dict(os.environ)
        environment.pop("VALOR_KERNELS", None)
        if name == "valor-numpy":
            environment["VALOR_KERNELS"] = "numpy"
        self.process = subprocess.Popen(
            [sys.executable, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def ask(self, question: str | None = None) -> dict[str, Any]:
        """The next answer of the process, after a question if there is one."""
        if question is not None and self.process.stdin is not None:
            self.process.stdin.write(question + "\n")
            self.process.stdin.flush()
        line = self.process.stdout.readline() if self.process.stdout is not None else ""
        if not line:
            raise SystemExit(f"{self.name}: the process ended without an answer")
        return dict(json.loads(line))

    def run(self) -> None:
        """Take a turn."""
        answer = self.ask("run")
        self.seconds.append(answer["seconds"])
        self.cpu.append(answer["cpu"])
        self.megabytes = max(self.megabytes, answer["megabytes"])

    def close(self) -> None:
        """End the process."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        self.process.wait()


def take_turns(workers: Iterable[Worker], repeat: int, patience: float) -> None:
    """Run all implementations, and have each save its values.

    Parameters
    ----------
    workers : iterable of Worker
        The implementations.
    repeat : int
        Turns of each.
    patience : float
        Seconds of turns after which one gets no more.
    """
    workers = list(workers)
    try:
        for worker in workers:
            worker.ask()
        for _ in range(repeat):
            for worker in workers:
                if sum(worker.seconds) < patience:
                    worker.run()
        for worker in workers:
            worker.ask("values")
    finally:
        for worker in workers:
            worker.close()


def answer(run: Callable[[], Any], save: Callable[[Any], None]) -> None:
    """Answer the questions of a `Worker`: each turn is the fastest of some calls.

    Parameters
    ----------
    run : callable
        What is measured.
    save : callable
        Saves the values of what it answered.
    """
    found: Any = None
    _say({"ready": True})
    for line in sys.stdin:
        if line.strip() == "values":
            save(found)
            _say({"saved": True})
            continue
        found = None
        before = _reset_peak()
        found, *first = _timed(run)
        extra = peak() - before
        times = [first]
        while sum(seconds for seconds, _ in times) < _ENOUGH:
            found, *more = _timed(run)
            times.append(more)
        seconds, cpu = (min(column) for column in zip(*times, strict=True))
        _say({"seconds": seconds, "cpu": cpu, "megabytes": extra / 1e6})


def _timed(run: Callable[[], Any]) -> tuple[Any, float, float]:
    """An answer, seconds, and CPU seconds of all threads."""
    start, before = time.perf_counter(), time.process_time()
    found = run()
    return found, time.perf_counter() - start, time.process_time() - before


def _say(message: Mapping[str, Any]) -> None:
    print(json.dumps(message), flush=True)


def _reset_peak() -> int:
    """Bytes of memory in use; the peak counts from here on, where the system allows."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return peak()


def peak() -> int:
    """Most bytes of memory that this process has had."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else 1024 * most
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def versions(distributions: Iterable[str]) -> str:
    """The machine, Python, NumPy, and what of some distributions is installed."""
    found = [f"Python {platform.python_version()}", f"NumPy {np.__version__}"]
    for name in distributions:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} not installed")
    return f"{platform.machine()}, {os.cpu_count()} cores, {', '.join(found)}"


def installed(distribution: str) -> bool:
    """Whether a distribution is there."""
    try:
        version(distribution)
    except PackageNotFoundError:
        return False
    return True
