"""Batches from rows of boxes and masks in any order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

import numpy as np
from attrs import evolve, fields, frozen
from numpy.typing import NDArray

from valor_core.errors import SchemaError, and_more
from valor_core.schemas import Codes, Datums, Floats, Label
from valor_core.schemas.detection import DetectionBatch, PredictedObjects, TrueObjects
from valor_core.schemas.detection.objects import scores_outside
from valor_core.schemas.geometry import Keypoints, Shapes
from valor_detection.geometry.validity import Place, Policy, checked_shapes
from valor_detection.kernels import matching as kernels
from valor_detection.parameters.fields import check_choice
from valor_detection.parameters.tables import BoxFormat

__all__ = ["BoxFormat", "Rows", "batch_of_rows", "check_format", "checked_rows", "upright"]


@frozen(eq=False, kw_only=True)
class Rows:
    """Objects of one side, one row each, in any order.

    Parameters
    ----------
    images : ndarray of int64, shape (n,)
        Position of the image.
    labels : ndarray of int64, shape (n,)
        Label code.
    shapes : Shapes
        Shapes.
    scores : ndarray of float, shape (n,), optional
        Scores, for predictions.
    crowd : ndarray of bool, shape (n,), optional
        Crowd flags, for ground truths.
    ignored : ndarray of bool, shape (n,), optional
        Flags of ground truths that count neither way.
    areas : ndarray of float64, shape (n,), optional
        Areas from the data, for ground truths.
    annotations : ndarray of int64, shape (n,), optional
        Position of each object within its image. By default the order of the rows.
    keypoints : Keypoints, optional
        Keypoints of each row.
    """

    images: Codes
    labels: Codes
    shapes: Shapes
    scores: Floats | None = None
    crowd: NDArray[np.bool_] | None = None
    ignored: NDArray[np.bool_] | None = None
    areas: Floats | None = None
    annotations: Codes | None = None
    keypoints: Keypoints | None = None

    def select(self, rows: Codes) -> Rows:
        """Return the given rows."""
        columns: dict[str, Any] = {
            field.name: column[rows] if isinstance(column, np.ndarray) else column.select(rows)
            for field in fields(Rows)
            if (column := getattr(self, field.name)) is not None
        }
        return Rows(**columns)


def batch_of_rows(
    datums: Datums,
    labels: Sequence[Label],
    truths: Rows,
    predictions: Rows,
    sizes: Codes | None = None,
    label_ids: Codes | None = None,
    left_out: Mapping[str, int] | None = None,
) -> DetectionBatch:
    """Build a batch from rows of both sides; rows of an image keep their order.

    Parameters
    ----------
    datums : Datums
        The images.
    labels : sequence of Label
        The vocabulary.
    truths, predictions : Rows
        Both sides; predictions have scores.
    sizes : ndarray of int64, shape (n_images, 2), optional
        Height and width of every image.
    label_ids : ndarray of int64, optional
        Numbers of the labels in the data.
    left_out : mapping of str to int, optional
        Counts of excluded or repaired objects.

    Examples
    --------
    >>> def rows(**fields):
    ...     return Rows(images=np.array([0]), labels=np.array([0]), **fields)
    >>> box = Shapes([[0.0, 0.0, 2.0, 1.0]])
    >>> predictions = rows(shapes=box, scores=np.array([0.5]))
    >>> label = Label("class", "dog")
    >>> batch_of_rows(Datums(["a"]), [label], rows(shapes=box), predictions).predictions.areas
    array([2.])
    """
    order = kernels.grouped_order(truths.images, len(datums))
    true = TrueObjects(
        **_columns(truths, order),
        crowd=_flags(truths.crowd, order),
        ignored=_flags(truths.ignored, order),
    )
    order = kernels.grouped_order(predictions.images, len(datums))
    scores = np.empty(0) if predictions.scores is None else predictions.scores
    predicted = PredictedObjects(**_columns(predictions, order), scores=scores[order])
    counts = {**(left_out or {}), **scores_outside(scores)}
    return DetectionBatch(datums, tuple(labels), true, predicted, sizes, label_ids, counts)


def _flags(flags: NDArray[np.bool_] | None, order: Codes) -> NDArray[np.bool_]:
    return np.zeros(len(order), bool) if flags is None else flags[order]


def _columns(rows: Rows, order: Codes) -> dict[str, Any]:
    """Return the columns that both sides have."""
    shapes = rows.shapes.select(order)
    columns = {
        "datums": rows.images[order],
        "labels": rows.labels[order],
        "shapes": shapes,
        "areas": shapes.areas if rows.areas is None else rows.areas[order],
        "keypoints": None if rows.keypoints is None else rows.keypoints.select(order),
    }
    if rows.annotations is not None:
        columns["annotations"] = rows.annotations[order]
    return columns


def checked_rows(
    rows: Rows, sizes: Codes | None, policy: Policy, side: str, where: Place
) -> tuple[Rows, dict[str, int]]:
    """Return the rows accepted by a policy, and counts of excluded or repaired rows.

    Parameters
    ----------
    rows : Rows
        Rows of one side.
    sizes : ndarray of int64, shape (n_images, 2), optional
        Height and width of every image; 0 where unknown.
    policy : {"error", "repair", "skip", "accept"}
        Policy for invalid boxes and masks.
    side : str
        ``groundtruths`` or ``predictions``, for the counts.
    where : callable
        Returns the name of a row for messages.

    Raises
    ------
    SchemaError
        If a box or mask is rejected.

    Examples
    --------
    >>> boxes = Shapes([[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 2.0, 1.0]])
    >>> rows = Rows(images=np.array([0, 0]), labels=np.array([0, 0]), shapes=boxes)
    >>> rows, counts = checked_rows(rows, None, "skip", "groundtruths", str)
    >>> rows.shapes.boxes, rows.annotations, counts
    (array([[0., 0., 2., 1.]]), array([1]), {'groundtruths left out: zero area': 1})
    """
    image_sizes = None if sizes is None else sizes[rows.images]
    found = checked_shapes(rows.shapes, image_sizes, policy, side, where)
    if not found.counts:
        return rows, {}
    kept = found.kept
    given = evolve(rows, annotations=positions_in_images(rows.images)).select(kept)
    areas = given.areas
    if areas is not None:
        areas = np.where(found.is_repaired, found.shapes.areas, areas)
    return evolve(given, shapes=found.shapes, areas=areas), found.counts


def positions_in_images(images: Codes) -> Codes:
    """Return the position of each row within its image."""
    order = np.argsort(images, kind="stable")
    positions = np.empty_like(order)
    positions[order] = np.arange(len(order)) - np.searchsorted(images[order], images[order])
    return positions


def check_format(value: object) -> None:
    """Raise a `ParameterError` for an unknown box format.

    Examples
    --------
    >>> check_format("xyxyn")
    Traceback (most recent call last):
        ...
    valor_core.errors.ParameterError: box_format: expected one of xyxy, xywh, cxcywh, got 'xyxyn'
    Did you mean 'xyxy'?
    """
    check_choice("box_format", value, get_args(BoxFormat))


def upright(
    boxes: Floats, box_format: BoxFormat, where: Callable[[int], str], policy: Policy = "error"
) -> Floats:
    """Convert boxes to x, y, width and height.

    Parameters
    ----------
    boxes : ndarray of float64, shape (n, 4)
        Boxes in `box_format`.
    box_format : {"xyxy", "xywh", "cxcywh"}
        Format of the boxes.
    where : callable
        Returns the name of a row for messages.
    policy : {"error", "repair", "skip", "accept"}
        Under ``repair`` and ``skip`` invalid boxes pass; `checked_rows` handles them.

    Raises
    ------
    SchemaError
        If a number is not finite, or a width or height is negative.

    Examples
    --------
    >>> upright(np.array([[5.0, 5.0, 2.0, 4.0]]), "cxcywh", str)
    array([[4., 3., 2., 4.]])
    """
    found = np.array(boxes, np.float64).reshape(-1, 4)
    with np.errstate(over="ignore", invalid="ignore"):
        if box_format == "xyxy":
            found[:, 2:] -= found[:, :2]
        elif box_format == "cxcywh":
            found[:, :2] -= found[:, 2:] / 2
    if policy in ("repair", "skip"):
        return found
    bad = np.flatnonzero(~np.isfinite(found).all(axis=1) | (found[:, 2:] < 0).any(axis=1))
    if len(bad):
        given = np.asarray(boxes).reshape(-1, 4)[bad[0]].tolist()
        raise SchemaError(
            f"{where(int(bad[0]))}: expected a box of finite numbers with a width and height of 0 "
            f"or more, found {given} as {box_format}{and_more(len(bad) - 1)}",
            "Set box_format to xyxy, xywh or cxcywh.",
        )
    return found
