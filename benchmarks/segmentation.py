"""Segmentation benchmark: Valor side by side with np.bincount and the peers that count pixels.

    python benchmarks/segmentation.py --tasks counting --cases blobs_20_uint8 noise_20_uint8

Every implementation gets the same arrays and a process of its own for each task and case. The
processes take turns, so that other work on the machine troubles all of them alike. Nobody warms
up: the call is the first one after imports, and the whole process is timed from outside.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve
from numpy.typing import NDArray
from segmentation_data import Recipe, made
from turns import (
    TITLES,
    Program,
    answer,
    call_and_process,
    head_of,
    installed,
    line_of,
    take_turns,
    versions,
)
from valor_segmentation.readers.in_memory import from_arrays

Values = dict[str, NDArray[Any]]
Run = Callable[[Any], Any]
"""From the maps, or the folder of their files, to an answer."""

SEED = 20261122
KINDS = ("blobs", "noise")
CASES = (
    {
        f"{kind}_{labels}_{dtype}": Recipe(32, 1024, labels, dtype, kind == "noise")
        for dtype in ("uint8", "uint16")
        for kind in KINDS
        for labels in (20, 150)
    }
    | {"blobs_20_int32": Recipe(32, 1024, 20, "int32")}
    | {f"{kind}_20_int64": Recipe(8, 1024, 20, "int64", kind == "noise") for kind in KINDS}
    | {
        f"{kind}_20_uint8_int64": Recipe(8, 1024, 20, "uint8", kind == "noise", "int64")
        for kind in KINDS
    }
    | {
        "large_20_uint8": Recipe(1, 8192, 20, "uint8"),
        "large_150_uint16": Recipe(1, 8192, 150, "uint16"),
    }
)
PEERS = ("scikit-learn", "torchmetrics", "valor-lite")
TASKS = {
    "counting": ("reading", "bincount", "valor", *PEERS),
    "set": ("reading", "bincount", "valor", *PEERS),
    "files": ("bincount", "valor"),
}
CASES_OF = {
    "counting": tuple(CASES),
    "set": ("blobs_20_uint8", "blobs_150_uint8"),
    "files": ("blobs_20_uint8",),
}
CASES_OF_PEERS = ("blobs_20_uint8", "blobs_150_uint8", "noise_150_uint8", "blobs_150_uint16")
DISTRIBUTIONS = ("valor-segmentation", *PEERS)
METRICS = ("IOU", "mIOU", "Precision", "Recall", "F1", "Accuracy", "Counts", "ConfusionMatrix")
TOLERANCE = 1e-6
"""Greatest difference of ratios from Valor's: torchmetrics works in float32. Counts are equal."""


def names(labels: int) -> list[str]:
    """Labels of the values from 1 on; 0 is background."""
    return [f"label_{value:03d}" for value in range(1, labels)]


# ---- the memory


def reading_runs(task: str, labels: int) -> Run:
    pool = ThreadPoolExecutor(os.cpu_count())

    def run(data: Any) -> None:
        parts = (part for side in data for part in np.array_split(side.reshape(-1), 32))
        list(pool.map(np.max, parts))

    return run


# ---- NumPy


def bincount_runs(task: str, labels: int) -> Run:
    def counted(pairs: Iterable[tuple[Any, Any]]) -> Any:
        counts = np.zeros(labels * labels, np.int64)
        for true, seen in pairs:
            places = true.reshape(-1).astype(np.int64) * labels + seen.reshape(-1)
            counts += np.bincount(places, minlength=labels * labels)
        return counts.reshape(labels, labels)

    def counts_of(data: Any) -> Values:
        return {"counts": counted(zip(*data, strict=True))}

    def metrics_of(data: Any) -> Values:
        return ratios(counted(zip(*data, strict=True)))

    def of_files(folder: Any) -> Values:
        return ratios(counted(_images(folder)))

    return {"counting": counts_of, "set": metrics_of, "files": of_files}[task]


def ratios(counts: Any) -> Values:
    """The metrics of the set, from pixels by true and predicted value."""
    hits, true, seen = counts.diagonal(), counts.sum(axis=1), counts.sum(axis=0)
    with np.errstate(invalid="ignore"):
        return {
            "counts": counts,
            "IOU": (hits / (true + seen - hits))[1:],
            "Precision": (hits / np.maximum(seen, 1))[1:],
            "Recall": (hits / np.maximum(true, 1))[1:],
            "F1": (2 * hits / np.maximum(true + seen, 1))[1:],
        }


