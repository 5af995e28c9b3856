"""Rows of boxes and masks, in any order, put together as a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.errors import SchemaError, and_more
from valor_core.schemas.arrays import Codes, Floats
from valor_core.schemas.datum import Datums
from valor_core.schemas.detection import DetectionBatch
from valor_core.schemas.label import Label
from valor_core.schemas.objects import PredictedObjects, TrueObjects
from valor_core.schemas.shapes import MASK, RunLengths, Shapes
from valor_detection.kernels.scanning import grouped_order
from valor_detection.reader_parameters import BoxFormat

__all__ = ["BoxFormat", "Rows", "batch_of_rows", "upright"]


@frozen(eq=False, kw_only=True)
class Rows:
    """Objects of one side, one row each, in any order.

    Parameters
    ----------
    images : ndarray of int64, shape (n,)
        Position of the image.
    labels : ndarray of int64, shape (n,)
        Label code.
    boxes : ndarray of float64, shape (n, 4)
        x, y, width and height.
    scores : ndarray of float64, shape (n,), optional
        Scores; of predictions.
    crowd : ndarray of bool, shape (n,), optional
        Whether it is a crowd; of true objects.
    areas : ndarray of float64, shape (n,), optional
        Areas, if the data give any; of true objects.
    masks : RunLengths, optional
        Masks, whose boxes are in `boxes` then.
    """

    images: Codes
    labels: Codes
    boxes: Floats
    scores: Floats | None = None
    crowd: NDArray[np.bool_] | None = None
    areas: Floats | None = None
    masks: RunLengths | None = None

    def shapes(self, order: Codes) -> Shapes:
        """Geometry of some rows."""
        if self.masks is None:
            return Shapes(self.boxes[order])
        kinds = np.full(len(order), MASK)
        return Shapes(self.boxes[order], kinds, masks=self.masks.select(order))


def batch_of_rows(
    datums: Datums,
    labels: Sequence[Label],
    truths: Rows,
    predictions: Rows,
    sizes: Codes | None = None,
    label_ids: Codes | None = None,
) -> DetectionBatch:
    """The batch that rows of both sides make; rows of an image stay in their order.

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
        Numbers that the data give the labels.

    Examples
    --------
    >>> def rows(**fields):
    ...     return Rows(images=np.array([0]), labels=np.array([0]), **fields)
    >>> box = np.array([[0.0, 0.0, 2.0, 1.0]])
    >>> predictions = rows(boxes=box, scores=np.array([0.5]))
    >>> label = Label("class", "dog")
    >>> batch_of_rows(Datums(["a"]), [label], rows(boxes=box), predictions).predictions.areas
    array([2.])
    """
    order = grouped_order(truths.images, len(datums))
    shapes = truths.shapes(order)
    true = TrueObjects(
        datums=truths.images[order],
        labels=truths.labels[order],
        shapes=shapes,
        crowd=np.zeros(len(order), bool) if truths.crowd is None else truths.crowd[order],
        areas=shapes.areas if truths.areas is None else truths.areas[order],
    )
    order = grouped_order(predictions.images, len(datums))
    shapes = predictions.shapes(order)
    scores = np.empty(0) if predictions.scores is None else predictions.scores
    predicted = PredictedObjects(
        datums=predictions.images[order],
        labels=predictions.labels[order],
        shapes=shapes,
        scores=scores[order],
        areas=shapes.areas,
    )
    return DetectionBatch(datums, tuple(labels), true, predicted, sizes, label_ids)


def upright(boxes: Floats, box_format: BoxFormat, place: Callable[[int], str]) -> Floats:
    """x, y, width and height of boxes that are written in some way.

    Parameters
    ----------
    boxes : ndarray of float64, shape (n, 4)
        The boxes as they are written.
    box_format : {"xyxy", "xywh", "cxcywh"}
        How they are written.
    place : callable
        How a message calls a row.

    Raises
    ------
    SchemaError
        If a number is not finite, or a width or height is below 0; names the row.

    Examples
    --------
    >>> upright(np.array([[5.0, 5.0, 2.0, 4.0]]), "cxcywh", str)
    array([[4., 3., 2., 4.]])
    """
    found = np.array(boxes, np.float64).reshape(-1, 4)
    if box_format == "xyxy":
        found[:, 2:] -= found[:, :2]
    elif box_format == "cxcywh":
        found[:, :2] -= found[:, 2:] / 2
    bad = np.flatnonzero(~np.isfinite(found).all(axis=1) | (found[:, 2:] < 0).any(axis=1))
    if len(bad):
        given = np.asarray(boxes).reshape(-1, 4)[bad[0]].tolist()
        raise SchemaError(
            f"{place(int(bad[0]))}: expected a box of finite numbers with a width and height of 0 "
            f"or more, found {given} as {box_format}{and_more(len(bad) - 1)}",
            "Boxes can be written as xyxy, xywh or cxcywh: see box_format.",
        )
    return found
