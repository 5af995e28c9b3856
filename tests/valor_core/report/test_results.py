from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from valor_core import Result, Undefined
from valor_core.errors import ReportError
from valor_core.results.results import Results, has_name

FOUND = [
    Result(type="Recall", parameters={"label": "cat"}, value=0.5),
    Result(type="Recall", parameters={"label": "dog"}, value=0.25),
    Result(type="F1", parameters={"average": "macro"}, value=0.75),
]


def test_results_are_a_sequence_in_their_order() -> None:
    results = Results(FOUND)

    assert list(results) == FOUND
    assert results[-1].type == "F1"
    assert list(results[:1]) == FOUND[:1]
    assert Results(results) == results


def test_only_requires_exactly_one_result() -> None:
    results = Results(FOUND)

    assert results["f1", "macro"].value == 0.75
    with pytest.raises(ReportError, match="expected one result of Recall, found 2"):
        assert results["Recall"].only


def test_results_with_equal_parameters_are_chosen_by_index() -> None:
    results = Results([Result(type="F1", value=0.5), Result(type="F1", value=0.25)])

    with pytest.raises(ReportError, match="expected one result of F1, found 2"):
        assert results["F1"].value


DIGITS = Results(
    [
        Result(type="F1", parameters={"label": "1", "bins": 1}, value=0.5),
        Result(type="F1", parameters={"label": "2", "bins": 1}, value=0.25),
    ]
)


@pytest.mark.parametrize("label", ["1", 1, np.int64(1), np.uint8(1)])
def test_integer_finds_label_with_its_digits(label: Any) -> None:
    assert DIGITS["F1", label].value == 0.5
    assert ("F1", label) in DIGITS
    assert DIGITS.find("F1", label=label).value == 0.5


def test_number_of_other_parameter_is_not_converted() -> None:
    assert len(DIGITS.find(bins=1)) == 2
    with pytest.raises(ReportError):
        DIGITS.find(bins="1")


@pytest.mark.parametrize(
    ("label", "message"),
    [
        (3, "report: no result of 'F1' for '3'"),
        (True, "report: no result of 'F1' for True"),
        (1.0, "report: no result of 'F1' for 1.0"),
    ],
)
def test_unknown_label_is_rejected(label: Any, message: str) -> None:

    with pytest.raises(ReportError, match=re.escape(message)):
        DIGITS["F1", label]


BIRDS = """
from valor_core.specs import MetricSpec, Range, hookimpl

def spec(name, *aliases):
    return MetricSpec(name=name, task="classification", summary="A metric", aliases=aliases,
        implementation="birds.absent:Metric", higher_is_better=True, range=Range(0, 1))

@hookimpl
def valor_metrics():
    return [spec("birds.Hits", "hit_rate"), spec("birds.H")]
"""


class TestAliases:
    @pytest.fixture(autouse=True)
    def birds(self, install: Callable[..., Path]) -> None:
        has_name.cache_clear()
        install("birdlab", "birds", {"__init__.py": "", "plugin.py": BIRDS})

    RESULTS = Results(
        [
            Result(type="Hits", metric="birds.Hits@1", parameters={"label": "1"}, value=0.5),
            Result(type="H", metric="birds.H@1", value=0.25),
            Result(type="Hits", metric="bees.Hits@1", parameters={"label": "1"}, value=0.75),
        ]
    )

    @pytest.mark.parametrize("name", ["hit_rate", "Hit-Rate", "birds.hit_rate", "hit_rate@1"])
    def test_metric_is_found_by_alias(self, name: str) -> None:
        assert self.RESULTS[name, 1].value == 0.5
        assert self.RESULTS.find(name, label=1).value == 0.5

    @pytest.mark.parametrize(
        "name", ["bees.hit_rate", "bird.hit_rate", "h_rate", "hits_rate", "birds."]
    )
    def test_other_name_is_not_found(self, name: str) -> None:
        assert name not in self.RESULTS


def test_results_of_uninstalled_plugin_are_found_by_name() -> None:
    results = Results([Result(type="Hits", metric="nowhere.Hits@1", value=0.5)])

    assert results["hits"].value == results["nowhere.Hits"].value == 0.5
    assert "hit_rate" not in results


def test_repr_is_one_line() -> None:
    results = Results(FOUND)

    assert repr(results) == "<Results: 3 results of Recall, F1; print(results) shows them>"
    assert repr(results["f1"]) == "<Results: 1 result of F1; print(results) shows them>"
    assert repr(Results([])) == "<Results: 0 results; print(results) shows them>"


def test_repr_of_many_metrics_is_truncated() -> None:
    results = Results([Result(type=f"M{number}", value=1) for number in range(12)])

    assert repr(results).endswith("M8, M9 (and 2 more); print(results) shows them>")


def test_only_result_is_formatted_like_a_number() -> None:
    results = Results(
        [Result(type="F1", value=0.25), Result(type="AP", value=Undefined("no cats"))]
    )

    assert float(results["F1"]) == 0.25
    assert f"{results['F1']:.1%}" == "25.0%"
    with pytest.raises(ReportError, match="expected a number, found none, no cats"):
        f"{results['AP']:.3f}"
    with pytest.raises(ReportError, match="expected one result of F1, found 2"):
        float(results)