def _images(folder: Path) -> Iterator[tuple[Any, Any]]:
    from PIL import Image

    for path in sorted((folder / "groundtruths").iterdir()):
        both = path, folder / "predictions" / path.name
        true, seen = (np.asarray(Image.open(one)) for one in both)
        yield true, seen


# ---- Valor


def valor_runs(task: str, labels: int) -> Run:
    from valor_segmentation.counting.pixel_counts import PixelCounts

    from valor_core import evaluate

    known = names(labels)

    def counts_of(data: Any) -> Any:
        state = PixelCounts()
        state.update(from_arrays(*data, labels=known))
        return state

    def metrics_of(data: Any) -> Any:
        return evaluate(from_arrays(*data, labels=known), list(METRICS))

    def of_files(folder: Any) -> Any:
        sides = {side: str(folder / side) for side in ("groundtruths", "predictions")}
        chosen = {"reader": "segmentation.png", "labels": known, **sides}
        return evaluate(chosen, list(METRICS), task="segmentation")

    return {"counting": counts_of, "set": metrics_of, "files": of_files}[task]


def valor_values(answered: Any) -> Values:
    """The numbers of a state, or of a report, as the peers have them."""
    if not hasattr(answered, "results"):
        return {"counts": answered.keys["class"].confusion.table}
    value = answered["ConfusionMatrix"].value
    known = sorted(value["confusion_matrix"])
    counts = np.zeros((len(known) + 1, len(known) + 1), np.int64)
    counts[1:, 1:] = [[value["confusion_matrix"][t][p] for p in known] for t in known]
    counts[1:, 0] = [value["unmatched_ground_truths"][name] for name in known]
    counts[0, 1:] = [value["unmatched_predictions"][name] for name in known]
    counts[0, 0] = value["background"]
    kinds = ("IOU", "Precision", "Recall", "F1")
    return {"counts": counts} | {
        kind: np.array([_number(answered[kind, name].value) for name in known]) for kind in kinds
    }


def _number(value: Any) -> float:
    return value if isinstance(value, (int, float)) else float("nan")


# ---- peers


def sklearn_runs(task: str, labels: int) -> Run:
    from sklearn import metrics

    values = np.arange(labels)

    def counts_of(data: Any) -> Values:
        counts = np.zeros((labels, labels), np.int64)
        for true, seen in zip(*data, strict=True):
            counts += metrics.confusion_matrix(true.reshape(-1), seen.reshape(-1), labels=values)
        return {"counts": counts}

    # From the confusion matrix: a call for each metric would read everything four times.
    return counts_of if task == "counting" else lambda data: ratios(counts_of(data)["counts"])


def torchmetrics_runs(task: str, labels: int) -> Run:
    import torch
    from torchmetrics import MetricCollection
    from torchmetrics import classification as metrics

    kinds: dict[str, Any] = {"counts": metrics.MulticlassConfusionMatrix(labels)}
    if task == "set":
        kinds |= {
            "IOU": metrics.MulticlassJaccardIndex(labels, average="none"),
            "Precision": metrics.MulticlassPrecision(labels, average="none"),
            "Recall": metrics.MulticlassRecall(labels, average="none"),
            "F1": metrics.MulticlassF1Score(labels, average="none"),
        }

    def run(data: Any) -> Values:
        collection = MetricCollection(kinds)
        collection.reset()
        for true, seen in zip(*data, strict=True):
            sides = (torch.from_numpy(one.astype(np.int64))[None] for one in (seen, true))
            collection.update(*sides)
        found = {name: value.numpy() for name, value in collection.compute().items()}
        return {name: value if name == "counts" else value[1:] for name, value in found.items()}

    return run


def valor_lite_runs(task: str, labels: int) -> Run:
    from valor_lite.semantic_segmentation import Loader, MetricType, Segmentation

    known = names(labels)

    def run(data: Any) -> Values:
        loader = Loader.in_memory()
        for number, (true, seen) in enumerate(zip(*data, strict=True)):
            loader.add_data([Segmentation(str(number), true, seen, known)])
        evaluator = loader.finalize()
        counts = np.zeros((labels, labels), np.int64)
        columns = ("gt_label_id", "pd_label_id", "count")
        for table in evaluator.reader.iterate_tables(columns=list(columns)):
            true, seen, pixels = (table[name].to_numpy().astype(np.int64) for name in columns)
            np.add.at(counts, (true + 1, seen + 1), pixels)
        found: Values = {"counts": counts}
        if task == "set":
            results = evaluator.compute_precision_recall_iou()
            for kind in (MetricType.Precision, MetricType.Recall, MetricType.F1):
                by_label = {one.parameters["label"]: one.value for one in results[kind]}
                found[kind.value] = np.array([by_label[name] for name in known])
        return found

    return run


