from __future__ import annotations

from typing import Any

import pytest

from valor_core import Result, Undefined
from valor_core.errors import ConfigError
from valor_core.requirements import Requirement, check, parse, split
from valor_core.results import Results

RESULTS = Results(
    [
        Result(type="Accuracy", metric="c.Accuracy@1", value=0.5),
        Result(type="Recall", metric="c.Recall@1", parameters={"label": "cat"}, value=0.25),
        Result(type="Recall", metric="c.Recall@1", parameters={"label": "dog"}, value=1),
        Result(type="AUC", metric="c.AUC@1", value=Undefined("no negatives")),
    ]
)


def met(name: str, condition: str) -> Requirement:
    return check(parse({name: condition}), RESULTS)[0]


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
def test_a_comparison_is_met_or_not(condition: str, expected: bool) -> None:
    outcome = met("Accuracy", condition)

    assert outcome == Requirement("Accuracy", condition, 0.5, expected)


def test_a_label_stands_behind_a_slash() -> None:
    assert met("recall/dog", ">= 1").met
    assert not met("Recall/cat", ">= 1").met


def test_an_undefined_value_meets_nothing() -> None:
    for condition in (">= 0", "<= 1"):
        outcome = met("AUC", condition)
        assert not outcome.met
        assert str(outcome) == f"AUC {condition}: undefined, no negatives, not met"


def test_an_outcome_is_written_in_words() -> None:
    assert str(met("Accuracy", ">= 0.25")) == "Accuracy >= 0.25: 0.5, met"


@pytest.mark.parametrize("condition", ["0.5", "=> 0.5", ">= a", ">= 1.2.3", ">= .", 0.5, ""])
def test_something_else_is_no_comparison(condition: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        parse({"mAP": condition}, place="config.yaml: ")

    assert str(caught.value) == (
        f"config.yaml: require.mAP: expected a comparison, got {condition!r}\n"
        'Write it as: ">= 0.5".'
    )


def test_a_requirement_of_a_metric_that_was_not_chosen_is_refused_before_any_work() -> None:
    with pytest.raises(ConfigError) as caught:
        parse({"Acuracy/cat": ">= 0.5"}, ["c.Accuracy"], "config.yaml: ")

    assert str(caught.value) == (
        "config.yaml: require.Acuracy/cat: no chosen metric is called 'Acuracy'\n"
        "Did you mean 'Accuracy'?"
    )


@pytest.mark.parametrize("name", ["Accuracy", "accuracy/cat", "c.Accuracy", "Accuracy@1"])
def test_a_requirement_of_a_chosen_metric_is_kept(name: str) -> None:
    assert parse({name: ">= 0.5"}, ["c.Accuracy"])[0].name == name


def test_a_requirement_of_an_unknown_label_is_not_met_and_says_why() -> None:
    outcome = met("Recall/cow", ">= 0.5")

    assert str(outcome) == "Recall/cow >= 0.5: no result of 'Recall' for 'cow', not met"


def test_a_requirement_of_several_results_is_not_met_and_says_why() -> None:
    outcome = met("Recall", ">= 0.5")

    assert (outcome.met, outcome.reason) == (False, "expected one result of Recall, found 2")


def test_an_outcome_comes_back_from_its_record() -> None:
    outcome = met("Accuracy", ">= 0.5")

    assert Requirement.from_dict(outcome.to_dict()) == outcome


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Accuracy >= 0.5", ("Accuracy", ">= 0.5")),
        ("Recall/cat<0.5", ("Recall/cat", "<0.5")),
        ("F1/hardmax:true == 1", ("F1/hardmax:true", "== 1")),
    ],
)
def test_a_requirement_in_one_text_is_a_name_and_a_condition(
    text: str, parts: tuple[str, str]
) -> None:
    assert split(text) == parts
