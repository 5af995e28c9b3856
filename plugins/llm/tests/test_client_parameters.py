"""Missing or misplaced parameters of a judge's client."""

from __future__ import annotations

import re
from typing import Any

import pytest

from valor_core import evaluate
from valor_core.errors import ParameterError
from valor_core.schemas.text import Text


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        ({"client": "openai"}, "judge.client.base_url: expected a string, found none"),
        (
            {"client": "openai", "model": "m"},
            "judge.model: unknown key, openai has a parameter of this name",
        ),
        (
            {"client": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1"},
            "judge.model: unknown key, openai has a parameter of this name",
        ),
        (
            {"client": {"name": "openai", "model": "m"}},
            "judge.client.base_url: expected a string, found none",
        ),
    ],
)
def test_missing_or_misplaced_parameter_of_a_client_shows_the_nested_form(
    judge: dict[str, Any],
    message: str,
) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        evaluate([Text("a", "q", "r")], ["llm.Coherence"], resources={"judge": judge})
