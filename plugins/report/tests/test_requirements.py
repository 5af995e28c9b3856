from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from messages import refused
from valor_report.requirements import parse_requirements, split_requirement

from valor_core import (
    Evaluator,
    Failed,
    Registry,
    Report,
    Result,
    Text,
    Undefined,
    evaluate,
    metric,
)
from valor_core.errors import ConfigError, MissingExtraError
from valor_core.results.report import Requirement
from valor_core.specs import Range

RESULTS = Report(
    results=[
        Result(type="Accuracy", metric="c.Accuracy@1", value=0.5),
        Result(type="Recall", metric="c.Recall@1", parameters={"label": "cat"}, value=0.25),
        Result(type="Recall", metric="c.Recall@1", parameters={"label": "dog"}, value=1),
        Result(type="AUC", metric="c.AUC@1", value=Undefined("no negatives")),
        Result(type="Judge", metric="c.Judge@1", value=Failed("no reply\nat all")),
        Result(type="mAP", metric="c.mAP@1", parameters={"at": 0.5}, value=0.49999999999999994),
        Result(type="mAP", metric="c.mAP@1", parameters={"at": 0.75}, value=0.123456789),
        Result(type="Pixels", metric="c.Pixels@1", value=1_234_567_890),
        Result(type="Summary", metric="c.Summary@1", value={"AP": 0.75, "AP50": 0.5}),
    ]
)


def met(name: str, condition: str) -> Requirement:
    return RESULTS.judged(parse_requirements({name: condition})).requirements[0]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (">= 0.5", True),
        (">0.5", False),
        ("<= .5", True),
        (" < 0.5 ", False),
        ("== 0.5", True),
        (">= 5e-1", True),
        ("> -1", True),
        (">= 1.", False),
    ],
)
def test_requirement_compares_value(condition: str, expected: bool) -> None:
    outcome = met("Accuracy", condition)

    assert outcome == Requirement("Accuracy", condition, 0.5, expected)


def test_key_has_label_after_slash() -> None:
    assert met("recall/dog", ">= 1").met
    assert not met("Recall/cat", ">= 1").met


def test_undefined_value_does_not_meet_requirement() -> None:
    for condition in (">= 0", "<= 1"):
        outcome = met("AUC", condition)
        assert not outcome.met
        assert str(outcome) == f"AUC {condition}: undefined, no negatives, not met"


def test_failed_metric_does_not_meet_requirement() -> None:
    assert str(met("Judge", ">= 0")) == "Judge >= 0: failed, no reply, not met"


@pytest.mark.parametrize(
    ("name", "condition", "text"),
    [
        ("mAP/at:0.5", ">= 0.5", "0.49999999999999994, not met"),
        ("mAP/at:0.5", "< 0.5", "0.49999999999999994, met"),
        ("mAP/at:0.5", ">= 0.4", "0.5, met"),
        ("mAP/at:0.75", ">= 0.5", "0.123457, not met"),
        ("mAP/at:0.75", "== 0.123457", "0.123456789, not met"),
        ("Pixels", ">= 5e9", "1234567890, not met"),
    ],
)
def test_value_has_enough_digits_to_explain_outcome(name: str, condition: str, text: str) -> None:
    assert str(met(name, condition)) == f"{name} {condition}: {text}"


def test_requirement_of_named_number() -> None:
    assert met("Summary/AP", ">= 0.75").met


def test_outcome_is_printed() -> None:
    assert str(met("Accuracy", ">= 0.25")) == "Accuracy >= 0.25: 0.5, met"


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("0.5", "expected a comparison, got '0.5'"),
        ("=> 0.5", "expected a comparison, got '=> 0.5'"),
        (">= a", "expected a comparison, got '>= a'"),
        (">= 1.2.3", "expected a comparison, got '>= 1.2.3'"),
        (">= .", "expected a comparison, got '>= .'"),
        (0.5, "expected a comparison, got 0.5"),
        ("", "expected a comparison, got ''"),
    ],
)
def test_invalid_condition_is_rejected(condition: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        parse_requirements({"mAP": condition})


def test_condition_without_operator_suggests_comparison() -> None:
    with pytest.raises(ConfigError, match=r"expected a comparison, got 0\.9"):
        parse_requirements({"F1/macro": 0.9})


def test_requirement_of_metric_that_is_not_chosen_is_rejected() -> None:
    with refused(ConfigError):
        parse_requirements({"Acuracy/cat": ">= 0.5"}, {"c.Accuracy": ()})


@pytest.mark.parametrize("name", ["Accuracy", "accuracy/cat", "c.Accuracy", "Accuracy@1"])
def test_requirement_of_chosen_metric_is_accepted(name: str) -> None:
    assert parse_requirements({name: ">= 0.5"}, {"c.Accuracy": ()})[0].name == name


BIRDS = """
from valor_core.specs import (MetricSpec, Range, hookimpl)

@hookimpl
def valor_metrics():
    return [MetricSpec(name="birds.F1", task="classification", summary="F1", aliases=("f1_score",),
        implementation="birds.absent:F1", higher_is_better=True, range=Range(0, 1))]
"""


@pytest.mark.parametrize("name", ["f1_score/macro", "F1-Score/macro", "birds.f1_score@1/macro"])
def test_requirement_accepts_alias(name: str, install: Callable[..., Path]) -> None:
    install("birdlab", "birds", {"__init__.py": "", "plugin.py": BIRDS})
    result = Result(type="F1", metric="birds.F1@1", parameters={"average": "macro"}, value=0.75)

    required = parse_requirements({name: ">= 0.5"}, {"birds.F1": ("f1_score",)})

    (outcome,) = Report(results=[result]).judged(required).requirements

    assert outcome == Requirement(name, ">= 0.5", 0.75, met=True)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("f2_score", "no chosen metric is called 'f2_score'"),
        ("c.f1_score", "no chosen metric is called 'c.f1_score'"),
    ],
)
def test_alias_of_metric_that_is_not_chosen_is_rejected(
    name: str, install: Callable[..., Path], message: str
) -> None:
    install("birdlab", "birds", {"__init__.py": "", "plugin.py": BIRDS})

    with pytest.raises(ConfigError, match=re.escape(message)):
        parse_requirements({name: ">= 0.5"}, {"birds.F1": ("f1_score",)})


