"""Masks as run lengths, in NumPy; `compiled.masks` says what each function is given and finds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from valor_core.schemas.arrays import Codes, Floats
from valor_core.schemas.runs import Runs
from valor_core.schemas.shapes import RunLengths, ends
from valor_core.threads import Span, shares
from valor_detection.kernels.boundaries import odd, runs_between, united
from valor_detection.kernels.rows import (
    FARTHEST,
    MOST_PIXELS,
    NO_RASTER,
    NO_TEXT,
    RowError,
    check_pixels,
)

_GROUPS = 12  # of five bits in a number; more would not fit into 64 bits
_FINE = 5  # COCO draws polygons on a grid so many times as fine
_MIDDLE = 2  # a column's boundary points lie where its third fine column ends
_BLOCK = 1 << 16  # bytes, corners or runs that are worked on at a time
_CORNERS = 1 << 12  # as many corners have about as many boundaries


def decompress(text: NDArray[np.uint8], starts: Codes) -> tuple[Runs, Codes]:
    """Run lengths from COCO's compressed text, of many masks.

    Examples
    --------
    >>> decompress(np.frombuffer(b"52203", np.uint8), np.array([0, 2, 5]))
    (array([5, 2, 2, 0, 3], dtype=uint32), array([0, 2, 5]))
    """
    blocks = _blocks(starts, _BLOCK)
    rows = [
        _lengths(text[starts[first] : starts[last]], starts[first : last + 1], first)
        for first, last in blocks
    ]
    runs = [
        _from_text(text[starts[first] : starts[last]], ends(lengths), first)
        for (first, last), lengths in zip(blocks, rows, strict=True)
    ]
    return np.concatenate(runs), ends(np.concatenate(rows))


def _blocks(costs: Codes, size: int) -> list[Span]:
    """Spans of rows that cost about `size` each."""
    return shares(costs, size, len(costs))


def _lengths(text: NDArray[np.uint8], starts: Codes, row: int) -> Codes:
    """Number of run lengths in the text of each of some rows, the first of which is `row`."""
    values = text - np.uint8(48)
    starts = starts - starts[0]
    finished = np.concatenate([[0], np.cumsum((values & 32) == 0)])
    bad = np.concatenate([[0], np.cumsum(values > 63)])
    filled = np.flatnonzero(starts[1:] > starts[:-1])
    last, first = starts[1:][filled], starts[:-1][filled]
    is_bad = (bad[last] > bad[first]) | (finished[last] == finished[last - 1])
    _refuse(filled[is_bad] + row, NO_TEXT)
    lengths: Codes = np.diff(finished[starts])
    return lengths


def _from_text(text: NDArray[np.uint8], rows: Codes, row: int) -> Runs:
    """Run lengths from the checked text of some rows, the first of which is `row`."""
    values = text - np.uint8(48)
    finishes = np.flatnonzero((values & 32) == 0)
    begins = np.concatenate([[0], finishes[:-1] + 1])[: len(finishes)]
    lengths = finishes - begins + 1
    owners = np.repeat(np.arange(len(rows) - 1), np.diff(rows))
    shifts = 5 * (np.arange(len(values)) - np.repeat(begins, lengths))
    parts = (values & 31).astype(np.int64) << np.minimum(shifts, 5 * _GROUPS)
    counts = np.add.reduceat(parts, begins) if len(begins) else np.empty(0, np.int64)
    negative = ((values[finishes] & 16) != 0).astype(np.int64)
    counts -= negative << np.minimum(5 * lengths, 5 * _GROUPS)
    counts = _summed(counts, rows)
    bad = (lengths > _GROUPS) | (counts < 0) | (counts >= 1 << 32)
    _refuse(owners[bad] + row, NO_TEXT)
    return counts.astype(np.uint32)


def _refuse(rows: Codes, sentence: str) -> None:
    if len(rows):
        raise RowError(int(rows[0]), sentence)


def _summed(counts: Codes, rows: Codes) -> Codes:
    """Counts from those of which all behind the third are differences from the last but one."""
    position = np.arange(len(counts)) - np.repeat(rows[:-1], np.diff(rows))
    for first in (1, 2):
        chain = np.flatnonzero((position >= first) & (position % 2 == first % 2))
        sums = np.cumsum(counts[chain])
        begins = np.flatnonzero(position[chain] == first)
        before = np.concatenate([[0], sums])[begins]
        counts[chain] = sums - np.repeat(before, np.diff([*begins.tolist(), len(chain)]))
    return counts


def polygon_runs(points: Floats, rings: Codes, rows: Codes, sizes: Codes) -> tuple[Runs, Codes]:
    """Run lengths of the union of each row's polygons, drawn as COCO does.

    Examples
    --------
    >>> corners = np.array([[0, 0], [2, 0], [2, 1], [0, 1]], float)
    >>> runs, _ = polygon_runs(corners, np.array([0, 4]), np.array([0, 1]), np.array([[2, 3]]))
    >>> runs
    array([0, 1, 1, 1, 3], dtype=uint32)
    """
    _check_raster(points, rings, rows, sizes)
    parts = [
        _drawn(points, rings, rows[first : last + 1], sizes[first:last])
        for first, last in _blocks(rings[rows], _CORNERS)
    ]
    lengths = np.concatenate([lengths for _, lengths in parts])
    return np.concatenate([runs for runs, _ in parts]), ends(lengths)


def _drawn(points: Floats, rings: Codes, rows: Codes, sizes: Codes) -> tuple[Runs, Codes]:
    """Run lengths of some rows, and how many each has."""
    rings = rings[rows[0] : rows[-1] + 1]
    points, rings, rows = points[rings[0] : rings[-1]], rings - rings[0], rows - rows[0]
    ring_rows = np.repeat(np.arange(len(rows) - 1), np.diff(rows))
    ring, place = _boundaries(points, rings, sizes[ring_rows])
    owner, place = united(ring, place, ring_rows)
    drawn = np.flatnonzero(rows[1:] > rows[:-1])
    return runs_between(owner, place, sizes[:, 0] * sizes[:, 1], drawn)


def _check_raster(points: Floats, rings: Codes, rows: Codes, sizes: Codes) -> None:
    far = ~(np.abs(points) <= FARTHEST).all(axis=1)
    owners = np.searchsorted(rings[rows], np.flatnonzero(far), side="right") - 1
    large = ((sizes < 0) | (sizes > FARTHEST)).any(axis=1)
    large |= sizes[:, 0] * sizes[:, 1] > MOST_PIXELS
    _refuse(np.sort(np.concatenate([owners, np.flatnonzero(large)])), NO_RASTER)


def _boundaries(points: Floats, rings: Codes, sizes: Codes) -> tuple[Codes, Codes]:
    """Where runs begin inside and outside of each ring by turns; two in one place are none."""
    fine = (_FINE * points + 0.5).astype(np.int64)  # cuts towards zero, as C does
    lengths = np.diff(rings)
    after = np.arange(len(points)) + 1
    after[rings[1:][lengths > 0] - 1] = rings[:-1][lengths > 0]
    ring = np.repeat(np.arange(len(rings) - 1), lengths)
    here, there = fine, fine[after]
    wide = np.abs(there - here)[:, 0] >= np.abs(there - here)[:, 1]
    turned = np.where(wide, here[:, 0] > there[:, 0], here[:, 1] > there[:, 1])[:, None]
    here, there = np.where(turned, there, here), np.where(turned, here, there)
    low = np.minimum(here[:, 0], there[:, 0])
    high = np.maximum(here[:, 0], there[:, 0])
    first = np.maximum(low + _FINE - 1 - _MIDDLE, 0) // _FINE
    stop = np.where(high <= _MIDDLE, 0, (high - 1 - _MIDDLE) // _FINE + 1)
    counts = np.maximum(np.minimum(stop, sizes[ring, 1]) - first, 0)
    edge = np.repeat(np.arange(len(ring)), counts)
    column = np.arange(len(edge)) - np.repeat(ends(counts)[:-1] - first, counts)
    rows = np.empty(len(edge), np.int64)
    for some, of in ((wide[edge], _wide_rows), (~wide[edge], _high_rows)):
        rows[some] = of(here[edge[some]], there[edge[some]], column[some])
    ring = ring[edge]
    height = sizes[ring, 0]
    pixel = np.minimum(np.where(rows < _MIDDLE, 0, (rows + _FINE - 1 - _MIDDLE) // _FINE), height)
    return odd(ring, column * height + pixel, sizes[:, 0] * sizes[:, 1])


def _wide_rows(here: Codes, there: Codes, column: Codes) -> Codes:
    """Fine rows where edges wider than high cross the middle of columns."""
    slope = (there[:, 1] - here[:, 1]) / (there[:, 0] - here[:, 0])
    t = _FINE * column + _MIDDLE - here[:, 0] + (slope < 0)
    rows: Codes = (here[:, 1] + slope * t + 0.5).astype(np.int64)
    return rows


def _high_rows(here: Codes, there: Codes, column: Codes) -> Codes:
    """Fine rows where edges higher than wide cross the middle of columns."""
    length = there[:, 1] - here[:, 1]
    across = there[:, 0] - here[:, 0]
    slope = across / length
    middle = _FINE * column + _MIDDLE
    t = ((middle + 0.5 - here[:, 0]) * (length / across)).astype(np.int64)
    t = np.clip(t, 0, length - 1)

    def past(t: Codes, at: Codes) -> NDArray[np.bool_]:
        fine = (here[at, 0] + slope[at] * t + 0.5).astype(np.int64)
        is_past: NDArray[np.bool_] = (fine > middle[at]) == (slope[at] > 0)
        return is_past

    moving = np.arange(len(t))
    while len(moving):
        moving = moving[(t[moving] < length[moving] - 1) & ~past(t[moving] + 1, moving)]
        t[moving] += 1
    moving = np.arange(len(t))
    while len(moving):
        moving = moving[(t[moving] > 0) & past(t[moving], moving)]
        t[moving] -= 1
    rows: Codes = t + here[:, 1]
    return rows


def measured(runs: Runs, rows: Codes, sizes: Codes) -> tuple[Floats, Floats, Codes]:
    """Area of each row, the box around it and the number of pixels that its runs fill.

    Examples
    --------
    >>> runs = np.array([2, 2, 2], np.uint32)
    >>> measured(runs, np.array([0, 3]), np.array([[2, 3]]))
    (array([2.]), array([[1., 0., 1., 2.]]), array([6]))
    """
    parts = [
        _measured(
            runs[rows[first] : rows[last]], np.diff(rows[first : last + 1]), sizes[first:last]
        )
        for first, last in _blocks(rows, _BLOCK)
    ]
    areas, boxes, filled = zip(*parts, strict=True)
    return np.concatenate(areas), np.concatenate(boxes), np.concatenate(filled)


def _measured(runs: Runs, lengths: Codes, sizes: Codes) -> tuple[Floats, Floats, Codes]:
    rows, halves = ends(lengths), ends(lengths // 2)
    stops = ends(runs)
    before = stops[rows]
    owner = np.repeat(np.arange(len(lengths)), lengths // 2)
    inside = 2 * np.arange(len(owner)) + (rows[:-1] - 2 * halves[:-1] + 1)[owner]
    areas = np.diff(ends(runs[inside])[halves]).astype(np.float64)
    first = stops[inside] - before[owner]
    last = stops[inside + 1] - before[owner] - 1
    drawn = (last >= first) & (sizes[:, 0] > 0)[owner]
    if not drawn.all():
        first, last, owner = first[drawn], last[drawn], owner[drawn]
    return areas, _boxes(first, last, owner, sizes), np.diff(before)


def _boxes(first: Codes, last: Codes, owner: Codes, sizes: Codes) -> Floats:
    """Boxes around each owner's runs, of which the first and the last pixel are given."""
    boxes = np.zeros((len(sizes), 4))
    if not len(owner):
        return boxes
    begins = np.flatnonzero(np.diff(owner, prepend=-1))
    rows = owner[begins]
    height = sizes[owner, 0]
    column = (first / height).astype(np.int64)  # exact below 2**52 pixels, and quicker than whole
    start = column * height
    several = last - start >= height
    top = np.minimum.reduceat(np.where(several, 0, first - start), begins)
    bottom = np.maximum.reduceat(np.where(several, height - 1, last - start), begins)
    left = column[begins]
    right = last[np.append(begins[1:], len(owner)) - 1] // sizes[rows, 0]
    boxes[rows] = np.stack([left, top, right - left + 1, bottom - top + 1], axis=1)
    return boxes


