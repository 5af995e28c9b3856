"""Calibration and error analysis, in NumPy."""

from __future__ import annotations

from collections import deque
from itertools import pairwise

import numpy as np

from valor_core.schemas import Codes, Floats
from valor_core.states import ExactSums
from valor_detection.kernels.columns import ErrorColumns, FaultColumns, Flags, Kinds, RankedMatches

CLASSIFICATION, LOCALIZATION, BOTH, DUPLICATE, BACKGROUND = range(5)
"""Kinds of errors that a prediction can have."""

NOTHING = 5
"""Index of the bit for no repair, after the bits of the kinds."""


def reliability(
    labels: Codes,
    scores: Floats,
    right: Flags,
    wrong: Flags,
    score_threshold: float,
    groups: Codes,
    group_count: int,
    edges: Floats,
) -> tuple[Codes, Codes, Floats, Codes]:
    """Count true and false positives of each group in bins of the score.

    Parameters
    ----------
    labels : ndarray of int64, shape (d,)
        Label of each prediction.
    scores : ndarray of float64, shape (d,)
        Scores; scores outside [0, 1] are in no bin.
    right, wrong : ndarray of bool, shape (d,)
        True for true and for false positives. Other predictions are excluded.
    score_threshold : float
        Minimum score of counted predictions.
    groups : ndarray of int64, shape (k,)
        Group of each label.
    group_count : int
        Number of groups.
    edges : ndarray of float64, shape (b - 1,)
        Upper edge of each bin except the last, ascending, about 1 / b apart.

    Returns
    -------
    counts, hits : ndarray of int64, shape (n_groups, b)
        Numbers of predictions and of true positives.
    sums : ndarray of float64, shape (n_groups, b)
        Sums of the scores, correctly rounded.
    outside : ndarray of int64, shape (n_groups,)
        Numbers of scores outside [0, 1].

    Examples
    --------
    >>> labels, scores = np.array([0, 0, 1]), np.array([0.25, 0.75, 1.5])
    >>> right = np.array([False, True, True])
    >>> edges = np.array([0.5])
    >>> reliability(labels, scores, right, ~right, 0.0, np.array([0, 1]), 2, edges)[2:]
    (array([[0.25, 0.75],
           [0.  , 0.  ]]), array([0, 1]))
    """
    size = len(edges) + 1
    passes = (right | wrong) & (scores >= score_threshold)
    is_outside = passes & ((scores < 0) | (scores > 1))
    outside = np.bincount(groups[labels[is_outside]], minlength=group_count)
    rows = np.flatnonzero(passes & ~is_outside)
    cells = groups[labels[rows]] * size + np.searchsorted(edges, scores[rows])
    sums = ExactSums()
    sums.grow(group_count * size)
    sums.add(cells, scores[rows])
    counts = np.bincount(cells, minlength=group_count * size)
    hits = np.bincount(cells[right[rows]], minlength=group_count * size)
    shape = (group_count, size)
    return counts.reshape(shape), hits.reshape(shape), sums.values.reshape(shape), outside


