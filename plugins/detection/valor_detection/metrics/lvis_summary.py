"""LVIS's summary: the thirteen numbers of lvis-api."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen

from valor_core.parameters import changed_parameters
from valor_core.results import Result
from valor_core.states import StateRequest
from valor_detection.matching import candidate_pairs
from valor_detection.matching.candidate_pairs import Overlaps
from valor_detection.matching.protocols import LVIS, LVIS_MAX_DETECTIONS
from valor_detection.matching.settings import Selection
from valor_detection.matching.table import Table
from valor_detection.metrics.coco_summary import means_of_sizes
from valor_detection.parameters.coco import LVISSummaryParameters
from valor_detection.parameters.fields import COCO_AREAS, COCO_IOUS

if TYPE_CHECKING:
    from valor_core.results import ItemRows

_GROUPS = ("r", "c", "f")
_NAMES = ("s", "m", "l")


@frozen(repr=False)
class LVISSummary:
    """The thirteen numbers that lvis-api prints, by name.

    AP is the mean over labels with ground truths, IoU thresholds 0.50 to 0.95 and 101 recalls. AR
    is the mean of the greatest recalls. Both use the best 300 predictions of an image, of all
    labels together. The last letter of a name is the size of the objects (small, medium, large) or
    the frequency of the labels in the training set (rare, common, frequent), which the ``coco``
    reader finds in the categories of a file.

    Unmatched predictions are false only of labels that annotators searched for in the image, and
    ignored otherwise. A number is undefined without ground truths of its size or frequency.

    Equal to lvis-api bit by bit, except for ground truths with id 0 or with equal ids, which
    lvis-api counts incorrectly.

    Parameters
    ----------
    parameters : LVISSummaryParameters
        Kind of shape to convert all shapes to.

    References
    ----------
    .. [1] Gupta et al., "LVIS: A Dataset for Large Vocabulary Instance Segmentation", CVPR 2019.
    .. [2] lvis-api 0.5.3, ``LVISEval``.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> box = Box(0, 0, 9, 9)
    >>> predicted = [PredictedObject({"cat": 1.0}, box), PredictedObject({"dog": 0.75}, box)]
    >>> item = Detection("a", [TrueObject("dog", box)], predicted, searched=["dog"])
    >>> report = evaluate([item], ["LVISSummary"])
    >>> round(report["LVISSummary"].value["AP"], 6)
    1.0
    """

    parameters: LVISSummaryParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request overlaps of objects with one label."""
        protocol = LVIS.of_parameters(self.parameters)
        return (candidate_pairs.request(COCO_IOUS, protocol, max_detections=LVIS_MAX_DETECTIONS),)

    def item_rows(self, state: Overlaps) -> ItemRows:
        """Return the mean average precision of each image over COCO's IoU thresholds."""
        from valor_detection.matching.image_rows import precision_rows

        all_sizes = Selection(LVIS, COCO_AREAS["all"], LVIS_MAX_DETECTIONS, {})
        return precision_rows(state.table, all_sizes, COCO_IOUS)

    def compute(self, state: Overlaps) -> Iterator[Result]:
        """Yield the thirteen numbers of each label key."""
        for key, value in _summaries(state.table).items():
            parameters = {"label_key": key} | changed_parameters(self.parameters)
            yield Result(parameters=parameters, value=value)


def _summaries(table: Table) -> dict[str, dict[str, float | None]]:
    labels = {key: np.array(codes, np.int64) for key, codes in table.seen.items()}
    groups = np.array(table.label_groups)
    by_group = {
        f"{key} {group}": codes[groups[codes] == group] if len(groups) else codes[:0]
        for key, codes in labels.items()
        for group in _GROUPS
    }
    areas = tuple(COCO_AREAS.values())
    everything, *sizes = means_of_sizes(table, LVIS, LVIS_MAX_DETECTIONS, areas, labels, by_group)
    most = f"@{LVIS_MAX_DETECTIONS}"
    return {
        key: dict(zip(("AP", "AP50", "AP75"), everything[key].precisions, strict=True))
        | {f"AP{name}": size[key].precisions[0] for name, size in zip(_NAMES, sizes, strict=True)}
        | {f"AP{group}": everything[f"{key} {group}"].precisions[0] for group in _GROUPS}
        | {f"AR{most}": everything[key].recalls[0]}
        | {
            f"AR{name}{most}": size[key].recalls[0]
            for name, size in zip(_NAMES, sizes, strict=True)
        }
        for key in labels
    }
