"""Results of one metric under two settings differ in their `parameters`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from cases import for_each

from valor_core.parameters import Parameter, parameters_of
from valor_core.parameters.declaration import plain_value
from valor_core.schemas.segmentation import SegmentationBatch
from valor_core.specs import MetricSpec

from .support import REGISTRY, results_of
from .test_laws import items_of

OTHERS: dict[str, Any] = {
    "missed": "diagonal",
    "average": "weighted",
    "zero_division": None,
    "include_prediction_only_labels": True,
    "normalize": "iou",
    "order": "uid",
    "settings": {"width_in_pixels": 3},
    "label": "cat",
    "errors_only": True,
    "limit": 3,
    "offset": 1,
    "width": 0.1,
    "width_in_pixels": 5,
    "percentiles": [50, 100],
    "stuff": ["cat"],
    "background_is_void": True,
    "per": "image",
}
"""A value of each parameter that is no metric's default."""

WHICH = {"average", "percentiles"}
"""Parameters that choose results; those that both settings give are the same results."""

NEEDED = {"settings": {"order": "boundary_iou"}, "ignore_empty": {"per": "image"}}
"""Other parameters that a parameter requires."""


def metrics() -> Iterator[MetricSpec]:
    for spec in REGISTRY.all(MetricSpec):
        if spec.task == "segmentation":
            yield spec


PAIRS = [
    (spec.name, parameter)
    for spec in metrics()
    for parameter in parameters_of(spec.parameter_class)
]


def other_value(parameter: Parameter) -> Any:
    if isinstance(parameter.default, bool):
        return not parameter.default
    return OTHERS[parameter.name]


def results(name: str, **chosen: Any) -> dict[str, Any]:
    found = results_of(SegmentationBatch.of(items_of(1)), {"name": name} | chosen)
    by_parameters = {repr(sorted(r.parameters.items())): r.to_dict() for r in found}
    assert len(by_parameters) == len(found)  # no two of them are alike
    return by_parameters


@for_each(
    ("name", "parameter"), [pytest.param(*pair, id=f"{pair[0]} {pair[1].name}") for pair in PAIRS]
)
def test_two_settings_of_a_metric_never_give_results_that_look_alike(
    name: str, parameter: Parameter
) -> None:
    value = other_value(parameter)
    assert plain_value(parameter.default) != value
    more = NEEDED.get(parameter.name, {})
    usual, other = results(name, **more), results(name, **more, **{parameter.name: value})

    alike = usual.keys() & other.keys()
    if parameter.name in WHICH:
        assert all(usual[label] == other[label] for label in alike)
    else:
        assert not alike


def test_boundary_ious_of_two_widths_have_different_parameters() -> None:
    batch = SegmentationBatch.of(items_of(1))
    found = results_of(
        batch,
        {"name": "BoundaryIOU", "average": "macro"},
        {"name": "BoundaryIOU", "average": "macro", "width_in_pixels": 2},
        {"name": "BoundaryIOU", "average": "macro", "width_in_pixels": 5},
    )

    widths = [(r.parameters.get("width"), r.parameters.get("width_in_pixels")) for r in found]
    assert sorted(set(widths), key=str) == [(0.02, None), (None, 2), (None, 5)]
    report = results_of(batch, *({"name": "BoundaryIOU", "width_in_pixels": n} for n in (2, 5)))
    assert report["BoundaryIOU"].find(label="cat", width_in_pixels=5).value is not None
