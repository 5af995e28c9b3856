"""What small calls and unusual sizes cost: ``python benchmarks/costs.py``.

Each turn is a fresh process. The table has the least of the turns: seconds of a call, and bytes of
memory that it took beyond what the process held before.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from text_data import pairs
from turns import Program, answer, head_of, line_of, take_turns
from valor_classification.readers.arrays import from_arrays

FIVE = ["Accuracy", "Precision", "Recall", "F1", "ROCAUC"]
MANY_CALLS = 200


def _scores(rows: int, labels: int = 10) -> tuple[Any, Any]:
    random = np.random.default_rng(3)
    truths = random.integers(0, labels, rows)
    scores = random.random((rows, labels), dtype=np.float32)
    scores[np.arange(rows), truths] += np.float32(0.5)
    return truths, scores / scores.sum(axis=1, keepdims=True)


def _least(call: Callable[[], Any]) -> dict[str, float]:
    """Least seconds of many calls, after two."""
    taken = []
    for _ in range(MANY_CALLS):
        started = perf_counter()
        call()
        taken.append(perf_counter() - started)
    return {"seconds": min(taken[2:])}


def ten_arrays() -> Callable[[], Any]:
    """A later call over ten rows of scores."""
    from valor_core import evaluate

    data = _scores(10, 3)
    one = partial(evaluate, metrics=["Accuracy"], task="classification")
    return lambda: _least(lambda: one(from_arrays(*data)))


def ten_texts(task: str | None = "classification") -> Callable[[], Any]:
    """A later call over two lists of ten labels."""
    from valor_core import evaluate

    truths, predictions = ["cat", "dog"] * 5, ["cat", "cat"] * 5
    return lambda: _least(lambda: evaluate(truths, predictions, ["Accuracy"], task))


def sliced(count: int) -> Callable[[], Any]:
    """Five metrics over 100,000 rows, for each value of a field."""
    from valor_core import evaluate

    values = np.random.default_rng(4).integers(0, max(count, 1), 100_000).astype(str)
    batch = from_arrays(*_scores(100_000), metadata={"field": values})
    return lambda: evaluate(batch, FIVE, slices=["field"] if count else [])


def _confusions(labels: int) -> Any:
    from valor_core import evaluate

    random = np.random.default_rng(5)
    truths = random.integers(0, labels, 200_000)
    wrong = np.where(random.random(200_000) < 0.3, random.integers(0, labels, 200_000), truths)
    return evaluate(truths.tolist(), wrong.tolist(), ["ConfusionMatrix"], "classification")


def printed_matrix() -> Callable[[], Any]:
    """The report of a confusion matrix of 10,000 labels as text."""
    report = _confusions(10_000)
    return lambda: str(report)


def json_matrix() -> Callable[[], Any]:
    """The report of a confusion matrix of 5,000 labels as JSON."""
    report = _confusions(5_000)
    return lambda: {"bytes": len(report.to_json())}


def texts() -> Callable[[], Any]:
    """Four metrics over 100,000 pairs of texts in memory."""
    from valor_core import evaluate
    from valor_core.schemas.text import Text, TextBatch

    written = pairs("short")
    batch = TextBatch.of(
        Text(str(row), response=own["response"], references=[own["references"]])
        for row, own in ((row, written[row % len(written)]) for row in range(100_000))
    )
    return lambda: evaluate(batch, ["ROUGE", "BLEU", "WER", "TokenF1"])


def dense_image() -> Callable[[], Any]:
    """COCO's numbers of one image with 40,000 detections of one label."""
    from valor_detection.arrays.from_arrays import Objects, from_arrays

    from valor_core import evaluate

    random = np.random.default_rng(6)

    def objects(count: int, **more: Any) -> Objects:
        corners = random.random((count, 2)) * 5_000
        boxes = np.concatenate([corners, corners + 5 + random.random((count, 2)) * 100], axis=1)
        return Objects(boxes=boxes, labels=[0] * count, **more)

    batch = from_arrays(
        [objects(8_000)], [objects(40_000, scores=random.random(40_000))], box_format="xyxy"
    )
    return lambda: evaluate(batch, ["COCOSummary"])


def torchvision() -> Callable[[], Any]:
    """Arrays of 5,000 images as detection models of torchvision return them, made a batch."""
    from valor_detection import from_torchvision

    random = np.random.default_rng(7)

    def images(count: int, *, scored: bool) -> list[dict[str, Any]]:
        found = []
        for _ in range(5_000):
            corners = random.random((count, 2)) * 500
            boxes = np.concatenate([corners, corners + 50], axis=1)
            one = {"boxes": boxes, "labels": random.integers(0, 80, count)}
            found.append(one | ({"scores": random.random(count)} if scored else {}))
        return found

    truths, predictions = images(7, scored=False), images(50, scored=True)
    return lambda: from_torchvision(truths, predictions)


CASES: Mapping[str, tuple[Callable[[], Callable[[], Any]], str]] = {
    "ten rows of scores": (ten_arrays, "0.00025 s"),
    "two lists of ten labels": (ten_texts, ""),
    "two lists of ten labels, no task": (partial(ten_texts, None), ""),
    "100,000 rows": (partial(sliced, 0), ""),
    "100,000 rows, 10 slices": (partial(sliced, 10), ""),
    "100,000 rows, 999 slices": (partial(sliced, 999), "0.5 s more"),
    "print a matrix of 10,000 labels": (printed_matrix, "1 s, 1,200 MB"),
    "JSON of a matrix of 5,000 labels": (json_matrix, "2 s, 20 MB of text"),
    "100,000 pairs of texts": (texts, "100 MB"),
    "40,000 detections in an image": (dense_image, "0.02 s"),
    "from_torchvision, 5,000 images": (torchvision, "0.12 s"),
}
"""What prepares each case, and the goal."""


def serve(case: str) -> None:
    """Answer as a `Program`."""
    prepare, _ = CASES[case]
    answer(prepare, lambda found: found if isinstance(found, dict) else {})


def main(arguments: Sequence[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--repeat", type=int, default=3, help="turns of each")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.serve:
        serve(chosen.serve)
        return
    print(head_of(["case", "seconds", "extra MB", "MB of text", "goal"]), flush=True)
    programs = {case: Program(case, [__file__, "--serve", case]) for case in chosen.cases}
    take_turns(programs.values(), chosen.repeat, patience=60)
    for case, own in programs.items():
        values = [json.loads(json.dumps(turn["values"])) for turn in own.answers]
        pairs_of = zip(values, own.all_of("seconds"), strict=True)
        seconds = min(value.get("seconds", taken) for value, taken in pairs_of)
        size = f"{values[0]['bytes'] / 1e6:.1f}" if "bytes" in values[0] else ""
        extra = f"{min(own.all_of('extra')) / 1e6:,.0f}"
        print(line_of([case, f"{seconds:.5f}", extra, size, CASES[case][1]]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
