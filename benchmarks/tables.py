"""Whole processes that read tables: Valor to a report, and pandas, polars and pyarrow.

Every turn is a fresh Python, imports and all. The peers only read.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from turns import installed

METRICS = ["Accuracy", "Precision", "Recall", "F1", "ROCAUC", "Counts", "ConfusionMatrix"]
Turn = tuple[float, float, int]
"""Seconds, CPU seconds and the peak of memory."""

WITHOUT_SCORES = ["Accuracy", "Precision", "Recall", "F1", "ConfusionMatrix"]

_VALOR = "import sys; from valor_cli import main; sys.argv = ['valor', 'run', {config!r}]; main()"
_PEAK = (
    "import atexit, sys; atexit.register(lambda: print("
    "*(l for l in open('/proc/self/status') if l.startswith('VmHWM')), file=sys.stderr)); "
)
"""Prints the peak of memory at the end; what `getrusage` says has the parent's in it."""
_WITHOUT = "import sys; sys.modules['pyarrow'] = None; "
_PANDAS = {
    "csv": "import pandas; pandas.read_csv({path!r})",
    "jsonl": "import pandas; pandas.read_json({path!r}, lines=True)",
    "parquet": "import pandas; pandas.read_parquet({path!r})",
}
_POLARS = {
    "csv": "import polars; polars.read_csv({path!r})",
    "jsonl": "import polars; polars.read_ndjson({path!r})",
    "parquet": "import polars; polars.read_parquet({path!r})",
}
_PYARROW = {
    "csv": "import pyarrow.csv; pyarrow.csv.read_csv({path!r})",
    "jsonl": "import pyarrow.json; pyarrow.json.read_json({path!r})",
    "parquet": "import pyarrow.parquet; pyarrow.parquet.read_table({path!r})",
}