@pytest.mark.parametrize(
    ("name", "reason", "remedy"),
    [
        (
            "Recall/cow",
            "no result of 'Recall' for 'cow'",
            "Write one of: Recall/cat, Recall/dog.",
        ),
        ("mAP", "expected one number, found 2", "Write one of: mAP/at:0.5, mAP/at:0.75."),
        (
            "Summary",
            "expected one number, found 2",
            "Write one of: Summary/AP, Summary/AP50.",
        ),
    ],
)
def test_requirement_without_unique_number_is_not_met_and_has_remedy(
    name: str, reason: str, remedy: str
) -> None:
    outcome = met(name, ">= 0.5")

    assert outcome.is_wrong
    assert not outcome.met
    assert str(outcome) == f"{name} >= 0.5: {reason}\n{remedy}"


@pytest.mark.parametrize("name", ["Accuracy", "AUC", "mAP"])
def test_outcome_round_trips_through_record(name: str) -> None:
    outcome = met(name, ">= 0.5")

    assert Requirement.from_dict(outcome.to_dict()) == outcome


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Accuracy >= 0.5", ("Accuracy", ">= 0.5")),
        ("Recall/cat<0.5", ("Recall/cat", "<0.5")),
        ("F1/hardmax:true == 1", ("F1/hardmax:true", "== 1")),
    ],
)
def test_requirement_text_is_split_into_key_and_condition(
    text: str, parts: tuple[str, str]
) -> None:
    assert split_requirement(text) == parts


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        (">= 90", "expected a number in 0 to 1, got '>= 90'"),
        ("<= 1.5", "expected a number in 0 to 1, got '<= 1.5'"),
        ("> -1", "expected a number in 0 to 1, got '> -1'"),
    ],
)
def test_threshold_outside_range_of_metric_is_rejected(
    condition: str,
    message: str,
) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        parse_requirements({"Accuracy": condition}, {"c.Accuracy": ()}, {"c.Accuracy": Range(0, 1)})


def test_threshold_in_range_of_metric_is_accepted() -> None:
    ranges = {"c.Accuracy": Range(0, 1), "c.Counts": Range(0)}
    metrics: dict[str, tuple[str, ...]] = {"c.Accuracy": (), "c.Counts": ()}
    required = {"Accuracy": "== 1", "Counts": ">= 90"}
    assert len(parse_requirements(required, metrics, ranges)) == 2


@metric("mylab.Score", task="text")
def score(item: Any) -> float:
    return len(item.response) / 10


ITEMS = [Text("q1", response="Paris"), Text("q2", response="Stockholm")]


def test_evaluation_reports_whether_requirements_are_met() -> None:
    require = {"Score": ">= 0.7", "mylab.score": "> 0.7"}

    report = evaluate(ITEMS, [score], require=require)

    assert [outcome.met for outcome in report.requirements] == [True, False]
    assert not report.ok


def test_evaluator_rejects_requirement_of_other_metric() -> None:
    with refused(ConfigError):
        Evaluator([score], require={"mAP": ">= 0.5"})


def test_loaded_state_accepts_new_requirements(tmp_path: Path) -> None:
    evaluator = Evaluator([score])
    evaluator.update(ITEMS)
    evaluator.save(tmp_path / "state.npz")
    registry = Registry()
    registry.add(score)

    loaded = Evaluator.load(tmp_path / "state.npz", registry, require={"Score": ">= 0.9"})

    assert not loaded.compute().ok


def test_evaluator_accepts_alias_in_requirement() -> None:
    aliases = {"myown.Length": ("size",)}

    assert parse_requirements({"size": ">= 3"}, aliases) == (Requirement("size", ">= 3"),)


def test_requirements_without_valor_report_suggest_install_command(
    hide: Callable[[str], None],
) -> None:
    hide("valor-report")

    with refused(MissingExtraError):
        evaluate(ITEMS, [score], require={"Score": ">= 0.7"})
    assert evaluate(ITEMS, [score]).ok
