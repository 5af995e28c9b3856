"""Coherence and SummaryCoherence: the rating is the score."""

from __future__ import annotations

import pytest

from valor_core.results import Undefined
from valor_core.schemas.text import Text

from .scripted import Scripted, answered, failed, rated, scored


@pytest.mark.parametrize("rating", [1, 2, 3, 4, 5])
def test_the_rating_is_the_score(rating: int) -> None:
    client = Scripted({"coherence": rated(rating), "summary_coherence": rated(rating)})
    item = Text("q", "The source.", "The text.")
    for name in ("llm.Coherence", "llm.SummaryCoherence"):
        answer = scored(name, item, client)
        assert answer.value == rating
        assert answer.details["ratings"] == [{"rating": rating, "analysis": "why"}]


def test_coherence_sees_the_text_alone_and_a_summary_is_seen_with_its_source() -> None:
    client = Scripted({"coherence": rated(3), "summary_coherence": rated(3)})
    item = Text("q", "The source.", "The text.", "Reference.", ["Context."])
    scored("llm.Coherence", item, client)
    scored("llm.SummaryCoherence", item, client)
    assert client.asked == [
        ("coherence", {"text": "The text."}),
        ("summary_coherence", {"source": "The source.", "summary": "The text."}),
    ]


@pytest.mark.parametrize("rating", [0, 6, 4.5, "four", -3])
def test_a_rating_off_the_scale_fails_the_item(rating: object) -> None:
    client = Scripted({"coherence": {"analysis": "", "rating": rating}})
    assert "coherence" in failed("llm.Coherence", Text("q", response="x"), client).reason


@pytest.mark.parametrize("name", ["llm.Coherence", "llm.SummaryCoherence"])
def test_a_blank_response_gets_the_lowest_rating_without_a_call(name: str) -> None:
    answer = scored(name, Text("q", "The source.", ""), Scripted({}))
    assert (answer.value, answer.details["note"]) == (1.0, "the response is blank")


def test_a_blank_source_makes_a_summary_undefined() -> None:
    answer = answered("llm.SummaryCoherence", Text("q", " ", "x"), Scripted({}))
    assert answer == Undefined("the query, which is the source text, is blank")
