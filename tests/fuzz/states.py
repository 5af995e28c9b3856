"""Fuzz state files: a mutated one is refused, or goes on without a crash.

A file whose bytes are damaged is refused or gives the same number. One with other arrays or
another header, whose checksums are right, may give another number, since it says so.
"""

from __future__ import annotations

import io
import json
import re
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from attrs import frozen
from cases import fuzz
from mutations import SIZES, mutated, mutated_array, mutated_tree
from numpy.typing import NDArray
from valor_testing.data_set import Batches
from valor_testing.examples import datasets, tasks

from valor_core import Evaluator, Registry
from valor_core.parameters import parameters_of
from valor_core.schemas import Batch
from valor_core.specs import MetricSpec

_WORDS = (
    *SIZES,
    b"PK\x01\x02",
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"\x93NUMPY",
    b"\xff" * 4,
    b"\x00" * 4,
)
_HEADER = "header"
_BROKEN = re.compile(r'"error": "([A-Za-z]+Error: [^"]*)')  # a metric that raised an exception


@frozen
class _Saved:
    """A state file, the report on it, and a batch that may be counted after it."""

    metric: str
    task: str
    content: bytes
    report: str
    more: Batch

    @property
    def evaluator(self) -> Evaluator:
        return Evaluator([self.metric], self.task, slices=["weather"])


def case(draw: Random, folder: Path) -> str:
    """What comes of going on from a mutated state."""
    metric = draw.choice(_metrics())
    saved = _saved(*metric, draw.choice(sorted(_datasets(metric[1]))))
    path = Path(folder, "state.npz")
    is_damaged = draw.random() < 0.25
    path.write_bytes(
        mutated(draw, saved.content, _WORDS) if is_damaged else _rewritten(draw, saved.content)
    )
    Path(folder, "metric.txt").write_text(f"{saved.metric}\n")
    evaluator = saved.evaluator
    evaluator.resume(path)
    report = evaluator.compute().to_json()
    if broken := _BROKEN.search(report):
        raise AssertionError(f"{report}\nexpected a refusal or a number, found {broken[1]}")
    if is_damaged and report != saved.report:
        raise AssertionError("expected a refusal or the same report\nfound another report")
    evaluator.update(saved.more)
    return f"report {report}\n{evaluator.compute().to_json()}"


def _rewritten(draw: Random, content: bytes) -> bytes:
    """A state file whose arrays or header are others, with checksums that are right."""
    with np.load(io.BytesIO(content)) as archive:
        arrays: dict[str, NDArray[Any]] = dict(archive)
    header = json.loads(arrays.pop(_HEADER).tobytes())
    if not arrays or draw.random() < 0.3:
        header = mutated_tree(draw, header)
    else:
        for _ in range(draw.choice((1, 1, 2))):
            name = draw.choice(sorted(arrays))
            arrays[name] = mutated_array(draw, arrays[name])
    text = np.frombuffer(json.dumps(header).encode(), np.uint8)
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **{_HEADER: text}, **arrays)
    return file.getvalue()


@cache
def _metrics() -> list[tuple[str, str]]:
    """Names and tasks of all metrics that there are examples for, and that need no parameters."""
    known = [
        (spec.name, spec.task)
        for spec in Registry().all(MetricSpec)
        if not any(one.required for one in parameters_of(spec.parameter_class))
    ]
    return sorted((name, task) for name, task in known if task in tasks())


@cache
def _datasets(task: str) -> Mapping[str, Batches]:
    return datasets(task)


@cache
def _saved(metric: str, task: str, data: str) -> _Saved:
    """A state of a metric on a data set but for its last batch, which may be counted after it."""
    *batches, last = _datasets(task)[data]
    evaluator = Evaluator([metric], task, slices=["weather"])
    for batch in batches:
        evaluator.update(batch)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "state.npz")
        evaluator.save(path)
        content = path.read_bytes()
    return _Saved(metric, task, content, evaluator.compute().to_json(), last)


if __name__ == "__main__":
    sys.exit(fuzz(case, __doc__))