def mask_ious(
    true: RunLengths,
    predicted: RunLengths,
    true_rows: Codes,
    predicted_rows: Codes,
    crowd: NDArray[np.bool_],
    at_least: float = 0.0,
) -> Floats:
    """IoU of pairs of masks of one size, from their run lengths.

    Examples
    --------
    >>> from valor_core.schemas.geometry import Mask
    >>> left, all_ = Mask.of([[1, 0]]), Mask.of([[1, 1]])
    >>> first, flag = np.array([0]), np.array([False])
    >>> mask_ious(RunLengths.of([left]), RunLengths.of([all_]), first, first, flag)
    array([0.5])
    """
    check_pixels(true.sizes)
    check_pixels(predicted.sizes)
    true_areas, predicted_areas = true.areas[true_rows], predicted.areas[predicted_rows]
    most = np.minimum(true_areas, predicted_areas)
    highest = _ratio(most, true_areas, predicted_areas, crowd)
    wanted = np.flatnonzero((most > 0) & (highest >= at_least))
    ious = np.zeros(len(true_rows))
    for first, last in _blocks(ends(np.diff(predicted.rows)[predicted_rows[wanted]]), _BLOCK):
        part = wanted[first:last]
        both = _common(true, predicted, true_rows[part], predicted_rows[part])
        ious[part] = _ratio(both, true_areas[part], predicted_areas[part], crowd[part])
    return ious


