"""Columns that kernels of matching and analysis read, as in the structs of the C code."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry import Keypoints
from valor_core.schemas.geometry.shapes import ends, gathered

Bits = NDArray[np.uint64]
Flags = NDArray[np.bool_]
Kinds = NDArray[np.uint8]
Ranks = NDArray[np.int32]


class PairColumns(NamedTuple):
    """Pairs of a ground truth and a prediction that overlap, and their ground truths.

    Parameters
    ----------
    starts : ndarray of int64, shape (p + 1,)
        Offsets of the pairs of each prediction, in the order of matching.
    truths, ious : ndarray of int64 and of float64, shape (n,)
        Row of the ground truth, ascending within a prediction, and IoU of each pair.
    crowd, ignored : ndarray of bool, shape (g,)
        Flags of ground truths: those that any number of predictions can match, as crowds, and those
        that are not counted.
    """

    starts: Codes
    truths: Codes
    ious: Floats
    crowd: Flags
    ignored: Flags


class RankedColumns(NamedTuple):
    """Predictions by group and descending score, and their matches.

    Parameters
    ----------
    starts : ndarray of int64, shape (k + 1,)
        Offsets of the groups in `order`.
    order : ndarray of int64, shape (d,)
        Rows of predictions by group and descending score.
    positions : ndarray of int32, shape (d,)
        Index of each prediction of `order` among those with pairs, -1 without pairs.
    counts : ndarray of bool, shape (d,)
        True for predictions of `order` within the limit per label and image.
    in_range : ndarray of bool, shape (d,)
        True for rows that are false positives if unmatched.
    matched, ignored_match : ndarray of uint64, shape (p,)
        Thresholds, as bits, with a match, and with an ignored match, of predictions with pairs.
    """

    starts: Codes
    order: Codes
    positions: Ranks
    counts: Flags
    in_range: Flags
    matched: Bits
    ignored_match: Bits


class RankedMatches(NamedTuple):
    """Predictions with a match at any threshold, by group and descending score.

    Parameters
    ----------
    starts : ndarray of int64, shape (k + 1,)
        Offsets of the groups.
    at : ndarray of int64, shape (n,)
        Position of each in the ranking of all predictions.
    false_before : ndarray of int32, shape (n,)
        Number of predictions of the group that rank before each and are never matched.
    counted : ndarray of bool, shape (n,)
        True for predictions that are false positives at thresholds without a match.
    matched, ignored_match : ndarray of uint64, shape (n,)
        Thresholds, as bits, with a match, and with an ignored match.
    threshold_count : int
        Number of thresholds.
    """

    starts: Codes
    at: Codes
    false_before: Ranks
    counted: Flags
    matched: Bits
    ignored_match: Bits
    threshold_count: int

    @classmethod
    def empty(cls, starts: int, most: int, threshold_count: int) -> RankedMatches:
        """Allocate columns for a kernel that writes at most `most` rows."""
        types = np.int64, np.int32, np.bool_, np.uint64, np.uint64
        rows = [np.empty(most, dtype) for dtype in types]
        return cls._make([np.empty(starts, np.int64), *rows, threshold_count])

    @property
    def columns(self) -> tuple[Any, ...]:
        """All columns in order."""
        return self[:-1]

    def head(self, count: int) -> RankedMatches:
        """Return the first rows."""
        rows = [column[:count] for column in self.columns[1:]]
        return RankedMatches._make([self.starts, *rows, self.threshold_count])


class FaultColumns(NamedTuple):
    """Predictions with their pairs and labels, and which of them are wrong.

    Parameters
    ----------
    starts, truths, ious : ndarray
        Pairs of all predictions, as returned by `matching.box_pairs`.
    labels, true_labels : ndarray of int64, shapes (d,) and (g,)
        Label of each prediction and ground truth.
    crowd : ndarray of bool, shape (g,)
        True for crowds.
    is_false : ndarray of bool, shape (d,)
        True for false positives.
    used : ndarray of bool, shape (g,)
        True for matched ground truths.
    """

    starts: Codes
    truths: Codes
    ious: Floats
    labels: Codes
    true_labels: Codes
    crowd: Flags
    is_false: Flags
    used: Flags


class ErrorColumns(NamedTuple):
    """True positives and errors by label and descending score, and the repaired errors.

    Parameters
    ----------
    starts : ndarray of int64, shape (k + 1,)
        Offsets of the labels in `rows`.
    rows : ndarray of int64, shape (n,)
        Predictions by label and descending score.
    is_true : ndarray of bool, shape (n,)
        True for true positives.
    scores : ndarray of float64, shape (d,)
        Scores by row.
    numbers : ndarray of int32, shape (d,)
        Index of each row's error, -1 for no error and for background errors.
    kinds : ndarray of uint8, shape (e,)
        Kind of each error.
    is_repaired : ndarray of bool, shape (e,)
        True for errors that match their ground truth once errors of their kind are repaired.
    moved_starts : ndarray of int64, shape (k + 1,)
        Offsets of the labels in `moved_scores`.
    moved_scores : ndarray of float64, shape (m,)
        Scores of repaired classification errors by their new label, descending in a label.
    """

    starts: Codes
    rows: Codes
    is_true: Flags
    scores: Floats
    numbers: Ranks
    kinds: Kinds
    is_repaired: Flags
    moved_starts: Codes
    moved_scores: Floats


class GroupedMatches(NamedTuple):
    """Matched predictions, and groups of images that are counted with weights.

    Parameters
    ----------
    ranked : RankedMatches
        Predictions with a match at any threshold.
    groups : ndarray of int32, shape (n,)
        Group of the image of each.
    false_starts : ndarray of int64, shape (k + 1,)
        Offsets of the labels in `false_groups`.
    false_groups : ndarray of int32, shape (m,)
        Group of the image of each counted prediction that is never matched, as ranked.
    """

    ranked: RankedMatches
    groups: Ranks
    false_starts: Codes
    false_groups: Ranks


class KeypointColumns(NamedTuple):
    """Keypoints of the objects of one side.

    Parameters
    ----------
    datums, groups : ndarray of int64, shape (n,)
        Image of each object, ascending, and its group. Only objects of one group are compared.
    points : ndarray of float64, shape (n_points, 3)
        x, y and visibility.
    rows : ndarray of int64, shape (n,) or (n + 1,)
        Offset of the first point of each object.
    """

    datums: Codes
    groups: Codes
    points: Floats
    rows: Codes


class KeypointRows(Keypoints):
    """Keypoints at any offsets of an array, such as those of a file whose rows are sorted.

    Selecting rows copies no points. Reading `points` or `rows` copies them.

    Parameters
    ----------
    whole : ndarray of float64, shape (n_points, 3)
        x, y and visibility, finite.
    starts, counts : ndarray of int64, shape (n,)
        Offset of the first point of each row, and its number of points.
    labeled : ndarray of int64, shape (n,), optional
        Number of labelled points. Defaults to the points with a visibility above 0.

    Examples
    --------
    >>> whole = np.array([[3.0, 4, 2], [5, 6, 0]])
    >>> rows = KeypointRows(whole, np.array([1, 0]), np.array([1, 1]))
    >>> rows.points, rows.labeled
    (array([[5., 6., 0.],
           [3., 4., 2.]]), array([0, 1]))
    """

    __slots__ = ("_copied", "counts", "starts", "whole")

    whole: Floats
    starts: Codes
    counts: Codes
    _copied: Keypoints | None

    def __init__(
        self, whole: Floats, starts: Codes, counts: Codes, labeled: Codes | None = None
    ) -> None:
        values = {"whole": whole, "starts": starts, "counts": counts, "_copied": None}
        for name, value in values.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "labeled", self._copy.labeled if labeled is None else labeled)

    @classmethod
    def at_offsets(cls, keypoints: Keypoints) -> KeypointRows:
        """Return the rows of any keypoints without a copy of points."""
        if isinstance(keypoints, KeypointRows):
            return keypoints
        counts = np.diff(keypoints.rows)
        return cls(keypoints.points, keypoints.rows[:-1], counts, keypoints.labeled)

    def __len__(self) -> int:
        return len(self.starts)

    def __reduce__(self) -> tuple[Any, ...]:
        return Keypoints, (self.points, self.rows, self.labeled)

    def select(self, positions: Codes) -> Keypoints:
        """Return the given rows."""
        columns = (column[positions] for column in (self.starts, self.counts, self.labeled))
        return KeypointRows(self.whole, *columns)

    @property
    def points(self) -> Floats:
        """Points of the rows, one row after another."""
        return self._copy.points

    @property
    def rows(self) -> Codes:
        """Offsets of the rows in `points`, and the number of points."""
        return self._copy.rows

    @property
    def _copy(self) -> Keypoints:
        if self._copied is None:
            bounds = np.stack([self.starts, self.starts + self.counts], axis=1).reshape(-1)
            elements = gathered(bounds, 2 * np.arange(len(self)))[0]
            copied = Keypoints(self.whole[elements], ends(self.counts))
            object.__setattr__(self, "_copied", copied)
            return copied
        return self._copied


class TrueKeypoints(NamedTuple):
    """Further columns of the keypoints of ground truths.

    Parameters
    ----------
    boxes : ndarray of float64, shape (n, 4)
        x, y, width and height.
    areas : ndarray of float64, shape (n,)
        Areas, 0 or more.
    variances : ndarray of float64, shape (n_variances,)
        Squares of twice the sigma of each point of each group.
    variance_rows : ndarray of int64, shape (n_groups + 1,)
        Offsets of the variances of each group, and their number.
    """

    boxes: Floats
    areas: Floats
    variances: Floats
    variance_rows: Codes
