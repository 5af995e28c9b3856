"""AnswerCorrectness: scores calculated by hand, and incomplete items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from valor_core.results import Undefined
from valor_core.schemas.text import Text

from .scripted import Scripted, failed, said, scored

NAME = "llm.AnswerCorrectness"


def _statements(data: Mapping[str, Any]) -> dict[str, Any]:
    """One statement for each letter."""
    return {"statements": list(data["text"])}


def _matched(response: str, reference: str) -> dict[str, Any]:
    """A verdict for each letter: y or n."""
    words = {"y": "yes", "n": "no"}
    return said(*(words[one] for one in response), key="response") | said(
        *(words[one] for one in reference), key="reference"
    )


def test_two_true_positives_and_a_false_negative_score_0_8() -> None:
    # tp = 2, fp = 0, fn = 1: 2 / (2 + (0 + 1) / 2) = 0.8
    client = Scripted({"statements": _statements, "statements_matched": _matched("yy", "yyn")})
    answer = scored(NAME, Text("q", "Why?", "ab", "cde"), client)
    assert answer.value == 0.8
    assert answer.details["references"] == [
        {"reference": 1, "score": 0.8, "tp": 2, "fp": 0, "fn": 1}
    ]
    assert answer.details["best"] == 1
    assert answer.details["verdicts"][-1] == {
        "text": "e",
        "verdict": "no",
        "analysis": "why 3",
        "of": "reference",
        "reference": 1,
    }
    assert client.asked[-1] == (
        "statements_matched",
        {
            "query": "Why?",
            "response_statements": ("a", "b"),
            "reference_statements": ("c", "d", "e"),
        },
    )


def test_without_a_true_positive_the_score_is_0() -> None:
    client = Scripted({"statements": _statements, "statements_matched": _matched("nn", "y")})
    assert scored(NAME, Text("q", "Why?", "ab", "c"), client).value == 0.0


def test_the_best_reference_counts_and_is_named() -> None:
    # c:  tp = 1, fp = 1, fn = 0: 1 / 1.5 = 0.667;  de: tp = 2, fp = 0, fn = 1: 0.8;  f: as c
    replies = {"c": _matched("yn", "y"), "de": _matched("yy", "yn"), "f": _matched("yn", "y")}
    client = Scripted(
        {
            "statements": _statements,
            "statements_matched": lambda data: replies["".join(data["reference_statements"])],
        }
    )
    answer = scored(NAME, Text("q", "Why?", "ab", ["c", "de", "f"]), client)
    assert answer.value == 0.8
    assert answer.details["best"] == 2
    assert [row["score"] for row in answer.details["references"]] == [1 / 1.5, 0.8, 1 / 1.5]
    assert len(client.asked) == 1 + 2 * 3


def test_of_equally_good_references_the_first_is_named() -> None:
    client = Scripted({"statements": _statements, "statements_matched": _matched("y", "y")})
    assert scored(NAME, Text("q", "Why?", "a", ["b", "c"]), client).details["best"] == 1


def test_a_response_that_states_nothing_scores_0_after_one_call() -> None:
    client = Scripted({"statements": {"statements": []}})
    answer = scored(NAME, Text("q", "Why?", "Hello!", ["a", "b"]), client)
    assert (answer.value, answer.details["note"]) == (0.0, "the response states nothing")
    assert client.steps == ["statements"]


def test_a_blank_response_scores_0_without_a_call() -> None:
    client = Scripted({})
    assert scored(NAME, Text("q", "Why?", " \n", "a"), client).value == 0.0
    assert client.steps == []


def test_reference_without_statements_is_excluded() -> None:
    client = Scripted({"statements": _statements, "statements_matched": _matched("yn", "y")})
    answer = scored(NAME, Text("q", "Why?", "ab", ["", "c"]), client)
    assert answer.value == 1 / 1.5
    assert answer.details["best"] == 2
    assert answer.details["references"][0] == {
        "reference": 1,
        "undefined": "the reference states nothing",
    }


def test_where_no_reference_states_anything_the_score_is_undefined() -> None:
    client = Scripted({"statements": lambda data: {"statements": ["x"] * (data["text"] == "ab")}})
    answer = scored(NAME, Text("q", "Why?", "ab", ["Hm?", "So?"]), client)
    assert answer.value == Undefined("the reference states nothing")
    assert client.steps == ["statements"] * 3


def test_an_item_without_a_query_is_compared_all_the_same() -> None:
    client = Scripted({"statements": _statements, "statements_matched": _matched("y", "y")})
    assert scored(NAME, Text("q", None, "a", "b"), client).value == 1.0
    assert client.asked[-1][1]["query"] == ""


def test_equal_statements_are_counted_one_by_one() -> None:
    # tp = 1 and fp = 1 though the texts are the same: 1 / (1 + 0.5) = 2/3
    client = Scripted(
        {"statements": {"statements": ["x", "x"]}, "statements_matched": _matched("yn", "yy")}
    )
    assert scored(NAME, Text("q", "Why?", "a", "b"), client).value == 2 / 3


def test_an_item_fails_where_one_of_its_references_has_no_answer() -> None:
    replies = {"b": _matched("y", "y"), "c": {"response": [], "reference": []}}
    client = Scripted(
        {
            "statements": _statements,
            "statements_matched": lambda data: replies["".join(data["reference_statements"])],
        }
    )
    answer = failed(NAME, Text("q", "Why?", "a", ["b", "c"]), client)
    assert "statements_matched" in answer.reason
    assert len(client.asked) == 5  # the other reference was waited for
