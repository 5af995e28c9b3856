"""Fuzz JSON reports: `valor compare` says what a mutated one has changed, or what is wrong."""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from cases import fuzz
from commands import said_by
from mutations import MARKS, NUMBERS, mutated, mutated_tree
from valor_testing.examples import datasets

from valor_core import evaluate
from valor_core.results import Report

_CHOSEN = (
    ("classification", "ties", ("Accuracy", "F1", "ConfusionMatrix", "PrecisionRecallCurve")),
    ("detection", "boxes", ("AP", "mAP", "Counts", "COCOSummary", "ConfusionMatrix")),
)
_OPTIONS = ([], ["--all"], ["--json"], ["--fail-on", "worse"], ["--tolerance", "0.1", "--all"])
_WORDS = (*NUMBERS, *MARKS, b'"value"', b'"undefined"', b'"results"', b'"parameters"', b'"slices"')


def case(draw: Random, folder: Path) -> str:
    """What `valor compare` says of a report and a mutated one, and the tables of that."""
    record = draw.choice(_reports())
    content = json.dumps(record, indent=1)
    if draw.random() < 0.4:
        changed = mutated(draw, content.encode(), _WORDS)
    else:
        changed = json.dumps(mutated_tree(draw, record)).encode()
    names = ["first.json", "second.json"]
    draw.shuffle(names)
    Path(folder, "first.json").write_text(content)
    Path(folder, "second.json").write_bytes(changed)
    said = said_by(["compare", *names, *draw.choice(_OPTIONS)])
    report = Report.load("second.json")
    return f"{said}\n{report.to_markdown()}\n{report.to_csv()}\n{report}\n{report.to_json()}"


@cache
def _reports() -> list[Any]:
    return [
        json.loads(
            evaluate(list(datasets(task)[data]), list(metrics), task, slices=["weather"]).to_json()
        )
        for task, data, metrics in _CHOSEN
    ]


if __name__ == "__main__":
    sys.exit(fuzz(case, __doc__))
