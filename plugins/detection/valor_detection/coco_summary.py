"""COCO's summary: the twelve numbers that detection papers print."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from attrs import frozen

from valor_core.result import Result
from valor_core.schemas.arrays import Floats
from valor_core.state import StateRequest
from valor_core.threads import in_threads
from valor_detection import overlaps
from valor_detection.curves import COCO_MAX_DETECTIONS, Curves, curves, found, recalls
from valor_detection.matching import AreaRange, matching
from valor_detection.overlaps import Overlaps
from valor_detection.parameters import COCO_AREAS, COCO_IOUS, COCOSummaryParameters
from valor_detection.table import LABEL, Table

_FEWER_DETECTIONS = (1, 10)
_SIZES: tuple[AreaRange, ...] = tuple((low, high) for low, high in COCO_AREAS.values())
_ALL_SIZES = _SIZES[0]


@frozen
class COCOSummary:
    """The numbers that pycocotools prints, under the names that people know.

    AP is the mean over labels with ground truth, IoU thresholds 0.50 to 0.95 and 101 recalls;
    AR the mean of the greatest recalls. Both with the best 100 predictions of a label in each
    image unless the name says another number, and of one size where it ends in small, medium or
    large. A number is undefined where no ground truth has the size.

    Equal to pycocotools in every bit, crowds and ties included.

    Parameters
    ----------
    parameters : COCOSummaryParameters
        What shapes are converted to.

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
        """Overlaps of objects with one label."""
        return (overlaps.request(COCO_IOUS, "coco", convert_to=self.parameters.convert_to),)

    def compute(self, state: Overlaps) -> Iterator[Result]:
        """The twelve numbers of each label key."""
        table = state.table
        for key, labels in table.seen.items():
            value = summary(table, labels)
            yield Result(parameters={"label_key": key}, value=value)


def summary(table: Table, labels: Sequence[int]) -> dict[str, float | None]:
    """The twelve numbers over some labels, None where no ground truth has the size."""
    all_sizes, small, medium, large = _of_all_sizes(table)
    rows = [table.iou_thresholds.index(threshold) for threshold in COCO_IOUS]
    numbers: dict[str, float | None] = {
        "AP": _precision(all_sizes, rows, labels),
        "AP50": _precision(all_sizes, rows[:1], labels),
        "AP75": _precision(all_sizes, rows[5:6], labels),
    }
    sizes = {"small": small, "medium": medium, "large": large}
    for name, curves_of_size in sizes.items():
        numbers[f"AP_{name}"] = _precision(curves_of_size, rows, labels)
    for count in _FEWER_DETECTIONS:
        shares = recalls(found(table, "coco", _ALL_SIZES, count), all_sizes.positives)
        numbers[f"AR_{count}"] = mean(shares[np.ix_(rows, labels)])
    numbers["AR_100"] = mean(all_sizes.recalls[np.ix_(rows, labels)])
    for name, curves_of_size in sizes.items():
        numbers[f"AR_{name}"] = mean(curves_of_size.recalls[np.ix_(rows, labels)])
    return numbers


def mean(values: Floats) -> float | None:
    """Mean of all values but -1, added in the order of pycocotools; None of none."""
    there = values[values > -1]
    return float(np.mean(there)) if there.size else None


def _of_all_sizes(table: Table) -> list[Curves]:
    """Curves of COCO's four area ranges, made side by side."""
    _ = matching(table, "coco", LABEL, _ALL_SIZES).rows  # what all of them read is made before
    in_threads([partial(_rank, table), *(partial(_match, table, area) for area in _SIZES)])
    return in_threads(
        [partial(curves, table, "coco", area, COCO_MAX_DETECTIONS) for area in _SIZES]
    )


def _rank(table: Table) -> None:
    _ = table.ranks


def _match(table: Table, area_range: AreaRange) -> None:
    matching(table, "coco", LABEL, area_range).prepare()


def _precision(found: Curves, rows: Sequence[int], labels: Sequence[int]) -> float | None:
    """Mean precision at some IoU thresholds and labels, as `mean`."""
    with_truth = [label for label in labels if found.positives[label]]
    if not with_truth:
        return None
    precisions = (
        found.precisions
        if len(with_truth) == found.precisions.shape[2]
        else (found.precisions[:, :, with_truth])
    )
    chosen = precisions[rows[0] : rows[-1] + 1] if _is_range(rows) else precisions[rows]
    return float(np.mean(np.ascontiguousarray(chosen).reshape(-1)))


def _is_range(rows: Sequence[int]) -> bool:
    return list(rows) == list(range(rows[0], rows[-1] + 1))
