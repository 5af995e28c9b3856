"""Classification benchmark: Valor side by side with scikit-learn, torchmetrics and valor-lite.

    python benchmarks/classification.py --cases 10k_10 100k_10 --repeat 5

Every implementation gets the same arrays, and a process of its own for each turn, task and case.
The processes take turns, so that other work on the machine troubles all of them alike. Nobody warms
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
from numpy.typing import NDArray
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
from valor_classification.readers.arrays import from_arrays

Values = dict[str, NDArray[Any]]
Runs = Mapping[str, Callable[[Any], Any]]

CASES = {
    "10k_10": (10_000, 10),
    "100k_10": (100_000, 10),
    "1m_10": (1_000_000, 10),
    "100k_100": (100_000, 100),
    "100k_1000": (100_000, 1_000),
}
LISTED = {"10k_10": (10_000, 10, 10), "10k_1000_top5": (10_000, 1_000, 5)}
THRESHOLDS = tuple(step / 20 for step in range(1, 20))
BATCHES = 100
SIDES = ("truths", "scores")
BINS = 15

IMPLEMENTATIONS = ("valor", "scikit-learn", "torchmetrics", "valor-lite")
DISTRIBUTIONS = ("valor-classification", *IMPLEMENTATIONS[1:])
TASKS: Mapping[str, tuple[str, ...]] = {
    "all": ("scikit-learn", "torchmetrics"),
    "accuracy": ("scikit-learn", "torchmetrics"),
    "precision": ("scikit-learn", "torchmetrics"),
    "recall": ("scikit-learn", "torchmetrics"),
    "f1": ("scikit-learn", "torchmetrics"),
    "roc_auc": ("scikit-learn", "torchmetrics"),
    "average_precision": ("scikit-learn", "torchmetrics"),
    "pr_counts": ("scikit-learn", "torchmetrics"),
    "confusion_matrix": ("scikit-learn", "torchmetrics"),
    "mcc": ("scikit-learn", "torchmetrics"),
    "kappa": ("scikit-learn", "torchmetrics"),
    "log_loss": ("scikit-learn",),
    "calibration_error": ("torchmetrics",),
    "roc_curve": ("scikit-learn", "torchmetrics"),
    "stream": ("scikit-learn", "torchmetrics"),
    "listed": ("valor-lite",),
}
TOLERANCES = {"scikit-learn": 1e-6, "torchmetrics": 1e-5, "valor-lite": 0.0}
"""Greatest difference from Valor's numbers; torchmetrics works in float32. Counts must be equal."""


# ---- data


