"""Record Pascal VOC's AP of random boxes as other programs compute it.

Install object-detection-metrics, whose module is ``podm``, and pass detectron2's file
``pascal_voc_evaluation.py`` from a clone. The script compiles only its functions `parse_rec`,
`voc_ap` and `voc_eval`, because its imports need PyTorch::

    pip install object-detection-metrics==0.4.post1
    python benchmarks/references/voc.py --detectron2 detectron2/evaluation/pascal_voc_evaluation.py

Both programs average precision over 11 recalls, as VOC did until 2009, and over every recall.

- ``podm`` accepts an IoU equal to the threshold, as VOC's devkit does, and computes areas of edges
  without +1, so the script subtracts 1 from the left and upper pixel. It does not support difficult
  objects; they count.
- detectron2 requires an IoU above the threshold, so sets with an IoU of exactly the threshold are
  excluded. It adds 1 to widths and heights. Its order of equal scores is not defined, so scores
  differ. Difficult objects are ignored.
"""

from __future__ import annotations

import argparse
import ast
import functools
import hashlib
import importlib.metadata
import json
import pathlib
import tempfile
import types
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import random_boxes
from random_boxes import PredictedBox, RandomSet, Shape

COMMIT = "02b5c4e295e990042a714712c21dc79b731e8833"
SHAPE = Shape(labels=("bird", "boat", "cat", "dog"), side=60, first=1)
SETS = 1200
THRESHOLD = 0.5
OUTPUT = pathlib.Path(__file__).parents[2] / "plugins/detection/tests/references/voc.json"


def recorded_sets(*, has_ties: bool) -> list[tuple[str, RandomSet]]:
    """Return the sets with names; without ties, also without an IoU of exactly the threshold."""
    sets = random_boxes.random_sets("voc", SETS, SHAPE, has_ties=has_ties)
    return [
        (name, one)
        for name, one in sets
        if one.truths and (has_ties or not has_exact_threshold(one))
    ]


def has_exact_threshold(one: RandomSet) -> bool:
    """Return True if an IoU of two boxes of an image and a label is the threshold."""
    return any(
        iou(true.edges, predicted.edges) == THRESHOLD
        for true in one.truths
        for predicted in one.predictions
        if (true.image, true.label) == (predicted.image, predicted.label)
    )


