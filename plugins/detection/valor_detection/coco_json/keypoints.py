"""Keypoints of COCO's JSON, as columns of a batch."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from valor_core.errors import ReadError, and_more
from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry import Keypoints
from valor_detection.coco_json.records import NUM_KEYPOINTS, Document
from valor_detection.kernels import keypoints as kernels
from valor_detection.kernels.columns import KeypointRows


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
    columns = annotations.points.reshape(-1, 3), annotations.point_starts // 3, counts // 3
    labeled, has_count = annotations.labeled, annotations.found & NUM_KEYPOINTS > 0
    if not (has_count.all() or document.is_list):  # the number is of ground truths only
        labeled = np.where(has_count, labeled, KeypointRows(*columns).labeled)
    found = KeypointRows(*columns, labeled)
    return found if rows is None else found.select(rows)


def boxes_of_points(keypoints: Keypoints) -> Floats:
    """Return x, y, width and height of the box around all points of each row.

    Examples
    --------
    >>> boxes_of_points(Keypoints([(1, 5, 2), (4, 3, 0)], [0, 2]))
    array([[1., 3., 3., 2.]])
    """
    rows = KeypointRows.at_offsets(keypoints)
    return kernels.point_boxes(rows.whole, rows.starts, rows.counts)
