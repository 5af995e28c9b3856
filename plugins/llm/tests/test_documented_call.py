"""The call of Valor's documentation of 2024, with a server that answers."""

from __future__ import annotations

from typing import Any

import pytest
from mock_endpoint import MockEndpoint
from valor_text import evaluate_text_generation

PREDICTIONS = [
    {
        "datum": {"uid": "q1", "text": "When did the mill burn?"},
        "annotations": [{"text": "It burned in 1874.", "context_list": ["It burned in 1874."]}],
    }
]
TRUTHS = [{"datum": {"uid": "q1"}, "annotations": [{"text": "In 1874."}]}]


@pytest.mark.parametrize(
    "params",
    [
        {"client": "openai", "api_url": "{url}", "data": {"model": "mock", "seed": 2024}},
        {"client": "openai", "data": {"base_url": "{url}", "model": "mock"}, "retries": 1},
        {"client": "mistral", "base_url": "{url}", "model": "mock"},
        {"client": {"name": "openai", "base_url": "{url}", "model": "mock"}},
    ],
)
def test_its_forms_ask_the_endpoint_that_they_name(
    endpoint: MockEndpoint, params: dict[str, Any]
) -> None:
    report = evaluate_text_generation(
        PREDICTIONS,
        ["Faithfulness", "AnswerCorrectness", "ROUGE"],
        TRUTHS,
        filled(params, endpoint.base_url) | {"cache": "off"},
    )

    assert [result.type for result in report.results] == [
        *("Faithfulness", "AnswerCorrectness", "ROUGE")
    ]
    assert all(result.error is None for result in report.results)
    assert endpoint.counters["requests"] == report.facts["judge"]["calls"] > 0
    assert report.facts["judge"]["model"] == "mock"


def filled(value: Any, url: str) -> Any:
    """A value in which the address stands in its place."""
    if isinstance(value, dict):
        return {key: filled(one, url) for key, one in value.items()}
    return url if value == "{url}" else value