def iou(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the IoU of boxes given by their first and last pixels."""
    width = min(one[2], other[2]) - max(one[0], other[0]) + 1
    height = min(one[3], other[3]) - max(one[1], other[1]) + 1
    shared = max(width, 0) * max(height, 0)
    areas = [(box[2] - box[0] + 1) * (box[3] - box[1] + 1) for box in (one, other)]
    return shared / (sum(areas) - shared)


def annotation(one: RandomSet, image: str) -> str:
    """Return the XML of an image as in VOC's data sets."""
    objects = [
        f"<object><name>{true.label}</name><pose>Unspecified</pose><truncated>0</truncated>"
        f"<difficult>{int(true.flag)}</difficult><bndbox>"
        + "".join(
            f"<{tag}>{edge}</{tag}>"
            for tag, edge in zip(("xmin", "ymin", "xmax", "ymax"), true.edges, strict=True)
        )
        + "</bndbox></object>"
        for true in one.truths
        if true.image == image
    ]
    return f"<annotation>{''.join(objects)}</annotation>"


def result_lines(predictions: Sequence[PredictedBox], label: str) -> str:
    """Return a class's results in the format of VOC's devkit."""
    lines = [
        f"{one.image} {one.score!r} {' '.join(str(edge) for edge in one.edges)}\n"
        for one in predictions
        if one.label == label
    ]
    return "".join(lines)


def by_podm(one: RandomSet) -> list[float]:
    """Return mAP with 11 recalls and with every recall."""
    from podm import metrics

    def box(of: Any, score: float | None) -> Any:
        left, top, right, bottom = of.edges
        edges = left - 1, top - 1, right, bottom
        return metrics.BoundingBox.of_bbox(of.image, of.label, *edges, score)

    truths = [box(true, None) for true in one.truths]
    predictions = [box(predicted, predicted.score) for predicted in one.predictions]
    methods = metrics.MethodAveragePrecision
    found = [
        metrics.get_pascal_voc_metrics(truths, predictions, THRESHOLD, method)
        for method in (methods.ElevenPointsInterpolation, methods.AllPointsInterpolation)
    ]
    return [float(metrics.MetricPerClass.mAP(each)) for each in found]


def detectron2_functions(file: pathlib.Path) -> Callable[..., Any]:
    """Compile `voc_eval` and the functions that it calls."""
    tree = ast.parse(file.read_text("utf-8"))
    wanted = {"parse_rec", "voc_ap", "voc_eval"}
    functions = [
        node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in wanted
    ]
    names: dict[str, Any] = {
        "np": np,
        "ET": ET,
        "lru_cache": functools.lru_cache,
        "PathManager": types.SimpleNamespace(open=open),
    }
    module = ast.Module(body=list[ast.stmt](functions), type_ignores=[])
    exec(compile(module, str(file), "exec"), names)
    evaluated: Callable[..., Any] = names["voc_eval"]
    return evaluated


def by_detectron2(voc_eval: Callable[..., Any], one: RandomSet) -> list[float]:
    """Return mAP with 11 recalls and with every recall."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        for image in one.images:
            (path / f"{image}.xml").write_text(annotation(one, image), "utf-8")
        (path / "images.txt").write_text("\n".join(one.images), "utf-8")
        labels = one.counted_labels(with_flagged=False)
        for label in labels:
            (path / f"{label}.txt").write_text(result_lines(one.predictions, label), "utf-8")
        files = str(path / "{}.txt"), str(path / "{}.xml"), str(path / "images.txt")
        found = [
            [
                voc_eval(*files, label, ovthresh=THRESHOLD, use_07_metric=is_2007)[2]
                for label in labels
            ]
            for is_2007 in (True, False)
        ]
    return [float(np.mean(aps)) for aps in found]


def rows(sets: Sequence[tuple[str, RandomSet]], by: Callable[[RandomSet], list[float]]) -> str:
    """Return the numbers of all sets as JSON, one set per line."""
    return (
        "[\n"
        + ",\n".join(
            json.dumps([name, *(round(each, 12) for each in by(one))]) for name, one in sets
        )
        + "\n]"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--detectron2", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--output", type=pathlib.Path, default=OUTPUT)
    chosen = parser.parse_args()
    sets = [one for has_ties in (False, True) for one in recorded_sets(has_ties=has_ties)]
    programs = {
        "podm": "object-detection-metrics "
        + importlib.metadata.version("object-detection-metrics"),
        "numpy": np.__version__,
    }
    parts = {"podm": rows(sets, by_podm)}
    if chosen.detectron2 is not None:
        voc_eval = detectron2_functions(chosen.detectron2)
        digest = hashlib.sha256(chosen.detectron2.read_bytes()).hexdigest()
        programs["detectron2"] = (
            f"detectron2 at {COMMIT}, sha256 of pascal_voc_evaluation.py {digest}"
        )
        distinct = [
            (name, one)
            for name, one in recorded_sets(has_ties=False)
            if one.counted_labels(with_flagged=False)
        ]
        parts["detectron2"] = rows(distinct, lambda one: by_detectron2(voc_eval, one))
    columns = ["set", "mAP of 11 recalls", "mAP of every recall"]
    parts = {"programs": json.dumps(programs), "columns": json.dumps(columns), **parts}
    text = ",\n".join(f"{json.dumps(name)}: {part}" for name, part in parts.items())
    chosen.output.parent.mkdir(parents=True, exist_ok=True)
    chosen.output.write_text(f"{{\n{text}\n}}\n", "utf-8")
    print(f"{len(sets):,} sets")


if __name__ == "__main__":
    main()
