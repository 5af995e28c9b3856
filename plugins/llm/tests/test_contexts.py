"""ContextPrecision, ContextRecall, ContextRelevance and Hallucination, calculated by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from valor_core.results import Undefined
from valor_core.schemas.text import Text

from .scripted import Scripted, answered, failed, said, scored

PRECISION, RECALL = "llm.ContextPrecision", "llm.ContextRecall"
RELEVANCE, HALLUCINATION = "llm.ContextRelevance", "llm.Hallucination"


def _item(contexts: str, *references: str) -> Text:
    return Text("q", "Why?", "So.", references, list(contexts))


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (("yes", "no", "no", "yes"), 0.75),  # (1/1 + 2/4) / 2
        (("no", "yes", "no", "yes"), 0.5),  # (1/2 + 2/4) / 2
        (("yes", "yes", "no"), 1.0),  # (1/1 + 2/2) / 2
        (("no", "no"), 0.0),
        (("no", "no", "yes"), 1 / 3),
    ],
)
def test_precision_is_the_mean_of_precision_at_useful_places(
    words: tuple[str, ...], value: float
) -> None:
    client = Scripted({"contexts_useful": said(*words)})
    answer = scored(PRECISION, _item("abcd"[: len(words)], "r"), client)
    assert answer.value == value
    assert client.asked == [
        (
            "contexts_useful",
            {"query": "Why?", "contexts": tuple("abcd"[: len(words)]), "reference": "r"},
        )
    ]


def test_a_context_is_useful_if_it_is_for_any_reference() -> None:
    # (no, yes) or (yes, no) is (yes, yes): (1/1 + 2/2) / 2; each alone has 0.5 or 1
    replies = {"r": said("no", "yes"), "s": said("yes", "no")}
    client = Scripted({"contexts_useful": lambda data: replies[data["reference"]]})
    answer = scored(PRECISION, _item("ab", "r", "s"), client)
    assert answer.value == 1.0
    assert [
        (row["text"], row["verdict"], row["reference"]) for row in answer.details["verdicts"]
    ] == [
        ("a", "no", 1),
        ("b", "yes", 1),
        ("a", "yes", 2),
        ("b", "no", 2),
    ]


def test_precision_passes_over_blank_references_and_keeps_the_numbers_of_the_others() -> None:
    client = Scripted({"contexts_useful": said("yes")})
    answer = scored(PRECISION, _item("a", " ", "r"), client)
    assert [row["reference"] for row in answer.details["verdicts"]] == [2]
    assert len(client.asked) == 1


def test_recall_is_the_best_share_of_a_references_statements() -> None:
    # r: yes, yes, no: 2/3;  s: yes, no: 1/2
    def statements(data: Mapping[str, Any]) -> dict[str, Any]:
        return {"statements": ["a", "b", "c"] if data["text"] == "r" else ["d", "e"]}

    def attributed(data: Mapping[str, Any]) -> dict[str, Any]:
        return said("yes", "yes", "no") if len(data["statements"]) == 3 else said("yes", "no")

    client = Scripted({"statements": statements, "statements_attributed": attributed})
    answer = scored(RECALL, Text("q", references=["s", "r"], contexts=["x", "y"]), client)
    assert answer.value == 2 / 3
    assert answer.details["references"] == [
        {"reference": 1, "score": 0.5},
        {"reference": 2, "score": 2 / 3},
    ]
    assert answer.details["best"] == 2
    assert answer.details["verdicts"][0] == {
        "text": "d",
        "verdict": "yes",
        "analysis": "why 1",
        "reference": 1,
    }
    assert len(client.asked) == 4
    assert (
        "statements_attributed",
        {"contexts": ("x", "y"), "statements": ("d", "e")},
    ) in client.asked


def test_recall_excludes_references_without_statements() -> None:
    client = Scripted(
        {
            "statements": lambda data: {"statements": ["a"] if data["text"] == "r" else []},
            "statements_attributed": said("yes"),
        }
    )
    answer = scored(RECALL, Text("q", references=["Hm?", "r"], contexts=["x"]), client)
    assert (answer.value, answer.details["best"]) == (1.0, 2)
    none = scored(RECALL, Text("q", references=["Hm?"], contexts=["x"]), client)
    assert none.value == Undefined("the reference states nothing")


@pytest.mark.parametrize("name", [PRECISION, RECALL])
def test_neither_contexts_nor_references_is_undefined_or_1_as_chosen(name: str) -> None:
    client = Scripted({})
    assert answered(name, _item(""), client) == Undefined("no references")
    answer = scored(name, _item(""), client, both_empty="one")
    assert (answer.value, answer.details["note"]) == (1.0, "neither contexts nor references")


@pytest.mark.parametrize("name", [PRECISION, RECALL])
def test_references_without_contexts_score_0_and_contexts_without_references_nothing(
    name: str,
) -> None:
    client = Scripted({})
    answer = scored(name, _item("", "r"), client, both_empty="one", no_contexts="zero")
    assert (answer.value, answer.details["note"]) == (0.0, "no contexts")
    for references, reason in ((), "no references"), (("", " "), "the references are blank"):
        item = _item("ab", *references)
        assert answered(name, item, client, both_empty="one") == Undefined(reason)


def test_relevance_is_the_share_of_relevant_contexts() -> None:
    client = Scripted({"contexts_relevant": said("no", "yes", "no", "no")})
    answer = scored(RELEVANCE, _item("abcd"), client)
    assert answer.value == 0.25
    assert client.asked == [("contexts_relevant", {"query": "Why?", "contexts": tuple("abcd")})]


def test_without_contexts_relevance_is_0_without_a_call() -> None:
    answer = scored(RELEVANCE, _item(""), Scripted({}), no_contexts="zero")
    assert (answer.value, answer.details["note"]) == (0.0, "no contexts")


@pytest.mark.parametrize("name", [PRECISION, RECALL, RELEVANCE])
def test_a_forgotten_column_of_contexts_is_no_score_of_0(name: str) -> None:
    client = Scripted({})
    assert answered(name, _item("", "r"), client) == Undefined("no contexts")
    assert client.asked == []


@pytest.mark.parametrize("name", [PRECISION, RELEVANCE])
def test_a_blank_query_makes_it_undefined(name: str) -> None:
    item = Text("q", "", "So.", "r", ["a"])
    assert answered(name, item, Scripted({})) == Undefined("the query is blank")


def test_hallucination_is_the_share_of_contradicted_contexts() -> None:
    # yes is contradicted: 1 / 2
    client = Scripted({"contexts_contradicted": said("yes", "no")})
    answer = scored(HALLUCINATION, _item("ab"), client)
    assert answer.value == 0.5
    assert client.asked == [("contexts_contradicted", {"contexts": ("a", "b"), "response": "So."})]


def test_a_blank_response_contradicts_nothing() -> None:
    answer = scored(HALLUCINATION, Text("q", response=" ", contexts=["a"]), Scripted({}))
    assert (answer.value, answer.details["note"]) == (0.0, "the response is blank")


@pytest.mark.parametrize(
    ("name", "step"),
    [
        (PRECISION, "contexts_useful"),
        (RELEVANCE, "contexts_relevant"),
        (HALLUCINATION, "contexts_contradicted"),
    ],
)
def test_too_few_verdicts_fail_the_item_and_are_no_smaller_denominator(
    name: str, step: str
) -> None:
    client = Scripted({step: said("yes")})
    assert step in failed(name, _item("ab", "r"), client).reason
