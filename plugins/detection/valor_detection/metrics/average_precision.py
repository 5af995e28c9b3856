"""Average precision: mean of the interpolated precision-recall curve of a label."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from attrs import frozen

from valor_core.results import ItemRows
from valor_detection.matching.candidate_pairs import Overlaps
from valor_detection.matching.image_rows import precision_rows
from valor_detection.matching.protocols import protocol_of
from valor_detection.matching.settings import selections
from valor_detection.matching.table import Table
from valor_detection.metrics.averages import Average, Numbers
from valor_detection.parameters.averages import APAveragedParameters, APParameters


@frozen
class AveragePrecision(Average):
    """Mean of the precisions at 101 recalls, from 0 to 1, for each label and IoU threshold.

    Predictions of a label are sorted by descending score. The precision at a recall is the greatest
    precision at that recall or a higher one, and 0 at recalls that are not reached. Predictions on
    images without the label are false positives.

    Equal scores are sorted by the images' uids, integers numerically, and within an image by the
    order of its predictions, as in pycocotools. The result does not depend on the order or the
    split of the data.

    Parameters
    ----------
    parameters : APParameters
        IoU thresholds, the protocol, and limits of areas and detections.

    Returns
    -------
    Result of float
        From 0 to 1; undefined for labels without ground truths.

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

    over_ious: ClassVar[bool] = False

    parameters: APParameters | APAveragedParameters

    def item_rows(self, state: Overlaps) -> ItemRows:
        """Return the average precision of each image; of the first threshold, or their mean."""
        first = next(selections(self.parameters, protocol_of(self.parameters).bounds))
        thresholds = self.parameters.iou_thresholds
        return precision_rows(state.table, first, thresholds if self.over_ious else thresholds[:1])

    def numbers(self, table: Table) -> Iterator[Numbers]:
        """Yield the terms of average precision, per IoU threshold or for all of them together."""
        thresholds = self.parameters.iou_thresholds
        groups = [tuple(sorted(thresholds))] if self.over_ious else [(one,) for one in thresholds]
        for group in groups:
            rows = [table.iou_thresholds.index(threshold) for threshold in group]
            at = {"iou_thresholds": [*group]} if self.over_ious else {"iou_threshold": group[0]}
            for chosen in selections(self.parameters, protocol_of(self.parameters).bounds):
                curves = chosen.curves(table)
                yield Numbers(
                    table=table,
                    values=chosen.protocol.precision.terms_of_curves(curves)[rows],
                    positives=curves.positives,
                    protocol=chosen.protocol,
                    coordinates={**at, **chosen.coordinates},
                )


class AveragePrecisionOverIOUs(AveragePrecision):
    """Mean of a label's average precisions at several IoU thresholds.

    Parameters
    ----------
    parameters : APAveragedParameters
        IoU thresholds, the protocol, and limits of areas and detections.

    Returns
    -------
    Result of float
        From 0 to 1; undefined for labels without ground truths.

    References
    ----------
    .. [1] Lin et al., "Microsoft COCO: Common Objects in Context", ECCV 2014.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> true = TrueObject("dog", Box(0, 0, 4, 4))
    >>> predicted = PredictedObject({"dog": 1}, Box(0, 0, 4, 3))
    >>> chosen = {"name": "APAveragedOverIOUs", "iou_thresholds": [0.75, 0.8], "matching": "valor"}
    >>> report = evaluate([Detection("a", [true], [predicted])], [chosen])
    >>> report["APAveragedOverIOUs"].value
    0.5
    """

    over_ious: ClassVar[bool] = True


class MeanAveragePrecision(AveragePrecision):
    """Mean of the average precisions of a label key's labels, for each IoU threshold.

    Labels without ground truths are excluded by default, and their number is in the result.

    Parameters
    ----------
    parameters : MeanAPParameters
        IoU thresholds, the protocol, limits, and the labels of the mean.

    Returns
    -------
    Result of float
        From 0 to 1; undefined if no label has ground truths.

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

    over_labels: ClassVar[bool] = True


class MeanAveragePrecisionOverIOUs(AveragePrecision):
    """Mean of the average precisions of a label key's labels over several IoU thresholds.

    COCO calls it AP. Labels without ground truths are excluded by default, and their number is in
    the result.

    Parameters
    ----------
    parameters : MeanAPAveragedParameters
        IoU thresholds, the protocol, limits, and the labels of the mean.

    Returns
    -------
    Result of float
        From 0 to 1; undefined if no label has ground truths.

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
    >>> predicted = PredictedObject({"dog": 1}, Box(0, 0, 4, 3))
    >>> chosen = {"name": "mAPAveragedOverIOUs", "matching": "valor"}
    >>> evaluate([Detection("a", [true], [predicted])], [chosen])["mAPAveragedOverIOUs"].value
    0.6
    """

    over_ious: ClassVar[bool] = True
    over_labels: ClassVar[bool] = True