def main(arguments: Sequence[str]) -> None:
    """Print a table of seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the wide table")
    parser.add_argument("--repeat", type=int, default=5, help="turns of each program")
    parser.add_argument("--cases", nargs="*", help="wide, long, predicted, lists, objects, parquet")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        head = f"{'case':10} {'MB':>6}  {'program':16} {'min s':>7} {'median':>7} {'CPU':>7}"
        print(f"{head} {'peak MB':>8}")
        for name, path, config in _cases(Path(folder), chosen.rows, chosen.cases):
            _print(name, path, _turns(_programs(path, config), chosen.repeat))


def _cases(
    folder: Path, rows: int, chosen: Sequence[str] | None
) -> Iterator[tuple[str, Path, Path]]:
    """Name, largest file and config of each case."""
    data = _Data(folder, rows)
    for name in chosen or ("wide", "long", "predicted", "lists", "objects", "parquet"):
        path, source = getattr(data, name)()
        metrics = WITHOUT_SCORES if name == "predicted" else METRICS
        config = folder / f"{name}.json"
        task = {"task": "classification", "data": source, "metrics": metrics}
        config.write_text(json.dumps(task), encoding="utf-8")
        yield name, path, config
        path.unlink()


def _programs(path: Path, config: Path) -> Mapping[str, str]:
    kind = path.suffix[1:]
    valor = _VALOR.format(config=str(config))
    programs = {"valor": valor}
    if kind != "parquet":
        programs["valor-no-pyarrow"] = _WITHOUT + valor
    programs["pandas"] = _PANDAS[kind].format(path=str(path))
    if installed("polars"):
        programs["polars"] = _POLARS[kind].format(path=str(path))
    programs["pyarrow"] = _PYARROW[kind].format(path=str(path))
    return programs


def _turns(programs: Mapping[str, str], repeat: int) -> dict[str, list[Turn]]:
    """The turns of each program; the programs take turns."""
    found: dict[str, list[Turn]] = {name: [] for name in programs}
    for _ in range(repeat):
        for name, program in programs.items():
            found[name].append(_run(program))
    return found


def _run(program: str) -> Turn:
    before, start = _cpu(), time.perf_counter()
    command = [sys.executable, "-c", _PEAK + program]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    return seconds, _cpu() - before, 1024 * int(done.stderr.split()[-2])


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _print(name: str, path: Path, turns: Mapping[str, Sequence[Turn]]) -> None:
    megabytes = path.stat().st_size / 1e6
    for program, times in turns.items():
        seconds, cpu, peak = zip(*times, strict=True)
        print(
            f"{name:10} {megabytes:6.1f}  {program:16} {min(seconds):7.2f} "
            f"{statistics.median(seconds):7.2f} {min(cpu):7.2f} {min(peak) / 1e6:8.0f}",
            flush=True,
        )


class _Data:
    """Files of ten labels and float32 probabilities, four in five right."""

    def __init__(self, folder: Path, rows: int) -> None:
        self.folder = folder
        random = np.random.default_rng(7)
        self.labels = [f"class_{code:04d}" for code in range(10)]
        self.truths = random.integers(0, 10, rows)
        logits = random.normal(size=(rows, 10)) * 2
        logits[np.arange(rows), self.truths] += 4
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        self.scores: NDArray[np.float32] = (odds / odds.sum(axis=1, keepdims=True)).astype("f4")
        self.uids = [f"item_{row:07d}" for row in range(rows)]

    def wide(self) -> tuple[Path, dict[str, str]]:
        """One row for each item, a score for each label."""
        names = [f"score_{label}" for label in self.labels]
        lines = (
            ",".join([uid, self.labels[truth], *map(str, scores)])
            for uid, truth, scores in zip(self.uids, self.truths, self.scores, strict=True)
        )
        path = self._written("wide.csv", ",".join(["uid", "label", *names]), lines)
        return path, {"reader": "wide", "path": str(path)}

    def objects(self) -> tuple[Path, dict[str, str]]:
        """The same as JSON Lines, of a fifth of the items."""
        lines = (
            json.dumps(
                {"uid": uid, "label": self.labels[truth]}
                | {
                    f"score_{label}": float(str(score))
                    for label, score in zip(self.labels, scores, strict=True)
                }
            )
            for uid, truth, scores in self._some(5)
        )
        path = self._written("objects.jsonl", None, lines)
        return path, {"reader": "wide", "path": str(path)}

    def long(self) -> tuple[Path, dict[str, str]]:
        """One row for each score of a tenth of the items."""
        truths = (f"{uid},{self.labels[truth]}" for uid, truth, _ in self._some(10))
        true = self._written("true.csv", "uid,label", truths)
        lines = (
            f"{uid},{label},{score}"
            for uid, _, scores in self._some(10)
            for label, score in zip(self.labels, scores, strict=True)
        )
        path = self._written("long.csv", "uid,label,score", lines)
        return path, {"reader": "long", "groundtruths": str(true), "predictions": str(path)}

    def predicted(self) -> tuple[Path, dict[str, str]]:
        """True and predicted label of half of the items."""
        lines = (
            f"{uid},{self.labels[truth]},{self.labels[scores.argmax()]}"
            for uid, truth, scores in self._some(2)
        )
        path = self._written("predicted.csv", "uid,label,prediction", lines)
        return path, {"reader": "predicted", "path": str(path)}

    def lists(self) -> tuple[Path, dict[str, str]]:
        """The five best labels of a tenth of the items."""
        lines = (
            json.dumps(
                {
                    "uid": uid,
                    "groundtruths": self.labels[truth],
                    "predictions": {
                        self.labels[i]: float(scores[i]) for i in (-scores).argsort()[:5]
                    },
                }
            )
            for uid, truth, scores in self._some(10)
        )
        path = self._written("lists.jsonl", None, lines)
        return path, {"reader": "lists", "path": str(path)}

    def parquet(self) -> tuple[Path, dict[str, str]]:
        """The wide table as Parquet."""
        import pyarrow.parquet

        columns = {"uid": self.uids, "label": [self.labels[truth] for truth in self.truths]}
        scores = {f"score_{label}": self.scores[:, i] for i, label in enumerate(self.labels)}
        path = self.folder / "wide.parquet"
        table = pyarrow.table(columns | scores)
        pyarrow.parquet.write_table(table, path, row_group_size=131_072)
        return path, {"reader": "wide", "path": str(path)}

    def _some(self, share: int) -> Iterator[tuple[str, int, NDArray[np.float32]]]:
        count = len(self.uids) // share
        return zip(self.uids[:count], self.truths[:count], self.scores[:count], strict=True)

    def _written(self, name: str, header: str | None, lines: Iterator[str]) -> Path:
        path = self.folder / name
        with path.open("w", encoding="utf-8") as stream:
            stream.writelines(f"{line}\n" for line in ([] if header is None else [header]))
            stream.writelines(f"{line}\n" for line in lines)
        return path


if __name__ == "__main__":
    main(sys.argv[1:])
