"""Scorers of MLflow's evaluation of language models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from valor_core.evaluation import MetricChoice
from valor_core.packages import import_extra
from valor_hosts.scorers.single_metric import Answer, SingleMetric


def mlflow_scorer(
    metric: MetricChoice,
    *,
    value: str | None = None,
    expected: str = "expected_response",
    query: str = "question",
    resources: Mapping[str, Any] | None = None,
    **parameters: Any,
) -> Any:
    """Return a scorer for ``mlflow.genai.evaluate(scorers=[…])``, which scores each row.

    MLflow averages the scores of rows, so use metrics that score items.

    Parameters
    ----------
    metric : str, table or spec
        Metric of text, such as ``"text.TokenF1"`` or ``"llm.Faithfulness"``.
    value : str, optional
        Key of the number if the metric has several.
    expected : str
        Key in ``expectations`` of the expected response or responses.
    query : str
        Key in ``inputs`` of the question.
    resources : mapping, optional
        Resources of the metric, such as a judge.
    **parameters
        Parameters of the metric.
    """
    genai = import_extra("mlflow.genai.scorers", "mlflow_scorer", "mlflow")
    entities = import_extra("mlflow.entities", "mlflow_scorer", "mlflow")
    chosen = SingleMetric.of(metric, parameters, value=value, resources=resources)
    name = chosen.value or chosen.spec.short_name

    def score(inputs: Any = None, outputs: Any = None, expectations: Any = None) -> Any:
        asked = inputs.get(query) if isinstance(inputs, Mapping) else inputs
        references = (expectations or {}).get(expected)
        contexts = (expectations or {}).get("contexts")
        report = chosen.of_answers([Answer(outputs, references, asked, contexts)])
        reason = chosen.reason(report)
        if reason is not None:
            return entities.Feedback(name=name, value=None, rationale=reason)
        return entities.Feedback(name=name, value=chosen.number(report))

    return genai.scorer(score, name=name)
