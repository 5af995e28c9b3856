"""Metrics against the recorded results of earlier implementations, path by path.

``golden/divergences.json`` lists deliberate differences, with the correct value by hand.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from cases import for_each
from valor_detection import evaluate_detection
from valor_detection.geometry.validity import batch_of

from valor_core.errors import SchemaError, ValorError
from valor_core.results.results import Results
from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box, Geometry, Mask, Polygon

from .golden_cases import MISSING, GoldenCase, divergences, golden_cases, reasons
from .support import results_of

CASES = golden_cases()
MEANS_OF_2024 = ["AP", "AR", "mAP", "mAR", "APAveragedOverIOUs", "mAPAveragedOverIOUs"]
RELATIVE = 1e-12

Pairs = Iterator[tuple[str, Any]]


def real_results(case: GoldenCase) -> dict[str, Any]:
    """Evaluate a case; errors are results."""
    try:
        return dict(core(case) if case.api == "core" else lite(case))
    except ValorError:
        return {"raises": True}


# The call of 2024


def core(case: GoldenCase) -> Pairs:
    # The call of 2024 did not validate geometries.
    usual = {"metrics_to_return": MEANS_OF_2024, "invalid_geometry": "accept"}
    arguments = usual | dict(case.parameters)
    pairs = arguments.pop("label_map", ())
    report = evaluate_detection(
        [documented(image, "truths") for image in case.images if "truths" in image],
        [documented(image, "predictions") for image in case.images if "predictions" in image],
        label_map=[[tuple(label) for label in pair] for pair in pairs],
        **arguments,
    )
    yield from means(report.results, scores=False)
    for result in answered(report.results, "PrecisionRecallCurve"):
        for label, points in result.value.items():
            for threshold, point in points.items():
                for column, value in point.items():
                    path = f"pr_curve/{result.parameters['label_key']}/{label}/{threshold}"
                    yield f"{path}/{column.removesuffix('_score')}", value


def documented(image: dict[str, Any], side: str) -> dict[str, Any]:
    names = ("key", "value", "score")
    return {
        "datum": {"uid": image["uid"]},
        "annotations": [
            {"labels": [dict(zip(names, label, strict=False)) for label in labels]}
            | {"is_instance": True}
            | where(shape)
            for labels, shape in image[side]
        ],
    }


def where(shape: Any) -> dict[str, Any]:
    if isinstance(shape, list):
        xmin, ymin, xmax, ymax = shape
        corners = [(xmin, ymin), (xmax, ymin), (xmax, ymax), (xmin, ymax), (xmin, ymin)]
        return {"bounding_box": [corners]}
    if "box" in shape:
        return {"bounding_box": {"value": [shape["box"]]}}
    if "polygon" in shape:
        return {"polygon": {"type": "Polygon", "coordinates": shape["polygon"]}}
    return {"raster": {"mask": pixels(shape)}}


def pixels(shape: dict[str, Any]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    (height, width), spans = shape["mask"]
    flat = np.zeros(height * width, dtype=bool)
    for start, stop in spans:
        flat[start:stop] = True
    return flat.reshape(height, width)


# The light evaluator


def lite(case: GoldenCase) -> Pairs:
    ious, scores = case.parameters["iou_thresholds"], case.parameters["score_thresholds"]
    over = {"iou_thresholds": ious, "matching": "valor"}
    at = over | {"score_thresholds": scores}
    all_labels = {"include_prediction_only_labels": True}
    results = results_of(
        batch_of((detection(image) for image in case.images), "accept"),
        *({"name": name} | over for name in ("AP", "APAveragedOverIOUs")),
        *({"name": name} | over | all_labels for name in ("mAP", "mAPAveragedOverIOUs")),
        *({"name": "AR", "recall_score_threshold": score} | over for score in scores),
        *({"name": "mAR", "recall_score_threshold": s} | over | all_labels for s in scores),
        {"name": "ARAveragedOverScores"} | at,
        {"name": "mARAveragedOverScores"} | at | all_labels,
        {"name": "Counts"} | at,
        *({"name": name, "average": ["none"]} | at for name in ("Precision", "Recall", "F1")),
        *(
            {
                "name": "PrecisionRecallCurve",
                "form": "interpolated",
                "iou_threshold": iou,
                "matching": "valor",
            }
            for iou in ious
        ),
    )
    yield from means(results, scores=True)
    coordinates = ("label_key", "label", "iou_threshold", "score_threshold")
    for result in answered(results, "Counts"):
        yield path_of("counts", result, coordinates), tuple(result.value.values())
    for name in ("Precision", "Recall", "F1"):
        for result in answered(results, name):
            yield path_of(name.lower(), result, coordinates), result.value
    for result in answered(results, "PrecisionRecallCurve"):
        for label, curve in result.value.items():
            place = f"{result.parameters['label_key']}/{label}/{result.parameters['iou_threshold']}"
            yield f"curve/{place}", tuple(zip(curve["precisions"], curve["scores"], strict=True))


def detection(image: dict[str, Any]) -> Detection:
    return Detection(
        image["uid"],
        [
            TrueObject([tuple(label) for label in labels], geometry(shape))
            for labels, shape in image["truths"]
        ],
        [
            PredictedObject([((key, name), score) for key, name, score in labels], geometry(shape))
            for labels, shape in image["predictions"]
        ],
    )


def geometry(shape: Any) -> Geometry:
    if isinstance(shape, list):
        return Box(*shape)
    return Polygon(shape["polygon"]) if "polygon" in shape else Mask.of(pixels(shape))


# Both


def means(results: Results, *, scores: bool) -> Pairs:
    at = ("score_threshold",) if scores else ()
    key, label = ("label_key",), ("label_key", "label")
    wanted = {
        "AP": ("ap", (*label, "iou_threshold")),
        "mAP": ("map", (*key, "iou_threshold")),
        "APAveragedOverIOUs": ("ap_ious", label),
        "mAPAveragedOverIOUs": ("map_ious", key),
        "AR": ("ar", (*label, *at)),
        "mAR": ("mar", (*key, *at)),
        "ARAveragedOverScores": ("ar_scores", label),
        "mARAveragedOverScores": ("mar_scores", key),
    }
    for name, (path, coordinates) in wanted.items():
        for result in answered(results, name):
            yield path_of(path, result, coordinates), result.to_dict()["value"]


def answered(results: Results, name: str) -> list[Any]:
    """Results of a metric, without the single undefined result of empty data."""
    return [one for one in results if one.type == name and "label_key" in one.parameters]


def path_of(name: str, result: Any, coordinates: Sequence[str]) -> str:
    return "/".join([name, *(str(result.parameters[one]) for one in coordinates)])


def same(one: Any, other: Any) -> bool:
    """Return True if two values are equal up to rounding."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=RELATIVE, abs_tol=0)
    return bool(one == other)