def faults(
    columns: FaultColumns, foreground: float, background: float
) -> tuple[Codes, Kinds, Codes]:
    """Classify false positives, except background errors.

    The first kind that fits counts: `LOCALIZATION` if the greatest IoU with a ground truth of the
    same label is below the foreground; `CLASSIFICATION` if the greatest IoU with one of another
    label reaches it; `DUPLICATE` if an IoU with a matched one of the same label reaches it;
    `BACKGROUND` if no IoU is above the background; otherwise `BOTH`. Crowds and IoUs below the
    background are skipped.

    Parameters
    ----------
    columns : FaultColumns
        Predictions, their pairs and labels.
    foreground, background : float
        Minimum IoU of a match, and maximum IoU of a background error.

    Returns
    -------
    rows : ndarray of int64, shape (n,)
        Rows of the predictions, ascending.
    kinds : ndarray of uint8, shape (n,)
        Kind of each error.
    targets : ndarray of int64, shape (n,)
        Ground truth with the greatest IoU, the first one of equals, for localization and
        classification errors; -1 for other errors.

    Examples
    --------
    >>> zero, no = np.zeros(1, np.int64), np.array([False])
    >>> pair = (np.array([0, 1]), zero, np.array([0.25]))
    >>> faults(FaultColumns(*pair, zero, zero, no, ~no, no), 0.5, 0.1)
    (array([0]), array([1], dtype=uint8), array([0]))
    """
    starts, truths, ious, labels, true_labels, crowd, is_false, used = columns
    found = []
    for row in np.flatnonzero(is_false).tolist():
        own = slice(starts[row], starts[row + 1])
        pairs = [
            (iou, truth)
            for iou, truth in zip(ious[own].tolist(), truths[own].tolist(), strict=True)
            if iou >= background and not crowd[truth]
        ]
        same = [pair for pair in pairs if true_labels[pair[1]] == labels[row]]
        other = [pair for pair in pairs if true_labels[pair[1]] != labels[row]]
        (near, nearest), (mistaken, confused) = _greatest(same), _greatest(other)
        if 0 < near < foreground:
            found.append((row, LOCALIZATION, nearest))
        elif mistaken >= foreground:
            found.append((row, CLASSIFICATION, confused))
        elif any(iou >= foreground and used[truth] for iou, truth in same):
            found.append((row, DUPLICATE, -1))
        elif max(near, mistaken) > background:
            found.append((row, BOTH, -1))
    rows, kinds, targets = np.array(found, np.int64).reshape(-1, 3).T.copy()
    return rows, kinds.astype(np.uint8), targets


def _greatest(pairs: list[tuple[float, int]]) -> tuple[float, int]:
    """Return the greatest IoU and its first ground truth; 0 and -1 without pairs."""
    return max(pairs, key=lambda pair: pair[0], default=(0.0, -1))


def repairs(columns: ErrorColumns) -> RankedMatches:
    """Return true positives and errors, with the errors of each kind repaired at its bit.

    An error is ignored at the bit of its kind. A repaired localization error is a match instead. A
    repaired classification error is a match in a separate row of the other label, after all
    predictions with the same or a greater score. Background errors are only counted, because most
    errors are of this kind.

    Parameters
    ----------
    columns : ErrorColumns
        True positives and errors.

    Returns
    -------
    RankedMatches
        With six thresholds: the kinds, and no repair.

    Examples
    --------
    >>> starts, rows = np.array([0, 2]), np.array([0, 1])
    >>> is_true, scores = np.array([True, False]), np.array([0.75, 0.25])
    >>> errors = np.array([-1, 0], np.int32), np.array([LOCALIZATION], np.uint8), is_true[:1]
    >>> nothing = np.zeros(2, np.int64), np.empty(0)
    >>> repairs(ErrorColumns(starts, rows, is_true, scores, *errors, *nothing)).matched
    array([63,  2], dtype=uint64)
    """
    starts, rows, is_true, scores, numbers, kinds, is_repaired = columns[:-2]
    found: list[tuple[int, int, bool, int, int]] = []
    offsets = []
    for label, (first, last) in enumerate(pairwise(starts.tolist())):
        offsets.append(len(found))
        own = slice(*columns.moved_starts[label : label + 2])
        moved = deque(columns.moved_scores[own].tolist())
        background = 0
        for at in range(first, last + 1):
            while moved and (at == last or scores[rows[at]] < moved[0]):
                found.append((at, background, False, 1 << CLASSIFICATION, 0))
                moved.popleft()
            if at == last:
                break
            number = int(numbers[rows[at]])
            if is_true[at]:
                found.append((at, background, False, (1 << NOTHING + 1) - 1, 0))
            elif number < 0:
                background += 1
            else:
                bit = 1 << int(kinds[number])
                is_found = is_repaired[number] and kinds[number] == LOCALIZATION
                found.append((at, background, True, bit, 0 if is_found else bit))
    offsets.append(len(found))
    table = np.array(found, np.int64).reshape(-1, 5).T
    return RankedMatches(
        starts=np.array(offsets),
        at=table[0].copy(),
        false_before=table[1].astype(np.int32),
        counted=table[2].astype(np.bool_),
        matched=table[3].astype(np.uint64),
        ignored_match=table[4].astype(np.uint64),
        threshold_count=NOTHING + 1,
    )
