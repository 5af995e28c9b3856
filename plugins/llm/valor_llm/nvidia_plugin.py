"""Manifest of the namespace `nvidia`: metrics of two judges each."""

from __future__ import annotations

from valor_core.parameters import NoParameters
from valor_core.scoring import ItemMetricSpec
from valor_core.specs import MetricSpec, Range, Reference, hookimpl

_PAGE = "https://docs.ragas.io/en/latest/concepts/metrics/available_metrics/nvidia_metrics/"


def _rated(
    name: str,
    section: str,
    function: str,
    summary: str,
    *,
    requires: tuple[str, ...],
    alias: str,
    uses: tuple[str, ...] = (),
    version: int = 1,
    parameters: str | None = None,
) -> MetricSpec:
    """A metric that asks for the same rating in two wordings."""
    return ItemMetricSpec(
        name=f"nvidia.{name}",
        task="text",
        summary=summary,
        parameters=NoParameters
        if parameters is None
        else f"valor_llm.parameters.metrics:{parameters}",
        implementation=f"valor_llm.metrics.nvidia:{function}",
        higher_is_better=True,
        range=Range(0, 1),
        references=(Reference("Ragas, Nvidia Metrics", section, _PAGE),),
        resources=("llm.judge",),
        requires=requires,
        uses=uses,
        version=version,
        aliases=(alias,),
        summarize="valor_llm.judged_rows:tell",
    )


@hookimpl
def valor_metrics() -> tuple[MetricSpec, ...]:
    """Declare the metrics."""
    return (
        _rated(
            "AnswerAccuracy",
            "Answer Accuracy",
            "answer_accuracy",
            "How far a response agrees with its best reference, as two judges rate it",
            requires=("query", "response", "references"),
            alias="nv_accuracy",
        ),
        _rated(
            "ContextRelevance",
            "Context Relevance",
            "context_relevance",
            "How far the contexts together serve to answer the query, as two judges rate it",
            requires=("query",),
            uses=("contexts",),
            version=2,
            alias="nv_context_relevance",
            parameters="GroundingParameters",
        ),
        _rated(
            "ResponseGroundedness",
            "Response Groundedness",
            "response_groundedness",
            "How far a response is grounded in the contexts, as two judges rate it",
            requires=("response",),
            uses=("contexts",),
            version=2,
            alias="nv_response_groundedness",
            parameters="GroundingParameters",
        ),
    )