def dense(count: int, width: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """True classes, and float32 probabilities that are right about four times in five."""
    generator = np.random.default_rng([count, width])
    truths = generator.integers(0, width, count)
    truths[:width] = np.arange(width)[:count]
    scores = generator.standard_normal((count, width), dtype=np.float32)
    scores[np.arange(count), truths] += np.float32(1 + 0.9 * np.log10(width) ** 0.75)
    scores *= 2
    scores -= scores.max(axis=1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    return truths, scores


def listed(count: int, width: int, most: int) -> list[tuple[str, str, list[str], list[float]]]:
    """Items as people have them: uid, true label, the best labels and their scores."""
    truths, scores = dense(count, width)
    best = np.argsort(-scores, axis=1, kind="stable")[:, :most]
    names = [f"label_{code:04d}" for code in range(width)]
    return [
        (f"item_{row}", names[truth], [names[c] for c in labels], scores[row, labels].tolist())
        for row, (truth, labels) in enumerate(zip(truths.tolist(), best.tolist(), strict=True))
    ]


# ---- Valor


def valor_runs(task: str) -> Callable[[Any], Any]:
    from valor_core import Evaluator, evaluate
    from valor_core.schemas.classification import Classification

    everything = [
        "Accuracy",
        {"name": "Precision", "average": "none"},
        {"name": "Recall", "average": "none"},
        {"name": "F1", "average": "none"},
        "ROCAUC",
        {"name": "PrecisionRecallCurve", "score_thresholds": THRESHOLDS},
        "ConfusionMatrix",
    ]
    metrics: dict[str, list[Any]] = {
        "all": everything,
        "stream": everything,
        "accuracy": ["Accuracy"],
        "precision": [{"name": "Precision", "average": "none"}],
        "recall": [{"name": "Recall", "average": "none"}],
        "f1": [{"name": "F1", "average": "none"}],
        "roc_auc": ["ROCAUC"],
        "average_precision": [{"name": "AveragePrecision", "average": "none"}],
        "pr_counts": [{"name": "PrecisionRecallCurve", "score_thresholds": THRESHOLDS}],
        "confusion_matrix": ["ConfusionMatrix"],
        "mcc": ["MatthewsCorrelation"],
        "kappa": ["CohenKappa"],
        "log_loss": ["LogLoss"],
        "calibration_error": [{"name": "CalibrationError", "bins": BINS}],
        "roc_curve": ["ROCCurve"],
        "listed": [
            {"name": "Counts", "score_thresholds": THRESHOLDS, "hardmax": False},
            "ROCAUC",
        ],
    }
    chosen = metrics[task]

    def at_once(data: Any) -> Any:
        truths, scores = data
        return evaluate(from_arrays(truths, scores), chosen)

    def in_batches(data: Any) -> Any:
        evaluator = Evaluator(chosen, "classification")
        for truths, scores in _batches(data):
            labels = range(scores.shape[1])
            batch = from_arrays(truths, scores, labels=labels)
            evaluator.update(batch)
        return evaluator.compute()

    def from_objects(data: Any) -> Any:
        items = [
            Classification(uid, truth, list(zip(labels, scores, strict=True)))
            for uid, truth, labels, scores in data
        ]
        return evaluate(items, chosen)

    return {"stream": in_batches, "listed": from_objects}.get(task, at_once)


def valor_values(task: str, report: Any) -> Values:
    """The numbers of a report as the peers have them: by class, in the order of the columns."""
    types = dict.fromkeys(result.type for result in report.results)
    found: Values = {}
    for kind in types:
        results = list(report.results[kind])
        if kind == "Counts":
            found |= _counts_of(results)
        elif kind == "PrecisionRecallCurve":
            curves = _by_class(results[0].value)
            found["counts"] = np.array(
                [
                    [[point[key] for key in ("tp", "fp", "fn", "tn")] for point in curve.values()]
                    for curve in curves
                ]
            )
        elif kind == "ConfusionMatrix":
            rows = _by_class(results[0].value["confusion_matrix"])
            found["confusion"] = np.array([_by_class(row) for row in rows])
        elif kind == "ROCCurve":
            curves = _by_class(results[0].value)
            found["areas"] = np.array([np.trapezoid(one["tpr"], one["fpr"]) for one in curves])
        elif kind == "CalibrationError":
            found["ece"] = np.array(results[0].value["ece"])
        elif "label" in results[0].parameters:
            values = {one.parameters["label"]: _number(one.value) for one in results}
            found[kind] = np.array(_by_class(values))
        else:
            found[kind] = np.array(_number(results[0].value))
    return found


def _by_class(table: Mapping[str, Any]) -> list[Any]:
    return [table[name] for name in sorted(table, key=lambda name: (len(name), name))]


def _number(value: Any) -> float:
    return value if isinstance(value, (int, float)) else float("nan")


def _counts_of(results: Iterable[Any]) -> Values:
    rows = sorted(
        (one.parameters["label"], one.parameters["score_threshold"], one.value) for one in results
    )
    return {key: np.array([row[2][key] for row in rows]) for key in ("tp", "fp")}


def _batches(data: Any) -> Iterable[tuple[Any, Any]]:
    truths, scores = data
    step = max(1, -(-len(truths) // BATCHES))
    for start in range(0, len(truths), step):
        yield truths[start : start + step], scores[start : start + step]


# ---- reading: what the memory alone takes


def reading_runs(task: str) -> Callable[[Any], Any]:
    cores = os.cpu_count() or 1
    executor = ThreadPoolExecutor(cores)

    def run(data: Any) -> Any:
        _, scores = data
        return max(executor.map(np.max, np.array_split(scores.reshape(-1), cores)))

    return run


# ---- scikit-learn


def sklearn_runs(task: str) -> Callable[[Any], Any]:
    from sklearn import metrics

    def classes(scores: Any) -> Any:
        return np.arange(scores.shape[1])

    def each_class(score: Callable[[Any, Any], Any], data: Any) -> Any:
        truths, scores = data
        return np.array([score(truths == c, scores[:, c]) for c in classes(scores)])

    def per_class(score: Callable[..., Any], data: Any) -> Any:
        truths, scores = data
        predicted = scores.argmax(axis=1)
        labels = classes(scores)
        return score(truths, predicted, labels=labels, average=None, zero_division=0)

    def counts(data: Any) -> Any:
        def of_class(truths: Any, scores: Any) -> Any:
            tn, fp, fn, tp, points = metrics.confusion_matrix_at_thresholds(truths, scores)
            limits = np.array(THRESHOLDS, dtype=scores.dtype)
            passing = np.searchsorted(-points, -limits, side="right")
            none = [0, 0, tp[-1], fp[-1]]
            rows = np.stack([tp, fp, fn, tn], axis=1)
            return [rows[place - 1] if place else none for place in passing]

        return each_class(of_class, data)

    def roc_auc(data: Any) -> Any:
        return each_class(metrics.roc_auc_score, data)

    def everything(data: Any) -> Values:
        truths, scores = data
        predicted, labels = scores.argmax(axis=1), classes(scores)
        precision, recall, f1, _ = metrics.precision_recall_fscore_support(
            truths, predicted, labels=labels, average=None, zero_division=0
        )
        return {
            "Accuracy": np.array(metrics.accuracy_score(truths, predicted)),
            "Precision": precision,
            "Recall": recall,
            "F1": f1,
            "ROCAUC": roc_auc(data),
            "counts": counts(data),
            "confusion": metrics.confusion_matrix(truths, predicted, labels=labels),
        }

    def at_end(data: Any) -> Values:
        parts = list(_batches(data))
        truths, scores = (np.concatenate(column) for column in zip(*parts, strict=True))
        return everything((truths, scores))

    def curves(data: Any) -> Any:
        truths, scores = data
        return [metrics.roc_curve(truths == c, scores[:, c]) for c in classes(scores)]

    def of_argmax(score: Callable[..., Any]) -> Callable[[Any], Any]:
        return lambda data: np.array(score(data[0], data[1].argmax(axis=1)))

    runs: Runs = {
        "all": everything,
        "stream": at_end,
        "accuracy": of_argmax(metrics.accuracy_score),
        "precision": lambda data: per_class(metrics.precision_score, data),
        "recall": lambda data: per_class(metrics.recall_score, data),
        "f1": lambda data: per_class(metrics.f1_score, data),
        "roc_auc": roc_auc,
        "average_precision": lambda data: each_class(metrics.average_precision_score, data),
        "pr_counts": counts,
        "confusion_matrix": lambda data: metrics.confusion_matrix(
            data[0], data[1].argmax(axis=1), labels=classes(data[1])
        ),
        "mcc": of_argmax(metrics.matthews_corrcoef),
        "kappa": of_argmax(metrics.cohen_kappa_score),
        "log_loss": lambda data: np.array(
            metrics.log_loss(data[0], data[1], labels=classes(data[1]))
        ),
        "roc_curve": curves,
    }
    return runs[task]


# ---- torchmetrics


def torchmetrics_runs(task: str) -> Callable[[Any], Any]:
    import torch
    import torchmetrics.classification as objects
    import torchmetrics.functional.classification as functions
    from torchmetrics import MetricCollection

    def tensors(data: Any) -> Any:
        return tuple(torch.from_numpy(column) for column in data)

    def points() -> Any:
        return torch.tensor(THRESHOLDS, dtype=torch.float32)

    def collection(width: int) -> Any:
        return MetricCollection(
            {
                "Accuracy": objects.MulticlassAccuracy(width, average="micro"),
                "Precision": objects.MulticlassPrecision(width, average="none"),
                "Recall": objects.MulticlassRecall(width, average="none"),
                "F1": objects.MulticlassF1Score(width, average="none"),
                "ROCAUC": objects.MulticlassAUROC(width, average="none", thresholds=None),
                "counts": objects.MulticlassPrecisionRecallCurve(width, thresholds=points()),
                "confusion": objects.MulticlassConfusionMatrix(width),
            }
        )

    def computed(metrics: Any) -> Values:
        found = metrics.compute()
        found["counts"] = torch_counts(metrics["counts"])
        return {name: np.asarray(value) for name, value in found.items()}

    def torch_counts(metric: Any) -> Any:
        cells = metric.confmat.numpy()
        counts = [cells[:, :, 1, 1], cells[:, :, 0, 1], cells[:, :, 1, 0], cells[:, :, 0, 0]]
        return np.stack(counts, axis=-1).swapaxes(0, 1)

    def everything(data: Any) -> Values:
        truths, scores = tensors(data)
        metrics = collection(scores.shape[1])
        metrics.update(scores, truths)
        return computed(metrics)

    def in_batches(data: Any) -> Values:
        metrics = collection(data[1].shape[1])
        for batch in _batches(data):
            truths, scores = tensors(batch)
            metrics.update(scores, truths)
        return computed(metrics)

    def counts(data: Any) -> Any:
        truths, scores = tensors(data)
        metric = objects.MulticlassPrecisionRecallCurve(scores.shape[1], thresholds=points())
        metric.update(scores, truths)
        metric.compute()
        return torch_counts(metric)

    def function(score: Callable[..., Any], **options: Any) -> Callable[[Any], Any]:
        def run(data: Any) -> Any:
            truths, scores = tensors(data)
            found = score(scores, truths, num_classes=scores.shape[1], **options)
            return found if isinstance(found, tuple) else found.numpy()

        return run

    runs: Runs = {
        "all": everything,
        "stream": in_batches,
        "accuracy": function(functions.multiclass_accuracy, average="micro"),
        "precision": function(functions.multiclass_precision, average="none"),
        "recall": function(functions.multiclass_recall, average="none"),
        "f1": function(functions.multiclass_f1_score, average="none"),
        "roc_auc": function(functions.multiclass_auroc, average="none"),
        "average_precision": function(functions.multiclass_average_precision, average="none"),
        "pr_counts": counts,
        "confusion_matrix": function(functions.multiclass_confusion_matrix),
        "mcc": function(functions.multiclass_matthews_corrcoef),
        "kappa": function(functions.multiclass_cohen_kappa),
        "calibration_error": function(functions.multiclass_calibration_error, n_bins=BINS),
        "roc_curve": function(functions.multiclass_roc),
    }
    return runs[task]


# ---- valor-lite


def valor_lite_runs(task: str) -> Callable[[Any], Any]:
    from valor_lite.classification import Classification, Loader, MetricType

    def run(data: Any) -> Values:
        loader = Loader.in_memory()
        loader.add_data(
            [
                Classification(uid=uid, groundtruth=truth, predictions=labels, scores=scores)
                for uid, truth, labels, scores in data
            ]
        )
        evaluator = loader.finalize(batch_size=100_000)
        counted = evaluator.compute_precision_recall(
            score_thresholds=list(THRESHOLDS), hardmax=False
        )
        evaluator.compute_rocauc()
        return _counts_of(counted[MetricType.Counts])

    return run


# ---- what a peer's answer is called in a report

NAMES = {
    "accuracy": "Accuracy",
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
    "roc_auc": "ROCAUC",
    "average_precision": "AveragePrecision",
    "pr_counts": "counts",
    "confusion_matrix": "confusion",
    "mcc": "MatthewsCorrelation",
    "kappa": "CohenKappa",
    "log_loss": "LogLoss",
    "calibration_error": "ece",
}
MAKERS: Mapping[str, Callable[[str], Callable[[Any], Any]]] = {
    "valor": valor_runs,
    "scikit-learn": sklearn_runs,
    "torchmetrics": torchmetrics_runs,
    "valor-lite": valor_lite_runs,
    "reading": reading_runs,
}


def values_of(name: str, task: str, answer: Any) -> Values:
    if name == "valor":
        return valor_values(task, answer)
    if name == "reading":
        return {}
    if task == "roc_curve":
        curves = zip(*answer, strict=True) if name == "torchmetrics" else answer
        return {"areas": np.array([np.trapezoid(tpr, fpr) for fpr, tpr, _ in curves])}
    return answer if isinstance(answer, dict) else {NAMES[task]: answer}


# ---- one process


def serve(name: str, task: str, case: str, folder: Path) -> None:
    warnings.simplefilter("ignore")

    def prepare() -> Callable[[], Any]:
        run = MAKERS[name](task)
        if task == "listed":
            return partial(run, listed(*LISTED[case]))
        return partial(run, tuple(np.load(folder / f"{side}.npy") for side in SIDES))

    def save(found: Any) -> None:
        np.savez(folder / f"{name}.npz", **values_of(name, task, found))

    answer(prepare, save)


# ---- all processes of one task and case, in turns


def measure(
    task: str, case: str, names: Iterable[str], repeat: int, patience: float
) -> Iterator[str]:
    """Lines of the table."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        if task != "listed":
            for side, array in zip(SIDES, dense(*CASES[case]), strict=True):
                np.save(folder / f"{side}.npy", array)
            os.sync()  # or else whoever is first waits for the disk
        programs = [
            Program(name, [__file__, "--serve", name, task, case, temporary]) for name in names
        ]
        take_turns(programs, repeat, patience)
        for own in programs:
            cells = [task, case, own.name, *call_and_process(own, programs[0])]
            cells.append(f"{own.middle('extra') / 1e6:,.0f}")
            cells.append("" if own.name in ("valor", "reading") else compare(folder, own.name))
            yield line_of(cells)


def compare(folder: Path, name: str) -> str:
    """Whether a peer has Valor's numbers, or the greatest difference."""
    with np.load(folder / "valor.npz") as ours, np.load(folder / f"{name}.npz") as theirs:
        worst = 0.0
        for key in theirs.files:
            mine, other = ours[key], theirs[key]
            if mine.shape != other.shape:
                return f"{key}: {mine.shape} and {other.shape}"
            tolerance = 0.0 if mine.dtype.kind in "iu" else TOLERANCES[name]
            difference = float(np.nanmax(np.abs(mine - other), initial=0.0))
            if difference > tolerance:
                return f"{key} differs by {difference:.1g}"
            worst = max(worst, difference)
    return "equal" if worst == 0 else f"{worst:.0e}"


HEADER = ("task", "case", "", *TITLES, "extra MB", "difference")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument("--cases", nargs="+", choices=[*CASES, *LISTED], default=[*CASES, *LISTED])
    parser.add_argument("--repeat", type=int, default=5, help="turns of every implementation")
    parser.add_argument(
        "--patience", type=float, default=20.0, help="seconds after which one gets no more turns"
    )
    parser.add_argument("--serve", nargs=4, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve:
        name, task, case, folder = chosen.serve
        serve(name, task, case, Path(folder))
        return
    print(versions(DISTRIBUTIONS), end="\n\n")
    print(head_of(HEADER), flush=True)
    for task in chosen.tasks:
        names = ["valor", *filter(installed, TASKS[task])]
        if task != "listed":
            names.append("reading")
        for case in LISTED if task == "listed" else CASES:
            if case in chosen.cases:
                for line in measure(task, case, names, chosen.repeat, chosen.patience):
                    print(line, flush=True)


if __name__ == "__main__":
    main()
