from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import valor_core
from valor_core import evaluate

CORE = Path(valor_core.__file__).parent
PLUGIN = "valor_classification"
STATIONS = {"read": "the reader", "update": "the state", "compute": "the metric"}
"""Path of a row through the plugin, by the function of the plugin that core calls."""


@contextmanager
def watched(arrive: Callable[[FrameType], None]) -> Iterator[None]:
    """Record every call of a Python function in a block."""
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, _: arrive(frame) if event == "call" else None)
    try:
        yield
    finally:
        sys.setprofile(before)


def way_to(frame: FrameType | None) -> list[Path]:
    """The files of the calls that lead to one, from the last to the first."""
    files = []
    while frame is not None:
        files.append(Path(frame.f_code.co_filename))
        frame = frame.f_back
    return files


def test_csv_row_visits_few_core_files(
    tmp_path: Path,
) -> None:
    table = tmp_path / "answers.csv"
    table.write_text("uid,label,prediction\na,dog,dog\nb,cat,dog\n")
    data = {"reader": "predicted", "path": str(table)}
    entered: dict[str, set[str]] = {}

    def arrive(frame: FrameType) -> None:
        station = STATIONS.get(frame.f_code.co_name)
        if station is None or station in entered or PLUGIN not in frame.f_code.co_filename:
            return
        _, *others = way_to(frame)
        inside = (path.relative_to(CORE) for path in others if path.is_relative_to(CORE))
        entered[station] = {path.as_posix() for path in inside}

    with watched(arrive):
        report: Any = evaluate(data, ["Accuracy"], "classification")

    assert report["Accuracy"].value == 0.5
    assert entered == {
        "the reader": {
            "evaluation/evaluate.py",  # starts the run and absorbs the states
            "evaluation/engines/local.py",  # goes from partition to partition
            "evaluation/engines/engine.py",  # goes from batch to batch
        },
        "the state": {
            "evaluation/evaluate.py",
            "evaluation/engines/local.py",
            "evaluation/engines/engine.py",
            "evaluation/request.py",  # filters and slices a batch
            "evaluation/plan.py",  # counts it in every state
        },
        "the metric": {
            "evaluation/evaluate.py",
            "evaluation/evaluator.py",  # has what was counted
            "evaluation/build_report.py",  # makes the report of it
            "evaluation/request.py",
            "evaluation/plan.py",  # gives every metric its states
        },
    }
    assert len(set.union(*entered.values())) <= 9
