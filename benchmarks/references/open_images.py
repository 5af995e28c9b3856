"""Record mAP of the Open Images challenge for random boxes, by TensorFlow's object detection API.

The script needs the API's evaluation, which uses NumPy alone, and a version of NumPy before 1.24.
It replaces the modules that the evaluation imports and does not call: TensorFlow, protocol buffers
and the API's messages. The API expands labels in Python 2, so the script compiles that module with
``items`` instead of ``iteritems``::

    pip install "numpy<1.24"
    pip install --no-deps tensorflow_object_detection_api==0.1.1
    python benchmarks/references/open_images.py

Ground truths and verified labels of a set are expanded by a hierarchy in which a label has two
parents. Scores differ, because the API does not define the order of equal scores. No label has two
ways to the same ancestor, for which the API repeats the box.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.metadata
import importlib.util
import json
import logging
import pathlib
import random
import sys
import types
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import random_boxes
from random_boxes import RandomSet, Shape

STEP = 64
"""Steps of coordinates, as a fraction of an image."""

LEAVES = ("bird", "boat", "cat", "duck")
HIERARCHY = {
    "LabelName": "entity",
    "Subcategory": [
        {
            "LabelName": "animal",
            "Subcategory": [
                {"LabelName": "bird", "Subcategory": [{"LabelName": "duck"}]},
                {"LabelName": "cat"},
            ],
        },
        {"LabelName": "toy", "Subcategory": [{"LabelName": "duck"}, {"LabelName": "boat"}]},
    ],
}
LABELS = ("animal", "bird", "boat", "cat", "duck", "toy")
SHAPE = Shape(labels=("duck", "cat", "bird", "boat", "animal", "toy"), side=STEP, first=0)
SETS = 1200
THRESHOLD = 0.5
OUTPUT = pathlib.Path(__file__).parents[2] / "plugins/detection/tests/references/open_images.json"


@dataclasses.dataclass(frozen=True)
class Verified:
    """Label that a person found in an image, or did not find."""

    image: str
    label: str
    is_present: bool


def recorded_sets() -> list[tuple[str, RandomSet]]:
    """Return the sets with ground truths, and their names."""
    sets = random_boxes.random_sets("open", SETS, SHAPE, has_ties=False)
    return [(name, one) for name, one in sets if one.truths]


def verified_labels(name: str, one: RandomSet) -> list[Verified]:
    """Draw labels that people verified in the images of a set."""
    draw = random.Random(f"{name} verified")
    found = {(true.image, true.label) for true in one.truths}
    return [
        Verified(image, label, (image, label) in found or draw.random() < 0.2)
        for image in one.images
        for label in LABELS
        if draw.random() < 0.3
    ]


def fractions(edges: Sequence[float]) -> list[float]:
    """Return left, top, right and bottom as fractions of the image."""
    return [edge / STEP for edge in edges]


def replace_unused_modules() -> None:
    """Replace modules that the API's evaluation imports and does not call."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    for name in ("tensorflow", "google", "google.protobuf", "object_detection.protos"):
        sys.modules[name] = types.ModuleType(name)
    for parent, name in (
        ("google.protobuf", "text_format"),
        ("object_detection.protos", "string_int_label_map_pb2"),
    ):
        setattr(sys.modules[parent], name, types.ModuleType(name))


def expansion() -> Any:
    """Return the API's expansion by the hierarchy, compiled for Python 3."""
    name = "object_detection.dataset_tools.oid_hierarchical_labels_expansion"
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    source = pathlib.Path(spec.origin).read_text("utf-8").replace(".iteritems()", ".items()")
    names: dict[str, Any] = {"__name__": name}
    exec(compile(source, spec.origin, "exec"), names)
    return names["OIDHierarchicalLabelsExpansion"](HIERARCHY)


def evaluated(expanded_by: Any, name: str, one: RandomSet) -> list[float]:
    """Return mAP as the API computes it, with group-of boxes of weight 1 and of weight 0."""
    from object_detection.core import standard_fields
    from object_detection.utils import object_detection_evaluation as evaluation

    vars(evaluation)["unicode"] = str  # of Python 2
    truth, result = standard_fields.InputDataFields, standard_fields.DetectionResultFields
    ids = {label: number for number, label in enumerate(LABELS, start=1)}
    categories = [{"id": number, "name": label} for label, number in ids.items()]
    found = []
    verified = verified_labels(name, one)
    for weight in (1.0, 0.0):
        evaluator = evaluation.OpenImagesDetectionChallengeEvaluator(
            categories, THRESHOLD, group_of_weight=weight
        )
        for image in one.images:
            boxes = [
                f"{image},x,{true.label},1,{left!r},{right!r},{top!r},{bottom!r},0,0,"
                f"{int(true.flag)},0,0"
                for true in one.truths
                if true.image == image
                for left, top, right, bottom in [fractions(true.edges)]
            ]
            boxes = [line for box in boxes for line in expanded_by.expand_boxes_from_csv(box)]
            fields = [box.split(",") for box in boxes]
            labels = [
                line.split(",")[2]
                for each in verified
                if each.image == image
                for line in expanded_by.expand_labels_from_csv(
                    f"{image},x,{each.label},{int(each.is_present)}"
                )
            ]
            if not fields and not labels:  # the API's script does not add such an image
                continue
            edges = [[float(field[at]) for at in (6, 4, 7, 5)] for field in fields]
            evaluator.add_single_ground_truth_image_info(
                image,
                {
                    truth.groundtruth_boxes: np.array(edges, float).reshape(-1, 4),
                    truth.groundtruth_classes: np.array([ids[field[2]] for field in fields], int),
                    truth.groundtruth_group_of: np.array([int(field[10]) for field in fields]),
                    truth.groundtruth_image_classes: np.array(
                        [ids[label] for label in labels], int
                    ),
                },
            )
        for image in one.images:
            predictions = [each for each in one.predictions if each.image == image]
            edges = [[fractions(each.edges)[at] for at in (1, 0, 3, 2)] for each in predictions]
            evaluator.add_single_detected_image_info(
                image,
                {
                    result.detection_boxes: np.array(edges, float).reshape(-1, 4),
                    result.detection_scores: np.array([each.score for each in predictions]),
                    result.detection_classes: np.array(
                        [ids[each.label] for each in predictions], int
                    ),
                },
            )
        metrics = evaluator.evaluate()
        found.append(float(metrics["OpenImagesChallenge2018_Precision/mAP@0.5IOU"]))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--output", type=pathlib.Path, default=OUTPUT)
    chosen = parser.parse_args()
    replace_unused_modules()
    expanded_by = expansion()
    lines = [
        json.dumps(
            [
                name,
                *(
                    None if np.isnan(each) else round(each, 12)
                    for each in evaluated(expanded_by, name, one)
                ),
            ]
        )
        for name, one in recorded_sets()
    ]
    programs = {
        "api": "tensorflow_object_detection_api "
        + importlib.metadata.version("tensorflow_object_detection_api"),
        "replaced": "tensorflow, google.protobuf and object_detection.protos, which the evaluation "
        "imports and does not call",
        "numpy": np.__version__,
    }
    columns = ["set", "mAP with group-of boxes of weight 1", "of weight 0"]
    text = f'"programs": {json.dumps(programs)},\n"columns": {json.dumps(columns)},\n"api": [\n'
    chosen.output.parent.mkdir(parents=True, exist_ok=True)
    chosen.output.write_text("{\n" + text + ",\n".join(lines) + "\n]\n}\n", "utf-8")
    print(f"{len(lines):,} sets")


if __name__ == "__main__":
    main()
