"""Manifest of the RGB family."""

from __future__ import annotations

from valor_core.scoring import ItemMetricSpec
from valor_core.specs import (
    CommandSpec,
    MetricFamily,
    MetricSpec,
    Range,
    ReaderSpec,
    Reference,
    TaskSpec,
    hookimpl,
)

SHARE = Range(0, 1)
RGB = (
    "Chen, Lin, Han and Sun, 'Benchmarking Large Language Models in Retrieval-Augmented Generation'"
)
RGB_METRICS = Reference("RGBMetrics, 'RGB Evaluation Calculation Explanation'")
URL = "https://arxiv.org/abs/2309.01431"
WILSON = Reference(
    "Wilson, 'Probable inference, the law of succession, and statistical inference', Journal of "
    "the American Statistical Association 22, 1927"
)


@hookimpl
def valor_tasks() -> tuple[TaskSpec, ...]:
    """Declare the task of the benchmark."""
    return (
        TaskSpec(
            name="rgb.rgb",
            summary="Responses of a model that answers from retrieved documents, by ability",
            implementation="valor_rgb.samples.batch:RGBBatch",
            item="valor_rgb.samples.sample:RGBSample",
            rows="valor_rgb.samples.batch:from_table",
            examples="valor_rgb.samples.examples:examples",
        ),
    )


def _paper(section: str) -> Reference:
    return Reference(RGB, section, URL)


_by_rules = MetricFamily("rgb", "valor_rgb", higher_is_better=True, range=SHARE)
"""Metrics of one ability, computed from the verdicts of the rules."""

_judged = MetricFamily(
    "rgb",
    "valor_rgb",
    ItemMetricSpec,
    higher_is_better=True,
    range=SHARE,
    resources=("llm.judge",),
    extra="llm",
    summarize="valor_llm.item_details:summarize",
)
"""Metrics that ask the judge of the LLM-guided family."""


@hookimpl
def valor_metrics() -> tuple[MetricSpec, ...]:
    """Declare the metrics."""
    return (
        _by_rules(
            "NoiseRobustness",
            "abilities:NoiseRobustness",
            "Accuracy at each share of irrelevant documents",
            "rules:AbilityParameters",
            references=(_paper("noise robustness"), RGB_METRICS, WILSON),
            requires=("ability", "response", "answers"),
            uses=("noise_ratio",),
        ),
        _by_rules(
            "NegativeRejection",
            "abilities:NegativeRejection",
            "Share of responses that refuse if no document contains the answer",
            "rules:AbilityParameters",
            references=(_paper("negative rejection"), RGB_METRICS, WILSON),
            requires=("ability", "response"),
            uses=("answers",),
        ),
        _by_rules(
            "InformationIntegration",
            "abilities:InformationIntegration",
            "Accuracy if the answer is spread over several documents",
            "rules:AbilityParameters",
            references=(_paper("information integration"), RGB_METRICS, WILSON),
            requires=("ability", "response", "answers"),
            uses=("noise_ratio",),
        ),
        _by_rules(
            "CounterfactualRobustness",
            "abilities:CounterfactualRobustness",
            "Rates of errors in documents that are detected and corrected",
            "rules:AbilityParameters",
            references=(_paper("counterfactual robustness"), RGB_METRICS, WILSON),
            requires=("ability", "response", "answers"),
            uses=("false_answer", "closed_book"),
        ),
        MetricFamily("rgb", "valor_rgb", ItemMetricSpec)(
            "Verdicts",
            "verdicts:score_many",
            "Outcomes that the rules find in each response, and the rules that fired",
            "rules:RuleParameters",
            higher_is_better=None,
            range=SHARE,
            references=(_paper("evaluation metrics"), RGB_METRICS),
            batched=True,
            requires=("ability",),
            uses=("response", "answers", "false_answer", "noise_ratio", "closed_book"),
        ),
        _judged(
            "JudgedRejection",
            "judged:rejection",
            "Share of responses that a judge reads as refusals if no document contains the answer",
            references=(_paper("negative rejection, Rej*"),),
            requires=("ability", "response"),
            uses=("query",),
        ),
        _judged(
            "JudgedErrorDetection",
            "judged:error_detection",
            "Share of responses in which a judge finds that an error in the documents was detected",
            references=(_paper("counterfactual robustness, ED*"),),
            requires=("ability", "response"),
            uses=("closed_book",),
        ),
        _judged(
            "JudgedErrorCorrection",
            "judged:error_correction",
            "Share of correct responses among those that, to a judge, detected an error",
            "rules:RuleParameters",
            references=(_paper("counterfactual robustness, CR"),),
            requires=("ability", "response", "answers"),
            uses=("closed_book",),
        ),
    )


@hookimpl
def valor_readers() -> tuple[ReaderSpec, ...]:
    """Declare the readers."""
    return (
        _by_rules.reader(
            "dataset",
            "Questions in the benchmark's shapes, with mixed documents and responses",
            detect=None,
        ),
        _by_rules.reader(
            "responses",
            "Responses from anywhere, one row each, with what they are judged by",
            detect="valor_rgb.readers.responses:detected",
        ),
    )


@hookimpl
def valor_commands() -> tuple[CommandSpec, ...]:
    """Declare the commands."""
    return (
        CommandSpec(
            name="rgb.rgb",
            summary="Prompts of the Retrieval-Augmented Generation Benchmark.",
            implementation="valor_rgb.commands:rgb",
        ),
    )
