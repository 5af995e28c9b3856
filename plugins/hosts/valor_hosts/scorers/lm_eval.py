"""Metrics of lm-evaluation-harness, computed over all documents of a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from valor_core.errors import ConfigError, short_repr
from valor_core.evaluation import MetricChoice
from valor_hosts.scorers.single_metric import Answer, SingleMetric


def lm_eval_metric(
    metric: MetricChoice,
    *,
    value: str | None = None,
    name: str | None = None,
    resources: Mapping[str, Any] | None = None,
    **parameters: Any,
) -> HarnessMetric:
    """Return a metric, and its aggregation, for the ``metric_list`` of a task.

    Assign it in a module, ``f1 = lm_eval_metric("classification.F1", average="macro")``, and name
    it twice in the config of a task that generates text::

        metric_list:
          - metric: !function my_metrics.f1
            aggregation: !function my_metrics.f1
            higher_is_better: true

    Parameters
    ----------
    metric : str, table or spec
        Full name of a metric of text, or of classification for generated labels.
    value : str, optional
        Key of the number if the metric has several.
    name : str, optional
        Name in the results. By default the short name of the metric.
    resources : mapping, optional
        Resources of the metric, such as a judge.
    **parameters
        Parameters of the metric.

    Examples
    --------
    >>> f1 = lm_eval_metric("classification.F1", average="macro")
    >>> pairs = [f1(references=["cat"], predictions=["cat"])]
    >>> pairs += [f1(references=["dog"], predictions=["cat"])]
    >>> round(f1(pairs), 4)
    0.3333
    """
    chosen = SingleMetric.of(metric, parameters, value=value, resources=resources)
    return HarnessMetric(chosen, name or chosen.spec.short_name)


class HarnessMetric:
    """Metric of the harness: keeps the pair of each document, and aggregates all pairs.

    Parameters
    ----------
    metric : SingleMetric
        Metric of all pairs.
    name : str
        Name in the results of the harness.
    """

    def __init__(self, metric: SingleMetric, name: str) -> None:
        self.metric = metric
        self.__name__ = name

    @property
    def higher_is_better(self) -> bool | None:
        """Direction, for the entry of the metric in a task written in Python."""
        return self.metric.higher_is_better

    def __call__(
        self,
        items: Sequence[tuple[Any, Any]] | None = None,
        *,
        references: Sequence[Any] = (),
        predictions: Sequence[Any] = (),
    ) -> Any:
        """Return the pair of one document, or the number of all pairs.

        Raises
        ------
        ConfigError
            If the task has several targets for a document, whose pairs the harness discards.
        """
        if items is None:
            return references[0], predictions[0]
        answers = []
        for item in items:
            if not isinstance(item, (tuple, list)):
                raise ConfigError(
                    f"{self.metric}: expected a pair of reference and response, "
                    f"got {short_repr(item)}",
                    "Return the references in process_results: {name: (references, response)}",
                )
            answers.append(Answer(item[1], item[0]))
        return self.metric.number(self.metric.of_answers(answers))
