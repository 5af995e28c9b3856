"""Seconds and bytes of large data on a cluster: ``python benchmarks/scale.py``.

Workers make the data themselves. The cluster is started before the clock, one process for each
worker. Every result is compared with that of the serial engine, up to the size that this is asked
for by ``--compare``.
"""

from __future__ import annotations

import argparse
import pickle
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from distributed import LocalCluster
from synthetic import Boxes, Probabilities
from valor_dask.uids import shorten

from valor_core import Evaluator, evaluate
from valor_core.evaluation import EvaluationState
from valor_core.evaluation.engines import PartitionTask
from valor_core.readers import Reader

PART = 1_000_000
CASES: dict[str, tuple[str, type, tuple[str, ...], int]] = {
    "counting": (
        "classification",
        Probabilities,
        ("Accuracy", "Precision", "Recall", "F1", "ConfusionMatrix"),
        100_000_000,
    ),
    "ranked": ("classification", Probabilities, ("ROCAUC", "AveragePrecision"), 10_000_000),
    "detection": ("detection", Boxes, ("AP", "mAP", "AR"), 10_000_000),
}


def reader_of(case: str, size: int) -> Any:
    """The data of a case; parts of a million, and eight of what is less."""
    _, reader, _, _ = CASES[case]
    return reader(size, max(8, size // PART))


@contextmanager
def cluster(workers: int) -> Iterator[str]:
    """The address of a scheduler with some workers, a process each."""
    with LocalCluster(
        n_workers=workers, threads_per_worker=1, memory_limit=None, dashboard_address=":0"
    ) as started:
        yield started.scheduler_address


def seconds(case: str, size: int, engine: Any, turns: int) -> tuple[float, Any]:
    """The fastest of some runs, and what came of it."""
    task, _, metrics, _ = CASES[case]
    taken, results = [], None
    for _ in range(turns):
        started = time.perf_counter()
        results = evaluate(reader_of(case, size), list(metrics), task, engine=engine).results
        taken.append(time.perf_counter() - started)
    return min(taken), results


def moved(metric: str, case: str, reader: Reader) -> tuple[int, int]:
    """Bytes of the state of one part, and of two parts merged."""
    task, _, _, _ = CASES[case]
    with Evaluator([metric], task) as evaluator:
        work = PartitionTask(evaluator.evaluation, reader)
        first, second = (shorten(work(part, {})) for part in reader.partitions()[:2])
        alone = len(pickle.dumps(first, protocol=pickle.HIGHEST_PROTOCOL))
        both = EvaluationState()
        both.absorb(first)
        both.absorb(second)
        return alone, len(pickle.dumps(both, protocol=pickle.HIGHEST_PROTOCOL))


def print_times(cases: list[str], most: int, compare: int) -> None:
    """A table of seconds by case and size."""
    print("| metrics | size | parts | serial | 1 worker | 2 workers |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    with cluster(1) as one, cluster(2) as two:
        for case in cases:
            size = 100_000
            while size <= min(most, CASES[case][3]):
                turns = 3 if size <= PART else 1
                cells = []
                results = []
                for engine in (None, one, two):
                    if engine is None and size > compare:
                        cells.append("")
                        continue
                    chosen = None if engine is None else {"name": "dask", "scheduler": engine}
                    taken, found = seconds(case, size, chosen, turns)
                    cells.append(f"{taken:.2f} s")
                    results.append(found)
                assert all(found == results[0] for found in results), case
                parts = len(reader_of(case, size).partitions())
                print(f"| {case} | {size:,} | {parts} | {' | '.join(cells)} |", flush=True)
                size *= 10


def print_bytes(cases: list[str]) -> None:
    """A table of bytes by metric."""
    print("\n| metric | items in a part | its state | two parts merged | more for each item |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for case in cases:
        size = 10 * PART if case == "detection" else PART
        reader = reader_of(case, size)
        items = size // len(reader.partitions()) // (20 if case == "detection" else 1)
        for metric in CASES[case][2]:
            alone, both = moved(metric, case, reader)
            each = (both - alone) / items
            print(f"| {metric} | {items:,} | {alone:,} B | {both:,} B | {each:.1f} B |", flush=True)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", nargs="+", choices=list(CASES), default=list(CASES))
    parser.add_argument("--most", type=int, default=100_000_000, help="largest size")
    parser.add_argument("--compare", type=int, default=10_000_000, help="largest serial size")
    chosen = parser.parse_args()
    print_bytes(chosen.cases)
    print()
    print_times(chosen.cases, chosen.most, chosen.compare)


if __name__ == "__main__":
    main()
