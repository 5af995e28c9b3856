"""Cost of intervals by resamples: python benchmarks/intervals_cost.py [RESAMPLES].

Each row is measured in a new process with one thread: processor time of an evaluation without
intervals, the time that resamples add, and the peak memory of both.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

RANDOM = np.random.default_rng(0)
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "VALOR_THREADS": "1"}


def scored(count: int) -> Any:
    """Return items of two labels with scores."""
    from valor_classification.readers.arrays import from_arrays

    true = RANDOM.integers(0, 2, count)
    return from_arrays(true, np.clip(RANDOM.normal(0.3, 0.3, count) + 0.4 * true, 0, 1))


def texts(count: int) -> Any:
    """Return pairs of sentences."""
    from valor_core import Text

    words = [f"w{i}" for i in range(50)]
    pairs = RANDOM.choice(words, (count, 2, 8))
    return [
        Text(f"q{i}", response=" ".join(one), references=" ".join(other))
        for i, (one, other) in enumerate(pairs)
    ]


def images(count: int) -> Any:
    """Return images of 3 to 11 objects and 50 detections of 80 labels."""
    from valor_detection import Objects, from_arrays

    def boxes(size: int) -> Any:
        corners = RANDOM.random((size, 2)) * 500
        return np.hstack([corners, corners + 20 + RANDOM.random((size, 2)) * 100])

    true, found = [], []
    for _ in range(count):
        size = int(RANDOM.integers(3, 12))
        shapes, labels = boxes(size), RANDOM.integers(0, 80, size)
        true.append(Objects(boxes=shapes, labels=labels))
        of, near = RANDOM.integers(0, size, 50), RANDOM.random(50) < 0.4
        moved = np.where(near[:, None], shapes[of] + RANDOM.normal(0, 5, (50, 4)), boxes(50))
        moved[:, 2:] = np.maximum(moved[:, 2:], moved[:, :2] + 1)
        names = np.where(near, labels[of], RANDOM.integers(0, 80, 50))
        scores = RANDOM.random(50) * (0.6 + 0.4 * near)
        found.append(Objects(boxes=moved, labels=names, scores=scores))
    return from_arrays(true, found)


ROWS: dict[str, tuple[Callable[[int], Any], int, str]] = {
    "Accuracy": (scored, 100_000, "2.5 ns an item and resample"),
    "F1": (scored, 100_000, "2.5 ns an item and resample"),
    "BrierScore": (scored, 100_000, "2.5 ns an item and resample"),
    "ROCAUC": (scored, 100_000, "15 ns an item and resample"),
    "AveragePrecision": (scored, 100_000, "15 ns an item and resample"),
    "text.ROUGE": (texts, 10_000, "0.1 s"),
    "text.WER": (texts, 10_000, ""),
    "text.CorpusBLEU": (texts, 10_000, ""),
    "mAPAveragedOverIOUs": (images, 5_000, "8 s"),
    "AP": (images, 5_000, "8 s"),
    "detection.F1": (images, 5_000, ""),
}


def measure(name: str, resamples: int) -> None:
    """Print processor time and peak memory of an evaluation."""
    from valor_core import evaluate

    make, count, _ = ROWS[name]
    data = make(count)
    confidence = {"resamples": resamples} if resamples else None
    evaluate(data, [name])  # imports, and preparation that the data keep
    before = time.process_time()
    evaluate(data, [name], confidence=confidence)
    took = time.process_time() - before
    print(took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def row(name: str, resamples: int) -> str:
    """Return the row of a metric."""
    numbers = []
    for count in (0, resamples):
        command = [sys.executable, __file__, name, str(count)]
        output = subprocess.run(
            command, env=os.environ | ONE_THREAD, check=True, capture_output=True, text=True
        ).stdout
        numbers.append([float(one) for one in output.split()])
    (plain, memory), (with_intervals, more) = numbers
    _, count, target = ROWS[name]
    added = with_intervals - plain
    each = added * 1e9 / count / resamples
    return (
        f"| {name} | {count:,} | {plain:.2f} s | {added:.2f} s | {each:.1f} ns | {target} | "
        f"{memory:.0f} MB | {more:.0f} MB |"
    )


def main(resamples: int) -> None:
    """Print the table."""
    print(f"{resamples:,} resamples of 100 groups")
    print("| metric | items | without | added | an item and resample | target | memory | with |")
    print("| --- |" + " --- |" * 7)
    for name in ROWS:
        print(row(name, resamples), flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        measure(sys.argv[1], int(sys.argv[2]))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
