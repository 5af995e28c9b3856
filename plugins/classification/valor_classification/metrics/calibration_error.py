"""Calibration error: distance between scores and hit rates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
from attrs import frozen
from valor_labels import calibration_errors

from valor_classification.counting import reliability
from valor_classification.counting.reliability import KeyReliability, Reliability
from valor_classification.counting.score_checks import ScorelessPredictions, scores_request
from valor_classification.counting.weighted_counts import numbers
from valor_classification.parameters.scored import CalibrationParameters
from valor_core.errors import and_more, did_you_mean
from valor_core.results import Failed, Result, Undefined
from valor_core.states import StateRequest

_SHOWN = 5  # labels in an error


@frozen
class CalibrationError:
    """Distance between the best score of items and its hit rate, in bins of the score.

    The value holds ``ece``, the mean distance weighted by items, ``mce``, the greatest distance,
    and ``bins`` for a reliability diagram. Items without prediction or without ground truth do
    not take part; a prediction is right if it is one of the item's ground truths.

    With `positive`, every score of that label is compared with the share of items that have it.

    Parameters
    ----------
    parameters : CalibrationParameters
        The number of bins, and the positive label.

    Notes
    -----
    Bins are closed above, as in the paper and in scikit-learn's ``calibration_curve``.
    ``BinaryCalibrationError`` and ``MulticlassCalibrationError`` of torchmetrics close them below,
    which differs for scores that equal an edge.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.classification import Classification
    >>> truths = {"a": "dog", "b": "cat"}
    >>> items = [Classification(uid, truths[uid], {"dog": 0.75}) for uid in truths]
    >>> evaluate(items, ["CalibrationError"])["CalibrationError"].value["ece"]
    0.25
    >>> choice = {"name": "CalibrationError", "positive": "dog"}
    >>> evaluate(items, [choice])["CalibrationError"].value["ece"]
    0.25
    """

    no_interval: ClassVar[Mapping[str, str]] = {"mce": "a maximum over bins"}
    # With fewer items, noise in the bins makes the error too high: docs/design/intervals.md.
    least_items: ClassVar[Mapping[str, int]] = {"ece": 1000}

    parameters: CalibrationParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request the reliability in the bins."""
        return reliability.request(self.parameters.bins, self._positive), scores_request()

    def compute(self, state: Reliability, answers: ScorelessPredictions) -> Iterator[Result]:
        """Yield one result for each label key."""
        parts = dict(state.sorted())
        found = [label for part in parts.values() for label in part.labels]
        positive = self._positive
        unknown: Undefined | None = None
        if found and positive is not None and positive not in {label.value for label in found}:
            unknown = Undefined(_unknown(positive, [label.value for label in found]))
        for key, part in parts.items():
            parameters = {"label_key": key, "number_of_bins": self.parameters.bins}
            if positive is not None:
                parameters["positive"] = positive
            check = answers.of(key)
            refusal = check.refusal_of_best if positive is None else check.refusal
            refusal = unknown if refusal is None else refusal
            value = self._value(part) if refusal is None else refusal
            yield Result(parameters=parameters, value=value)

    @property
    def _positive(self) -> str | None:
        positive = self.parameters.positive
        return None if positive is None else str(positive)

    def _value(self, part: KeyReliability) -> dict[str, Any] | Undefined | Failed:
        if part.refusal is not None:
            return part.refusal
        positive = self._positive
        reason, share = "no items with both a ground truth and a prediction", "accuracy"
        if positive is not None:
            reason, share = f"no items with a ground truth and a score of {positive!r}", "frequency"
        counts, hits = numbers(np.stack((part.counts, part.hits)))
        return calibration_errors(counts, hits, part.scores.values, share, reason)


def _unknown(positive: str, labels: list[str]) -> str:
    """Return the reason for a positive label that the data lack."""
    names = list(dict.fromkeys(labels))
    closest = did_you_mean(positive, names)
    listed = ", ".join(map(repr, names[:_SHOWN])) + and_more(len(names) - _SHOWN)
    remedy = f". {closest}" if closest else f"; the labels are {listed}"
    return f"expected a label of the data as positive, found {positive!r}{remedy}"
