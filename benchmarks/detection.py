"""Detection benchmark: Valor side by side with every fast COCO evaluation there is.

    python benchmarks/detection.py --tasks files stream --cases boxes_36k boxes_250k

Every run has a process of its own; the processes take turns, so that other work on the machine
troubles all of them alike. Nobody warms up: the call is the first one after imports and after data
are in the form that an implementation wants. The whole process, timed from outside, has it all.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import tempfile
import types
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from detection_data import Recipe, Set, made, write, write_poses
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

Run = Callable[[Any], Any]
"""From what was prepared to the twelve numbers."""

SEED = 20261121
BATCH = 16

BOXES = Recipe(5_000, masks=False)
MANY = {"detections": 50.0, "doubles": 0.9, "confusions": 0.25, "background": 12.0}
CASES: Mapping[str, Recipe] = {
    "boxes_700": Recipe(100, masks=False),
    "boxes_36k": BOXES,
    "boxes_250k": Recipe(5_000, digits=(3, 5), **MANY),  # type: ignore[arg-type]
    "boxes_600k": Recipe(20_000, 365, 0.12, 12.5, 30, 0.5, 0.2, 10, polygons=False, digits=None),
    "masks_36k": Recipe(5_000, masks=True, digits=(3, 5)),
    "poses_100k": Recipe(5_000, 1, masks=False),
}
SCALE = {
    f"boxes_{name}": Recipe(images, polygons=False, digits=(3, 5), **MANY)  # type: ignore[arg-type]
    for name, images in {"50k": 1_000, "500k": 10_000, "5m": 100_000}.items()
}
LVIS = {
    "lvis_250k": Recipe(1_000, 1_203, 0.05, 12.5, 250.0, 0.9, 0.25, 12.0, False, federated=True),
    "lvis_1m": Recipe(5_000, 1_203, 0.05, 12.5, 250.0, 0.9, 0.25, 12.0, False, federated=True),
}
IOU_TYPES = {"masks_36k": "segm", "poses_100k": "keypoints"}
POSES = ("valor", "valor (stand-in)", "hotcoco", "faster-coco-eval", "pycocotools")
"""Implementations that evaluate keypoints."""

IMPLEMENTATIONS = (
    "valor",
    "valor (stand-in)",
    "valor (analysis)",
    "valor (slices)",
    "valor (analysis, slices)",
    "hotcoco",
    "ultrafast-pycocotools",
    "vernier",
    "faster-coco-eval",
    "pycocotools",
    "lvis",
    "torchmetrics",
    "valor-lite",
)
DISTRIBUTIONS = {
    "valor": "valor-detection",
    "valor (stand-in)": "valor-detection",
    "valor (analysis)": "valor-detection",
    "valor (slices)": "valor-detection",
    "valor (analysis, slices)": "valor-detection",
}
OURS = tuple(DISTRIBUTIONS)
ANALYSIS = ("ConfusionMatrix", "CalibrationError", "ErrorAnalysis")
ANALYSES = ("valor (analysis)", "valor (slices)", "valor (analysis, slices)")
"""COCO's numbers and the rest; COCO's for every value of a field; and all of them for it."""
TASKS: Mapping[str, tuple[str, ...]] = {
    "files": tuple(name for name in IMPLEMENTATIONS if name not in (*ANALYSES, "lvis")),
    "arrays": ("valor", "hotcoco", "ultrafast-pycocotools"),
    "stream": ("valor", "hotcoco", "torchmetrics"),
    "scale": ("valor", "hotcoco", "ultrafast-pycocotools"),
    "analysis": ("valor", *ANALYSES),
    "lvis": ("valor", "hotcoco", "lvis"),
}
STREAMING = {
    "valor": "valor (Evaluator)",
    "hotcoco": "hotcoco (StreamingEval)",
    "torchmetrics": "torchmetrics (MeanAveragePrecision)",
}
"""What each is called where batches come one after another: by its class."""
ONLY_BOXES = ("torchmetrics", "valor-lite")
POSE_NAMES = ("AP", "AP50", "AP75", "APm", "APl", "AR", "AR50", "AR75", "ARm", "ARl")
NAMES = ("AP", "AP50", "AP75", "APs", "APm", "APl", "AR1", "AR10", "AR100", "ARs", "ARm", "ARl")
LVIS_NAMES = (
    *("AP", "AP50", "AP75", "APs", "APm", "APl", "APr", "APc", "APf"),
    *("AR@300", "ARs@300", "ARm@300", "ARl@300"),
)


def distribution(name: str) -> str:
    """What has to be installed for an implementation."""
    return DISTRIBUTIONS.get(name, name)


def cases_of(task: str) -> Mapping[str, Recipe]:
    if task == "scale":
        return SCALE
    if task == "lvis":
        return LVIS
    if task in ("stream", "arrays", "analysis"):
        return {name: CASES[name] for name in CASES if name not in IOU_TYPES}
    return CASES


# ---- data as programs have it in memory


def columns_of(data: Set) -> dict[str, Any]:
    """Flat arrays: ids in place of positions."""
    truths, results = data.truths, data.results
    return {
        "ids": data.ids,
        "image": data.ids[truths.image],
        "category": truths.category + 1,
        "box": np.round(truths.box, 2),
        "area": truths.box[:, 2] * truths.box[:, 3],
        "crowd": truths.crowd,
        "results": np.column_stack(
            [data.ids[results.image], results.box, results.score, results.category + 1]
        ),
        "classes": np.arange(1, data.recipe.classes + 1),
    }


def batches_of(columns: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The same, sixteen images at a time."""
    ids, results = columns["ids"], columns["results"]
    image = np.searchsorted(ids, columns["image"])
    seen = np.searchsorted(ids, results[:, 0])
    order, seen_order = np.argsort(image, kind="stable"), np.argsort(seen, kind="stable")
    for first in range(0, len(ids), BATCH):
        span = (first, first + BATCH)
        rows = order[slice(*np.searchsorted(image[order], span))]
        part = {name: columns[name][rows] for name in ("image", "category", "box", "area", "crowd")}
        seen_rows = seen_order[slice(*np.searchsorted(seen[seen_order], span))]
        part |= {"ids": ids[first : first + BATCH], "results": results[seen_rows]}
        yield part | {"classes": columns["classes"]}


