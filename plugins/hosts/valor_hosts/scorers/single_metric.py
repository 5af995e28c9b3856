"""Single metrics that a host asks for one number, of all items or of one answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from attrs import field, frozen

from valor_core import Classification, Evaluator, Report, Text
from valor_core.errors import ConfigError, error_at, short_repr
from valor_core.evaluation import MetricChoice
from valor_core.specs import MetricSpec
from valor_hosts.reports import single_number
from valor_hosts.tasks import check_tasks


def _texts(found: Any) -> tuple[str, ...]:
    if found is None:
        return ()
    return (found,) if isinstance(found, str) else tuple(map(str, found))


@frozen
class Answer:
    """Response to one question, as language model harnesses pass it.

    Parameters
    ----------
    response : str
        Text of the model, or the predicted label.
    references : tuple of str
        Expected texts, or the true labels.
    query : str, optional
        The question.
    contexts : tuple of str
        Retrieved passages.
    """

    response: str = field(converter=str)
    references: tuple[str, ...] = field(converter=_texts)
    query: str | None = None
    contexts: tuple[str, ...] = field(default=(), converter=_texts)


@frozen(slots=False)
class SingleMetric:
    """Metric whose report has one number for a host.

    Parameters
    ----------
    metric : str, table or spec
        Metric with its parameters.
    value : str, optional
        Key of the number if the metric has several, as in ``require``: ``"F1/macro"``.
    task : str, optional
        Task of a short name.
    resources : mapping, optional
        Resources of the metric, such as a judge.
    """

    metric: MetricChoice
    value: str | None = None
    task: str | None = None
    resources: Mapping[str, Any] | None = None

    @classmethod
    def of(
        cls,
        metric: MetricChoice,
        parameters: Mapping[str, Any],
        *,
        value: str | None = None,
        task: str | None = None,
        resources: Mapping[str, Any] | None = None,
    ) -> SingleMetric:
        """Return a metric with parameters that a caller passed as keywords.

        Raises
        ------
        ConfigError
            If there are parameters for something other than a name, or neither higher nor lower
            numbers are better.
        """
        if parameters:
            if not isinstance(metric, str):
                raise ConfigError(
                    f"metric: expected a name with {', '.join(parameters)}, "
                    f"got {short_repr(metric)}",
                    "Pass the parameters in the metric: {'name': …, …}",
                )
            metric = {"name": metric} | dict(parameters)
        check_tasks(metric, ["text", "classification"], "metric")
        made = cls(metric, value, task, resources)
        if made.higher_is_better is None:
            raise ConfigError(
                f"{made}: expected a metric with a direction, {made.spec.short_name} has none",
                f"List those that have one: valor list --task {made.spec.task}",
            )
        return made

    def __str__(self) -> str:
        named = self.metric if isinstance(self.metric, Mapping) else {"name": self.metric}
        name = getattr(named["name"], "name", named["name"])
        others = {key: value for key, value in named.items() if key != "name"}
        others |= {} if self.value is None else {"value": self.value}
        return ", ".join([repr(name), *(f"{key}={value!r}" for key, value in others.items())])

    @property
    def spec(self) -> MetricSpec:
        """Spec of the metric."""
        found: MetricSpec = self._bound.spec
        return found

    @cached_property
    def _bound(self) -> Any:
        return self.evaluator().evaluation.plan.metrics[0]

    @property
    def higher_is_better(self) -> bool | None:
        """Direction of the metric, or of its parameter of this name."""
        stated: bool | None = getattr(self._bound.parameters, "higher_is_better", None)
        return self.spec.higher_is_better if stated is None else stated

    def evaluator(self) -> Evaluator:
        """Return a new evaluator of the metric."""
        return Evaluator([self.metric], task=self.task, resources=self.resources)

    def report(self, data: Any, predictions: Any = None) -> Report:
        """Evaluate data, as `Evaluator.update` accepts them."""
        with self.evaluator() as evaluator:
            evaluator.update(data, predictions)
            return evaluator.compute()

    def number(self, report: Report) -> float:
        """Return the number of a report.

        Raises
        ------
        ReportError
            If it is undefined, or there are several.
        """
        with error_at(f"{self}: "):
            return single_number(report, self.value)

    def reason(self, report: Report) -> str | None:
        """Return why the only item has no number, or None."""
        result = report[0]
        reason = result.undefined or result.error
        return reason and next(iter(result.left_out), reason)

    def of_answers(self, answers: Iterable[Answer]) -> Report:
        """Evaluate answers: texts with references, or predicted labels with true ones.

        Examples
        --------
        >>> accuracy = SingleMetric("classification.Accuracy")
        >>> report = accuracy.of_answers([Answer("cat", ("cat",)), Answer("dog", ("cat",))])
        >>> accuracy.number(report)
        0.5
        """
        items: list[Any] = []
        for uid, one in enumerate(answers):
            if self.spec.task == "text":
                items.append(Text(uid, one.query, one.response, one.references, one.contexts))
            else:
                items.append(Classification(uid, one.references, {one.response.strip(): 1.0}))
        return self.report(items)
