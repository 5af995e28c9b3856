"""Cases: each has a seed of its own and runs in a child process that may crash or hang.

A fuzzer is a function from a source of random numbers and an empty folder to a text. It writes
what is about to be read into the folder and answers what came of it. An error of Valor's is an
answer like any other, unless it says that a worker broke. Any other exception, a crash, no answer
within the limit, and another answer from the compiled kernels than from NumPy are failures.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import random
import re
import resource
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path
from pkgutil import resolve_name
from typing import IO

from attrs import Factory, define, frozen

from valor_core import Registry
from valor_core.errors import PartitionError, ValorError, ValorWarning
from valor_core.kernels.compiled import VARIABLE

Case = Callable[[random.Random, Path], str]
"""From random numbers and an empty folder to what came of it."""

_MOST_MEMORY = 8 << 30
_TOLD = 2500  # letters of a failure that are shown
_ADDRESS = re.compile(r"\b0x[0-9a-f]+\b")
_BLOCK = 1 << 16
_PLACES = ('File "', "SUMMARY: ")  # of tracebacks and of sanitizers
_WAIT_FOR_IMPORTS = 120.0  # seconds, on a busy machine and with sanitizers
_WAIT_FOR_STACK = 0.5
_UNEXPLAINED = "expected an error that is explained, found one that stopped a worker"


@frozen
class Options:
    """What the command line asks for."""

    seed: int
    seconds: float
    cases: int | None
    case: str | None
    limit: float
    failures: Path
    worker: bool

    @classmethod
    def told(cls, description: str | None) -> Options:
        """The options of this process."""
        parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
        parser.add_argument("--seed", type=int, help="start of all random numbers")
        parser.add_argument("--seconds", type=float, default=60.0, help="time for all cases")
        parser.add_argument("--cases", type=int, help="most cases")
        parser.add_argument("--case", help="the one case to run again, as in a report of a failure")
        parser.add_argument("--limit", type=float, default=20.0, help="seconds for each case")
        parser.add_argument("--failures", type=Path, default=Path("fuzz-failures"))
        parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
        given = vars(parser.parse_args())
        seed = secrets.randbelow(10**6) if given["seed"] is None else given["seed"]
        return cls(**given | {"seed": seed, "failures": given["failures"].absolute()})

    @property
    def names(self) -> Iterator[str]:
        """Names of the cases, each of which is the seed of its random numbers."""
        if self.case is not None:
            return iter([self.case])
        return islice((f"{self.seed}:{number}" for number in count()), self.cases)


def fuzz(case: Case, description: str | None) -> int:
    """Run cases as the command line asks for, print what failed, and return the exit code."""
    options = Options.told(description)
    if options.worker:
        _work(case)
        return 0
    with tempfile.TemporaryDirectory(prefix="fuzz") as folder:
        return _Fuzzer(options, Path(folder)).run()


@frozen
class _Answer:
    text: str
    is_failure: bool = False


@define
class _Fuzzer:
    """Runs every case with each kind of kernels, and keeps the files of cases that fail."""

    options: Options
    folder: Path
    failed: Counter[str] = Factory(Counter)
    ended: Counter[str] = Factory(Counter)

    @property
    def script(self) -> Path:
        return Path(sys.argv[0])

    def run(self) -> int:
        name, options = self.script.stem, self.options
        print(f"{name}: seed {options.seed}", flush=True)
        end = time.monotonic() + options.seconds
        with self._workers() as workers:
            for case in options.names:
                if time.monotonic() > end:
                    break
                self._one(case, workers)
        failures = sum(self.failed.values())
        kinds = ", ".join(f"{number:,} {kind}" for kind, number in sorted(self.ended.items()))
        print(
            f"{name}: {sum(self.ended.values()):,} cases ({kinds}), {failures:,} failures "
            f"in {len(self.failed)} ways, seed {options.seed}",
            flush=True,
        )
        return 1 if self.failed else 0

    @contextmanager
    def _workers(self) -> Iterator[tuple[_Worker, ...]]:
        kinds = ("compiled", "NumPy") if kernels_here() == "compiled" else ("NumPy",)
        workers = tuple(_Worker(kernels, self.folder / kernels) for kernels in kinds)
        try:
            yield workers
        finally:
            for worker in workers:
                worker.stop()

    def _one(self, case: str, workers: Sequence[_Worker]) -> None:
        for worker in workers:
            worker.begin(case)
        answers = [worker.answer(self.options.limit) for worker in workers]
        first = answers[0]
        self.ended["failed" if first.is_failure else first.text.partition(" ")[0].rstrip(":")] += 1
        if self.options.case is not None:
            for worker, answer in zip(workers, answers, strict=True):
                print(f"{worker.kernels}: {answer.text}", flush=True)
        for worker, answer in zip(workers, answers, strict=True):
            if answer.is_failure:
                self._tell(case, worker.kernels, answer.text)
        if not any(answer.is_failure for answer in answers) and len({*answers}) > 1:
            self._tell(case, "both", _difference(*(answer.text for answer in answers)))

    def _tell(self, case: str, kernels: str, text: str) -> None:
        """Print a failure and keep its files, unless one of its kind was told already."""
        kind = _kind(text)
        self.failed[kind] += 1
        if self.failed[kind] > 1:
            return
        kept = self.options.failures / f"{self.script.stem}-{case.replace(':', '-')}"
        shutil.copytree(self.folder, kept, dirs_exist_ok=True)
        shown = text if len(text) <= _TOLD else f"{text[:500]}\n…\n{text[500 - _TOLD :]}"
        print(
            f"FAILED case {case}, kernels {kernels}\n{shown}\n"
            f"Its files: {kept}\nAgain: python {self.script} --case {case}\n",
            flush=True,
        )


def _kind(text: str) -> str:
    """What failures of one cause have in common: where it was, and how it ended."""
    lines = [line.strip() for line in text.splitlines()]
    places = [line for line in lines if line.startswith(_PLACES)]
    if "most recent call first" in text:
        places.reverse()
    how = re.sub(r"\d+|'[^']*'", "#", lines[-1])[:80] if lines else ""
    return " ".join([*places[-2:], how])


def _difference(one: str, other: str) -> str:
    at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    begin = max(0, at - 100)
    return f"compiled: {one[begin : at + 300]}\nNumPy:    {other[begin : at + 300]}"


@define
class _Worker:
    """A child process that runs one case after another, started anew when it has ended."""

    kernels: str
    folder: Path
    process: subprocess.Popen[bytes] | None = None
    is_ready: bool = False
    has_answered: bool = False
    read: bytes = b""

    @property
    def _said(self) -> Path:
        return self.folder.with_suffix(".txt")

    def begin(self, case: str) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        if self.process is None:
            self._start()
        assert self.process is not None
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([case, str(self.folder)]).encode() + b"\n")
        self.process.stdin.flush()

    def _start(self) -> None:
        with self._said.open("wb") as said:
            self.process = subprocess.Popen(
                [sys.executable, "-X", "faulthandler", sys.argv[0], "--worker"],
                env=os.environ | {VARIABLE: self.kernels.replace("compiled", "")},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
            )

    def _wait_until_ready(self) -> None:
        ready = self._line(_WAIT_FOR_IMPORTS)
        if ready is None:
            raise SystemExit(f"{self.kernels}: the worker does not start\n{self._last_words()}")
        if json.loads(ready) != self.kernels:
            raise SystemExit(f"kernels: expected {self.kernels}, got {json.loads(ready)}")
        self.is_ready = True

    def answer(self, limit: float) -> _Answer:
        if not self.is_ready:
            self._wait_until_ready()
        if not self.has_answered:  # the first case imports metrics and readers
            limit = max(limit, _WAIT_FOR_IMPORTS)
        line = self._line(limit)
        if line:
            self.has_answered = True
            return _Answer(**json.loads(line))
        code = self._ended()
        how = f"no answer in {limit:g} s" if code is None else f"ended by {_named(code)}"
        words = self._last_words()
        self.stop()
        return _Answer(f"{words}\n{how}", is_failure=True)

    def _line(self, limit: float) -> bytes | None:
        """The next line that the process answers; None if it ends, or none comes in time."""
        end = time.monotonic() + limit
        while b"\n" not in self.read:
            readable, _, _ = select.select(
                [self._answers], [], [], max(0.0, end - time.monotonic())
            )
            more = os.read(self._answers, _BLOCK) if readable else b""
            if not more:
                return None
            self.read += more
        line, _, self.read = self.read.partition(b"\n")
        return line

    @property
    def _answers(self) -> int:
        assert self.process is not None
        assert self.process.stdout is not None
        return self.process.stdout.fileno()

    def _ended(self) -> int | None:
        """The exit code; of one that hangs, None, after it has said where it is."""
        assert self.process is not None
        if select.select([self._answers], [], [], 0)[0]:
            return self.process.wait()
        self.process.send_signal(signal.SIGUSR1)
        time.sleep(_WAIT_FOR_STACK)
        return None

    def _last_words(self) -> str:
        words = self._said.read_text(errors="replace").splitlines()
        return "\n".join(words[:30] + words[30:][-30:])

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process, self.is_ready, self.read = None, False, b""


def _named(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"


def _work(case: Case) -> None:
    """Answer the cases that the parent asks for, until it asks no more."""
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0) as answers:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what anything prints is no answer
        faulthandler.register(signal.SIGUSR1, all_threads=True)
        if "asan" not in os.environ.get("LD_PRELOAD", ""):  # which takes terabytes of addresses
            resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", ValorWarning)
        _send(answers, kernels_here())
        for line in sys.stdin:
            name, folder = json.loads(line)
            answer = _answered(case, name, Path(folder))
            _send(answers, {"text": answer.text, "is_failure": answer.is_failure})


def _send(answers: IO[bytes], value: object) -> None:
    answers.write(json.dumps(value).encode() + b"\n")


def kernels_here() -> str:
    """What runs in this process: ``compiled``, ``NumPy``, or both in different families."""
    registry = Registry()
    places = [place for name in registry.namespaces for place in registry.manifest(name).kernels]
    return " and ".join(sorted({resolve_name(place).path for place in places}))


def _answered(case: Case, name: str, folder: Path) -> _Answer:
    os.chdir(folder)
    try:
        text = case(random.Random(name), folder)
    except ValorError as error:
        text = refusal(error)
        if isinstance(error, PartitionError):
            return _Answer(f"{text}\n{_UNEXPLAINED}", is_failure=True)
    except Exception:
        return _Answer(traceback.format_exc(), is_failure=True)
    return _Answer(_ADDRESS.sub("0x", text.replace(str(folder), ".")))


def refusal(error: ValorError) -> str:
    """An error as an answer."""
    return f"{type(error).__name__}: {error}"