def prepared(task: str, folder: Path, change: Callable[[Mapping[str, Any]], Any]) -> Any:
    """Arrays of a case, or its batches, in the form that an implementation wants."""
    with np.load(folder / "columns.npz") as archive:
        columns = dict(archive)
    return [change(part) for part in batches_of(columns)] if task == "stream" else change(columns)


def as_coco(columns: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    """Images and categories as COCO's dicts."""
    images = [
        {"id": number, "width": 640, "height": 640, "file_name": ""}
        for number in columns["ids"].tolist()
    ]
    return images, [{"id": number, "name": str(number)} for number in columns["classes"].tolist()]


def annotations_of(columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Ground truths as COCO's dicts."""
    own = [columns[name].tolist() for name in ("image", "category", "box", "area", "crowd")]
    names = ("image_id", "category_id", "bbox", "area", "iscrowd")
    return [
        {"id": number, **dict(zip(names, row, strict=True))}
        for number, row in enumerate(zip(*own, strict=True), start=1)
    ]


# ---- Valor


def of_files(
    folder: Path,
    iou_type: str,
    more: Iterable[str] = (),
    slices: Iterable[str] = (),
    summary: str = "COCOSummary",
) -> Run:
    """The numbers of a summary of two files, and more metrics with them."""
    from valor_core import evaluate

    chosen = {
        "reader": "detection.coco",
        "groundtruths": str(folder / "truths.json"),
        "predictions": str(folder / "results.json"),
        "iou_type": iou_type,
    }
    summary = "KeypointSummary" if iou_type == "keypoints" else summary
    metrics = [summary, *more]
    return lambda _: numbers(
        evaluate(chosen, metrics, task="detection", slices=list(slices)), summary
    )


def numbers(report: Any, summary: str = "COCOSummary") -> list[float]:
    values = report[summary].value.values()
    return [-1.0 if value is None else value for value in values]


def analysis_runs(task: str, iou_type: str, folder: Path) -> tuple[Any, Run]:
    return None, of_files(folder, iou_type, ANALYSIS)


def sliced_runs(task: str, iou_type: str, folder: Path) -> tuple[Any, Run]:
    return None, of_files(folder, iou_type, slices=["weather"])


def all_runs(task: str, iou_type: str, folder: Path) -> tuple[Any, Run]:
    return None, of_files(folder, iou_type, ANALYSIS, ["weather"])


def valor_runs(task: str, iou_type: str, folder: Path) -> tuple[Any, Run]:
    if task in ("files", "analysis"):
        return None, of_files(folder, iou_type)
    if task == "lvis":
        return None, of_files(folder, iou_type, summary="LVISSummary")
    return _in_memory(task, folder)


def _in_memory(task: str, folder: Path) -> tuple[Any, Run]:
    from valor_core import Evaluator, evaluate
    from valor_core.schemas import Datums, Label
    from valor_core.schemas.detection import DetectionBatch, PredictedObjects, TrueObjects
    from valor_core.schemas.geometry import Shapes

    labels: list[Label] = []

    def sides(columns: Mapping[str, Any]) -> tuple[Any, ...]:
        """The names of the images, and both sides by image."""
        if not labels:
            labels.extend(Label("class", str(code)) for code in columns["classes"])
        ids, results = columns["ids"], columns["results"]
        image, seen = np.searchsorted(ids, columns["image"]), np.searchsorted(ids, results[:, 0])
        order, by_image = np.argsort(image, kind="stable"), np.argsort(seen, kind="stable")
        results = results[by_image]
        true = {
            "datums": image[order],
            "labels": columns["category"][order] - 1,
            "crowd": columns["crowd"][order],
            "areas": columns["area"][order],
        }
        predicted = {
            "datums": seen[by_image],
            "labels": results[:, 6].astype(np.int64) - 1,
            "scores": results[:, 5],
            "areas": results[:, 3] * results[:, 4],
        }
        boxes = columns["box"][order], results[:, 1:5]
        return ids, true, predicted, boxes, columns["classes"]

    def batch(
        ids: Any, true: Any, predicted: Any, boxes: tuple[Any, Any], classes: Any
    ) -> DetectionBatch:
        return DetectionBatch(
            Datums(ids),
            labels,
            TrueObjects(**true, shapes=Shapes(boxes[0])),
            PredictedObjects(**predicted, shapes=Shapes(boxes[1])),
            label_ids=classes,
        )

    def streamed(parts: Any) -> list[float]:
        evaluator = Evaluator(["COCOSummary"], "detection")
        for part in parts:
            evaluator.update(batch(*part))
        return numbers(evaluator.compute())

    if task == "stream":
        return prepared(task, folder, sides), streamed
    data = prepared(task, folder, lambda columns: columns)
    return data, lambda columns: numbers(evaluate(batch(*sides(columns)), ["COCOSummary"]))


def stand_in_runs(task: str, iou_type: str, folder: Path) -> tuple[Any, Run]:
    from valor_detection.coco import COCO, COCOeval

    return None, _of_files(COCO, COCOeval, iou_type, folder)


def _of_files(make: Any, evaluator: Any, iou_type: str, folder: Path) -> Run:
    """The four steps that pycocotools and its likes have in common."""

    def run(_: Any) -> list[float]:
        truths = make(str(folder / "truths.json"))
        results = truths.loadRes(str(folder / "results.json"))
        return _evaluated(evaluator(truths, results, iou_type))

    return run


def _evaluated(evaluation: Any) -> list[float]:
    evaluation.evaluate()
    return _accumulated(evaluation)


def _accumulated(evaluation: Any) -> list[float]:
    evaluation.accumulate()
    evaluation.summarize()
    return [float(value) for value in evaluation.stats[:12]]


# ---- peers


def pycocotools_runs(task: str, iou_type: str, folder: Path) -> tuple[Any, Run]:
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    return None, _of_files(COCO, COCOeval, iou_type, folder)


def _of_lvis_files(make: Any, load: Any, evaluator: Any, iou_type: str, folder: Path) -> Run:
    """The steps that lvis-api and its likes have in common."""

    def run(_: Any) -> list[float]:
        truths = make(str(folder / "truths.json"))
        results = load(truths, str(folder / "results.json"))
        evaluation = evaluator(truths, results, iou_type)
        evaluation.run()
        found = evaluation.get_results()
        return [float(found[name]) for name in LVIS_NAMES]

    return run


def lvis_runs(task: str, iou_type: str, folder: Path) -> tuple[Any, Run]:
    drawings = types.ModuleType("lvis.vis")  # imports OpenCV and Matplotlib
    drawings.LVISVis = None  # type: ignore[attr-defined]
    sys.modules["lvis.vis"] = drawings
    np.float = float  # type: ignore[attr-defined]
    from lvis import LVIS, LVISEval, LVISResults

    return None, _of_lvis_files(LVIS, LVISResults, LVISEval, iou_type, folder)


def faster_runs(task: str, iou_type: str, folder: Path) -> tuple[Any, Run]:
    from faster_coco_eval import COCO, COCOeval_faster

    return None, _of_files(COCO, COCOeval_faster, iou_type, folder)


def hotcoco_runs(task: str, iou_type: str, folder: Path) -> tuple[Any, Run]:
    from hotcoco import COCO, COCOeval, StreamingEval

    if task == "files":
        return None, _of_files(COCO, COCOeval, iou_type, folder)
    if task == "lvis":
        from hotcoco import LVISeval, LVISResults

        return None, _of_lvis_files(COCO, LVISResults, LVISeval, iou_type, folder)

    def of_arrays(columns: Any) -> list[float]:
        own, lists = columns
        truths = COCO.from_arrays(
            *(*lists, own["image"], own["category"], own["box"]),
            area=own["area"],
            iscrowd=own["crowd"],
        )
        return _evaluated(COCOeval(truths, truths.load_res(own["results"]), "bbox"))

    def streamed(parts: Any) -> list[float]:
        evaluator = StreamingEval(parts[0][0][1], "bbox")
        for (images, _), truths, results in parts:
            evaluator.update(images, truths, results)
        return _accumulated(evaluator.finalize())

    if task == "stream":
        form = lambda own: (as_coco(own), annotations_of(own), own["results"])  # noqa: E731
        return prepared(task, folder, form), streamed
    return prepared(task, folder, lambda own: (own, as_coco(own))), of_arrays


def ultrafast_runs(task: str, iou_type: str, folder: Path) -> tuple[Any, Run]:
    from ultrafast_pycocotools import COCO, COCOeval

    if task == "files":
        return None, _of_files(COCO, COCOeval, iou_type, folder)

    def of_arrays(columns: Any) -> list[float]:
        own, (images, categories) = columns
        annotations = annotations_of(own)
        truths = COCO({"images": images, "categories": categories, "annotations": annotations})
        return _evaluated(COCOeval(truths, truths.loadRes(own["results"]), "bbox"))

    return prepared(task, folder, lambda own: (own, as_coco(own))), of_arrays


def vernier_runs(task: str, iou_type: str, folder: Path) -> tuple[Any, Run]:
    from vernier.instance import Bbox, CocoDataset, Evaluator, Segm

    def run(_: Any) -> list[float]:
        truths = CocoDataset.from_json((folder / "truths.json").read_bytes())
        kind = Segm() if iou_type == "segm" else Bbox()
        summary = Evaluator(iou=kind, parity_mode="strict").evaluate(
            truths, (folder / "results.json").read_bytes(), num_threads=os.cpu_count()
        )
        return [float(value) for value in summary.stats[:12]]

    return None, run


def torchmetrics_runs(task: str, iou_type: str, folder: Path) -> tuple[Any, Run]:
    import torch

    if "torchvision" not in sys.modules:
        with contextlib.suppress(ImportError):
            import torchvision  # noqa: F401
    if "torchvision" not in sys.modules:
        _stand_in_for_torchvision(torch)
    from torchmetrics.detection.mean_ap import MeanAveragePrecision

    def tensors(part: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
        results, seen, true = part["results"], [], []
        for number in part["ids"]:
            rows = results[results[:, 0] == number]
            seen.append(
                {
                    "boxes": torch.tensor(rows[:, 1:5]),
                    "scores": torch.tensor(rows[:, 5]),
                    "labels": torch.tensor(rows[:, 6]).long(),
                }
            )
            own = part["image"] == number
            true.append(
                {
                    "boxes": torch.tensor(part["box"][own]),
                    "labels": torch.tensor(part["category"][own]),
                    "iscrowd": torch.tensor(part["crowd"][own]).long(),
                    "area": torch.tensor(part["area"][own]),
                }
            )
        return seen, true

    def run(parts: Any) -> list[float]:
        metric = MeanAveragePrecision(box_format="xywh", backend="faster_coco_eval")
        metric.warn_on_many_detections = False
        for seen, true in parts() if callable(parts) else parts:
            metric.update(seen, true)
        found = metric.compute()
        keys = "map map_50 map_75 map_small map_medium map_large mar_1 mar_10 mar_100 "
        return [float(found[key]) for key in f"{keys}mar_small mar_medium mar_large".split()]

    if task == "stream":
        return prepared(task, folder, tensors), run
    return lambda: map(tensors, batches_of(_read(folder))), run


def _read(folder: Path) -> dict[str, Any]:
    """Flat arrays of two files, by the standard library."""
    truths = json.loads((folder / "truths.json").read_text())
    results = json.loads((folder / "results.json").read_text())
    own = truths["annotations"]
    return {
        "ids": np.sort([one["id"] for one in truths["images"]]),
        "image": np.array([one["image_id"] for one in own]),
        "category": np.array([one["category_id"] for one in own]),
        "box": np.array([one["bbox"] for one in own]),
        "area": np.array([one["area"] for one in own]),
        "crowd": np.array([one["iscrowd"] for one in own]),
        "results": np.array(
            [(one["image_id"], *one["bbox"], one["score"], one["category_id"]) for one in results]
        ),
        "classes": np.array([one["id"] for one in truths["categories"]]),
    }


def _stand_in_for_torchvision(torch: Any) -> None:
    """What torchmetrics asks of torchvision is one function."""
    import torchmetrics.utilities.imports as known

    def box_convert(boxes: Any, in_fmt: str, out_fmt: str) -> Any:
        x, y, third, fourth = boxes.unbind(-1)
        sign = 0 if in_fmt == out_fmt else 1 if in_fmt == "xywh" else -1
        return torch.stack((x, y, third + sign * x, fourth + sign * y), -1)

    stand_in, ops = types.ModuleType("torchvision"), types.ModuleType("torchvision.ops")
    stand_in.ops, ops.box_convert = ops, box_convert  # type: ignore[attr-defined]
    sys.modules |= {"torchvision": stand_in, "torchvision.ops": ops}
    known._TORCHVISION_AVAILABLE = True


def valor_lite_runs(task: str, iou_type: str, folder: Path) -> tuple[Any, Run]:
    from valor_lite.object_detection import BoundingBox, Detection, Loader, MetricType

    def box(uid: str, corners: Any, category: Any, scores: list[float]) -> Any:
        x, y, width, height = corners.tolist()
        names = ("xmin", "xmax", "ymin", "ymax")
        edges = dict(zip(names, (x, x + width, y, y + height), strict=True))
        return BoundingBox(uid=uid, labels=[str(int(category))], scores=scores, **edges)

    def items(columns: Mapping[str, Any]) -> Iterator[Any]:
        for part in batches_of(columns):
            rows = part["results"]
            for number in part["ids"]:
                own, seen = part["image"] == number, rows[rows[:, 0] == number]
                true = zip(part["box"][own], part["category"][own], strict=True)
                yield Detection(
                    uid=str(number),
                    groundtruths=[box(f"g{i}", *one, []) for i, one in enumerate(true)],
                    predictions=[
                        box(f"p{i}", one[1:5], one[6], [float(one[5])])
                        for i, one in enumerate(seen)
                    ],
                )

    def run(_: Any) -> list[float]:
        loader = Loader.in_memory()
        loader.add_bounding_boxes(list(items(_read(folder))))
        thresholds = [step / 20 for step in range(10, 20)]
        found = loader.finalize().compute_precision_recall(
            iou_thresholds=thresholds, score_thresholds=[0.5]
        )
        at = {one.parameters["iou_threshold"]: one.value for one in found[MetricType.mAP]}
        mean = found[MetricType.mAPAveragedOverIOUs][0].value
        return [mean, at[0.5], at[0.75], *[float("nan")] * 9]

    return None, run


MAKERS: Mapping[str, Callable[[str, str, Path], tuple[Any, Run]]] = {
    "valor": valor_runs,
    "valor (stand-in)": stand_in_runs,
    "valor (analysis)": analysis_runs,
    "valor (slices)": sliced_runs,
    "valor (analysis, slices)": all_runs,
    "hotcoco": hotcoco_runs,
    "ultrafast-pycocotools": ultrafast_runs,
    "vernier": vernier_runs,
    "faster-coco-eval": faster_runs,
    "pycocotools": pycocotools_runs,
    "lvis": lvis_runs,
    "torchmetrics": torchmetrics_runs,
    "valor-lite": valor_lite_runs,
}


# ---- one process


def serve(name: str, task: str, case: str, folder: Path) -> None:
    warnings.simplefilter("ignore")

    def prepare() -> Callable[[], list[float]]:
        data, run = MAKERS[name](task, IOU_TYPES.get(case, "bbox"), folder)
        return partial(run, data)

    answer(prepare, lambda values: values)


# ---- all processes of one task and case, in turns


HEADER = ("", *TITLES, "least to most", "CPU of the call, s", "peak MB", "difference")


def measure(
    task: str, case: str, names: Iterable[str], folder: Path, repeat: int, patience: float
) -> Iterator[str]:
    """Lines of the table."""
    programs = [
        Program(name, [__file__, "--serve", name, task, case, str(folder)]) for name in names
    ]
    take_turns(programs, repeat, patience)
    ours = programs[0]
    yield head_of(HEADER)
    for own in programs:
        seconds = own.all_of("seconds")
        cells = [
            STREAMING.get(own.name, own.name) if task == "stream" else own.name,
            *call_and_process(own, ours),
            f"{min(seconds):.3f} to {max(seconds):.3f}",
            f"{own.middle('cpu'):.3f}",
            f"{own.middle('peak') / 1e6:,.0f}",
            _difference(own.answers[0]["values"], ours.answers[0]["values"]),
        ]
        yield line_of(cells)


def _difference(theirs: list[float], ours: list[float]) -> str:
    names = next(one for one in (NAMES, LVIS_NAMES, POSE_NAMES) if len(one) == len(ours))
    named = zip(names, theirs[: len(ours)], ours, strict=True)
    both = {name: abs(a - b) for name, a, b in named if not np.isnan(a)}
    worst = max(both, key=lambda name: both[name])
    missing = f" of {len(both)}" if len(both) < len(names) else ""
    return f"none{missing}" if both[worst] == 0 else f"{both[worst]:.0e} ({worst}){missing}"


def case_folder(case: str, recipe: Recipe, kept: Path, *, files: bool) -> tuple[Path, str]:
    """Where a case's data are, which are made if they are not there; and what they are."""
    folder = kept / case
    folder.mkdir(parents=True, exist_ok=True)
    facts = folder / "facts.txt"
    if IOU_TYPES.get(case.rpartition("_")[0]) == "keypoints":
        if not facts.exists():
            facts.write_text(write_poses(folder, recipe.images, SEED))
    elif not facts.exists():
        data = made(recipe, SEED)
        np.savez(folder / "columns.npz", **columns_of(data))
        facts.write_text(
            f"{recipe.images:,} images, {recipe.classes} classes, "
            f"{len(data.truths.image):,} ground truths, {len(data.results.image):,} detections"
        )
    if files and not (folder / "results.json").exists():
        write(made(recipe, SEED), folder, SEED)
    for path in folder.iterdir():
        path.read_bytes()  # nobody waits for the disk
    return folder, facts.read_text()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    known = [*CASES, *SCALE, *LVIS]
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument("--cases", nargs="+", choices=known, default=known)
    parser.add_argument("--only", nargs="+", choices=IMPLEMENTATIONS, default=IMPLEMENTATIONS)
    parser.add_argument("--repeat", type=int, default=5, help="turns of every implementation")
    parser.add_argument(
        "--patience", type=float, default=20.0, help="seconds after which one gets no more turns"
    )
    parser.add_argument(
        "--data",
        type=Path,
        default=Path(tempfile.gettempdir()) / "valor-benchmark-detection",
        help="folder where the data are kept from run to run (1 GB)",
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
    print(versions(dict.fromkeys(map(distribution, IMPLEMENTATIONS))), flush=True)
    for task in chosen.tasks:
        for case, recipe in cases_of(task).items():
            if case not in chosen.cases:
                continue
            names = [
                one for one in TASKS[task] if one in chosen.only and installed(distribution(one))
            ]
            if IOU_TYPES.get(case) == "keypoints":
                names = [one for one in names if one in POSES]
            if case in IOU_TYPES:
                names = [one for one in names if one not in ONLY_BOXES]
            has_files = task in ("files", "analysis", "lvis")
            if chosen.images:
                recipe = replace(recipe, images=chosen.images)
            own = f"{case}_{recipe.images}"
            data, facts = case_folder(own, recipe, chosen.data, files=has_files)
            print(f"\n{task}, {case}: {facts}\n", flush=True)
            wanted = dict.fromkeys(["valor", *names])
            lines = measure(task, case, wanted, data, chosen.repeat, chosen.patience)
            print("\n".join(lines), flush=True)


if __name__ == "__main__":
    main()
