"""Precision, recall, F1 and counts at IoU and score thresholds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from attrs import frozen
from valor_labels import LabelValues, label_parameters

from valor_core.results import ItemRows, MetricDetails, NumberOrReason, Result, ratio
from valor_core.schemas import Codes, Label
from valor_core.states import StateRequest
from valor_detection.matching import settings
from valor_detection.matching.candidate_pairs import Overlaps
from valor_detection.matching.image_rows import ImageCounts, image_counts, shares
from valor_detection.matching.settings import selections
from valor_detection.matching.table import Table
from valor_detection.matching.threshold_counts import tally, threshold_details
from valor_detection.parameters.counts import CountsParameters, LabelParameters


@frozen(kw_only=True, eq=False)
class _KeyCounts:
    """Counts of a key's labels at one IoU and one score threshold."""

    key: str
    labels: Sequence[Label]
    tp: Codes
    fp: Codes
    fn: Codes
    positives: Codes
    coordinates: dict[str, Any]

    @property
    def rows(self) -> list[tuple[int, int, int]]:
        """Return true positives, false positives and false negatives of each label."""
        return list(zip(self.tp.tolist(), self.fp.tolist(), self.fn.tolist(), strict=True))

    @property
    def sums(self) -> tuple[int, int, int]:
        """Return the counts of all labels together."""
        return int(self.tp.sum()), int(self.fp.sum()), int(self.fn.sum())


@frozen
class _Counted:
    """Metric of counts of every label at every pair of thresholds."""

    parameters: Any

    def needs(self) -> tuple[StateRequest, ...]:
        """Request overlaps of objects with one label."""
        return (settings.request(self.parameters, self.parameters.iou_thresholds),)

    def details(self, state: Overlaps, resources: object) -> MetricDetails:
        """Return warnings for score thresholds that change nothing."""
        return threshold_details(state.table, self.parameters.score_thresholds)

    def _of_images(self, table: Table) -> ImageCounts:
        """Return the counts of each image at the first of all thresholds and area ranges."""
        first = next(selections(self.parameters))
        thresholds = self.parameters.iou_thresholds[0], self.parameters.score_thresholds[0]
        return image_counts(table, first, *thresholds)

    def _counts(self, table: Table) -> Iterator[_KeyCounts]:
        scores = self.parameters.score_thresholds
        for chosen in selections(self.parameters):
            for iou in self.parameters.iou_thresholds:
                counts = tally(table, chosen, iou, scores)
                for score in scores:
                    row = counts.row(score)
                    at = {"iou_threshold": iou, "score_threshold": score}
                    for key, codes in table.seen.items():
                        yield _KeyCounts(
                            key=key,
                            labels=[table.labels[code] for code in codes],
                            tp=counts.tp[row, codes],
                            fp=counts.fp[row, codes],
                            fn=counts.fn[row, codes],
                            positives=counts.positives[codes],
                            coordinates={**at, **chosen.coordinates},
                        )


@frozen
class Counts(_Counted):
    """True positives, false positives and false negatives of each label.

    Parameters
    ----------
    parameters : CountsParameters
        Thresholds, the protocol, and limits of areas and detections.

    Returns
    -------
    Result of dict
        ``tp``, ``fp`` and ``fn``. True negatives are not defined for objects in images.

    References
    ----------
    .. [1] valor-lite, object detection evaluator, ``Counts``.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> true = TrueObject("dog", Box(0, 0, 4, 4))
    >>> predicted = PredictedObject({"dog": 1}, Box(0, 0, 4, 1))
    >>> evaluate([Detection("a", [true], [predicted])], ["Counts"])["Counts"].value
    {'tp': 0, 'fp': 1, 'fn': 1}
    """

    parameters: CountsParameters

    def item_rows(self, state: Overlaps) -> ItemRows:
        """Return the counts of each image over all labels, at the first thresholds."""
        return self._of_images(state.table).count_rows()

    def compute(self, state: Overlaps) -> Iterator[Result]:
        """Yield a result for each area range, pair of thresholds and label."""
        for counts in self._counts(state.table):
            for label, (tp, fp, fn) in zip(counts.labels, counts.rows, strict=True):
                yield Result(
                    parameters=label_parameters(label) | counts.coordinates,
                    value={"tp": tp, "fp": fp, "fn": fn},
                )


