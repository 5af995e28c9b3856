"""Average recall: mean of recalls over IoU thresholds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from attrs import frozen

from valor_core.results import ItemRows
from valor_detection.matching.candidate_pairs import Overlaps
from valor_detection.matching.image_rows import recall_rows
from valor_detection.matching.interpolated import recalls
from valor_detection.matching.protocols import protocol_of
from valor_detection.matching.settings import selections
from valor_detection.matching.table import Table
from valor_detection.matching.threshold_counts import tally
from valor_detection.metrics.averages import Average, Numbers
from valor_detection.parameters.averages import ARAveragedParameters, ARParameters


@frozen
class AverageRecall(Average):
    """Mean of a label's recalls at several IoU thresholds.

    A recall is the share of ground truths that predictions at or above the score threshold match.
    With `max_detections`, only the best predictions in each image count, as in COCO.

    Parameters
    ----------
    parameters : ARParameters
        Thresholds, the protocol, and limits of areas and detections.

    Returns
    -------
    Result of float
        From 0 to 1; undefined for labels without ground truths.

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
    >>> predicted = PredictedObject({"dog": 1}, Box(0, 0, 4, 3))
    >>> chosen = {"name": "AR", "iou_thresholds": [0.5, 0.8]}
    >>> evaluate([Detection("a", [true], [predicted])], [chosen])["AR"].value
    0.5
    """

    parameters: ARParameters | ARAveragedParameters

    def item_rows(self, state: Overlaps) -> ItemRows:
        """Return the mean recall of each image over the IoU thresholds."""
        first = next(selections(self.parameters, protocol_of(self.parameters).bounds))
        score = self._score_thresholds()[0][0]
        return recall_rows(state.table, first, self.parameters.iou_thresholds, score)

    def numbers(self, table: Table) -> Iterator[Numbers]:
        """Yield the recalls at all score and IoU thresholds."""
        ious, (scores, at) = sorted(self.parameters.iou_thresholds), self._score_thresholds()
        for chosen in selections(self.parameters, protocol_of(self.parameters).bounds):
            counts = [tally(table, chosen, iou, scores) for iou in ious]
            positives = counts[0].positives
            yield Numbers(
                table=table,
                values=recalls(np.stack([one.tp for one in counts], axis=1), positives),
                positives=positives,
                protocol=chosen.protocol,
                coordinates={"iou_thresholds": ious, **at, **chosen.coordinates},
            )

    def _score_thresholds(self) -> tuple[tuple[float, ...], dict[str, Any]]:
        """Return the score thresholds, and the parameters of results that state them."""
        if isinstance(self.parameters, ARAveragedParameters):
            thresholds = tuple(sorted(self.parameters.score_thresholds))
            return thresholds, {"score_thresholds": [*thresholds]}
        threshold = self.parameters.recall_score_threshold
        return (threshold,), {"score_threshold": threshold}


class AverageRecallOverScores(AverageRecall):
    """Mean of a label's average recalls at several score thresholds.

    Parameters
    ----------
    parameters : ARAveragedParameters
        Thresholds, the protocol, and limits of areas and detections.

    Returns
    -------
    Result of float
        From 0 to 1; undefined for labels without ground truths.

    References
    ----------
    .. [1] valor-lite, object detection evaluator, ``ARAveragedOverScores``.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> true = TrueObject("dog", Box(0, 0, 4, 4))
    >>> predicted = PredictedObject({"dog": 0.5}, Box(0, 0, 4, 4))
    >>> chosen = {"name": "ARAveragedOverScores", "score_thresholds": [0.25, 0.5, 0.75, 1]}
    >>> evaluate([Detection("a", [true], [predicted])], [chosen])["ARAveragedOverScores"].value
    0.5
    """


class MeanAverageRecall(AverageRecall):
    """Mean of the average recalls of a label key's labels, which COCO calls AR.

    Labels without ground truths are excluded by default, and their number is in the result.

    Parameters
    ----------
    parameters : MeanARParameters
        Thresholds, the protocol, limits, and the labels of the mean.

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
    >>> true = [TrueObject("dog", Box(0, 0, 4, 4)), TrueObject("cat", Box(5, 0, 9, 4))]
    >>> item = Detection("a", true, [PredictedObject({"dog": 0.75}, Box(0, 0, 4, 4))])
    >>> evaluate([item], ["mAR"])["mAR"].value
    0.5
    """

    over_labels: ClassVar[bool] = True


class MeanAverageRecallOverScores(AverageRecallOverScores):
    """Mean of the average recalls of a label key's labels over several score thresholds.

    Labels without ground truths are excluded by default, and their number is in the result.

    Parameters
    ----------
    parameters : MeanARAveragedParameters
        Thresholds, the protocol, limits, and the labels of the mean.

    Returns
    -------
    Result of float
        From 0 to 1; undefined if no label has ground truths.

    References
    ----------
    .. [1] valor-lite, object detection evaluator, ``mARAveragedOverScores``.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> true = TrueObject("dog", Box(0, 0, 4, 4))
    >>> predicted = PredictedObject({"dog": 0.5}, Box(0, 0, 4, 4))
    >>> chosen = {"name": "mARAveragedOverScores", "score_thresholds": [0.25, 0.75]}
    >>> evaluate([Detection("a", [true], [predicted])], [chosen])["mARAveragedOverScores"].value
    0.5
    """

    over_labels: ClassVar[bool] = True
