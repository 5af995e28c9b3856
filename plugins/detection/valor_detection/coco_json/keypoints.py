"""Keypoints of COCO's JSON, as columns of a batch."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from attrs import evolve

from valor_core.errors import ReadError, and_more
from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry import Keypoints
from valor_core.schemas.geometry.shapes import ends
from valor_detection.coco_json.records import NUM_KEYPOINTS, Document


def keypoints_of(document: Document, rows: Codes | None, name: Callable[[int], str]) -> Keypoints:
    """Return keypoints of annotations.

    Parameters
    ----------
    document : Document
        Annotations, scanned with their keypoints.
    rows : ndarray of int64, optional
        Selected rows in order. Defaults to all.
    name : callable
        Returns the name of a row for messages.

    Raises
    ------
    ReadError
        If the number of entries of an annotation is not a multiple of 3.
    """
    annotations = document.annotations
    counts = annotations.point_counts
    bad = np.flatnonzero(counts % 3)
    if len(bad):
        raise ReadError(
            f"{name(int(bad[0]))}, keypoints: expected x, y and visibility of each point, "
            f"found {counts[bad[0]]} numbers{and_more(len(bad) - 1)}",
            'Write three numbers for each point: "keypoints": [x1, y1, v1, x2, y2, v2, …].',
        )
    points, starts = annotations.points.reshape(-1, 3), ends(counts // 3)
    has_count = annotations.found & NUM_KEYPOINTS > 0
    if has_count.all() or document.is_list:  # the number is of ground truths only
        found = Keypoints(points, starts, annotations.labeled)
    else:
        found = Keypoints(points, starts)
        found = evolve(found, labeled=np.where(has_count, annotations.labeled, found.labeled))
    return found if rows is None else found.select(rows)


def boxes_of_points(keypoints: Keypoints) -> Floats:
    """Return x, y, width and height of the box around all points of each row.

    Examples
    --------
    >>> boxes_of_points(Keypoints([(1, 5, 2), (4, 3, 0)], [0, 2]))
    array([[1., 3., 3., 2.]])
    """
    if not len(keypoints):
        return np.empty((0, 4))
    columns = [np.ascontiguousarray(column) for column in keypoints.points.T[:2]]
    low, high = (
        np.stack([bound.reduceat(column, keypoints.rows[:-1]) for column in columns], axis=1)
        for bound in (np.minimum, np.maximum)
    )
    return np.concatenate([low, high - low], axis=1)
