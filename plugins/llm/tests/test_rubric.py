"""Rubric: grades by custom criteria."""

from __future__ import annotations

import re
from typing import Any

import pytest
from valor_llm.metrics.rubric import rubric
from valor_llm.parameters.metrics import RubricParameters
from valor_llm.replies.shapes import Rating
from valor_llm.steps import prompt
from valor_llm.steps.prompt import Fences

from valor_core.errors import ParameterError, ResourceError
from valor_core.results import Undefined
from valor_core.schemas.text import Text

from .scripted import Scripted, answered, failed, rated, scored

NAME = "llm.Rubric"
ITEM = Text("q", "Why?", "So.", "Because.", ["Context."])


@pytest.mark.parametrize(
    ("grade", "value"),
    [(1, 0.0), (2, 0.25), (4, 0.75), (5, 1.0)],  # (grade - 1) / 4
)
def test_grade_is_scaled_to_unit_interval_and_reported_unscaled(grade: int, value: float) -> None:
    client = Scripted({"rubric": rated(grade)})
    answer = scored(NAME, ITEM, client, criteria="Is it polite?")
    assert answer.value == value
    assert answer.details["ratings"] == [{"rating": grade, "analysis": "why"}]
    assert client.asked == [("rubric", {"query": "Why?", "response": "So."})]


def test_a_scale_may_begin_below_0() -> None:
    # (1 - -2) / (2 - -2) = 3/4
    client = Scripted({"rubric": rated(1)})
    assert scored(NAME, ITEM, client, criteria="c", scale=(-2, 2)).value == 0.75


def test_named_grades_have_the_values_that_they_are_given() -> None:
    # (3 - 1) / (5 - 1) = 0.5
    grades = {"good": 5, "fair": 3, "poor": 1}
    client = Scripted({"rubric": rated("fair")})
    answer = scored(NAME, ITEM, client, criteria="c", grades=grades)
    assert (answer.value, answer.details["ratings"][0]["rating"]) == (0.5, "fair")


def test_a_grade_that_is_not_there_fails_the_item() -> None:
    client = Scripted({"rubric": rated("excellent")})
    answer = failed(NAME, ITEM, client, criteria="c", grades={"good": 1, "poor": 0})
    assert "rubric" in answer.reason


def test_the_judge_is_shown_the_fields_that_were_asked_for() -> None:
    client = Scripted({"rubric": rated(5)})
    fields = ("contexts", "references", "response")
    scored(NAME, ITEM, client, criteria="c", fields=fields)
    assert client.asked[0][1] == {
        "contexts": ("Context.",),
        "references": ("Because.",),
        "response": "So.",
    }


@pytest.mark.parametrize("lacking", ["query", "response", "references", "contexts"])
def test_an_item_that_lacks_a_field_is_undefined_without_a_call(lacking: str) -> None:
    answer = answered(NAME, Text("q"), Scripted({}), criteria="c", fields=(lacking,))
    assert answer == Undefined(f"no {lacking}")


def test_prompt_contains_criteria_meanings_and_steps() -> None:
    step = rubric(
        ("response",),
        "Is it {{grades}} polite?",
        Rating((0, 1)),
        {"1": "polite"},
        ("Read.", "Think."),
    )
    text = step.messages(prompt.own("rubric"), {"response": "x"}, "English", Fences())[0].content
    assert "polite?" in text
    assert "\n0\n1: polite\n" in text
    assert "Proceed so:\n1. Read.\n2. Think.\n" in text
    assert "{{" not in text.replace("{{grades}} polite", "")


def test_without_meanings_and_steps_nothing_is_left_of_their_places() -> None:
    step = rubric(("response",), "c", Rating((1, 2)), {}, ())
    text = step.messages(prompt.own("rubric"), {"response": "x"}, "English", Fences())[0].content
    assert "Proceed" not in text
    assert "{{" not in text
    assert "\n1\n2\n" in text


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"criteria": " "}, "criteria must not be blank"),
        ({"scale": (5, 1)}, "scale must be two whole numbers that rise, got [5, 1]"),
        ({"scale": (1, 2, 3)}, "scale must be two whole numbers that rise, got [1, 2, 3]"),
        ({"scale": (0, 101)}, "scale must have at most 101 grades, got 102"),
        (
            {"grades": {"good": 1, "fine": 1}},
            "grades must have two values or more, got {'good': 1.0, 'fine': 1.0}",
        ),
        (
            {"grades": {"Good": 1, "good": 0}},
            "grades must have names that differ in more than case, got ['good',",
        ),
        (
            {"grades": {" ": 1, "good": 0}},
            "grades must have names that differ in more than case, got ['', 'good']",
        ),
        ({"meanings": {"6": "x"}}, "meanings must be by grades, got '6'"),
        ({"fields": ()}, "RubricParameters: fields must not be empty"),
    ],
)
def test_invalid_rubric_is_rejected(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        RubricParameters(**({"criteria": "c"} | wrong))


def test_a_prompt_of_ones_own_has_to_have_a_place_for_the_criteria() -> None:
    # Without one, the judge would grade by criteria that it was never told.
    settings = {"criteria": "Is it polite?", "steps": "", "grades": "- 1\n- 2"}
    own = prompt.parsed("rubric", 'version = 1\ninstruction = "Grade: {{grades}}"\n', "own.toml")
    with pytest.raises(
        ResourceError, match="expected a place for the criteria in the instruction, found none"
    ):
        own.filled(settings, "English")
    # What is empty needs no place.
    whole = "version = 1\ninstruction = '{{criteria}} {{grades}}'\n"
    text = prompt.parsed("rubric", whole, "own.toml").filled(settings, "English")
    assert text.startswith("Is it polite? ")
