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
from valor_core.results import Failed, Result, Undefined
from valor_core.states import StateRequest


@frozen
class CalibrationError:
    """Distance between the best score of items and its hit rate, in bins of the score.

    The value holds ``ece``, the mean distance weighted by items, ``mce``, the greatest distance,
    and ``bins`` for a reliability diagram. Items without prediction or without ground truth do
    not take part; a prediction is right if it is one of the item's ground truths.

    Parameters
    ----------
    parameters : CalibrationParameters
        The number of bins.

    Notes
    -----
    Bins are closed above, as in the paper and in torchmetrics.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.classification import Classification
    >>> truths = {"a": "dog", "b": "cat"}
    >>> items = [Classification(uid, truths[uid], {"dog": 0.75}) for uid in truths]
    >>> evaluate(items, ["CalibrationError"])["CalibrationError"].value["ece"]
    0.25
    """

    no_interval: ClassVar[Mapping[str, str]] = {"mce": "a maximum over bins"}
    # With fewer items, noise in the bins makes the error too high: docs/design/intervals.md.
    least_items: ClassVar[Mapping[str, int]] = {"ece": 1000}

    parameters: CalibrationParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request the reliability in the bins."""
        return reliability.request(self.parameters.bins), scores_request()

    def compute(self, state: Reliability, answers: ScorelessPredictions) -> Iterator[Result]:
        """Yield one result for each label key."""
        for key, part in state.sorted():
            parameters = {"label_key": key, "number_of_bins": self.parameters.bins}
            refusal = answers.of(key).refusal
            value = _value(part) if refusal is None else refusal
            yield Result(parameters=parameters, value=value)


def _value(part: KeyReliability) -> dict[str, Any] | Undefined | Failed:
    if part.refusal is not None:
        return part.refusal
    reason = "no items with both a ground truth and a prediction"
    counts, hits = numbers(np.stack((part.counts, part.hits)))
    return calibration_errors(counts, hits, part.scores.values, "accuracy", reason)
