"""Average precision: the interpolated precision-recall curve of a label in one number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from valor_detection.matching.protocols import average_bounds
from valor_detection.matching.settings import SelectionParameters, selections
from valor_detection.matching.table import Table
from valor_detection.metrics.averages import KeyMeans, LabelMeans, Means, Numbers
from valor_detection.parameters.averages import (
    APAveragedParameters,
    APParameters,
    MeanAPAveragedParameters,
    MeanAPParameters,
)


@frozen
class _AtEachIOU(Means):
    """Interpolated precisions at one IoU threshold after another."""

    def numbers(self, table: Table) -> Iterator[Numbers]:
        """The precisions of all labels."""
        for threshold in self.parameters.iou_thresholds:
            coordinates = {"iou_threshold": threshold}
            yield from _precisions(self.parameters, table, [threshold], coordinates)


@frozen
class _OverIOUs(Means):
    """Interpolated precisions at all IoU thresholds together."""

    def numbers(self, table: Table) -> Iterator[Numbers]:
        """The precisions of all labels."""
        thresholds = sorted(self.parameters.iou_thresholds)
        yield from _precisions(self.parameters, table, thresholds, {"iou_thresholds": thresholds})


def _precisions(
    parameters: SelectionParameters,
    table: Table,
    iou_thresholds: list[float],
    coordinates: dict[str, Any],
) -> Iterator[Numbers]:
    rows = [table.iou_thresholds.index(threshold) for threshold in iou_thresholds]
    for chosen in selections(parameters, average_bounds(parameters.matching)):
        curves = chosen.curves(table)
        yield Numbers(
            table=table,
            values=curves.precisions[rows],
            positives=curves.positives,
            rule=chosen.rule,
            coordinates={**coordinates, **chosen.coordinates},
        )


@frozen
class AveragePrecision(_AtEachIOU, LabelMeans):
    """Mean of the precisions at 101 recalls, from 0 to 1, for each label and IoU threshold.

    Predictions of a label are gone through by descending score. The precision at a recall is the
    greatest one at that recall or beyond it, and 0 at recalls that are not reached. Predictions
    on images without the label count as false ones.

    Equal scores are in the order of the images' uids, whole numbers as numbers, and in an image in
    the order of its predictions, as in pycocotools. The order and the split of the data change
    nothing.

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


@frozen
class AveragePrecisionOverIOUs(_OverIOUs, LabelMeans):
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


@frozen
class MeanAveragePrecision(_AtEachIOU, KeyMeans):
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


@frozen
class MeanAveragePrecisionOverIOUs(_OverIOUs, KeyMeans):
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
