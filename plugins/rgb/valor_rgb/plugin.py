"""Manifest of the RGB family."""

from __future__ import annotations

from valor_core.parameters import NoParameters
from valor_core.scoring import ItemMetricSpec
from valor_core.specs import (
    CommandSpec,
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


def _ability(
    name: str,
    place: str,
    summary: str,
    section: str,
    requires: tuple[str, ...],
    uses: tuple[str, ...] = (),
) -> MetricSpec:
    return MetricSpec(
        name=f"rgb.{name}",
        task="rgb",
        summary=summary,
        parameters="valor_rgb.parameters.rules:AbilityParameters",
        implementation=f"valor_rgb.metrics.{place}:{name}",
        higher_is_better=True,
        range=SHARE,
        references=(Reference(RGB, section, URL), RGB_METRICS, WILSON),
        requires=("ability", "response", *requires),
        uses=uses,
    )


@hookimpl
def valor_metrics() -> tuple[MetricSpec, ...]:
    """Declare the metrics."""
    return (
        _ability(
            "NoiseRobustness",
            "accuracy_by_noise",
            "Accuracy at each share of irrelevant documents",
            "noise robustness",
            ("answers",),
            ("noise_ratio",),
        ),
        _ability(
            "NegativeRejection",
            "negative_rejection",
            "Share of responses that refuse where no document has the answer",
            "negative rejection",
            (),
            ("answers",),
        ),
        _ability(
            "InformationIntegration",
            "accuracy_by_noise",
            "Accuracy where the answer is spread over several documents",
            "information integration",
            ("answers",),
            ("noise_ratio",),
        ),
        _ability(
            "CounterfactualRobustness",
            "counterfactual_robustness",
            "Rates of errors in documents that are detected and corrected",
            "counterfactual robustness",
            ("answers",),
            ("false_answer", "closed_book"),
        ),
        ItemMetricSpec(
            name="rgb.Verdicts",
            task="rgb",
            summary="What the rules find in each response, and which of them fired",
            parameters="valor_rgb.parameters.rules:RuleParameters",
            implementation="valor_rgb.metrics.verdicts:score_many",
            higher_is_better=None,
            range=SHARE,
            references=(Reference(RGB, "evaluation metrics", URL), RGB_METRICS),
            batched=True,
            requires=("ability",),
            uses=("response", "answers", "false_answer", "noise_ratio", "closed_book"),
        ),
        _judged(
            "JudgedRejection",
            "rejection",
            "Share of responses that a judge reads as refusals where no document has the answer",
            "negative rejection, Rej*",
            uses=("query",),
        ),
        _judged(
            "JudgedErrorDetection",
            "error_detection",
            "Share of responses in which a judge finds that false documents were noticed",
            "counterfactual robustness, ED*",
            uses=("closed_book",),
        ),
        _judged(
            "JudgedErrorCorrection",
            "error_correction",
            "Share with the right answer of responses that, to a judge, noticed false documents",
            "counterfactual robustness, CR",
            parameters="valor_rgb.parameters.rules:RuleParameters",
            requires=("answers",),
            uses=("closed_book",),
        ),
    )


def _judged(
    name: str,
    module: str,
    summary: str,
    section: str,
    *,
    parameters: str | None = None,
    requires: tuple[str, ...] = (),
    uses: tuple[str, ...] = (),
) -> MetricSpec:
    """A metric that asks the judge of the LLM-guided family."""
    return ItemMetricSpec(
        name=f"rgb.{name}",
        task="rgb",
        summary=summary,
        parameters=NoParameters if parameters is None else parameters,
        implementation=f"valor_rgb.judged.{module}:score",
        higher_is_better=True,
        range=SHARE,
        references=(Reference(RGB, section, URL),),
        resources=("llm.judge",),
        extra="llm",
        summarize="valor_llm.judged_rows:tell",
        requires=("ability", "response", *requires),
        uses=uses,
    )


@hookimpl
def valor_readers() -> tuple[ReaderSpec, ...]:
    """Declare the readers."""
    return (
        ReaderSpec(
            name="rgb.dataset",
            task="rgb",
            summary="Questions in the benchmark's shapes, with mixed documents and responses",
            parameters="valor_rgb.parameters.readers:DatasetParameters",
            implementation="valor_rgb.readers.dataset:DatasetReader",
        ),
        ReaderSpec(
            name="rgb.responses",
            task="rgb",
            summary="Responses from anywhere, one row each, with what they are judged by",
            parameters="valor_rgb.parameters.readers:ResponsesParameters",
            implementation="valor_rgb.readers.responses:ResponsesReader",
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
