"""The one-call function of the documentation."""

from __future__ import annotations

import math
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nltk.data
import pytest
from valor_text import evaluate_text_generation

from valor_core.errors import ParameterError, SchemaError, ValorError
from valor_core.specs.extensions import claims

from . import tiny_wordnet

PREDICTIONS = [
    {
        "datum": {"uid": "uid0", "text": "Did John Adams get along with Alexander Hamilton?"},
        "annotations": [
            {"text": "They did not.", "context_list": ["They quarrelled.", "Both ruled."]}
        ],
    },
    {"datum": {"uid": "uid1", "metadata": {"era": 1}}, "annotations": [{"text": "In 1776"}]},
]
TRUTHS = [
    {
        "datum": {"uid": "uid0"},
        "annotations": [{"text": "No."}, {"text": "They did not like him."}],
    },
    {"datum": "uid1", "annotations": [{"text": "It was in 1776"}]},
]


def test_one_rouge_result_with_all_types() -> None:
    report = evaluate_text_generation(PREDICTIONS, ["ROUGE"], TRUTHS)

    # uid0: they did not | they did not like him: 3 words of 3 and 5, F 6/8; 2 bigrams of 2 and 4,
    # F 4/6. uid1: in 1776 | it was in 1776: 2 of 2 and 4, F 4/6; 1 bigram of 1 and 3, F 2/4.
    assert report["ROUGE"].value == pytest.approx(
        {
            "rouge1": (6 / 8 + 4 / 6) / 2,
            "rouge2": (4 / 6 + 2 / 4) / 2,
            "rougeL": (6 / 8 + 4 / 6) / 2,
            "rougeLsum": (6 / 8 + 4 / 6) / 2,
        },
        abs=1e-15,
    )
    assert report["ROUGE"][0].parameters["use_stemmer"] is False


def test_rows_have_the_uid_the_prediction_and_its_contexts() -> None:
    (table,) = evaluate_text_generation(PREDICTIONS, "ROUGE", TRUTHS).items

    assert [row.uid for row in table.rows] == ["uid0", "uid1"]
    details = [dict(row.details) for row in table.rows]
    assert [one.pop("truth") for one in details] == ["No.", "It was in 1776"]
    assert details == [
        {
            "datum_uid": "uid0",
            "prediction": "They did not.",
            "contexts": ["They quarrelled.", "Both ruled."],
        },
        {"datum_uid": "uid1", "prediction": "In 1776", "contexts": []},
    ]


def test_details_of_metric_are_listed() -> None:
    (table,) = evaluate_text_generation(PREDICTIONS[1:], ["NumericMatch"], TRUTHS[1:]).items

    assert table.rows[0].details["read"] == "1776"
    assert table.rows[0].details["prediction"] == "In 1776"


def test_several_predictions_of_a_datum_are_rows() -> None:
    both = [{"datum": "uid1", "annotations": [{"text": "In 1776"}, {"text": "Yes"}]}]

    (table,) = evaluate_text_generation(both, ["TokenF1"], TRUTHS[1:]).items

    assert [(row.uid, row.details["datum_uid"]) for row in table.rows] == [
        ("uid1[0]", "uid1"),
        ("uid1[1]", "uid1"),
    ]
    assert [row.value for row in table.rows] == [pytest.approx(4 / 6, abs=1e-15), 0.0]


def test_integer_uids_become_strings_with_several_predictions() -> None:
    predictions = [
        {"datum": {"uid": 1}, "annotations": [{"text": "a"}, {"text": "b"}]},
        {"datum": {"uid": 2}, "annotations": [{"text": "b"}]},
    ]
    truths = [{"datum": {"uid": uid}, "annotations": [{"text": "b"}]} for uid in (1, 2)]

    report = evaluate_text_generation(predictions, ["TokenF1"], truths)

    rows = {row.uid: (row.details["datum_uid"], row.value) for row in report.items[0].rows}
    assert rows == {"1[0]": (1, 0.0), "1[1]": (1, 1.0), "2": (2, 1.0)}


def test_objects_with_same_attributes_are_accepted() -> None:
    datum = SimpleNamespace(uid="q", text=None, metadata=None)
    said = SimpleNamespace(text="a b", context_list=None)
    prediction = SimpleNamespace(datum=datum, annotations=[said])
    truth = SimpleNamespace(datum=datum, annotations=[SimpleNamespace(text="b")])

    report = evaluate_text_generation([prediction], ["TokenF1"], [truth])

    assert report["TokenF1"].value == 1.0


def test_datum_without_prediction_or_ground_truth_is_undefined() -> None:
    report = evaluate_text_generation(PREDICTIONS[:1], ["TokenF1"], TRUTHS[1:])

    assert report["TokenF1"][0].left_out == {
        "undefined: no references": 1,
        "undefined: no response": 1,
    }


