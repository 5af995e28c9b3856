"""Average precision: the interpolated precision-recall curve of a label in one number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from valor_core.result import Result
from valor_core.state import StateRequest
from valor_detection import selection
from valor_detection.means import Numbers
from valor_detection.overlaps import Overlaps
from valor_detection.parameters import (
    APAveragedParameters,
    APParameters,
    MeanAPAveragedParameters,
    MeanAPParameters,
)
from valor_detection.selection import selections
from valor_detection.table import Table


@frozen
class _Precisions:
    """Means of interpolated precisions."""

    parameters: Any

    def needs(self) -> tuple[StateRequest, ...]:
        """Overlaps of objects with one label."""
        return (selection.request(self.parameters, self.parameters.iou_thresholds),)

    def _at_each(self, table: Table) -> Iterator[tuple[str, Numbers]]:
        """Label keys, and the precisions of all labels at one IoU threshold after another."""
        for threshold in self.parameters.iou_thresholds:
            yield from self._at(table, [threshold], {"iou_threshold": threshold})

    def _at_all(self, table: Table) -> Iterator[tuple[str, Numbers]]:
        """Label keys, and the precisions of all labels at all IoU thresholds."""
        thresholds = sorted(self.parameters.iou_thresholds)
        yield from self._at(table, thresholds, {"iou_thresholds": thresholds})

    def _at(
        self, table: Table, iou_thresholds: list[float], coordinates: dict[str, Any]
    ) -> Iterator[tuple[str, Numbers]]:
        rows = [table.iou_thresholds.index(threshold) for threshold in iou_thresholds]
        for chosen in selections(self.parameters):
            curves = chosen.curves(table)
            numbers = Numbers(
                table=table,
                values=curves.precisions[rows],
                positives=curves.positives,
                rule=chosen.rule,
                coordinates={**coordinates, **chosen.coordinates},
            )
            for key in table.seen:
                yield key, numbers


@frozen
class AveragePrecision(_Precisions):
    """Mean of the precisions at 101 recalls, from 0 to 1, for each label and IoU threshold.

    Predictions of a label are gone through by descending score. The precision at a recall is the
    greatest one at that recall or beyond it, and 0 at recalls that are not reached. Predictions
    on images without the label count as false ones.

    Parameters
    ----------
    parameters : APParameters
        IoU thresholds, the rule of the matching, and what counts.

    Returns
    -------
    Result of float
        From 0 to 1; undefined for a label without ground truths.

    References
    ----------
    .. [1] Lin et al., "Microsoft COCO: Common Objects in Context", ECCV 2014.
    .. [2] pycocotools, ``COCOeval.accumulate``.
    .. [3] Everingham et al., "The PASCAL Visual Object Classes (VOC) Challenge", IJCV 88, 2010,
       section 4.2.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> true = [TrueObject("dog", Box(0, 0, 4, 4)), TrueObject("dog", Box(5, 0, 9, 4))]
    >>> item = Detection("a", true, [PredictedObject({"dog": 0.75}, Box(0, 0, 4, 3))])
    >>> report = evaluate([item], [{"name": "AP", "iou_thresholds": 0.5, "matching": "valor"}])
    >>> report["AP"].value == 51 / 101
    True
    """

    parameters: APParameters

    def compute(self, state: Overlaps) -> Iterator[Result]:
        """One result for each IoU threshold, range of sizes and label."""
        for key, numbers in self._at_each(state.table):
            yield from numbers.by_label(key)


@frozen
class AveragePrecisionOverIOUs(_Precisions):
    """Mean of a label's average precisions at several IoU thresholds.

    Parameters
    ----------
    parameters : APAveragedParameters
        IoU thresholds, the rule of the matching, and what counts.

    Returns
    -------
    Result of float
        From 0 to 1; undefined for a label without ground truths.

    References
    ----------
    .. [1] Lin et al., "Microsoft COCO: Common Objects in Context", ECCV 2014.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> true = TrueObject("dog", Box(0, 0, 4, 4))
    >>> seen = PredictedObject({"dog": 1}, Box(0, 0, 4, 3))
    >>> at = {"iou_thresholds": [0.75, 0.8], "matching": "valor"}
    >>> report = evaluate([Detection("a", [true], [seen])], [{"name": "APAveragedOverIOUs"} | at])
    >>> report["APAveragedOverIOUs"].value
    0.5
    """

    parameters: APAveragedParameters

    def compute(self, state: Overlaps) -> Iterator[Result]:
        """One result for each range of sizes and label."""
        for key, numbers in self._at_all(state.table):
            yield from numbers.by_label(key)


@frozen
class MeanAveragePrecision(_Precisions):
    """Mean of the average precisions of a label key's labels, for each IoU threshold.

    Labels without ground truths are left out and counted, unless they are asked for.

    Parameters
    ----------
    parameters : MeanAPParameters
        IoU thresholds, the rule of the matching, what counts, and which labels take part.

    Returns
    -------
    Result of float
        From 0 to 1; undefined where no label has ground truths.

    References
    ----------
    .. [1] Lin et al., "Microsoft COCO: Common Objects in Context", ECCV 2014.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> true = [TrueObject("dog", Box(0, 0, 4, 4)), TrueObject("cat", Box(5, 0, 9, 4))]
    >>> item = Detection("a", true, [PredictedObject({"dog": 0.75}, Box(0, 0, 4, 3))])
    >>> evaluate([item], [{"name": "mAP", "iou_thresholds": 0.5, "matching": "valor"}])["mAP"].value
    0.5
    """

    parameters: MeanAPParameters

    def compute(self, state: Overlaps) -> Iterator[Result]:
        """One result for each IoU threshold, range of sizes and label key."""
        include = self.parameters.include_prediction_only_labels
        for key, numbers in self._at_each(state.table):
            yield numbers.over_labels(key, include_prediction_only=include)


@frozen
class MeanAveragePrecisionOverIOUs(_Precisions):
    """Mean of the average precisions of a label key's labels over several IoU thresholds.

    This is what COCO calls AP. Labels without ground truths are left out and counted, unless
    they are asked for.

    Parameters
    ----------
    parameters : MeanAPAveragedParameters
        IoU thresholds, the rule of the matching, what counts, and which labels take part.

    Returns
    -------
    Result of float
        From 0 to 1; undefined where no label has ground truths.

    References
    ----------
    .. [1] Lin et al., "Microsoft COCO: Common Objects in Context", ECCV 2014.
    .. [2] pycocotools, ``COCOeval.summarize``.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> true = TrueObject("dog", Box(0, 0, 4, 4))
    >>> seen = PredictedObject({"dog": 1}, Box(0, 0, 4, 3))
    >>> chosen = {"name": "mAPAveragedOverIOUs", "matching": "valor"}
    >>> evaluate([Detection("a", [true], [seen])], [chosen])["mAPAveragedOverIOUs"].value
    0.6
    """

    parameters: MeanAPAveragedParameters

    def compute(self, state: Overlaps) -> Iterator[Result]:
        """One result for each range of sizes and label key."""
        include = self.parameters.include_prediction_only_labels
        for key, numbers in self._at_all(state.table):
            yield numbers.over_labels(key, include_prediction_only=include)