def expected(case: GoldenCase) -> dict[str, Any]:
    """Recorded results, replaced by the deliberate differences of Valor."""
    found = dict(case.results)
    for each in divergences():
        if each.case == case.id:
            if "raises" in each.ours:
                found.clear()
            found.pop("raises", None)
            found |= each.ours
    return {path: value for path, value in found.items() if value != MISSING}


@for_each("case", CASES, ids=lambda case: case.id)
def test_the_metrics_give_every_recorded_result_but_the_listed_divergences(
    case: GoldenCase,
) -> None:
    found, wanted = real_results(case), expected(case)

    different = {
        path: (wanted.get(path, MISSING), found.get(path, MISSING))
        for path in wanted.keys() | found.keys()
        if not same(wanted.get(path, MISSING), found.get(path, MISSING))
    }
    assert different == {}


def test_rejected_data_name_the_datum_and_the_fault() -> None:
    messages = {}
    for case in CASES:
        if case.id in ("core_det_31", "core_det_21_as_called"):
            with pytest.raises(SchemaError) as error:
                dict(core(case))
            messages[case.id] = str(error.value).splitlines()[0]

    assert messages == {
        "core_det_21_as_called": "item 'uid1', predictions[2]: expected a shape with at least "
        "three corners, or a pixel, got a mask of 80 by 32 pixels (and 1 more)",
        "core_det_31": "item 'uid1', groundtruths: expected each datum once, found it 2 times",
    }


def test_every_divergence_differs_and_has_a_reason() -> None:
    cases = {case.id: case for case in CASES}
    for each in divergences():
        assert each.reason in reasons()
        assert each.note
        recorded = cases[each.case].results
        differs = [not same(recorded.get(path, MISSING), each.ours[path]) for path in each.ours]
        assert any(differs) or "raises" in recorded


def test_every_known_bug_has_a_divergence() -> None:
    listed = {each.case for each in divergences()}
    bugs = {case.id for case in CASES if case.kind == "bug"}

    # This bug affects only the detailed curve.
    assert bugs - listed == {"edge_core_det_20"}
