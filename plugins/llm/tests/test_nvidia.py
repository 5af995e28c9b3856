"""Nvidia's metrics: two ratings, scaled and averaged; the valid one where the other is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from cases import for_each
from valor_llm.clients.protocol import TransientError

from valor_core.results import Undefined
from valor_core.schemas.text import Text

from .scripted import Scripted, answered, failed, rated, scored

ACCURACY = "nvidia.AnswerAccuracy"
RELEVANCE, GROUNDEDNESS = "nvidia.ContextRelevance", "nvidia.ResponseGroundedness"
STEPS = {
    ACCURACY: "answer_accuracy",
    RELEVANCE: "context_relevance",
    GROUNDEDNESS: "response_groundedness",
}
ITEM = Text("q", "Why?", "So.", "Because.", ["Context."])
NONE = "no rating"


def _client(name: str, first: Any, second: Any) -> Scripted:
    replies = [
        one if one is NONE or isinstance(one, Exception) else rated(one) for one in (first, second)
    ]
    return Scripted({f"{STEPS[name]}_first": replies[0], f"{STEPS[name]}_second": replies[1]})


@pytest.mark.parametrize(
    ("name", "first", "second", "value", "spread"),
    [
        (ACCURACY, 4, 2, 0.75, 0.5),  # (4/4 + 2/4) / 2
        (ACCURACY, 0, 4, 0.5, 1.0),
        (ACCURACY, 2, 2, 0.5, 0.0),
        (RELEVANCE, 2, 1, 0.75, 0.5),  # (2/2 + 1/2) / 2
        (RELEVANCE, 0, 0, 0.0, 0.0),
        (GROUNDEDNESS, 1, 0, 0.25, 0.5),
        (GROUNDEDNESS, 2, 2, 1.0, 0.0),
    ],
)
def test_the_score_is_the_mean_of_both_ratings(
    name: str, first: int, second: int, value: float, spread: float
) -> None:
    answer = scored(name, ITEM, _client(name, first, second))
    assert answer.value == value
    parts = answer.details["references"][0] if name == ACCURACY else answer.details
    assert (parts["valid"], parts["spread"]) == (2, spread)
    ratings = [(row["judge"], row["rating"], row["analysis"]) for row in answer.details["ratings"]]
    assert ratings == [(1, first, "why"), (2, second, "why")]


@pytest.mark.parametrize(
    ("name", "first", "second", "value"),
    [
        (ACCURACY, 4, NONE, 1.0),
        (ACCURACY, NONE, 2, 0.5),
        (ACCURACY, 3, 2, 0.5),  # 3 is not on the scale
        (RELEVANCE, NONE, 1, 0.5),
        (RELEVANCE, 1, NONE, 0.5),
        (GROUNDEDNESS, NONE, 2, 1.0),
        (GROUNDEDNESS, 2, NONE, 1.0),
    ],
)
def test_of_one_valid_rating_it_is_that_one_whichever_it_is(
    name: str, first: Any, second: Any, value: float
) -> None:
    answer = scored(name, ITEM, _client(name, first, second))
    assert answer.value == value
    parts = answer.details["references"][0] if name == ACCURACY else answer.details
    assert parts["valid"] == 1
    assert "spread" not in parts
    (invalid,) = (row for row in answer.details["ratings"] if row["rating"] is None)
    assert invalid["error"]


@pytest.mark.parametrize("name", STEPS)
def test_without_a_valid_rating_the_item_has_failed(name: str) -> None:
    assert STEPS[name] in failed(name, ITEM, _client(name, NONE, NONE)).reason


@for_each("name", STEPS)
@for_each("turned", [False, True])
@for_each("other", [2, NONE])
def test_a_rating_that_may_come_in_a_later_run_is_not_done_without(
    name: str, other: Any, turned: bool
) -> None:
    pair = [TransientError("503 Service Unavailable"), other]
    answer = failed(name, ITEM, _client(name, *(reversed(pair) if turned else pair)))
    assert answer.retry
    assert "503" in answer.reason


def test_for_the_second_judge_response_and_reference_exchange_their_roles() -> None:
    client = _client(ACCURACY, 4, 2)
    scored(ACCURACY, ITEM, client)
    first = {"query": "Why?", "reference": "Because.", "response": "So."}
    second = {"query": "Why?", "reference": "So.", "response": "Because."}
    asked = [("answer_accuracy_first", first), ("answer_accuracy_second", second)]
    assert client.asked == asked


def test_the_judges_of_the_others_see_the_same_data() -> None:
    client = _client(RELEVANCE, 1, 1)
    scored(RELEVANCE, ITEM, client)
    assert [data for _, data in client.asked] == [{"query": "Why?", "contexts": ("Context.",)}] * 2
    client = _client(GROUNDEDNESS, 1, 1)
    scored(GROUNDEDNESS, ITEM, client)
    assert [data for _, data in client.asked] == [
        {"contexts": ("Context.",), "response": "So."}
    ] * 2


def test_the_best_of_several_references_counts() -> None:
    # a: (0 + 2) / 8 = 0.25;  b: (4 + 2) / 8 = 0.75;  blank: left out
    first = {"a": 0, "b": 4}

    def rating(data: Mapping[str, Any]) -> dict[str, Any]:
        return rated(first[data["reference"]])

    client = Scripted({"answer_accuracy_first": rating, "answer_accuracy_second": rated(2)})
    answer = scored(ACCURACY, Text("q", "Why?", "So.", ["a", " ", "b"]), client)
    assert (answer.value, answer.details["best"]) == (0.75, 3)
    assert [row.get("score") for row in answer.details["references"]] == [0.25, None, 0.75]
    assert [row["reference"] for row in answer.details["ratings"]] == [1, 1, 3, 3]


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (Text("q", "", "So.", "Because."), "the query is blank"),
        (Text("q", "Why?", " ", "Because."), "the response is blank"),
    ],
)
def test_accuracy_is_undefined_where_a_text_is_blank(item: Text, reason: str) -> None:
    assert answered(ACCURACY, item, Scripted({})) == Undefined(reason)


def test_accuracy_is_undefined_where_all_references_are_blank() -> None:
    answer = scored(ACCURACY, Text("q", "Why?", "So.", ["", " "]), Scripted({}))
    assert answer.value == Undefined("the reference is blank")


@pytest.mark.parametrize(
    ("name", "item", "note"),
    [
        (RELEVANCE, Text("q", " ", contexts=["c"]), "the query is blank"),
        (RELEVANCE, Text("q", "Why?"), "no contexts"),
        (RELEVANCE, Text("q", "Why?", contexts=["", " "]), "all contexts are blank"),
        (GROUNDEDNESS, Text("q", response="", contexts=["c"]), "the response is blank"),
        (GROUNDEDNESS, Text("q", response="So."), "no contexts"),
        (GROUNDEDNESS, Text("q", response="So.", contexts=[" "]), "all contexts are blank"),
    ],
)
def test_blank_texts_score_0_or_are_undefined_as_chosen(name: str, item: Text, note: str) -> None:
    answer = scored(name, item, Scripted({}), no_contexts="zero")
    assert (answer.value, answer.details["note"]) == (0.0, note)
    chosen = {"blank": "undefined", "no_contexts": "zero"}
    assert scored(name, item, Scripted({}), **chosen).value == Undefined(note)


@pytest.mark.parametrize("name", [RELEVANCE, GROUNDEDNESS])
def test_a_forgotten_column_of_contexts_is_no_score_of_0(name: str) -> None:
    client = Scripted({})
    assert answered(name, Text("q", "Why?", "So."), client) == Undefined("no contexts")
    assert client.asked == []


@pytest.mark.parametrize("response", ["Context.", "Con", "Because."])
def test_texts_that_are_equal_or_contained_are_judged_like_others(response: str) -> None:
    item = Text("q", "Why?", response, "Because.", ["Context."])
    assert scored(GROUNDEDNESS, item, _client(GROUNDEDNESS, 0, 0)).value == 0.0
    assert scored(ACCURACY, item, _client(ACCURACY, 0, 0)).value == 0.0
    same = Text("q", "Context.", contexts=["Context."])
    assert scored(RELEVANCE, same, _client(RELEVANCE, 2, 2)).value == 1.0
