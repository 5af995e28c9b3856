"""Values of labels: one result per label, averages, and a reason that replaces all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from valor_labels import LabelValues, label_parameters

from valor_core.results import Failed, Undefined
from valor_core.schemas import Label

CAT, DOG, OWL = (Label("animal", name) for name in ("cat", "dog", "owl"))


def values(**changes: Any) -> LabelValues:
    return LabelValues(
        **{
            "key": "animal",
            "labels": [CAT, DOG, OWL],
            "truths": np.array([3, 1, 0]),
            "values": [1.0, 0.5, 0.0],
            "micro": 0.875,
            **changes,
        }
    )


def test_each_label_has_a_result_with_its_key_value_and_settings() -> None:
    found = list(values().results("none", {"hardmax": True}))

    assert [(one.parameters, one.value) for one in found] == [
        (label_parameters(CAT) | {"hardmax": True}, 1.0),
        (label_parameters(DOG) | {"hardmax": True}, 0.5),
        (label_parameters(OWL) | {"hardmax": True}, 0.0),
    ]


@pytest.mark.parametrize(
    ("average", "include", "expected", "left_out"),
    [
        ("micro", False, 0.875, {}),
        ("macro", False, (1.0 + 0.5) / 2, {"label only in predictions": 1}),
        ("macro", True, (1.0 + 0.5 + 0.0) / 3, {}),
        ("weighted", False, (3 * 1.0 + 1 * 0.5) / 4, {}),
    ],
)
def test_average_is_one_result_with_excluded_labels(
    average: str, include: bool, expected: float, left_out: dict[str, int]
) -> None:
    (result,) = values().results(average, {}, include)

    assert result.parameters == {"label_key": "animal", "average": average}
    assert (result.value, result.left_out) == (expected, left_out)


def test_excluded_label_is_not_part_of_macro_mean() -> None:
    mean, left_out = values(excluded={1: "no scores"}).average("macro")

    assert mean == 1.0
    assert left_out == {"no scores": 1, "label only in predictions": 1}


def test_refusal_is_the_value_of_every_result() -> None:
    refusal = Failed("expected scores in [0, 1]")
    refused = values(refusal=refusal)

    assert [one.error for one in refused.results("none", {})] == [refusal.reason] * 3
    assert [one.error for one in refused.results("macro", {})] == [refusal.reason]


def test_average_without_defined_values_is_undefined() -> None:
    mean, left_out = values(values=[Undefined("no predictions")] * 3).average("weighted")

    assert mean == Undefined("no labels with a value")
    assert left_out == {"no predictions": 2}
