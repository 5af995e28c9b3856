"""Faithfulness: scores calculated by hand, and incomplete items."""

from __future__ import annotations

import pytest

from valor_core.results import Undefined
from valor_core.schemas.text import Text

from .scripted import Scripted, answered, said, scored

NAME = "llm.Faithfulness"


def test_it_is_the_share_of_claims_that_the_contexts_support() -> None:
    # yes, no (contradicted), no (unrelated), yes: 2 / 4
    client = Scripted(
        {
            "claims": {"claims": ["a", "b", "c", "d"]},
            "claims_supported": said("yes", "no", "no", "yes"),
        }
    )
    answer = scored(NAME, Text("q", response="abcd", contexts=["x", "y"]), client)
    assert answer.value == 0.5
    assert answer.details["verdicts"][0] == {"text": "a", "verdict": "yes", "analysis": "why 1"}
    assert client.asked[1][1] == {"contexts": ("x", "y"), "claims": ("a", "b", "c", "d")}


@pytest.mark.parametrize(
    ("choice", "value"), [("one", 1.0), ("undefined", Undefined("the response claims nothing"))]
)
@pytest.mark.parametrize("contexts", [["x"], []])
def test_a_response_that_claims_nothing_scores_as_chosen_with_contexts_and_without(
    contexts: list[str], choice: str, value: object
) -> None:
    client = Scripted({"claims": {"claims": []}})
    item = Text("q", response="Hello!", contexts=contexts)
    answer = scored(NAME, item, client, no_claims=choice, no_contexts="zero")
    assert answer.value == value
    assert answer.details["note"] == "the response claims nothing"
    assert client.steps == ["claims"]


def test_claims_without_contexts_score_0_and_are_kept() -> None:
    client = Scripted({"claims": {"claims": ["a"]}})
    answer = scored(NAME, Text("q", response="a"), client, no_contexts="zero")
    assert (answer.value, answer.details["claims"]) == (0.0, ["a"])
    assert answer.details["note"] == "no contexts"


def test_a_blank_response_claims_nothing_and_is_not_asked_about() -> None:
    client = Scripted({})
    assert scored(NAME, Text("q", response="", contexts=["x"]), client).value == 1.0
    assert client.asked == []


def test_claims_are_not_asked_for_where_contexts_are_forgotten() -> None:
    client = Scripted({"claims": {"claims": ["a"]}})

    assert answered(NAME, Text("q", response="a"), client) == Undefined("no contexts")
    assert client.asked == []
