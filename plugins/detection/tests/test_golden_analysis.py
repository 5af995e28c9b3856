"""Matrices, examples and detailed curves against recorded results of earlier implementations.

``golden_analysis/divergences.json`` lists deliberate differences, with reasons.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from cases import for_each

from valor_core.errors import ParameterError
from valor_core.schemas import Label
from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box, Geometry, Mask, Polygon

from .golden_analysis_cases import AnalysisCase, analysis_cases, in_order, read
from .support import results_of

Pairs = Iterator[tuple[str, Any]]


def items_of(case: AnalysisCase) -> list[Detection]:
    return [
        Detection(
            image["uid"],
            [
                TrueObject([label_of(one) for one in labels], geometry(shape), uid=uid)
                for uid, labels, shape in image["truths"]
            ],
            [
                PredictedObject([(label_of(one), one[-1]) for one in labels], geometry(shape), uid)
                for uid, labels, shape in image["predictions"]
            ],
        )
        for image in case.images
    ]


def label_of(listed: Any) -> Any:
    """Parse ``value``, ``[value, score]``, ``[key, value]`` or ``[key, value, score]``."""
    if isinstance(listed, str):
        return listed
    return Label(listed[0], listed[1]) if isinstance(listed[1], str) else listed[0]


def geometry(shape: Any) -> Geometry:
    if isinstance(shape, list):
        return Box(*shape)
    if "polygon" in shape:
        return Polygon(shape["polygon"])
    (height, width), spans = shape["mask"]
    pixels = np.zeros(height * width, dtype=bool)
    for first, last in spans:
        pixels[first:last] = True
    return Mask.of(pixels.reshape(height, width))


def matrix(case: AnalysisCase) -> Pairs:
    with_examples = case.call.endswith("with_examples")
    choice = {
        "name": "ConfusionMatrix",
        "matching": "ranked",
        "max_examples": 1000 if with_examples else 0,
    }
    for result in results_of(items_of(case), choice | dict(case.parameters)):
        path = thresholds_of(result)
        for truth, line in result.value["confusion_matrix"].items():
            for prediction, cell in line.items():
                yield f"{path}/{truth}/{prediction}", cell
        for prediction, cell in result.value["unmatched_predictions"].items():
            yield f"{path}/-/{prediction}", cell
        for truth, cell in result.value["unmatched_ground_truths"].items():
            yield f"{path}/{truth}/-", cell


def names_of(cell: Any) -> Any:
    """Return the content of a cell, or None if it is empty."""
    if not isinstance(cell, dict):
        return cell or None
    assert cell["count"] == len(cell["examples"])
    names = ("datum_id", "ground_truth_id", "prediction_id")
    return [[one.get(name) for name in names] for one in cell["examples"]] or None


def examples(case: AnalysisCase) -> Pairs:
    choice = {"name": "Examples", "matching": "ranked", "order": "uid", "limit": None}
    for result in results_of(items_of(case), choice | dict(case.parameters)):
        for item in result.value:
            uid, *marks = item.values()
            yield f"{thresholds_of(result)}/{uid}", marks


def thresholds_of(result: Any) -> str:
    return "/".join(repr(result.parameters[f"{name}_threshold"]) for name in ("iou", "score"))


def detailed(case: AnalysisCase) -> Pairs:
    parameters = dict(case.parameters)
    renames = [[tuple(label) for label in pair] for pair in parameters.pop("label_map", ())]
    choice = {"name": "DetailedPrecisionRecallCurve", "max_examples": 0}
    for result in results_of(items_of(case), choice | parameters, label_map=renames):
        for label, points in result.value.items():
            for threshold, point in points.items():
                for side, observed in point.items():
                    for kind, each in observed["observations"].items():
                        path = f"{result.parameters['label_key']}/{label}/{threshold}"
                        yield f"{path}/{side}.{kind}", each["count"] or None


def answers(case: AnalysisCase) -> dict[str, Any]:
    answer = {"examples": examples, "detailed": detailed}.get(case.call, matrix)
    try:
        found = {path: in_order(names_of(value)) for path, value in answer(case)}
    except ParameterError:
        return {}
    return {path: value for path, value in found.items() if value is not None}


@for_each("case", analysis_cases(), ids=lambda case: case.id)
def test_results_equal_recorded_results_or_listed_divergences(case: AnalysisCase) -> None:
    assert answers(case) == case.ours


def test_every_divergence_differs_and_has_a_reason() -> None:
    content = read("divergences")
    diverging = [case.id for case in analysis_cases() if case.ours != case.results]

    assert sorted(diverging) == sorted(one["case"] for one in content["divergences"])
    assert {one["reason"] for one in content["divergences"]} == set(content["reasons"])
