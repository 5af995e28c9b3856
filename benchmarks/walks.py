"""Python calls between data and a printed number: ``python benchmarks/walks.py``.

Each walk runs twice in a fresh process. `sys.setprofile` reports the calls of the second run. Only
functions defined in files of packages named ``valor_*`` count; frames such as ``<lambda>`` and
``<genexpr>`` don't.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

BASELINE = {
    "csv": (107, 4_369),
    "config": (100, 1_948),
    "text": (77, 1_482),
    "coco": (103, 2_557),
}
"""Files and calls of each walk at commit b2fd37fc, in the environment of ``uv sync``."""

GOALS = {"csv": (0.72, 0.51), "config": (0.72, 0.51), "text": (0.72, 0.55), "coco": (0.72, 0.55)}
"""Shares of the baseline's files and calls that a walk must not exceed."""

CSV = "uid,label,prediction\n1,cat,cat\n2,dog,cat\n"
IMAGE = {"id": 1, "file_name": "1.png", "width": 100, "height": 100}
CATEGORY = {"id": 1, "name": "cat"}
BOX = {"image_id": 1, "category_id": 1, "bbox": [10, 10, 40, 30]}


def csv() -> Callable[[], None]:
    """From a CSV file of two rows to a printed Accuracy."""
    Path("rows.csv").write_text(CSV, encoding="utf-8")
    return lambda: _valor("run", "rows.csv", "--metrics", "Accuracy")


def config() -> Callable[[], None]:
    """From a config that names task and reader, and a CSV file of two rows, to an Accuracy."""
    Path("rows.csv").write_text(CSV, encoding="utf-8")
    data = {"reader": "predicted", "path": "rows.csv"}
    _write("config.json", {"task": "classification", "data": data, "metrics": ["Accuracy"]})
    return lambda: _valor("run", "config.json")


def text() -> Callable[[], None]:
    """From one text in memory to a printed ROUGE."""
    from valor_core import Text, evaluate

    items = [Text("1", response="the cat sat", references=["the cat sat down"])]
    return lambda: print(evaluate(items, ["ROUGE"]))


def coco() -> Callable[[], None]:
    """From COCO files of one image to a printed AP."""
    objects = [{**BOX, "id": 1, "area": 1200, "iscrowd": 0}]
    _write("truths.json", {"images": [IMAGE], "categories": [CATEGORY], "annotations": objects})
    _write("detections.json", [{**BOX, "score": 0.9}])
    data = {"reader": "coco", "groundtruths": "truths.json", "predictions": "detections.json"}
    _write("config.json", {"task": "detection", "data": data, "metrics": ["AP"]})
    return lambda: _valor("run", "config.json")


WALKS = {"csv": csv, "config": config, "text": text, "coco": coco}


def _write(path: str, content: Any) -> None:
    Path(path).write_text(json.dumps(content), encoding="utf-8")


def _valor(*arguments: str) -> None:
    """Run the command line's program in this process."""
    from valor_cli.program.program import program

    try:
        program.main(list(arguments))
    except SystemExit as end:
        if end.code:
            raise RuntimeError(f"valor {' '.join(arguments)}: exit code {end.code}") from end


def count_calls(walk: Callable[[], None]) -> Counter[tuple[str, str]]:
    """Count the calls in the second run of a walk, by package and file."""
    calls: Counter[tuple[str, str]] = Counter()

    def profile(frame: FrameType, event: str, _: Any) -> None:
        code, package = frame.f_code, str(frame.f_globals.get("__name__")).partition(".")[0]
        is_generated = code.co_name.startswith("<") or code.co_filename.startswith("<")
        if event == "call" and package.startswith("valor_") and not is_generated:
            calls[package, code.co_filename] += 1

    with contextlib.redirect_stdout(io.StringIO()):
        walk()
        sys.setprofile(profile)
        try:
            walk()
        finally:
            sys.setprofile(None)
    return calls


def run_alone(name: str) -> dict[str, tuple[int, int]]:
    """Run a walk in a fresh process and return its files and calls by package."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, os.path.abspath(__file__), "--in-process", name]
        done = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE)
    return {package: (files, calls) for package, files, calls in json.loads(done.stdout)}


def _print_in_process(name: str) -> None:
    calls = count_calls(WALKS[name]())
    files = Counter(package for package, _ in calls)
    by_package: Counter[str] = Counter()
    for (package, _), count in calls.items():
        by_package[package] += count
    print(json.dumps([(one, files[one], by_package[one]) for one in sorted(files)]))


def main() -> None:
    """Print a table of the walks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compare", action="store_true", help="print shares of the baseline")
    parser.add_argument("--in-process", choices=WALKS, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.in_process:
        _print_in_process(asked.in_process)
        return
    print("| walk | package | files | calls |\n| --- | --- | --- | --- |")
    for name in WALKS:
        found = run_alone(name)
        total = tuple(map(sum, zip(*found.values(), strict=True)))
        for package, (files, calls) in [*found.items(), ("all", total)]:
            print(f"| {name} | {package} | {files} | {calls:,} |")
        if asked.compare:
            shares = [now / then for now, then in zip(total, BASELINE[name], strict=True)]
            print(f"| {name} | share of the baseline | {shares[0]:.2f} | {shares[1]:.2f} |")
            if name in GOALS:
                print("| {} | goal | {:.2f} | {:.2f} |".format(name, *GOALS[name]))


if __name__ == "__main__":
    main()
