"""Similarity of keypoints, compiled.

The functions are documented in `valor_detection.kernels.reference.keypoints`.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from valor_core.kernels import in_threads, map_spans, spans_of_equal_cost
from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry.shapes import ends
from valor_detection.kernels import KERNELS
from valor_detection.kernels.columns import KeypointColumns, TrueKeypoints
from valor_detection.kernels.compiled.matching import image_spans, joined

_LEAST_ROOM = 1 << 16  # least number of exponents to allocate

_LEAST_POINTS = 1 << 16  # least number of points of a thread

_point_boxes = KERNELS.function("point_boxes")
_oks_exponents = KERNELS.function("oks_exponents")
_oks_means = KERNELS.function("oks_means")


def point_boxes(points: Floats, starts: Codes, counts: Codes) -> Floats:
    """See `reference.keypoints.point_boxes`."""
    boxes = np.empty((len(starts), 4))

    def fill(first: int, last: int) -> None:
        part = slice(first, last)
        _point_boxes(last - first, points, starts[part], counts[part], boxes[part])

    map_spans(fill, spans_of_equal_cost(ends(counts), _LEAST_POINTS))
    return boxes


def oks_pairs(
    true_side: KeypointColumns, of: TrueKeypoints, side: KeypointColumns, lowest: float
) -> tuple[Codes, Codes, Floats]:
    """See `reference.keypoints.oks_pairs`."""
    truths_before = ends(
        np.bincount(true_side.datums, minlength=int(side.datums.max(initial=-1)) + 1)
    )
    sizes = np.zeros(len(side.datums), np.int64)
    most_points = int(np.diff(of.variance_rows).max(initial=1))
    capacity = max(_LEAST_ROOM, most_points * int(np.diff(truths_before).max(initial=0)))
    columns = [
        KERNELS.struct("KeypointColumns", count=len(each.datums), **each._asdict())
        for each in (true_side, side)
    ]
    truth = KERNELS.struct("TrueKeypoints", **of._asdict())

    def find(first: int, last: int) -> tuple[list[Codes], list[Floats]]:
        row = np.array([first, 0])
        if first < last:
            row[1] = truths_before[side.datums[first]]
        exponents = np.empty(capacity)
        rows, stops = np.empty(capacity, np.int64), np.empty(capacity, np.int64)
        truths: list[Codes] = []
        similarities: list[Floats] = []
        while row[0] < last:
            written = _oks_exponents(
                *(columns[0], truth, columns[1], last, lowest, capacity),
                *(row, sizes, rows, stops, exponents),
            )
            used = exponents[: stops[written - 1] if written else 0]
            # NumPy's own exp, since the last bit of others may differ from that of pycocotools.
            np.exp(used, out=used)
            means = np.empty(written)
            _oks_means(written, stops, used, means)
            truths.append(rows[:written].copy())
            similarities.append(means)
        return truths, similarities

    parts = in_threads([partial(find, *span) for span in image_spans(side.datums)])
    truths = joined([found for part in parts for found in part[0]], np.int64)
    oks = joined([found for part in parts for found in part[1]], np.float64)
    kept = (oks > 0) & (oks >= lowest)
    if kept.all():
        return ends(sizes), truths, oks
    rows = np.repeat(np.arange(len(sizes)), sizes)[kept]
    return ends(np.bincount(rows, minlength=len(sizes))), truths[kept], oks[kept]
