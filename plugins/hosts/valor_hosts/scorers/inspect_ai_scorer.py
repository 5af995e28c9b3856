"""Scorers of Inspect: a score for each sample, and the metric over all samples."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from valor_core.evaluation import MetricChoice
from valor_core.packages import import_extra
from valor_hosts.scorers.single_metric import Answer, SingleMetric


def inspect_scorer(
    metric: MetricChoice,
    *,
    value: str | None = None,
    resources: Mapping[str, Any] | None = None,
    **parameters: Any,
) -> Any:
    """Return a scorer for ``Task(scorer=…)`` of Inspect.

    The score of a sample is the metric of that sample alone. The metric of the log, called like
    the metric, is computed from all samples: for F1, it is not the mean of the scores.

    Parameters
    ----------
    metric : str, table or spec
        Full name of a metric of text, or of classification for generated labels.
    value : str, optional
        Key of the number if the metric has several.
    resources : mapping, optional
        Resources of the metric, such as a judge.
    **parameters
        Parameters of the metric.

    Raises
    ------
    MissingExtraError
        If Inspect is not installed.
    """
    inspect = import_extra("inspect_ai.scorer", "inspect_scorer", "inspect-ai")
    chosen = SingleMetric.of(metric, parameters, value=value, resources=resources)
    name = chosen.spec.short_name

    def answer_of(score: Any) -> Answer:
        found = score.metadata
        return Answer(score.answer, found["references"], found["query"])

    @inspect.metric(name=name)  # type: ignore[untyped-decorator]
    def over_samples() -> Any:
        def compute(scores: list[Any]) -> float:
            return chosen.number(chosen.of_answers([answer_of(one.score) for one in scores]))

        return compute

    @inspect.scorer(metrics=[over_samples()], name=name)  # type: ignore[untyped-decorator]
    def of_sample() -> Any:
        async def score(state: Any, target: Any) -> Any:
            response = state.output.completion
            one = Answer(response, target.target, state.input_text)
            report = await asyncio.to_thread(chosen.of_answers, [one])
            reason = chosen.reason(report)
            return inspect.Score(
                value=float("nan") if reason else chosen.number(report),
                answer=response,
                explanation=reason,
                metadata={"references": list(one.references), "query": one.query},
            )

        return score

    return of_sample()
