"""Scorers of scikit-learn: classification metrics for `cross_val_score` and `GridSearchCV`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import evolve, frozen

from valor_core import ClassificationBatch, Evaluator, Report
from valor_core.errors import (
    ConfigError,
    SchemaError,
    did_you_mean,
    error_at,
    short_repr,
)
from valor_core.evaluation import MetricChoice
from valor_core.packages import import_extra
from valor_core.results import Failed, Undefined
from valor_hosts.reports import single_number
from valor_hosts.tasks import check_tasks

WEIGHT = "sample_weight"
"""Metadata field of the weights of items."""

PREDICT = ("predict",)
PROBABILITIES = ("predict_proba",)
SCORES = ("decision_function", "predict_proba")


def scorer(
    metric: MetricChoice,
    *,
    value: str | None = None,
    response_method: str | Sequence[str] | None = None,
    **parameters: Any,
) -> Scorer:
    """Return a scorer for scikit-learn, such as for ``cross_val_score(…, scoring=scorer("F1"))``.

    Greater scores are better, as scikit-learn expects: the scorer negates metrics whose lower
    numbers are better, such as LogLoss.

    Parameters
    ----------
    metric : str, table or spec
        Classification metric, as for `valor_core.evaluate`.
    value : str, optional
        Key of the number if the metric has several, as in ``require``: ``"F1/cat"``.
    response_method : str or sequence of str, optional
        Methods of the estimator, of which the scorer calls the first that exists: ``"predict"``,
        ``"predict_proba"``, ``"decision_function"``. By default, `scorer` evaluates eight items to
        find out what the metric depends on: the best label, the order of scores, or probabilities.
    **parameters
        Parameters of the metric.

    Raises
    ------
    ConfigError
        If neither higher nor lower numbers of the metric are better, or it has several numbers
        and `value` does not choose one.

    Examples
    --------
    >>> scorer("F1", average="macro").response_method
    ('predict',)
    >>> scorer("ROCAUC", value="ROCAUC/1").response_method
    ('decision_function', 'predict_proba')
    >>> scorer("LogLoss").response_method, scorer("LogLoss").sign
    (('predict_proba',), -1)
    """
    chosen: MetricChoice = metric
    if parameters:
        named = {"name": metric} if isinstance(metric, str) else metric
        if not isinstance(named, dict):
            raise ConfigError(
                f"scorer: expected a name with {', '.join(parameters)}, got {short_repr(metric)}",
                "Pass the parameters in the metric: scorer({'name': …, …})",
            )
        chosen = named | parameters
    check_tasks(chosen, ["classification"], "scorer")
    made = Scorer(chosen, value, PREDICT)
    spec = made.evaluator().evaluation.plan.metrics[0].spec
    is_higher = parameters.get("higher_is_better", spec.higher_is_better)
    if is_higher is None:
        raise ConfigError(
            f"{made!r}: expected a metric with a direction, {spec.short_name} has none",
            "List those that have one: valor list --task classification",
        )
    made = evolve(made, sign=1 if is_higher else -1)
    report = made.report(_of_scores(_TRUTH, np.array(_LIKELY) / 16))
    numbers = list(report.flat(short=True))
    if value is None and (len(report) > 1 or len(numbers) > 1):
        raise ConfigError(
            f"{made!r}: expected one number, found {len(numbers)}: {', '.join(numbers)}",
            f"Choose one, such as: {evolve(made, value=numbers[-1])!r}",
        )
    if response_method is None:
        return evolve(made, response_method=_response_method(made))
    methods = (response_method,) if isinstance(response_method, str) else tuple(response_method)
    return evolve(made, response_method=methods)


@frozen(repr=False)
class Scorer:
    """Scorer of scikit-learn. Picklable; `scorer` makes it.

    Parameters
    ----------
    metric : str, table or spec
        Metric, with its parameters.
    value : str or None
        Key of the number if there are several.
    response_method : tuple of str
        Methods of the estimator, of which the scorer calls the first that exists.
    sign : {1, -1}
        Factor of the number: -1 if lower numbers are better.
    """

    metric: MetricChoice
    value: str | None
    response_method: tuple[str, ...]
    sign: int = 1

    def __call__(
        self,
        estimator: Any,
        X: Any,  # noqa: N803
        y_true: Any,
        sample_weight: Any = None,
    ) -> float:
        """Return the signed number of an estimator's responses.

        Raises
        ------
        ConfigError
            If there is a `sample_weight` and the metric has no weights of items.
        SchemaError
            If the estimator has none of the methods, or its responses do not fit `y_true`.
        ReportError
            If the number is undefined.
        """
        weights = None if sample_weight is None else np.asarray(sample_weight)
        with error_at(f"{self!r}: "):
            batch = _batch(self, estimator, X, y_true, weights)
            return self.sign * self.number(self.report(batch))

    def __repr__(self) -> str:
        named = self.metric if isinstance(self.metric, dict) else {"name": self.metric}
        name = getattr(named["name"], "name", named["name"])
        others = {key: value for key, value in named.items() if key != "name"}
        others |= {} if self.value is None else {"value": self.value}
        arguments = [repr(name), *(f"{key}={value!r}" for key, value in others.items())]
        return f"scorer({', '.join(arguments)})"

    def evaluator(self, weights: str | None = None) -> Evaluator:
        """Return a new evaluator of the metric, optionally with a field of weights."""
        return Evaluator([self.metric], task="classification", weights=weights)

    def report(self, batch: ClassificationBatch) -> Report:
        """Evaluate a batch, with its weights if it has some."""
        evaluator = self.evaluator(WEIGHT if WEIGHT in batch.datums.metadata else None)
        evaluator.update(batch)
        return evaluator.compute()

    def number(self, report: Report) -> float:
        """Return the number of a report, without the sign."""
        return single_number(report, self.value)


def _batch(
    scorer: Scorer,
    estimator: Any,
    X: Any,  # noqa: N803
    y_true: Any,
    weights: Any,
) -> ClassificationBatch:
    """Responses of an estimator with the true classes, and the weights of the items, if any."""
    batch = _responses(scorer, estimator, X, y_true)
    if weights is None:
        return batch
    return evolve(batch, datums=evolve(batch.datums, metadata={WEIGHT: weights}))


def _responses(
    scorer: Scorer,
    estimator: Any,
    X: Any,  # noqa: N803
    y_true: Any,
) -> ClassificationBatch:
    method = next((name for name in scorer.response_method if hasattr(estimator, name)), None)
    if method is None:
        names = " or ".join(scorer.response_method)
        raise SchemaError(
            f"expected an estimator with {names}, got {short_repr(estimator)}",
            _method_remedy(estimator, scorer.response_method),
        )
    response = getattr(estimator, method)(X)
    classes = getattr(estimator, "classes_", None)
    is_multilabel = np.ndim(y_true) == 2 and np.shape(y_true)[1] > 1
    if method != "predict":
        return _scored(y_true, response, None if is_multilabel else classes)
    if is_multilabel:  # 0/1 matrices
        return _of_scores(y_true, np.asarray(response, dtype=np.float64))
    return _of_labels(y_true, response)


def _method_remedy(estimator: Any, methods: Sequence[str]) -> str:
    if not hasattr(estimator, "predict"):
        return "Call the scorer with an estimator, its input and the true classes: (model, X, y)"
    there = [name for name in (*PREDICT, *SCORES) if hasattr(estimator, name)]
    return (
        did_you_mean(methods[0], there, cutoff=0.75)
        or f"Use an estimator that has it, or set response_method={there[-1]!r}, if the metric "
        "accepts it."
    )


def _scored(y_true: Any, response: Any, classes: Any) -> ClassificationBatch:
    if isinstance(response, list):  # of multilabel trees: for each label, columns of 0 and 1
        response = np.stack([np.asarray(one)[:, 1] for one in response], axis=1)
    scores = np.asarray(response)
    if scores.ndim == 1:  # distances from the boundary, positive for the second class
        scores = np.stack([-scores, scores], axis=1)
    return _of_scores(y_true, scores, classes)


def _of_labels(y_true: Any, y_pred: Any) -> ClassificationBatch:
    batch: ClassificationBatch = _arrays().from_predicted(y_true, y_pred)
    return batch


def _of_scores(y_true: Any, y_score: Any, labels: Any = None) -> ClassificationBatch:
    batch: ClassificationBatch = _arrays().from_arrays(y_true, y_score, labels=labels)
    return batch


def _arrays() -> Any:
    return import_extra("valor_classification", "scorer: a metric", "valor-hosts[classification]")


_TRUTH = (0, 1, 2, 0, 1, 2, 0, 1)
_BEST = (0, 1, 2, 0, 2, 1, 0, 2)
_LIKELY = (
    *((15, 1, 0), (1, 14, 1), (2, 1, 13), (7, 5, 4)),
    *((4, 5, 7), (5, 7, 4), (8, 6, 2), (1, 6, 9)),
)
"""Sixteenths of probability of eight items, and their best labels, of which three are wrong."""


def _response_method(scorer: Scorer) -> tuple[str, ...]:
    """Find out from a metric's results whether it needs labels, scores or probabilities.

    A metric of labels has the same results without scores, for scores of another size, and for
    another order below the best label. A metric of an order has the same results for scores of
    another size.
    """
    likely = np.array(_LIKELY) / 16
    scaled = 8 * likely - 7  # the same order, also between items
    swapped = likely.copy()  # another order below the best label
    for row, label in zip(swapped, _BEST, strict=True):
        others = np.flatnonzero(np.arange(len(row)) != label)
        row[others] = row[others[::-1]]
    of_labels = _values(scorer, _of_labels(_TRUTH, _BEST))
    of_scores, of_scaled, of_swapped = (
        _values(scorer, _of_scores(_TRUTH, one)) for one in (likely, scaled, swapped)
    )
    if of_labels == of_scores == of_scaled == of_swapped:
        return PREDICT
    return SCORES if of_scores == of_scaled else PROBABILITIES


def _values(scorer: Scorer, batch: ClassificationBatch) -> list[Any]:
    """Values of all results; for those without value, the reasons."""
    values = [result.value for result in scorer.report(batch)]
    return [one.reason if isinstance(one, (Failed, Undefined)) else one for one in values]
