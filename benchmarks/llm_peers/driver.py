"""Driver: a program that scores samples when it is asked to, in a process of its own.

A request is one line of JSON: ``port`` of the mock endpoint, ``samples``, ``mode``,
``concurrency`` and ``patience``, the seconds after which a run is given up. The answer is one
line with the score and the error of every sample, and the seconds and CPU seconds of the call.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Outcome = tuple[float | None, str | None]
"""A score, or why there is none."""
Score = Callable[[Mapping[str, Any], Sequence[Mapping[str, Any]]], Sequence[Outcome]]


def drive(score: Score) -> None:
    """Answer the requests on standard input, or the one that is given as an argument.

    Parameters
    ----------
    score : callable
        The outcomes of samples, in their order. An exception is that of every sample.
    """
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no answer
    for line in sys.argv[1:2] or sys.stdin:
        asked = json.loads(line)
        start, before = time.perf_counter(), time.process_time()
        try:
            outcomes = list(score(asked, asked["samples"]))
        except Exception as error:  # the run has ended; that is an outcome, too
            outcomes = [(None, why(error))] * len(asked["samples"])
        answer = {
            "seconds": time.perf_counter() - start,
            "cpu": time.process_time() - before,
            "scores": [_number(value) for value, _ in outcomes],
            "errors": [told for _, told in outcomes],
        }
        print(json.dumps(answer), file=answers, flush=True)


def _number(value: float | None) -> float | None:
    return None if value is None or value != value else float(value)


def why(error: BaseException) -> str:
    """An error in one line."""
    return f"{type(error).__name__}: {error}"[:300]
