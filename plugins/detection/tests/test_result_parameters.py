"""Results of one metric under two settings differ in `parameters`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from cases import for_each
from valor_labels import ThresholdObjective

from valor_core.parameters import Parameter, parameters_of
from valor_core.parameters.declaration import plain_value
from valor_core.results import Result
from valor_core.specs import MetricSpec

from .support import REGISTRY, results_of
from .test_laws import items_of, of

OTHERS: dict[str, Any] = {
    "iou_thresholds": [0.3, 0.6],
    "iou_threshold": 0.3,
    "background_threshold": 0.2,
    "score_thresholds": [0.25, 0.75],
    "score_threshold": 0.25,
    "recall_score_threshold": 0.25,
    "matching": "valor",
    "sigmas": [0.1] * 17,
    "max_detections": 2,
    "max_detections_per": "image",
    "area_ranges": {"all": [0, 200]},
    "convert_to": "box",
    "overlap": "probiou",
    "include_prediction_only_labels": True,
    "zero_division": None,
    "average": ["macro"],
    "form": "interpolated",
    "max_examples": 2,
    "order": "uid",
    "limit": 3,
    "offset": 1,
    "bins": 4,
    "per_label": True,
}
"""A value of each parameter that is not the default of any metric."""

WITH = {"sigmas": {"matching": "keypoints"}, "max_detections_per": {"max_detections": 2}}
"""Other parameters that a parameter needs, for metrics that have them."""

WHICH = {"average", "per_label", "iou_thresholds", "score_thresholds"}
"""Parameters that select results; results selected by two settings are equal."""


def metrics() -> Iterator[MetricSpec]:
    for spec in REGISTRY.all(MetricSpec):
        if spec.task == "detection":
            yield spec


OBJECTIVE = {*(one.name for one in parameters_of(ThresholdObjective)), "objective"}
"""Parameters of BestThreshold that have an effect with others only; its own tests vary them."""

PAIRS = [
    (spec.name, parameter)
    for spec in metrics()
    for parameter in parameters_of(spec.parameter_class)
    if spec.short_name != "BestThreshold" or parameter.name not in OBJECTIVE
]

NAMES = {(name, parameter.name) for name, parameter in PAIRS}


def told(result: Result) -> str:
    return repr(sorted(result.parameters.items()))


def results(name: str, **chosen: Any) -> dict[str, Any]:
    found = results_of(of(items_of(1)), {"name": name} | chosen)
    by_parameters = {told(result): result.to_dict()["value"] for result in found}
    assert len(by_parameters) == len(found)  # no two are equal
    return by_parameters


@for_each(
    ("name", "parameter"), [pytest.param(*pair, id=f"{pair[0]} {pair[1].name}") for pair in PAIRS]
)
def test_results_of_two_settings_have_different_parameters(name: str, parameter: Parameter) -> None:
    value = OTHERS[parameter.name]
    assert plain_value(parameter.default) != value
    needed = WITH.get(parameter.name, {})
    needed = {key: each for key, each in needed.items() if (name, key) in NAMES}
    usual, other = results(name, **needed), results(name, **needed, **{parameter.name: value})

    alike = usual.keys() & other.keys()
    if parameter.name in WHICH:
        assert all(usual[own] == other[own] for own in alike)
    else:
        assert not alike


@for_each("name", [name for name, own in PAIRS if own.name == "area_ranges"])
def test_area_ranges_of_one_name_differ_by_bounds(name: str) -> None:
    small, large = ({"s": [0, bound]} for bound in (50, 5000))

    assert not results(name, area_ranges=small).keys() & results(name, area_ranges=large).keys()


def test_report_contains_ap_of_two_area_ranges_of_one_name() -> None:
    found = results_of(
        of(items_of(1)),
        *({"name": "AP", "iou_thresholds": 0.5, "area_ranges": {"s": [0, b]}} for b in (50, 5000)),
    )
    bounds = {tuple(result.parameters["area_bounds"]) for result in found}

    assert bounds == {(0.0, 50.0), (0.0, 5000.0)}


def test_precision_results_state_zero_division() -> None:
    both = results_of(
        of(items_of(1)),
        {"name": "Precision", "average": "macro"},
        {"name": "Precision", "average": "macro", "zero_division": 1.0},
    )

    assert [result.parameters.get("zero_division") for result in both["Precision"]] == [
        *[None] * (len(both) // 2),
        *[1.0] * (len(both) // 2),
    ]
