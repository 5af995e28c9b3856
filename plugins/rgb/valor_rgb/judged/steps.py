"""Steps of the judged variants: one about a refusal, one about false documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from valor_llm.replies.shapes import Rating
from valor_llm.steps.step import Step

from valor_rgb.parameters.rules import RuleParameters
from valor_rgb.rules.choice import rules_of

_PROMPTS = "valor_rgb.judged.prompts"


def _refused(data: Mapping[str, Any]) -> dict[str, Any]:
    """What the robust rules say in the place of a model."""
    phrase = rules_of(RuleParameters()).refused(data["response"])
    return _rating("declines" if phrase else "answers", phrase)


def _noticed(data: Mapping[str, Any]) -> dict[str, Any]:
    phrase = rules_of(RuleParameters()).detected(data["response"], ())
    return _rating("noticed" if phrase else "unnoticed", phrase)


def _rating(rating: str, phrase: str | None) -> dict[str, Any]:
    return {"analysis": f"It says: {phrase}" if phrase else "No phrase found", "rating": rating}


REJECTION = Step(
    "rgb_rejection",
    ("query", "response"),
    Rating(("answers", "declines")),
    package=_PROMPTS,
    stand_in=_refused,
)
ERROR_DETECTION = Step(
    "rgb_error_detection",
    ("response",),
    Rating(("unnoticed", "noticed")),
    package=_PROMPTS,
    stand_in=_noticed,
)
