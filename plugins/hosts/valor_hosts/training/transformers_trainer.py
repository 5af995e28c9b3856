"""Metrics of a Hugging Face `Trainer`: logits or generated tokens with labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from valor_report import scalars

from valor_core import Evaluator
from valor_core.errors import SchemaError, short_repr
from valor_core.evaluation import MetricChoice
from valor_core.packages import import_extra
from valor_hosts.tasks import check_tasks

IGNORED = -100
"""Label of padding and other tokens that the loss ignores."""


def compute_metrics(
    metrics: Sequence[MetricChoice] | MetricChoice,
    *,
    labels: Sequence[str] | None = None,
    activation: Literal["softmax", "sigmoid", "none"] = "softmax",
    decode: Callable[[Any], Sequence[str]] | None = None,
    pad: int = 0,
    prefix: str = "",
    **options: Any,
) -> Callable[..., dict[str, float]]:
    """Return a function for ``Trainer(compute_metrics=…)``.

    It also accepts batches, for ``TrainingArguments(batch_eval_metrics=True)``.

    Parameters
    ----------
    metrics : sequence
        Metrics, as for `Evaluator`.
    labels : sequence of str, optional
        Names of the classes in the order of the logits, such as those of ``model.config.id2label``.
    activation : {"softmax", "sigmoid", "none"}
        Function that turns logits into scores: sigmoid for multilabel models.
    decode : callable, optional
        Function that turns token ids into texts, such as ``tokenizer.batch_decode``. Predictions
        are then generated tokens, and metrics are those of text.
    pad : int
        Token that replaces ignored labels before they are decoded.
    prefix : str
        Prefix of the keys. The trainer adds ``eval_`` to all keys.
    **options
        Further arguments of `Evaluator`.

    Examples
    --------
    >>> logits, truths = [[2.0, 0.0], [1.0, 3.0]], [0, 0]
    >>> compute_metrics(["Accuracy"])((logits, truths))
    {'Accuracy': 0.5}
    """
    task = "classification" if decode is None else "text"
    check_tasks(metrics, [task], "compute_metrics")
    evaluator = Evaluator(metrics, **({"task": task} | options))

    def computed(prediction: Any, compute_result: bool = True) -> dict[str, float]:
        predictions, truths = (_array(one) for one in tuple(prediction)[:2])
        if decode is not None:
            texts = (decode(np.where(ids < 0, pad, ids)) for ids in (truths, predictions))
            evaluator.update(*map(list, texts))
        else:
            evaluator.update(_classified(predictions, truths, activation, labels))
        if not compute_result:
            return {}
        numbers = scalars(evaluator.compute(), prefix)
        evaluator.reset()
        return numbers

    return computed


def _array(given: Any) -> NDArray[Any]:
    """Array of predictions or labels; models with several outputs return the logits first."""
    first = given[0] if isinstance(given, tuple) else given
    return np.asarray(first.detach().cpu() if hasattr(first, "detach") else first)


def _classified(
    logits: NDArray[Any], truths: NDArray[Any], activation: str, labels: Sequence[str] | None
) -> Any:
    if logits.ndim not in (2, 3):
        raise SchemaError(
            f"compute_metrics: expected logits of shape (n, classes), got {short_repr(logits)}",
            "For generated tokens, pass decode=tokenizer.batch_decode.",
        )
    if truths.shape[:1] != logits.shape[:1]:
        raise SchemaError(
            f"compute_metrics: expected as many labels as logits, got {len(truths)} and "
            f"{len(logits)}",
            "Pass logits and labels of the same items: (logits, labels)",
        )
    if truths.ndim == logits.ndim - 1:  # one label for each item or token
        is_counted = truths != IGNORED
        logits, truths = logits[is_counted], truths[is_counted]
    scores = _activated(logits.astype(np.float64), activation)
    package = "valor-hosts[classification]"
    arrays = import_extra("valor_classification", "compute_metrics: a metric", package)
    return arrays.from_arrays(truths, scores, labels=labels)


def _activated(logits: NDArray[np.float64], activation: str) -> NDArray[np.float64]:
    if activation == "none":
        return logits
    if activation == "sigmoid":
        return np.asarray(np.exp(-np.logaddexp(0, -logits)))
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))
