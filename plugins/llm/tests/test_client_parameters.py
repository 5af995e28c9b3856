"""Parameters of a judge's client that are missing or written beside it."""

from __future__ import annotations

from typing import Any

import pytest
from messages import refused

from valor_core import evaluate
from valor_core.plugin import ParameterError
from valor_core.schemas.text import Text


@pytest.mark.parametrize(
    "judge",
    [
        {"client": "openai"},
        {"client": "openai", "model": "m"},
        {"client": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1"},
        {"client": {"name": "openai", "model": "m"}},
    ],
)
def test_missing_or_misplaced_parameter_of_a_client_shows_the_nested_form(
    judge: dict[str, Any],
) -> None:
    with refused(ParameterError):
        evaluate([Text("a", "q", "r")], ["llm.Coherence"], resources={"judge": judge})
