"""Manifest of the namespace `nvidia`: metrics of two judges each."""

from __future__ import annotations

from valor_core.scoring import ItemMetricSpec
from valor_core.specs import MetricFamily, MetricSpec, Range, Reference, hookimpl

_PAGE = "https://docs.ragas.io/en/latest/concepts/metrics/available_metrics/nvidia_metrics/"


_rated = MetricFamily(
    "nvidia",
    "valor_llm",
    ItemMetricSpec,
    task="text",
    higher_is_better=True,
    range=Range(0, 1),
    resources=("llm.judge",),
    summarize="valor_llm.item_details:summarize",
)
"""Metrics that request the same rating in two wordings."""


def _section(name: str) -> tuple[Reference, ...]:
    return (Reference("Ragas, Nvidia Metrics", name, _PAGE),)


@hookimpl
def valor_metrics() -> tuple[MetricSpec, ...]:
    """Declare the metrics."""
    return (
        _rated(
            "AnswerAccuracy",
            "nvidia:answer_accuracy",
            "How far a response agrees with its best reference, as two judges rate it",
            references=_section("Answer Accuracy"),
            requires=("query", "response", "references"),
            aliases=("nv_accuracy",),
        ),
        _rated(
            "ContextRelevance",
            "nvidia:context_relevance",
            "How far the contexts together serve to answer the query, as two judges rate it",
            references=_section("Context Relevance"),
            requires=("query",),
            uses=("contexts",),
            version=2,
            aliases=("nv_context_relevance",),
            parameters="metrics:GroundingParameters",
        ),
        _rated(
            "ResponseGroundedness",
            "nvidia:response_groundedness",
            "How far a response is grounded in the contexts, as two judges rate it",
            references=_section("Response Groundedness"),
            requires=("response",),
            uses=("contexts",),
            version=2,
            aliases=("nv_response_groundedness",),
            parameters="metrics:GroundingParameters",
        ),
    )
