"""COCO's summary: the twelve numbers of pycocotools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen

from valor_core.kernels import in_threads
from valor_core.parameters import changed_parameters
from valor_core.results import Result
from valor_core.schemas import Codes, Floats
from valor_core.states import StateRequest
from valor_detection.matching import candidate_pairs
from valor_detection.matching.candidate_pairs import Overlaps
from valor_detection.matching.interpolated import Curves, found, interpolate, recalls
from valor_detection.matching.matches import matching
from valor_detection.matching.protocols import (
    COCO,
    COCO_MAX_DETECTIONS,
    AreaRange,
    Protocol,
    cut_warning,
    federated_warning,
)
from valor_detection.matching.settings import Selection
from valor_detection.matching.table import LABEL, Table
from valor_detection.parameters.coco import COCOSummaryParameters
from valor_detection.parameters.fields import COCO_AREAS, COCO_IOUS

if TYPE_CHECKING:
    from valor_core.results import ItemRows

_FEWER_DETECTIONS = (1, 10)
_NAMES = ("small", "medium", "large")
_SIZES: tuple[AreaRange, ...] = tuple(COCO_AREAS.values())
_ALL_SIZES = _SIZES[0]


@frozen(repr=False)
class COCOSummary:
    """The twelve numbers that pycocotools prints, by name.

    AP is the mean over labels with ground truths, IoU thresholds 0.50 to 0.95 and 101 recalls. AR
    is the mean of the greatest recalls. Both use the best 100 predictions of a label in each image
    unless the name has another number, and objects of one size if the name ends in small, medium or
    large. A number is undefined if no ground truth has the size.

    Equal to pycocotools bit by bit, including crowds and ties, except for ground truths with id 0
    or with equal ids, which pycocotools counts incorrectly.

    Parameters
    ----------
    parameters : COCOSummaryParameters
        Kind of shape to convert all shapes to.

    References
    ----------
    .. [1] Lin et al., "Microsoft COCO: Common Objects in Context", ECCV 2014.
    .. [2] pycocotools, ``COCOeval.summarize``.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> box = Box(0, 0, 9, 9)
    >>> item = Detection("a", [TrueObject("dog", box)], [PredictedObject({"dog": 0.75}, box)])
    >>> report = evaluate([item], ["COCOSummary"])
    >>> round(report["COCOSummary"].value["AP"], 6)
    1.0
    """

    parameters: COCOSummaryParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request overlaps of objects with one label."""
        protocol = COCO.of_parameters(self.parameters)
        return (candidate_pairs.request(COCO_IOUS, protocol, max_detections=COCO_MAX_DETECTIONS),)

    def item_rows(self, state: Overlaps) -> ItemRows:
        """Return the mean average precision of each image over COCO's IoU thresholds."""
        from valor_detection.matching.image_rows import precision_rows

        all_sizes = Selection(COCO, _ALL_SIZES, COCO_MAX_DETECTIONS, {})
        return precision_rows(state.table, all_sizes, COCO_IOUS)

    def compute(self, state: Overlaps) -> Iterator[Result]:
        """Yield the twelve numbers of each label key."""
        values = summaries(state.table)
        found = federated_warning(state.table, COCO), cut_warning(state.table, COCO_MAX_DETECTIONS)
        warnings = tuple(filter(None, found))
        for key, value in values.items():
            yield Result(
                parameters={"label_key": key} | changed_parameters(self.parameters),
                value=value,
                warnings=warnings,
            )


