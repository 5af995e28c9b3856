"""AnswerRelevance: scores calculated by hand, and incomplete items."""

from __future__ import annotations

import pytest

from valor_core.results import Undefined
from valor_core.schemas.text import Text

from .scripted import Scripted, answered, said, scored

NAME = "llm.AnswerRelevance"
THREE = {"statements": {"statements": ["a", "b", "c"]}}


def test_one_relevant_statement_of_three_scores_a_third_since_idk_is_no_yes() -> None:
    client = Scripted(THREE | {"statements_relevant": said("yes", "idk", "no")})
    answer = scored(NAME, Text("q", "Why?", "abc"), client)
    assert answer.value == 1 / 3
    assert answer.details["verdicts"][1] == {"text": "b", "verdict": "idk", "analysis": "why 2"}
    assert client.asked[1][1] == {"query": "Why?", "statements": ("a", "b", "c")}


def test_details_say_what_each_answer_took() -> None:
    client = Scripted(THREE | {"statements_relevant": said("yes", "idk", "no")})
    steps = scored(NAME, Text("q", "Why?", "abc"), client).details["steps"]
    assert [one["step"] for one in steps] == ["statements", "statements_relevant"]
    assert all(one["model"] == "script" and one["attempts"] == 1 for one in steps)


@pytest.mark.parametrize(
    ("choice", "value"), [("zero", 0.0), ("undefined", Undefined("the response states nothing"))]
)
@pytest.mark.parametrize("response", ["Hello!", " "])
def test_a_response_that_states_nothing_scores_as_chosen_and_no_verdict_is_asked_for(
    response: str, choice: str, value: object
) -> None:
    client = Scripted({"statements": {"statements": []}})
    answer = scored(NAME, Text("q", "Why?", response), client, no_statements=choice)
    assert answer.value == value
    assert answer.details["note"] == "the response states nothing"
    assert len(client.asked) == (response == "Hello!")


def test_a_blank_query_makes_it_undefined_without_a_call() -> None:
    client = Scripted({})
    assert answered(NAME, Text("q", " ", "abc"), client) == Undefined("the query is blank")