@frozen
class _LabelMetric(_Counted):
    """Quotient of counts for each label, and averages."""

    reason: ClassVar[str]

    parameters: LabelParameters

    def item_rows(self, state: Overlaps) -> ItemRows:
        """Return the quotient of each image over all labels, at the first thresholds."""
        counts = self._of_images(state.table)
        quotients = shares(*self._terms(counts.tp, counts.fp, counts.fn))
        return counts.rows(quotients)

    def compute(self, state: Overlaps) -> Iterator[Result]:
        """Yield a result for each area range, pair of thresholds and label, then the averages."""
        chosen = self.parameters
        for counts in self._counts(state.table):
            values = LabelValues(
                key=counts.key,
                labels=counts.labels,
                truths=counts.positives,
                values=[self._value(*row) for row in counts.rows],
                micro=self._value(*counts.sums),
            )
            for average in chosen.average:
                include = chosen.include_prediction_only_labels
                yield from values.results(average, counts.coordinates, include)

    def _value(self, tp: int, fp: int, fn: int) -> NumberOrReason:
        return ratio(*self._terms(tp, fp, fn), self.parameters.zero_division, self.reason)

    def _terms(self, tp: Any, fp: Any, fn: Any) -> tuple[Any, Any]:
        """Return the numerator and the denominator of counts or of columns of counts."""
        raise NotImplementedError


class Precision(_LabelMetric):
    """Share of a label's predictions that match a ground truth: tp / (tp + fp).

    Parameters
    ----------
    parameters : LabelParameters
        Thresholds, averages, the value of 0/0, the protocol, and limits.

    Returns
    -------
    Result of float
        From 0 to 1; `zero_division` without predictions.

    References
    ----------
    .. [1] Everingham et al., "The PASCAL Visual Object Classes (VOC) Challenge", IJCV 88, 2010,
       section 4.2.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> predicted = [PredictedObject({"dog": 1}, Box(0, 0, 4, bottom)) for bottom in (1, 3)]
    >>> item = Detection("a", [TrueObject("dog", Box(0, 0, 4, 4))], predicted)
    >>> evaluate([item], ["Precision"])["Precision", "dog"].value
    0.5
    """

    reason: ClassVar[str] = "no predictions of the label"

    def _terms(self, tp: Any, fp: Any, fn: Any) -> tuple[Any, Any]:
        return tp, tp + fp


class Recall(_LabelMetric):
    """Share of a label's ground truths that are matched: tp / (tp + fn).

    Parameters
    ----------
    parameters : LabelParameters
        Thresholds, averages, the value of 0/0, the protocol, and limits.

    Returns
    -------
    Result of float
        From 0 to 1; `zero_division` without ground truths.

    References
    ----------
    .. [1] Everingham et al., "The PASCAL Visual Object Classes (VOC) Challenge", IJCV 88, 2010,
       section 4.2.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> true = [TrueObject("dog", Box(0, 0, 4, 4)), TrueObject("dog", Box(5, 0, 9, 4))]
    >>> item = Detection("a", true, [PredictedObject({"dog": 1}, Box(0, 0, 4, 3))])
    >>> evaluate([item], ["Recall"])["Recall", "dog"].value
    0.5
    """

    reason: ClassVar[str] = "no ground truths of the label"

    def _terms(self, tp: Any, fp: Any, fn: Any) -> tuple[Any, Any]:
        return tp, tp + fn


class F1(_LabelMetric):
    """Harmonic mean of precision and recall: 2 tp / (2 tp + fp + fn).

    Parameters
    ----------
    parameters : LabelParameters
        Thresholds, averages, the value of 0/0, the protocol, and limits.

    Returns
    -------
    Result of float
        From 0 to 1; `zero_division` without ground truths and predictions.

    References
    ----------
    .. [1] van Rijsbergen, "Information Retrieval", 1979, chapter 7.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> true = [TrueObject("dog", Box(0, 0, 4, 4)), TrueObject("dog", Box(5, 0, 9, 4))]
    >>> item = Detection("a", true, [PredictedObject({"dog": 1}, Box(0, 0, 4, 3))])
    >>> round(evaluate([item], ["F1"])["F1", "dog"].value, 4)
    0.6667
    """

    reason: ClassVar[str] = "no ground truths and no predictions of the label"

    def _terms(self, tp: Any, fp: Any, fn: Any) -> tuple[Any, Any]:
        return 2 * tp, 2 * tp + fp + fn
