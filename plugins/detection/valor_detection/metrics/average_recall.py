"""Average recall: how many ground truths are found, over several IoU thresholds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from attrs import frozen

from valor_core.schemas import Floats
from valor_detection.matching import interpolated
from valor_detection.matching.protocols import average_bounds
from valor_detection.matching.settings import Selection, selections
from valor_detection.matching.table import Table
from valor_detection.matching.threshold_counts import tally
from valor_detection.metrics.averages import KeyMeans, LabelMeans, Means, Numbers
from valor_detection.parameters.averages import (
    ARAveragedParameters,
    ARParameters,
    MeanARAveragedParameters,
    MeanARParameters,
)


@frozen
class _AtScore(Means):
    """Recalls at one score threshold."""

    def numbers(self, table: Table) -> Iterator[Numbers]:
        """The recalls of all labels at all IoU thresholds."""
        threshold = self.parameters.recall_score_threshold
        return _numbers(self.parameters, table, (threshold,), {"score_threshold": threshold})


@frozen
class _OverScores(Means):
    """Recalls at several score thresholds."""

    def numbers(self, table: Table) -> Iterator[Numbers]:
        """The recalls of all labels at all IoU thresholds."""
        thresholds = tuple(sorted(self.parameters.score_thresholds))
        coordinates = {"score_thresholds": list(thresholds)}
        return _numbers(self.parameters, table, thresholds, coordinates)


def _numbers(
    parameters: Any, table: Table, score_thresholds: tuple[float, ...], scores: dict[str, Any]
) -> Iterator[Numbers]:
    ious = sorted(parameters.iou_thresholds)
    for chosen in selections(parameters, average_bounds(parameters.matching)):
        yield Numbers(
            table=table,
            values=_recalls(table, chosen, ious, score_thresholds),
            positives=chosen.matching(table).positives,
            rule=chosen.rule,
            coordinates={"iou_thresholds": ious, **scores, **chosen.coordinates},
        )


def _recalls(
    table: Table, chosen: Selection, ious: list[float], scores: tuple[float, ...]
) -> Floats:
    """Recalls by score threshold, IoU threshold and label."""
    tallies = [tally(table, chosen, iou, scores) for iou in ious]
    found = np.stack([each.tp for each in tallies], axis=1)
    return interpolated.recalls(found, tallies[0].positives)


@frozen
class AverageRecall(_AtScore, LabelMeans):
    """Mean of a label's recalls at several IoU thresholds.

    A recall is the share of the ground truths that predictions with enough score find. With
    `max_detections` it is COCO's: that of the best predictions in each image.

    Parameters
    ----------
    parameters : ARParameters
        Thresholds, the rule of the matching, and what counts.

    Returns
    -------
    Result of float
        From 0 to 1; undefined for a label without ground truths.

    References
    ----------
    .. [1] Hosang et al., "What makes for effective detection proposals?", TPAMI 38, 2016,
       section 5.1; here at given thresholds instead of an integral.
    .. [2] pycocotools, ``COCOeval.summarize``.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> true = TrueObject("dog", Box(0, 0, 4, 4))
    >>> seen = PredictedObject({"dog": 1}, Box(0, 0, 4, 3))
    >>> chosen = {"name": "AR", "iou_thresholds": [0.5, 0.8]}
    >>> evaluate([Detection("a", [true], [seen])], [chosen])["AR"].value
    0.5
    """

    parameters: ARParameters


@frozen
class AverageRecallOverScores(_OverScores, LabelMeans):
    """Mean of a label's average recalls at several score thresholds.

    Parameters
    ----------
    parameters : ARAveragedParameters
        Thresholds, the rule of the matching, and what counts.

    Returns
    -------
    Result of float
        From 0 to 1; undefined for a label without ground truths.

    References
    ----------
    .. [1] valor-lite, object detection evaluator, ``ARAveragedOverScores``.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> true = TrueObject("dog", Box(0, 0, 4, 4))
    >>> seen = PredictedObject({"dog": 0.5}, Box(0, 0, 4, 4))
    >>> chosen = {"name": "ARAveragedOverScores", "score_thresholds": [0.25, 0.5, 0.75, 1]}
    >>> evaluate([Detection("a", [true], [seen])], [chosen])["ARAveragedOverScores"].value
    0.5
    """

    parameters: ARAveragedParameters


@frozen
class MeanAverageRecall(_AtScore, KeyMeans):
    """Mean of the average recalls of a label key's labels; what COCO calls AR.

    Labels without ground truths are left out and counted, unless they are asked for.

    Parameters
    ----------
    parameters : MeanARParameters
        Thresholds, the rule of the matching, what counts, and which labels take part.

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
    >>> true = [TrueObject("dog", Box(0, 0, 4, 4)), TrueObject("cat", Box(5, 0, 9, 4))]
    >>> item = Detection("a", true, [PredictedObject({"dog": 0.75}, Box(0, 0, 4, 4))])
    >>> evaluate([item], ["mAR"])["mAR"].value
    0.5
    """

    parameters: MeanARParameters


@frozen
class MeanAverageRecallOverScores(_OverScores, KeyMeans):
    """Mean of the average recalls of a label key's labels over several score thresholds.

    Labels without ground truths are left out and counted, unless they are asked for.

    Parameters
    ----------
    parameters : MeanARAveragedParameters
        Thresholds, the rule of the matching, what counts, and which labels take part.

    Returns
    -------
    Result of float
        From 0 to 1; undefined where no label has ground truths.

    References
    ----------
    .. [1] valor-lite, object detection evaluator, ``mARAveragedOverScores``.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> true = TrueObject("dog", Box(0, 0, 4, 4))
    >>> seen = PredictedObject({"dog": 0.5}, Box(0, 0, 4, 4))
    >>> chosen = {"name": "mARAveragedOverScores", "score_thresholds": [0.25, 0.75]}
    >>> evaluate([Detection("a", [true], [seen])], [chosen])["mARAveragedOverScores"].value
    0.5
    """

    parameters: MeanARAveragedParameters
