"""Calibration error: differences between scores and precision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, ClassVar

import numpy as np
from attrs import frozen
from valor_labels import calibration_errors, label_parameters

from valor_core.parameters import changed_parameters
from valor_core.results import Failed, Result, Undefined
from valor_core.schemas import Codes, Floats
from valor_core.states import StateRequest
from valor_detection.kernels import analysis as kernels
from valor_detection.matching import candidate_pairs
from valor_detection.matching.candidate_pairs import Overlaps
from valor_detection.matching.protocols import protocol_of
from valor_detection.matching.ranked import Ranking, ranking
from valor_detection.parameters.errors import CalibrationParameters


@frozen
class CalibrationError:
    """Distance between the score of predictions and their precision, in bins of the score (D-ECE).

    A prediction is correct if it matches a ground truth of its label. Predictions matched to crowds
    and unmatched ground truths are not counted. The value has ``ece``, the mean distance of mean
    score and precision weighted by predictions, ``mce``, the greatest distance, and ``bins`` for a
    reliability diagram. All lie in [0, 1]; undefined without predictions.

    Parameters
    ----------
    parameters : CalibrationParameters
        Bins, thresholds and protocol.

    Notes
    -----
    Bins are closed above, as in `classification.CalibrationError`. Labels of a key are pooled;
    ``per_label`` adds a result for each label. Detectors emit many predictions with low scores,
    most of which are well calibrated: state the ``score_threshold`` with the number.

    References
    ----------
    .. [1] Küppers et al., "Multivariate Confidence Calibration for Object Detection", CVPR
       Workshops 2020, detection expected calibration error over the score alone.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> true = TrueObject("dog", Box(0, 0, 9, 9))
    >>> predicted = PredictedObject({"dog": 0.75}, Box(0, 0, 9, 9))
    >>> report = evaluate([Detection("a", [true], [predicted])], ["CalibrationError"])
    >>> report["CalibrationError"].value["ece"]
    0.25
    """

    no_interval: ClassVar[Mapping[str, str]] = {"mce": "a maximum over bins"}

    parameters: CalibrationParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request overlaps of objects with one label."""
        chosen = self.parameters
        return (candidate_pairs.request((chosen.iou_threshold,), protocol_of(chosen)),)

    def compute(self, state: Overlaps) -> Iterator[Result]:
        """Yield a result for each label key, and for each label if `per_label` is set."""
        table, chosen = state.table, self.parameters
        ranked = ranking(table, chosen)
        shared = {
            "iou_threshold": chosen.iou_threshold,
            "score_threshold": chosen.score_threshold,
            "number_of_bins": chosen.bins,
        } | changed_parameters(chosen, "bins", "per_label")
        codes = np.arange(len(table.labels))
        by_key = _Bins.of(ranked, chosen, table.key_codes(codes), len(table.keys))
        for key in table.seen:
            value = by_key.value(table.keys.index(key))
            yield Result(parameters={"label_key": key} | shared, value=value)
        if chosen.per_label:
            by_label = _Bins.of(ranked, chosen, codes, len(codes))
            for code in chain.from_iterable(table.seen.values()):
                yield Result(
                    parameters=label_parameters(table.labels[code]) | shared,
                    value=by_label.value(code),
                )


@frozen(eq=False)
class _Bins:
    """Predictions of groups in bins of equal width.

    Parameters
    ----------
    counts, hits : ndarray of int64, shape (n_groups, bins)
        Predictions and correct predictions with scores in [0, 1].
    sums : ndarray of float64, shape (n_groups, bins)
        Exactly rounded sums of scores.
    outside : ndarray of int64, shape (n_groups,)
        Scores outside [0, 1].
    """

    counts: Codes
    hits: Codes
    sums: Floats
    outside: Codes

    @classmethod
    def of(
        cls, ranked: Ranking, chosen: CalibrationParameters, groups: Codes, group_count: int
    ) -> _Bins:
        """Create the bins of counted predictions, given the group of each label."""
        chunk = ranked.matched.table.objects
        return cls(
            *kernels.reliability(
                *(chunk.labels, chunk.scores, ranked.right, ranked.wrong),
                *(chosen.score_threshold, groups, group_count),
                np.arange(1, chosen.bins) / chosen.bins,
            )
        )

    def value(self, group: int) -> dict[str, Any] | Undefined | Failed:
        """Return the errors and bins of a group."""
        if self.outside[group]:
            return Failed(
                f"expected scores in [0, 1], found {int(self.outside[group]):,} outside; put the "
                "model's outputs through a softmax or a sigmoid"
            )
        columns = self.counts[group], self.hits[group], self.sums[group]
        return calibration_errors(*columns, "precision", "no predictions")
