"""What a second worker of one machine gains: ``python benchmarks/workers.py``.

Whole processes of ``valor run``, with one worker, with two, and with two of a Dask cluster,
in turns. The reports are compared.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from tables import METRICS
from text_data import pairs
from turns import installed

_VALOR = "import sys; from valor_cli import main; sys.argv = ['valor', *sys.argv[1:]]; main()"
_TEXT = ["ROUGE", "BLEU", "chrF", "TER", "WER"]
_WIDE = 1_000_000
"""Rows that are written again and again, each time with other uids."""


def main(arguments: Sequence[str]) -> None:
    """Print a table of seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=60_000, help="pairs of texts")
    parser.add_argument("--rows", type=int, default=8_000_000, help="rows of the wide table")
    parser.add_argument("--repeat", type=int, default=3, help="turns of each")
    chosen = parser.parse_args(arguments)
    print("| data | 1 worker, s | 2 workers, s | times as fast | Dask, 2 workers, s |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, config in _cases(Path(folder), chosen.texts, chosen.rows).items():
            _print(name, Path(folder), config, chosen.repeat)


def _cases(folder: Path, texts: int, rows: int) -> dict[str, Mapping[str, object]]:
    few = min(2_000, texts)
    text = {"task": "text", "metrics": _TEXT}
    return {
        f"{texts:,} pairs of texts": text | {"data": _texts(folder / "texts.jsonl", texts)},
        f"{few:,} pairs of texts": text | {"data": _texts(folder / "few.jsonl", few)},
        f"CSV, {rows:,} x 10": {
            "task": "classification",
            "metrics": METRICS,
            "data": _table(folder / "wide.csv", rows),
        },
    }


def _texts(path: Path, count: int) -> dict[str, str]:
    """Pairs of 60 words on average."""
    written = pairs("short")
    with path.open("w", encoding="utf-8") as stream:
        for number in range(count):
            record = written[number % len(written)] | {"uid": f"q{number}"}
            stream.write(f"{json.dumps(record)}\n")
    return {"reader": "core.table", "path": str(path)}


def _table(path: Path, rows: int) -> dict[str, str]:
    """True labels and scores of ten labels, with six digits."""
    random = np.random.default_rng(5)
    scores = random.random((min(rows, _WIDE), 10)).round(6)
    truths = random.integers(0, 10, len(scores))
    lines = [
        f",{truth},{','.join(map(str, row))}\n"
        for truth, row in zip(truths.tolist(), scores.tolist(), strict=True)
    ]
    with path.open("w", encoding="utf-8") as stream:
        stream.write(f"uid,label,{','.join(f'score_{label}' for label in range(10))}\n")
        for number in range(rows):
            stream.write(f"item_{number:09d}{lines[number % len(lines)]}")
    return {"reader": "wide", "path": str(path)}


def _print(name: str, folder: Path, config: Mapping[str, object], repeat: int) -> None:
    engines: dict[str, Mapping[str, object]] = {
        "one": {"workers": 1},
        "two": {"workers": 2},
        "dask": {"name": "dask", "workers": 2},
    }
    if not installed("valor-dask"):
        del engines["dask"]
    seconds: dict[str, list[float]] = {engine: [] for engine in engines}
    results = []
    for _ in range(repeat):
        for engine, taken in seconds.items():
            report, path = folder / "report.json", folder / "config.json"
            path.write_text(json.dumps({**config, "engine": engines[engine]}), encoding="utf-8")
            command = ["run", str(path), "--output", str(report)]
            started = time.perf_counter()
            subprocess.run(
                [sys.executable, "-c", _VALOR, *command], check=True, stdout=subprocess.DEVNULL
            )
            taken.append(time.perf_counter() - started)
            results.append(json.loads(report.read_text(encoding="utf-8"))["results"])
    if any(found != results[0] for found in results):
        raise SystemExit(f"{name}: two runs have different results")
    one, two, *dask = (min(taken) for taken in seconds.values())
    last = f"{dask[0]:.2f}" if dask else ""
    print(f"| {name} | {one:.2f} | {two:.2f} | {one / two:.2f} | {last} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
