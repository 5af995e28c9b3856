"""Turns: programs side by side, each turn a process of its own.

Nobody warms up: a process starts, imports, has its data brought into the form that it wants, and
makes one call, which is timed. The whole process is timed from outside. Implementations take
turns, so that other work on the machine troubles all of them alike.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np


class Program:
    """One implementation.

    Parameters
    ----------
    name : str
        What the table calls it.
    command : sequence of str
        A script of this folder that ends in `answer`, and its arguments.
    """

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self.name = name
        self.command = [sys.executable, *command]
        self.answers: list[dict[str, Any]] = []

    def run(self) -> None:
        """Take a turn."""
        environment = dict(os.environ)
        environment.pop("VALOR_KERNELS", None)
        start = time.perf_counter()
        done = subprocess.run(self.command, capture_output=True, text=True, env=environment)
        process = time.perf_counter() - start
        if done.returncode:
            raise SystemExit(f"{self.name}: {' '.join(self.command)}\n{done.stderr[-2000:]}")
        answer = dict(json.loads(done.stdout.strip().splitlines()[-1]))
        self.answers.append(answer | {"process": process - answer.pop("saving")})

    def all_of(self, fact: str) -> list[float]:
        """A fact of every turn.

        Parameters
        ----------
        fact : str
            ``seconds`` and ``cpu`` of the call, seconds of the whole ``process``, ``extra`` bytes
            of memory that the call took, and ``peak`` ones of the process.
        """
        return [answer[fact] for answer in self.answers]

    def middle(self, fact: str) -> float:
        """The median of a fact over the turns."""
        return median(self.all_of(fact))


def take_turns(programs: Iterable[Program], repeat: int, patience: float) -> None:
    """Run all implementations.

    Parameters
    ----------
    programs : iterable of Program
        The implementations.
    repeat : int
        Turns of each.
    patience : float
        Seconds of turns after which one gets no more.
    """
    programs = list(programs)
    for _ in range(repeat):
        for program in programs:
            if sum(program.all_of("process")) < patience:
                program.run()


def answer(prepare: Callable[[], Callable[[], Any]], save: Callable[[Any], Any]) -> None:
    """Answer a `Program`: prepare, make one call, save what it found.

    Parameters
    ----------
    prepare : callable
        Imports what is measured, and answers the call.
    save : callable
        Saves or answers the values, which takes nobody's time.
    """
    out = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # peers print, some of them not in Python
    with contextlib.redirect_stdout(io.StringIO()):
        run = prepare()
        held = _reset_peak()
        start, before = time.perf_counter(), time.process_time()
        found = run()
        seconds, cpu = time.perf_counter() - start, time.process_time() - before
        most = peak()
        start = time.perf_counter()
        values = save(found)
        saving = time.perf_counter() - start
    facts = {"seconds": seconds, "cpu": cpu, "extra": most - held, "peak": most}
    os.write(out, json.dumps(facts | {"saving": saving, "values": values}).encode() + b"\n")


def call_and_process(own: Program, ours: Program) -> list[str]:
    """Cells of the two columns of every table, each with how many times Valor's it is.

    Parameters
    ----------
    own, ours : Program
        An implementation, and Valor.
    """
    return [
        f"{own.middle('process'):.3f}",
        f"{own.middle('process') / ours.middle('process'):.1f}",
        f"{own.middle('seconds'):.4f}",
        f"{own.middle('seconds') / ours.middle('seconds'):.1f}",
    ]


TITLES = ("whole process, s", "times Valor's", "call after imports, s", "times Valor's")
"""Of what `call_and_process` answers."""


def line_of(cells: Iterable[str]) -> str:
    """A line of a table."""
    return f"| {' | '.join(cells)} |"


def head_of(titles: Sequence[str]) -> str:
    """The first two lines of a table."""
    return f"{line_of(titles)}\n|{'---|' * len(titles)}"


def _reset_peak() -> int:
    """Bytes of memory in use; the peak counts from here on, where the system allows."""
    with contextlib.suppress(OSError):
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