MAKERS: Mapping[str, Callable[[str, int], Run]] = {
    "reading": reading_runs,
    "bincount": bincount_runs,
    "valor": valor_runs,
    "scikit-learn": sklearn_runs,
    "torchmetrics": torchmetrics_runs,
    "valor-lite": valor_lite_runs,
}


# ---- one process


def serve(name: str, task: str, case: str, folder: Path) -> None:
    warnings.simplefilter("ignore")

    def prepare() -> Callable[[], Any]:
        run = MAKERS[name](task, CASES[case].labels)
        if task == "files":
            return partial(run, folder)
        return partial(run, tuple(np.load(folder / f"{side}.npy") for side in ("true", "seen")))

    def save(found: Any) -> None:
        if name != "reading":
            values = valor_values(found) if name == "valor" else found
            np.savez(folder / f"{name}.npz", **values)

    answer(prepare, save)


# ---- all processes of one task and case, in turns


def measure(task: str, case: str, recipe: Recipe, repeat: int, patience: float) -> Iterator[str]:
    """Rows of the table."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write(task, recipe, folder)
        programs = [
            Program(name, [__file__, "--serve", name, task, case, temporary])
            for name in TASKS[task]
            if name not in PEERS or (case in CASES_OF_PEERS and installed(name))
        ]
        take_turns(programs, repeat, patience)
        by_name = {program.name: program for program in programs}
        for own in programs:
            seconds = own.middle("seconds")
            cells = [
                case,
                own.name,
                *call_and_process(own, by_name["valor"]),
                f"{own.middle('cpu'):.4f}",
                f"{recipe.megabytes / 1e3 / seconds:.1f}",
                f"{by_name['bincount'].middle('seconds') / seconds:.1f}",
                f"{own.middle('extra') / 1e6:,.0f}",
                "" if own.name == "reading" else compare(folder, own.name),
            ]
            yield line_of(cells)


def write(task: str, recipe: Recipe, folder: Path) -> None:
    """The maps of a case, as arrays or as images."""
    true, seen = made(recipe, SEED)
    if task != "files":
        np.save(folder / "true.npy", true)
        np.save(folder / "seen.npy", seen)
        return
    from PIL import Image

    for side, maps in (("groundtruths", true), ("predictions", seen)):
        (folder / side).mkdir()
        for number, one in enumerate(maps):
            Image.fromarray(one).save(folder / side / f"{number:03d}.png")


def compare(folder: Path, name: str) -> str:
    """Whether an implementation has the numbers of np.bincount, or the greatest difference."""
    with np.load(folder / "bincount.npz") as right, np.load(folder / f"{name}.npz") as found:
        worst = 0.0
        for key in found.files:
            # A ratio that is undefined is no number for some, and 0 for others.
            difference = float(np.nanmax(np.abs(found[key] - right[key]), initial=0.0))
            if difference > (0 if key == "counts" else TOLERANCE):
                return f"{key} differ by {difference:.1g}"
            worst = max(worst, difference)
    return "none" if worst == 0 else f"{worst:.0e}"


HEADER = (
    *("case", "", *TITLES),
    *("CPU of the call, s", "GB/s", "times bincount", "extra MB", "difference"),
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--repeat", type=int, default=5, help="turns of every implementation")
    parser.add_argument(
        "--patience", type=float, default=20.0, help="seconds after which one gets no more turns"
    )
    parser.add_argument(
        "--images", type=int, help="images of every case, in place of its own number"
    )
    parser.add_argument("--serve", nargs=4, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve:
        name, task, case, folder = chosen.serve
        serve(name, task, case, Path(folder))
        return
    print(versions(DISTRIBUTIONS), flush=True)
    for task in chosen.tasks:
        print(f"\n{task}\n\n{head_of(HEADER)}", flush=True)
        for case in CASES_OF[task]:
            if case in chosen.cases:
                recipe = CASES[case]
                if chosen.images:
                    recipe = evolve(recipe, count=chosen.images)
                for row in measure(task, case, recipe, chosen.repeat, chosen.patience):
                    print(row, flush=True)


if __name__ == "__main__":
    main()
