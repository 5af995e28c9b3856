"""Bytes that rows of per-item metrics keep, for each of a million items.

Run it with: ``python benchmarks/rows.py``
"""

from __future__ import annotations

import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))  # where other processes would find the metrics

from valor_core import Evaluator, Registry
from valor_core.schemas.text import Text, TextBatch
from valor_core.scoring import ItemMetricSpec
from valor_core.specs import MetricSpec, Range, hookimpl

ITEMS, BATCH = 1_000_000, 50_000


def one(batch: TextBatch, parameters: Any, resources: Any) -> Any:
    """One number an item."""
    return np.linspace(0, 1, len(batch))


def three(batch: TextBatch, parameters: Any, resources: Any) -> Any:
    """Three numbers an item."""
    return {name: np.linspace(0, 1, len(batch)) for name in ("a", "b", "c")}


@hookimpl
def valor_metrics() -> tuple[MetricSpec, ...]:
    """One metric for each number of numbers."""
    return tuple(
        ItemMetricSpec(
            name=f"rows.{name.capitalize()}",
            task="text",
            summary=f"{name} of an item",
            implementation=f"rows:{name}",
            higher_is_better=None,
            range=Range(0, 1),
            batched=True,
        )
        for name in ("one", "three")
    )


def kept(metric: str) -> float:
    """Bytes an item that an evaluator keeps for good."""
    registry = Registry()
    registry.register("rows", sys.modules[__name__])
    Evaluator([metric], "text", registry=registry).update(_batch(0))  # what is made once
    evaluator = Evaluator([metric], "text", registry=registry)
    tracemalloc.start()
    for start in range(0, ITEMS, BATCH):
        evaluator.update(_batch(start))
    assert evaluator.state.read == ITEMS
    found, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return found / ITEMS


def _batch(start: int) -> TextBatch:
    return TextBatch.of([Text(f"item{i:010d}") for i in range(start, start + BATCH)])


def main() -> None:
    """Print the table."""
    first, third = kept("rows.One"), kept("rows.Three")
    print(f"{ITEMS:,} items, uids of 14 characters, no details\n")
    print("| numbers of an item | bytes an item |\n| --- | --- |")
    print(f"| one | {first:.1f} |\n| three | {third:.1f} |")
    print(f"| each further one | {(third - first) / 2:.1f} |")


if __name__ == "__main__":
    main()
