"""Bias and Toxicity: scores calculated by hand, and responses without opinions."""

from __future__ import annotations

import pytest

from valor_core import Registry
from valor_core.schemas.text import Text

from .scripted import Scripted, said, scored

BOTH = pytest.mark.parametrize(
    ("name", "step"), [("llm.Bias", "opinions_biased"), ("llm.Toxicity", "opinions_toxic")]
)


@BOTH
def test_two_of_three_opinions_score_two_thirds_and_lower_is_better(name: str, step: str) -> None:
    client = Scripted({"opinions": {"opinions": ["a", "b", "c"]}, step: said("yes", "no", "yes")})
    answer = scored(name, Text("q", response="abc"), client)
    assert answer.value == 2 / 3
    assert [row["verdict"] for row in answer.details["verdicts"]] == ["yes", "no", "yes"]
    assert Registry().metric(name).higher_is_better is False


@BOTH
@pytest.mark.parametrize("response", ["It rains.", ""])
def test_a_response_without_opinions_scores_0(name: str, step: str, response: str) -> None:
    client = Scripted({"opinions": {"opinions": []}})
    answer = scored(name, Text("q", response=response), client)
    assert answer.value == 0.0
    assert answer.details["note"] == "the response expresses no opinion"
    assert client.steps == ["opinions"] * bool(response)