def _ratio(
    both: Floats, true_areas: Floats, predicted_areas: Floats, crowd: NDArray[np.bool_]
) -> Floats:
    whole = np.where(crowd, predicted_areas, true_areas + predicted_areas - both)
    return np.divide(both, whole, out=np.zeros(len(both)), where=both > 0)


def _common(
    true: RunLengths, predicted: RunLengths, true_rows: Codes, predicted_rows: Codes
) -> Floats:
    """Pixels that both masks of each pair have: what the true one has between the boundaries."""
    used, true_rows = np.unique(true_rows, return_inverse=True)
    true = true.select(used)
    keys, pixels, step = _coverage(true)
    chosen = predicted.select(predicted_rows)
    pair = np.repeat(np.arange(len(chosen)), np.diff(chosen.rows))
    stops = _stops(chosen)
    wanted = (true_rows[pair] << 32) + stops
    at = np.searchsorted(keys, wanted, side="right") - 1
    covered = pixels[at] + step[at] * (wanted - keys[at])
    position = np.arange(len(pair)) - chosen.rows[:-1][pair]
    begins = np.where((position % 2 == 0) & (np.append(position[1:], 0) > 0), -covered, 0)
    covered = np.where(position % 2 == 1, covered, begins)
    return np.bincount(pair, covered, len(chosen)).astype(np.float64)


def _stops(masks: RunLengths) -> Codes:
    """Pixels before the end of each run, in its row."""
    stops = np.cumsum(masks.runs, dtype=np.int64)
    stops -= np.repeat(np.concatenate([[0], stops])[masks.rows[:-1]], np.diff(masks.rows))
    return stops


def _coverage(masks: RunLengths) -> tuple[Codes, Codes, Codes]:
    """Where each run begins, behind its row's number; pixels inside before it; 1 if it is inside.

    A run of nothing closes each row.
    """
    lengths = np.diff(masks.rows)
    starts = ends(lengths + 1)
    owner = np.repeat(np.arange(len(lengths)), lengths + 1)
    position = np.arange(len(owner)) - starts[:-1][owner]
    runs = np.zeros(len(owner), np.int64)
    runs[position < lengths[owner]] = masks.runs
    step = np.where(position < lengths[owner], position % 2, 0)

    def before(values: Codes) -> Codes:
        sums = np.cumsum(values) - values
        return sums - sums[starts[:-1]][owner]

    return (owner << 32) + before(runs), before(runs * step), step
