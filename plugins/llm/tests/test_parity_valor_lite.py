"""Scores of the same verdicts in valor-lite, to the last bit."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from valor_lite.text_generation import Context, Evaluator, QueryResponse

from valor_core.schemas.text import Text

from .scripted import Scripted, rated, said, scored

WORDS = st.sampled_from(["yes", "no"])
LISTS = st.lists(WORDS, min_size=1, max_size=6)


class InTurn:
    """A client of valor-lite that gives its replies one after the other."""

    model_name = "script"

    def __init__(self, replies: Sequence[object]) -> None:
        self.replies: Iterator[object] = iter(replies)

    def __call__(self, messages: list[dict[str, str]]) -> str:
        """The next reply."""
        scripted = next(self.replies)
        return scripted if isinstance(scripted, str) else json.dumps(scripted)


def _theirs(name: str, item: Text, replies: Sequence[object]) -> float:
    """Their score; every reply must have been asked for."""
    client = InTurn(replies)
    context = Context(groundtruth=list(item.references), prediction=list(item.contexts))
    asked = QueryResponse(item.query or "", item.response or "", context)
    metric = getattr(Evaluator(client=client), f"compute_{name}")(asked)
    assert metric.type != "Error", metric
    assert next(client.replies, None) is None
    return float(metric.value)


def _texts(key: str, count: int) -> dict[str, list[str]]:
    return {key: [f"{key} {number}" for number in range(count)]}


def _verdicts(words: Sequence[str]) -> dict[str, Any]:
    """A reply as they want it: no ids."""
    return {"verdicts": [{"analysis": "why", "verdict": word} for word in words]}


def _item(**fields: Any) -> Text:
    return Text("q", **({"query": "Why?", "response": "So."} | fields))


@given(
    st.integers(1, 5).flatmap(
        lambda count: st.lists(
            st.tuples(st.lists(WORDS, min_size=count, max_size=count), LISTS),
            min_size=1,
            max_size=3,
        )
    )
)
def test_answer_correctness_is_theirs(pairs: list[tuple[list[str], list[str]]]) -> None:
    stated = _texts("statements", len(pairs[0][0]))
    item = _item(references=[str(place) for place in range(len(pairs))])
    replies: list[object] = [stated]
    for response, reference in pairs:
        kinds = {"TP": "yes", "FP": "no"}
        lists = {kind: [one for one in response if one == word] for kind, word in kinds.items()}
        lists["FN"] = [one for one in reference if one == "no"]
        replies += [_texts("statements", len(reference)), lists]
    expected = {
        str(place): [f"{place} {number}" for number in range(len(reference))]
        for place, (_, reference) in enumerate(pairs)
    }

    def matched(data: Mapping[str, Any]) -> dict[str, Any]:
        response, reference = pairs[int(data["reference_statements"][0].split()[0])]
        return said(*response, key="response") | said(*reference, key="reference")

    client = Scripted(
        {
            "statements": lambda data: {
                "statements": expected.get(data["text"], stated["statements"])
            },
            "statements_matched": matched,
        }
    )
    assert scored("llm.AnswerCorrectness", item, client).value == _theirs(
        "answer_correctness", item, replies
    )


@given(st.lists(st.sampled_from(["yes", "no", "idk"]), min_size=1, max_size=8))
def test_answer_relevance_is_theirs(words: list[str]) -> None:
    statements = _texts("statements", len(words))
    client = Scripted({"statements": statements, "statements_relevant": said(*words)})
    item = _item()
    assert scored("llm.AnswerRelevance", item, client).value == _theirs(
        "answer_relevance", item, [statements, _verdicts(words)]
    )


@pytest.mark.parametrize(
    ("name", "texts", "step"),
    [
        ("Bias", "opinions", "opinions_biased"),
        ("Toxicity", "opinions", "opinions_toxic"),
        ("Faithfulness", "claims", "claims_supported"),
    ],
)
@given(words=st.lists(WORDS, max_size=8))
def test_shares_of_what_a_response_says_are_theirs(
    name: str, texts: str, step: str, words: list[str]
) -> None:
    found = _texts(texts, len(words))
    client = Scripted({texts: found, step: said(*words)})
    item = _item(contexts=["c"])
    replies = [found, _verdicts(words)][: 1 + bool(words)]
    assert scored(f"llm.{name}", item, client).value == _theirs(name.lower(), item, replies)


@pytest.mark.parametrize(
    ("name", "theirs", "step"),
    [
        ("ContextRelevance", "context_relevance", "contexts_relevant"),
        ("Hallucination", "hallucination", "contexts_contradicted"),
    ],
)
@given(words=LISTS)
def test_shares_of_contexts_are_theirs(name: str, theirs: str, step: str, words: list[str]) -> None:
    item = _item(contexts=[str(place) for place in range(len(words))])
    client = Scripted({step: said(*words)})
    assert scored(f"llm.{name}", item, client).value == _theirs(theirs, item, [_verdicts(words)])


@given(
    st.integers(1, 7).flatmap(
        lambda count: st.lists(
            st.lists(WORDS, min_size=count, max_size=count), min_size=1, max_size=3
        )
    )
)
def test_context_precision_is_theirs(verdicts: list[list[str]]) -> None:
    item = _item(
        references=[str(place) for place in range(len(verdicts))],
        contexts=[str(place) for place in range(len(verdicts[0]))],
    )
    client = Scripted({"contexts_useful": lambda data: said(*verdicts[int(data["reference"])])})
    assert scored("llm.ContextPrecision", item, client).value == _theirs(
        "context_precision", item, [_verdicts(words) for words in verdicts]
    )


@given(st.lists(LISTS, min_size=1, max_size=3))
def test_context_recall_is_theirs(verdicts: list[list[str]]) -> None:
    item = _item(references=[str(place) for place in range(len(verdicts))], contexts=["c"])
    client = Scripted(
        {
            "statements": lambda data: {
                "statements": [
                    f"{data['text']} {n}" for n in range(len(verdicts[int(data["text"])]))
                ]
            },
            "statements_attributed": lambda data: said(
                *verdicts[int(data["statements"][0].split()[0])]
            ),
        }
    )
    replies = [
        reply
        for words in verdicts
        for reply in (_texts("statements", len(words)), _verdicts(words))
    ]
    assert scored("llm.ContextRecall", item, client).value == _theirs(
        "context_recall", item, replies
    )


@pytest.mark.parametrize("rating", [1, 2, 3, 4, 5])
def test_summary_coherence_is_theirs(rating: int) -> None:
    item = _item(query="The source.")
    client = Scripted({"summary_coherence": rated(rating)})
    assert scored("llm.SummaryCoherence", item, client).value == _theirs(
        "summary_coherence", item, [str(rating)]
    )
