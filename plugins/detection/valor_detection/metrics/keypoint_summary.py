"""The ten numbers of COCO's evaluation of keypoints."""

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
from valor_detection.matching.protocols import KEYPOINTS, cut_warning
from valor_detection.matching.settings import Selection
from valor_detection.matching.table import Table
from valor_detection.metrics.coco_summary import means_of_sizes
from valor_detection.parameters.fields import COCO_AREAS, COCO_IOUS
from valor_detection.parameters.keypoints import KeypointSummaryParameters

if TYPE_CHECKING:
    from valor_core.results import ItemRows

_SIZES = {name: COCO_AREAS[name] for name in ("all", "medium", "large")}


@frozen(repr=False)
class KeypointSummary:
    """The ten numbers that pycocotools prints for keypoints, by name.

    AP is the mean over labels with ground truths, OKS thresholds 0.50 to 0.95 and 101 recalls. AR
    is the mean of the greatest recalls. AP50, AP75, AR50 and AR75 are at one threshold. Names that
    end in medium or large are of objects of one size. All use the best 20 predictions of a label in
    each image, and ignore ground truths without a labelled point. A number is undefined if no
    ground truth has the size.

    Equal to pycocotools bit by bit, including crowds and ties.

    Parameters
    ----------
    parameters : KeypointSummaryParameters
        Sigmas of the points.

    References
    ----------
    .. [1] Lin et al., "Microsoft COCO: Common Objects in Context", ECCV 2014.
    .. [2] pycocotools, ``COCOeval.computeOks`` and ``COCOeval.summarize``.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> box, points = Box(0, 0, 40, 40), [(10, 10), (30, 30)]
    >>> true = TrueObject("dog", box, keypoints=points)
    >>> item = Detection("a", [true], [PredictedObject({"dog": 0.75}, box, keypoints=points)])
    >>> report = evaluate([item], [{"name": "KeypointSummary", "sigmas": [0.05, 0.1]}])
    >>> round(report["KeypointSummary"].value["AP"], 6)
    1.0
    """

    parameters: KeypointSummaryParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request similarities of objects with one label."""
        protocol = KEYPOINTS.of_parameters(self.parameters)
        most = protocol.bounds.max_detections
        return (candidate_pairs.request(COCO_IOUS, protocol, max_detections=most),)

    def item_rows(self, state: Overlaps) -> ItemRows:
        """Return the mean average precision of each image over COCO's thresholds."""
        from valor_detection.matching.image_rows import precision_rows

        all_sizes = Selection(KEYPOINTS, _SIZES["all"], KEYPOINTS.bounds.max_detections, {})
        return precision_rows(state.table, all_sizes, COCO_IOUS)

    def compute(self, state: Overlaps) -> Iterator[Result]:
        """Yield the ten numbers of each label key."""
        most = KEYPOINTS.bounds.max_detections
        assert most is not None
        warning = cut_warning(state.table, most)
        for key, value in _summaries(state.table, most).items():
            yield Result(
                parameters={"label_key": key} | changed_parameters(self.parameters),
                value=value,
                warnings=() if warning is None else (warning,),
            )


def _summaries(table: Table, most: int) -> dict[str, dict[str, float | None]]:
    """Return the ten numbers of each label key, None for sizes without ground truths."""
    labels = {key: np.array(codes, np.int64) for key, codes in table.seen.items()}
    everything, *sizes = means_of_sizes(table, KEYPOINTS, most, list(_SIZES.values()), labels)
    found: dict[str, dict[str, float | None]] = {}
    for key in labels:
        found[key] = {}
        for kind, numbers in (("AP", "precisions"), ("AR", "recalls")):
            names = (kind, f"{kind}50", f"{kind}75")
            found[key] |= zip(names, getattr(everything[key], numbers), strict=True)
            for name, size in zip(("medium", "large"), sizes, strict=True):
                found[key][f"{kind}_{name}"] = getattr(size[key], numbers)[0]
    return found
