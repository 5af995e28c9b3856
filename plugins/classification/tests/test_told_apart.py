"""Results of two settings of one metric differ in their parameters."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cases import for_each
from valor_classification import plugin

from valor_core import evaluate
from valor_core.parameters import parameters_of
from valor_core.results import Result
from valor_core.schemas.classification import Classification

from .support import PETS, SETS, results_of

Settings = dict[str, Any]

ONE_MISTAKE = [
    Classification("a", "dog", {"dog": 1.0}),
    Classification("b", "dog", {"cat": 1.0}),
]

THRESHOLD: Settings = {"score_thresholds": [0.5]}

OTHERS: dict[str, list[Settings]] = {
    "score_thresholds": [{"score_thresholds": [0.25, 0.75]}],
    "hardmax": [THRESHOLD, THRESHOLD | {"hardmax": False}],
    "top_k": [{"top_k": 2}, {"top_k": 3}],
    "balanced": [{"balanced": True}],
    "multilabel": [{"multilabel": rule} for rule in ("exact", "hamming", "jaccard")],
    "beta": [{"beta": 0.5}, {"beta": 1.0}],
    "average": [{"average": "macro"}, {"average": "weighted"}],
    "zero_division": [{"zero_division": 1.0}, {"zero_division": None}],
    "include_prediction_only_labels": [{"include_prediction_only_labels": True}],
    "bins": [{"bins": 4}, {"bins": 5}],
    "drop_intermediate": [{"drop_intermediate": False}],
    "max_examples": [{"max_examples": 2}, {"max_examples": 3}],
    "normalize": [{"normalize": by} for by in ("truth", "prediction", "all")],
    "errors_only": [{"errors_only": True}],
    "limit": [{"limit": 1}, {"limit": 2}],
    "offset": [{"offset": 1}],
    "weights": [{"weights": "linear"}, {"weights": "quadratic"}],
    "order": [
        {"weights": "linear"},
        *({"weights": "linear", "order": [*["ant", "bee", "cat", "dog"], last]} for last in "xy"),
    ],
    "scale_by_half": [{"scale_by_half": True}],
    "positive": [{"positive": "cat"}, {"positive": "dog"}],
}
"""Other settings than the default, by the parameter that they are about."""

LEAST: Settings = {"objective": "recall_at_precision"}
COST: Settings = {"objective": "cost"}

OF_BEST_THRESHOLD: dict[str, list[Settings]] = {
    "objective": [{"objective": "youden"}, COST],
    "beta": [{"beta": 0.5}, {"beta": 2.0}],
    "minimum": [LEAST | {"minimum": 0.5}, LEAST | {"minimum": 0.75}],
    "false_positive_cost": [COST | {"false_positive_cost": 2.0}, COST],
    "false_negative_cost": [COST | {"false_negative_cost": 2.0}, COST],
    "average": [{"average": "micro"}, {"average": "none"}],
    "apply": [{"apply": Path(__file__).with_name("thresholds.json")}],
}
"""Other settings of BestThreshold, which has other averages and objectives."""


def _cases() -> Iterator[tuple[str, str]]:
    for spec in plugin.valor_metrics():
        for parameter in parameters_of(spec.parameter_class):
            yield pytest.param(
                spec.short_name, parameter.name, id=f"{spec.short_name}-{parameter.name}"
            )


def _told(results: list[Result]) -> set[str]:
    return {json.dumps(dict(result.parameters), sort_keys=True) for result in results}


@for_each(("metric", "parameter"), list(_cases()))
def test_two_settings_of_a_metric_never_give_results_that_say_the_same_of_themselves(
    metric: str, parameter: str
) -> None:
    # By default, an average is one of several, which may be asked for on their own.
    defaults: list[Settings] = [] if parameter == "average" else [{}]
    described: list[tuple[Settings, set[str]]] = []
    others = OF_BEST_THRESHOLD if metric == "BestThreshold" else OTHERS
    for settings in (*defaults, *others[parameter]):
        results = list(results_of(PETS, {"name": metric} | settings))
        assert results
        assert not [result for result in results if result.error and "Error" in result.error]
        described.append((settings, _told(results)))
    for number, (settings, parameters) in enumerate(described):
        for other, other_parameters in described[:number]:
            assert parameters.isdisjoint(other_parameters), (settings, other)


MEANS = [
    {"name": "F1", "average": "macro"},
    {"name": "F1", "average": "macro", "include_prediction_only_labels": True},
]


@pytest.mark.parametrize("suffix", [".json", ".csv", ".md", ".html", "text"])
def test_the_macro_means_with_and_without_labels_that_are_only_predicted_are_both_printed(
    suffix: str, tmp_path: Path
) -> None:
    report = evaluate(ONE_MISTAKE, MEANS)
    path = tmp_path / f"report{suffix}"
    if suffix != "text":
        report.save(path)
    text = str(report) if suffix == "text" else path.read_text(encoding="utf-8")
    assert "0.6667" in text or "0.6666666666666666" in text
    assert "0.3333" in text


def test_both_macro_means_can_be_required() -> None:
    keys = {
        "F1/macro/include_prediction_only_labels:false": ">= 0.66",
        "F1/macro/include_prediction_only_labels:true": "<= 0.34",
    }
    report = evaluate(ONE_MISTAKE, MEANS, require=keys)
    assert [outcome.met for outcome in report.requirements] == [True, True]
    assert sorted(report.flat().values()) == [1 / 3, 2 / 3]


def test_a_result_says_what_a_setting_that_was_left_to_the_data_came_to() -> None:
    (accuracy,) = results_of(SETS, "Accuracy")
    (brier,) = results_of(PETS, "BrierScore")
    assert accuracy.parameters["multilabel"] == "exact"
    assert brier.parameters["scale_by_half"] is False


def test_a_setting_that_is_the_default_is_not_named() -> None:
    (result,) = results_of(PETS, {"name": "F1", "average": "macro", "zero_division": 0.0})
    assert set(result.parameters) == {"label_key", "average", "score_threshold", "hardmax"}
