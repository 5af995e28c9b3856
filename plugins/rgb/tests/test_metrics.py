"""Metrics of the four abilities, calculated by hand."""

from __future__ import annotations

import re
from typing import Any

import pytest
from valor_rgb import RGBSample, plugin

from valor_core import Report, evaluate
from valor_core.errors import ParameterError
from valor_core.results import Undefined
from valor_core.specs import MetricSpec

from .test_judged import LEXICAL

NOISE, REFUSE = "noise_robustness", "negative_rejection"
JOIN, CORRECT = "information_integration", "counterfactual_robustness"
WRONG = "The documents are wrong: it is {}, not Bergen."


def noise(uid: str, response: str | None, ratio: float | None) -> RGBSample:
    return RGBSample(uid, NOISE, response, "Oslo", noise_ratio=ratio)


def response_of(uid: str, response: str, closed_book: bool = False) -> RGBSample:
    return RGBSample(uid, CORRECT, response, "Oslo", "Bergen", closed_book=closed_book)


def of(samples: list[RGBSample], metric: str, **parameters: Any) -> Report:
    return evaluate(samples, [{"name": metric, **parameters}], task="rgb")


SAMPLES = [
    noise("n1", "Oslo", 0.0),
    noise("n2", "It is Oslo.", 0.4),
    noise("n3", "Bergen", 0.4),
    noise("n4", "I cannot answer.", 0.4),
    noise("n5", "Oslo, I am not sure.", 0.4),
    noise("n6", None, 0.4),
    RGBSample("r1", REFUSE, "I do not know.", "Oslo"),
    RGBSample("r2", REFUSE, "It is Oslo.", "Oslo"),
    RGBSample("r3", REFUSE, "It is Bergen.", "Oslo"),
    RGBSample("r4", REFUSE, "The documents do not say."),
    RGBSample("i1", JOIN, "Ann, in 1998", ["Ann", ["1998", "98"]], noise_ratio=0.2),
    RGBSample("i2", JOIN, "Ann", ["Ann", ["1998", "98"]], noise_ratio=0.2),
    response_of("c1", WRONG.format("Oslo")),
    response_of("c2", WRONG.format("Rome")),
    response_of("c3", "It is Oslo."),
    response_of("c4", "It is Bergen."),
    response_of("c5", "I cannot answer."),
    response_of("c6", "Oslo", closed_book=True),
    response_of("c7", "Bergen", closed_book=True),
    RGBSample("c8", CORRECT, "Oslo"),
]


def test_noise_robustness_is_the_accuracy_at_each_noise_ratio() -> None:
    report = of(SAMPLES, "NoiseRobustness")

    # Without noise 1 of 1. At 0.4 n2 is right, n3 is not, n4 and n5 refuse, n6 says nothing.
    assert report.find("NoiseRobustness", noise_ratio=0.0).value == 1.0
    assert report.find("NoiseRobustness", noise_ratio=0.4).value == 1 / 4
    assert dict(report.results[0].left_out) == {"no response": 1, "of another ability": 14}
    table = report.results[-1].value["noise_ratio"]
    assert list(table) == ["0.0", "0.4"]
    counts = {name: table["0.4"][name] for name in ("total", "correct", "incorrect", "rejected")}
    assert counts == {"total": 4, "correct": 1, "incorrect": 3, "rejected": 2}
    # Wilson for 1 of 4: middle (0.25 + 3.841459 / 8) / 1.960365 = 0.372473,
    # half 1.959964 / 1.960365 * sqrt(0.1875 / 4 + 3.841459 / 64) = 0.326885
    assert table["0.4"]["low"] == pytest.approx(0.372473 - 0.326885, abs=2e-6)
    assert table["0.4"]["high"] == pytest.approx(0.372473 + 0.326885, abs=2e-6)


def test_levels_are_sorted_with_unknown_ones_last() -> None:
    samples = [noise("a", "Oslo", None), noise("b", "Oslo", 0.75), noise("c", "Rome", 0.5)]

    report = of(samples, "NoiseRobustness")

    assert [one.parameters.get("noise_ratio") for one in report] == [0.5, 0.75, None, None]
    assert list(report.results[-1].value["noise_ratio"]) == ["0.5", "0.75", "not given"]


def test_negative_rejection_is_the_share_of_refusals() -> None:
    value = of(SAMPLES, "NegativeRejection")["NegativeRejection"].value

    # r1 and r4 refuse: 2 of 4. r2 has the answer from nowhere: 1 of the 3 whose answer is known.
    assert value["rejection_rate"] == 2 / 4
    assert value["parametric_answer_rate"] == 1 / 3
    names = ("total", "rejected", "incorrect", "correct")
    assert [value[name] for name in names] == [4, 2, 2, 1]
    assert value["rates"]["parametric_answer_rate"]["denominator"] == 3


def test_information_integration_needs_every_part() -> None:
    report = of(SAMPLES, "InformationIntegration")

    assert report.find("InformationIntegration", noise_ratio=0.2).value == 1 / 2


def test_counterfactual_robustness_counts_detected_and_corrected_errors() -> None:
    value = of(SAMPLES, "CounterfactualRobustness")["CounterfactualRobustness"].value

    # With documents c1 to c5: c1 and c2 detect, c1 corrects, c1 and c3 are right, c5 refuses.
    assert value["error_detection_rate"] == 2 / 5
    assert value["error_correction_rate"] == 1 / 5
    assert value["correction_rate_of_detected"] == 1 / 2
    assert value["accuracy_with_documents"] == 2 / 5
    assert value["accuracy_without_documents"] == 1 / 2
    names = ("total", "correct", "incorrect", "rejected", "detected", "corrected")
    assert [value[name] for name in names] == [5, 2, 3, 1, 2, 1]
    assert value["rates"]["correction_rate_of_detected"] | {"low": 0, "high": 0} == {
        "rate": 0.5,
        "low": 0,
        "high": 0,
        "numerator": 1,
        "denominator": 2,
    }


