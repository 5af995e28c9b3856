"""Fuzz every reader, end to end: mutated files make a report or an error that is well said."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from cases import fuzz
from example_files import NAMES, example_of, reader_of
from mutations import mutated

from valor_core import Registry, evaluate, metric
from valor_core.errors import ValorError
from valor_core.parameters import parameters_of
from valor_core.schemas.text import Text
from valor_core.specs import MetricSpec, ReaderSpec

_MOST_METRICS = 4  # that each case computes
_UNCHANGED = 0.03  # share of the cases that show that the examples are well-formed


@metric("fuzz.Length", task="text", higher_is_better=None)
def length(item: Text) -> float:
    """Letters of a response."""
    return len(item.response or "")


def case(draw: Random, folder: Path) -> str:
    """The report on one example, a file of which is mutated."""
    example = example_of(draw.choice(NAMES))
    write(example.files, folder)
    is_unchanged, variant = draw.random() < _UNCHANGED, draw.choice(example.variants)
    if not is_unchanged:
        name = draw.choice(sorted(example.files))
        Path(folder, name).write_bytes(mutated(draw, example.files[name], example.words))
    data = {"reader": example.reader, **example.data, **variant}
    metrics = _metrics(example.task)
    chosen = draw.sample(metrics, min(_MOST_METRICS, len(metrics)))
    Path(folder, "case.txt").write_text(f"evaluate({data!r}, {chosen!r}, {example.task!r})")
    try:
        report = evaluate(data, chosen, example.task)
    except ValorError as error:
        if is_unchanged and variant == example.variants[0]:
            raise AssertionError("expected a report on the example as it is") from error
        raise
    results = json.dumps([result.to_dict() for result in report])
    return f"report {hashlib.sha256(results.encode()).hexdigest()[:12]} {results[:1000]}"


def write(files: Mapping[str, bytes], folder: Path) -> None:
    """Write files below a folder."""
    for name, content in files.items():
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


@cache
def _metrics(task: str) -> list[Any]:
    names = sorted(
        spec.name
        for spec in Registry().all(MetricSpec)
        if spec.task == task
        and not spec.resources
        and not any(one.required for one in parameters_of(spec.parameter_class))
    )
    return [*names, length] if task == "text" else names


if __name__ == "__main__":
    unread = {spec.name for spec in Registry().all(ReaderSpec)} - {*map(reader_of, NAMES)}
    if unread:
        sys.exit(f"example_files.py: expected an example for each reader, found none of {unread}")
    sys.exit(fuzz(case, __doc__))