def summaries(table: Table) -> dict[str, dict[str, float | None]]:
    """Return the twelve numbers of each label key, None for sizes without ground truths."""
    labels = {key: np.array(codes, np.int64) for key, codes in table.seen.items()}
    everything, *sizes = means_of_sizes(table, COCO, COCO_MAX_DETECTIONS, _SIZES, labels)
    fewer = {most: found(table, COCO, _ALL_SIZES, most) for most in _FEWER_DETECTIONS}
    positives = matching(table, COCO, LABEL, _ALL_SIZES).positives
    rows = _rows(table)
    return {
        key: dict(zip(("AP", "AP50", "AP75"), everything[key].precisions, strict=True))
        | {f"AP_{name}": size[key].precisions[0] for name, size in zip(_NAMES, sizes, strict=True)}
        | {
            f"AR_{most}": mean(recalls(hits, positives)[rows][:, codes])
            for most, hits in fewer.items()
        }
        | {f"AR_{COCO_MAX_DETECTIONS}": everything[key].recalls[0]}
        | {f"AR_{name}": size[key].recalls[0] for name, size in zip(_NAMES, sizes, strict=True)}
        for key, codes in labels.items()
    }


def mean(values: Floats) -> float | None:
    """Return the mean of all values except -1 in the order of pycocotools, or None without any."""
    defined = values[values > -1]
    return float(np.mean(defined)) if defined.size else None


@frozen(repr=False)
class Means:
    """Means over the labels of a key, for objects of one size.

    Parameters
    ----------
    precisions : tuple of float or None
        At all IoU thresholds and, for objects of all sizes, at 0.5 and at 0.75.
    recalls : tuple of float or None
        As `precisions`.
    """

    precisions: tuple[float | None, ...]
    recalls: tuple[float | None, ...]

    @classmethod
    def of(cls, drawn: Curves, rows: Codes, labels: Codes, single: Sequence[int] = ()) -> Means:
        """Compute means of curves at all IoU thresholds, and at single ones."""
        recalls = drawn.recalls[rows]
        with_truth = labels[drawn.positives[labels] > 0]
        precisions = drawn.precisions
        if len(rows) < len(precisions):
            precisions = precisions[rows]
        if len(with_truth) < precisions.shape[2]:
            precisions = precisions.take(with_truth, axis=2)  # contiguous, unlike by index
        parts = [precisions, *(precisions[index] for index in single)]
        return cls(
            tuple(float(np.mean(part.reshape(-1))) if part.size else None for part in parts),
            tuple(
                mean(part[..., labels]) for part in (recalls, *(recalls[index] for index in single))
            ),
        )


def means_of_sizes(
    table: Table,
    protocol: Protocol,
    most: int,
    sizes: Sequence[AreaRange],
    labels: Mapping[str, Codes],
    groups: Mapping[str, Codes] = MappingProxyType({}),
) -> list[dict[str, Means]]:
    """Compute means of objects of several sizes, in threads.

    Parameters
    ----------
    table : Table
        Objects and pairs.
    protocol : Protocol
        Protocol of the matching.
    most : int
        Maximum number of counted predictions in an image.
    sizes : sequence of (float, float)
        Ranges of areas. Means of the first one are also computed at 0.5 and at 0.75.
    labels : mapping of str to ndarray of int64
        Codes of the labels of each key.
    groups : mapping of str to ndarray of int64
        Codes of groups of labels. Their means are computed for the first size.
    """
    matchings = [matching(table, protocol, LABEL, area_range) for area_range in sizes]
    _ = matchings[0].positions  # shared by all threads
    in_threads([lambda: matchings[0].counts(most), *(each.prepare for each in matchings)])
    rows = _rows(table)

    def of_size(number: int) -> dict[str, Means]:
        """Compute the means of one area range without keeping its curves, which are large."""
        matched = matchings[number]
        drawn = interpolate(matched, most, protocol.precision.needed(matched.positives))
        single, chosen = ((), labels) if number else ((0, 5), {**labels, **groups})
        return {key: Means.of(drawn, rows, codes, single) for key, codes in chosen.items()}

    return in_threads([partial(of_size, number) for number in range(len(sizes))])


def _rows(table: Table) -> Codes:
    """Return the positions of COCO's IoU thresholds in a table."""
    return np.array([table.iou_thresholds.index(threshold) for threshold in COCO_IOUS])