def test_under_the_heuristic_a_correction_needs_no_detection() -> None:
    report = of(SAMPLES, "CounterfactualRobustness", rules="heuristic")
    value = report["CounterfactualRobustness"].value

    # c1, c2 and no other have a keyword; c1 and c3 have the answer.
    assert value["error_detection_rate"] == 2 / 5
    assert value["error_correction_rate"] == 2 / 5
    assert value["correction_rate_of_detected"] == 1 / 2


def test_a_rate_of_no_samples_is_not_there() -> None:
    value = of([response_of("a", "Bergen")], "CounterfactualRobustness")[
        "CounterfactualRobustness"
    ].value

    assert value["correction_rate_of_detected"] is None
    assert value["accuracy_without_documents"] is None


@pytest.mark.parametrize(
    "metric",
    [
        "NoiseRobustness",
        "NegativeRejection",
        "InformationIntegration",
        "CounterfactualRobustness",
    ],
)
def test_without_samples_of_the_ability_there_is_no_value(metric: str) -> None:
    samples = [one for one in SAMPLES if one.ability.replace("_", "") != metric.lower()]

    (result,) = of(samples, metric)

    assert result.value == Undefined("no responses of this ability that can be judged")
    assert dict(result.left_out) == {"of another ability": len(samples)}


def test_verdicts_name_the_rule_that_fired() -> None:
    report = evaluate(SAMPLES, ["Verdicts"], task="rgb", items=True)
    rows = {row.uid: row for row in report.items[0].rows}

    assert rows["c1"].to_dict() == {
        "uid": "c1",
        "value": {"correct": 1.0, "rejected": 0.0, "detected": 1.0, "corrected": 1.0},
        "details": {
            "ability": CORRECT,
            "noise_ratio": None,
            "closed_book": False,
            "rule": {"correct": "said", "detected": "phrase: wrong", "corrected": "said"},
            "truth": next(one for one in SAMPLES if one.uid == "c1").answers[0][0],
            "prediction": next(one for one in SAMPLES if one.uid == "c1").response,
        },
    }
    assert rows["n4"].details["rule"] == {"rejected": "phrase: i cannot"}
    gaps = {name: value.reason for name, value in rows["r4"].value.items() if value not in (0, 1)}
    assert gaps == {
        "correct": "no answers",
        "detected": "not asked with false documents",
        "corrected": "not asked with false documents",
    }
    assert rows["n6"].value == dict.fromkeys(rows["c1"].value, Undefined("no response"))


def test_metrics_of_one_set_of_rules_share_their_verdicts() -> None:
    from valor_core import Evaluator

    metrics = ["NoiseRobustness", "NegativeRejection", "CounterfactualRobustness", "Verdicts"]
    shared = Evaluator(metrics, "rgb")
    apart = Evaluator([*metrics, {"name": "NoiseRobustness", "rules": "paper"}], "rgb")

    assert len(shared.evaluation.plan.requests) == 1
    assert len(apart.evaluation.plan.requests) == 2


def test_changed_settings_are_parameters_of_the_result() -> None:
    report = of(SAMPLES, "NegativeRejection", rules="paper", rejection_phrases=["do not know"])

    assert report.results[0].parameters == {"rules": "paper", "rejection_phrases": ["do not know"]}
    assert report.results[0].value["rejection_rate"] == 1 / 4


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rules": "papers"}, "rules must be one of 'robust', 'paper', 'heuristic', got 'papers'"),
        ({"strict": True}, "strict must be left out where rules is robust, got true"),
        (
            {"rules": "paper", "negations": ["not"]},
            "negations must be left out where rules is paper, got ['not']",
        ),
        ({"rejection_phrases": []}, "rgb.NegativeRejection: rejection_phrases must not be empty"),
        # Every response would be a refusal.
        (
            {"rules": "paper", "rejection_phrases": ["unknown", " "]},
            "rejection_phrases must not have an empty one, got ['unknown', ' ']",
        ),
        (
            {"negations": [""]},
            "rgb.NegativeRejection: negations must not have an empty one, got ['']",
        ),
        ({"confidence": 1.0}, "rgb.NegativeRejection: confidence must lie in (0, 1), got 1.0"),
    ],
)
def test_inconsistent_parameters_are_rejected(parameters: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        of(SAMPLES, "NegativeRejection", **parameters)


FACTS: dict[str, Any] = {
    "answers": "Paris",
    "false_answer": "Rome",
    "noise_ratio": 0.2,
    "query": "Which?",
}


@pytest.mark.parametrize("spec", plugin.valor_metrics(), ids=lambda spec: spec.short_name)
def test_metric_names_all_fields_that_it_reads(spec: MetricSpec) -> None:
    """Fields that a metric does not name change nothing; contexts are of no metric."""
    named = {*spec.requires, *spec.uses}
    assert {"ability", "response"} <= named
    for ability in (NOISE, REFUSE, JOIN, CORRECT):
        whole = RGBSample("q", ability, "There are factual errors. It is Paris.", **FACTS)
        bare = {name: value for name, value in FACTS.items() if name in named}
        less = RGBSample("q", ability, whole.response, **bare)
        resources = LEXICAL if spec.resources else {}
        found = [evaluate([one], [spec.name], "rgb", resources=resources) for one in (whole, less)]
        assert [r.to_dict() for r in found[0].results] == [r.to_dict() for r in found[1].results]
