"""The call of Valor's documentation of 2024, with a server that answers."""

from __future__ import annotations

from typing import Any

import pytest
from mock_endpoint import MockEndpoint
from valor_text import evaluate_text_generation

from valor_core import Text, evaluate
from valor_core.errors import ParameterError, ResourceError

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
    """Replace a placeholder by the address in a value."""
    if isinstance(value, dict):
        return {key: filled(one, url) for key, one in value.items()}
    return url if value == "{url}" else value


def test_metrics_of_nvidia_alone_ask_the_judge_of_the_call() -> None:
    report = evaluate_text_generation(
        PREDICTIONS, ["nvidia.AnswerAccuracy"], TRUTHS, {"client": "lexical"}
    )
    (result,) = report.results
    assert result.number is not None
    with pytest.raises(
        ParameterError,
        match=r"llm_api_params: expected a model for nvidia\.AnswerAccuracy, got none",
    ):
        evaluate_text_generation(PREDICTIONS, ["nvidia.AnswerAccuracy"], TRUTHS)


def test_function_as_client_names_from_callable() -> None:
    def ask(messages: list[dict[str, str]]) -> str:
        return "{}"

    with pytest.raises(
        ResourceError, match=r"judge\.client: expected a client, got the function ask"
    ):
        evaluate([Text("q1", response="E")], ["llm.Bias"], resources={"judge": {"client": ask}})