@pytest.mark.parametrize(
    "given",
    [
        {"use_stemmer": True, "rouge_types": ["rouge1"]},
        {"rouge_use_stemmer": True, "rouge_types": ["rouge1"]},
        {"rouge_use_stemmer": True, "rouge_rouge_types": "rouge1"},
        {"metric_params": {"rouge_use_stemmer": True, "rouge_types": ["rouge1"]}},
        {"metric_params": {"ROUGE": {"use_stemmer": True, "rouge_types": ["rouge1"]}}},
        {"metric_params": {"rouge": {"rouge_types": ["rouge1"]}, "use_stemmer": True}},
        {"metric_params": {"rouge_types": ["rouge1"]}, "use_stemmer": True},
    ],
)
def test_parameters_are_given_in_any_documented_way(given: dict[str, Any]) -> None:
    said = [{"datum": "q", "annotations": [{"text": "flipping"}]}]
    true = [{"datum": "q", "annotations": [{"text": "flips"}]}]

    report = evaluate_text_generation(said, ["ROUGE"], true, **given)

    assert report["ROUGE"].value == {"rouge1": 1.0}
    assert report["ROUGE"][0].parameters["use_stemmer"] is True


@pytest.mark.parametrize(
    "given",
    [
        {"bleu_weights": [0.5, 0.5]},
        {"metric_params": {"weights": [0.5, 0.5]}},
        {"metric_params": {"BLEU": {"weights": [0.5, 0.5]}}},
    ],
)
def test_weights_of_bleu(given: dict[str, Any]) -> None:
    said = [{"datum": "q", "annotations": [{"text": "in 1776"}]}]
    true = [{"datum": "q", "annotations": [{"text": "It was in 1776"}]}]

    report = evaluate_text_generation(said, ["BLEU", "ROUGE"], true, **given)

    # in 1776 | it was in 1776: all words and the bigram match; brevity exp(1 - 4 / 2)
    assert report["BLEU"].value == pytest.approx(math.exp(-1), abs=1e-15)
    assert report["BLEU"][0].parameters["weights"] == [0.5, 0.5]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([0.5, 0.4], "text.BLEU: weights must add up to 1, got [0.5, 0.4] with sum 0.9"),
        ([1.5, -0.5], "text.BLEU: weights must be at least 0, got -0.5"),
    ],
)
def test_weights_of_bleu_are_checked(weights: list[float], message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        evaluate_text_generation(PREDICTIONS, ["BLEU"], TRUTHS, bleu_weights=weights)


def test_parameter_is_passed_to_all_metrics_that_have_it() -> None:
    report = evaluate_text_generation(
        PREDICTIONS, ["TokenF1", "ExactMatch", "ROUGE"], TRUTHS, normaliser="lower"
    )

    assert report["TokenF1"][0].parameters["normaliser"] == "lower@1"
    assert report["ExactMatch"][0].parameters["normaliser"] == "lower@1"


@pytest.mark.parametrize(
    ("metric_params", "message"),
    [
        (
            {"use_stemer": True},
            "use_stemer: expected a parameter of a metric that is to be returned",
        ),
        (
            {"bleu_weights": [1.0]},
            "bleu_weights: expected a parameter of a metric that is to be returned",
        ),
        (
            {"BLEU": {"weights": [1.0]}},
            "BLEU: expected a parameter of a metric that is to be returned",
        ),
        (
            {"ROUGE": {"stemmer": True}},
            "ROUGE.stemmer: expected a parameter of a metric that is to be returned",
        ),
        (
            {"use_stemmer": True, "rouge_use_stemmer": True},
            "text.ROUGE: rouge_use_stemmer: given twice, also by another name",
        ),
        (
            {"ROUGE": {"use_stemmer": True}, "use_stemmer": True},
            "text.ROUGE: use_stemmer: given twice, also by another name",
        ),
    ],
)
def test_unused_keys_are_errors(metric_params: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        evaluate_text_generation(PREDICTIONS, ["ROUGE"], TRUTHS, metric_params=metric_params)


@pytest.mark.parametrize(
    ("predictions", "message"),
    [
        ({"datum": "q"}, "predictions: expected a list, got {'datum': 'q'}"),
        (["q"], "predictions[0]: datum: expected a uid, got None"),
        ([{"datum": "q"}], "predictions[0]: annotations: expected a list, got None"),
        (
            [{"datum": "q", "annotations": [{"txt": "a"}]}],
            "predictions[0]: annotations[0]: expected no keys but text,",
        ),
        (
            [{"datum": "q", "annotations": [{"text": 5}]}],
            "predictions[0]: annotations[0]: text: expected a string, got 5",
        ),
        (
            [{"datum": "q", "annotations": [{"text": "a", "context_list": "one passage"}]}],
            "predictions[0]: annotations[0]: context_list: expected a list of texts,",
        ),
        (
            [{"datum": "q", "annotations": [{"text": "a", "context_list": 5}]}],
            "annotations[0]: context_list: expected a list of texts, got 5",
        ),
        (
            [{"datum": "q", "annotations": [{"text": "a", "context_list": ["b", 5]}]}],
            "annotations[0]: context_list: text: expected a string, got 5",
        ),
        (
            [{"datum": {"uid": "q", "metadata": ["era"]}, "annotations": []}],
            "predictions[0]: datum: metadata: expected a table of facts, got ['era']",
        ),
        (
            [{"datum": {"uid": "q", "text": 5}, "annotations": []}],
            "predictions[0]: datum: text: expected a string, got 5",
        ),
        (
            [{"datum": {"uid": "q", "text": name}, "annotations": []} for name in "ab"],
            "predictions[1]: datum 'q': expected one text, got ['a', 'b']",
        ),
    ],
)
def test_invalid_prediction_is_reported(predictions: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        evaluate_text_generation(predictions, ["ROUGE"])


def test_metric_with_free_resource_is_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nltk.data, "path", [str(tiny_wordnet.write(tmp_path))])
    said = [{"datum": "q", "annotations": [{"text": "big auto"}]}]
    true = [{"datum": "q", "annotations": [{"text": "big car"}]}]

    report = evaluate_text_generation(said, ["METEOR"], true)

    # Both words are aligned, in one chunk of two: (1 - 0.5 * (1 / 2) ** 3) * 1
    assert report["METEOR"].value == 1 - 0.5 / 8


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"metrics_to_return": 5}, "metrics_to_return: expected names of metrics, got 5"),
        ({"metric_params": {1: 2}}, "metric_params: expected names of parameters, got 1"),
        ({"metric_params": ["a"]}, "metric_params: expected a table of parameters, got ['a']"),
    ],
)
def test_invalid_choice_of_metrics_is_reported(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        evaluate_text_generation(PREDICTIONS, **({"metrics_to_return": "ROUGE"} | arguments))


def test_unknown_metric_is_reported() -> None:
    with pytest.raises(ValorError, match="metric 'ROUGH': unknown in the task 'text'"):
        evaluate_text_generation(PREDICTIONS, ["ROUGH"], TRUTHS)


def test_metrics_that_call_a_model_are_found_in_their_namespace() -> None:
    params = {"client": "lexical", "retries": 2, "data": {"seed": 7}}

    report = evaluate_text_generation(
        PREDICTIONS, ["bias", "ROUGE"], TRUTHS, params, {"use_stemmer": True}
    )

    assert report.results[0].metric == "llm.Bias@1"
    assert report["Bias"].value == 0.0
    assert "no language model" in report.warnings[0]
    judge = report.config["judge"]
    assert (judge["reply_retries"], judge["seed"]) == (2, 7)
    assert report["ROUGE"][0].parameters["use_stemmer"] is True


@pytest.mark.parametrize(
    ("given", "message", "remedy"),
    [
        (
            None,
            "llm_api_params: expected a model for llm.Bias, got none",
            "Pass it: llm_api_params={'client': 'openai', 'data': {'base_url': …, 'model': …}}, or "
            "try it without a model: llm_api_params={'client': 'lexical'}",
        ),
        (
            {"client": "openai", "data": {"model": "gpt-4o", "seed": 2024}},
            "llm_api_params: expected the address of an endpoint for openai, got none",
            "Write it as: {'client': 'openai', 'data': {'base_url': 'https://api.openai.com/v1', "
            "'model': …, 'api_key_env': 'OPENAI_API_KEY'}}",
        ),
        (
            {"client": "mistral", "data": {"model": "small"}},
            "llm_api_params: expected the address of an endpoint for mistral, got none",
            "Write it as: {'client': 'openai', 'data': {'base_url': 'https://api.mistral.ai/v1', "
            "'model': …, 'api_key_env': 'MISTRAL_API_KEY'}}",
        ),
        (
            {"client": "openai", "api_key": "sk-secret", "data": {"model": "gpt-4o"}},
            "llm_api_params.api_key: expected no key in a call, where reports could show it",
            "Put it in the environment, and write: 'api_key_env': 'OPENAI_API_KEY'",
        ),
        (
            {"client": "openai", "data": "gpt-4o"},
            "llm_api_params.data: expected a table of parameters, got 'gpt-4o'",
            None,
        ),
    ],
)
def test_missing_model_parameters_have_remedy(given: Any, message: str, remedy: str | None) -> None:
    with pytest.raises(ParameterError) as caught:
        evaluate_text_generation(PREDICTIONS, ["Bias"], llm_api_params=given)

    assert (caught.value.message, caught.value.remedy) == (message, remedy)
    assert "sk-secret" not in str(caught.value)


def test_missing_judge_plugin_has_install_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = [one for one in claims() if one.namespace != "llm"]
    monkeypatch.setattr("valor_core.specs.registry.claims", lambda: found)

    with pytest.raises(ValorError, match=r"metric 'llm\.Bias': the plugin 'llm' is not installed"):
        evaluate_text_generation(PREDICTIONS, ["Bias"], llm_api_params={"client": "openai"})
