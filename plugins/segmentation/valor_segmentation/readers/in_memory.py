"""Segmentation batches from arrays of integers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AnySet
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import SchemaError, error_at, short_repr
from valor_core.schemas import Datums, Vocabulary
from valor_core.schemas.columns import check_not_masked, readable
from valor_core.schemas.segmentation import LabelImage, Layer, Legend, Pixels, SegmentationBatch
from valor_core.schemas.segmentation.legends import (
    ignored_values,
    label_image,
    legend_of,
    pixel_labels,
)
from valor_core.schemas.segmentation.pixels import as_array


def from_arrays(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Sequence[Any] | Mapping[int, Any],
    ignore: int | Iterable[int] | None = None,
    uids: Any = None,
    metadata: Mapping[str, Any] | None = None,
) -> SegmentationBatch:
    """Return a batch of images of integers, each the value of a label.

    Parameters
    ----------
    y_true, y_pred : sequence of array-like of shape (height, width), or stack of them
        True and predicted images.
    labels : sequence of labels, or mapping of int to label or None
        The labels of 1, 2, …, or the label of each value, None for background. 0 is background
        unless the mapping names it. Any other value is an error where a pixel has it.
    ignore : int or iterable of int, optional
        Values of true pixels that do not count.
    uids, metadata : optional
        As in `Datums`; without uids the images are numbered.

    Raises
    ------
    SchemaError
        If a side is not a list of images of whole numbers, labels in a list are not distinct,
        labels have several keys, or the value of a label is to be ignored.

    Examples
    --------
    >>> true, predicted = [[[0, 1, 255]]], [[[0, 0, 1]]]
    >>> names = {0: "road", 1: "car"}
    >>> from_arrays(true, predicted, labels=names, ignore=255).labels
    (Label(key='class', value='road'), Label(key='class', value='car'))
    """
    named, ignored, vocabulary = pixel_labels(labels), ignored_values(ignore), Vocabulary()
    true, predicted = images_of(y_true, "y_true"), images_of(y_pred, "y_pred")
    if len(true) != len(predicted):
        raise SchemaError(
            f"y_true and y_pred: expected as many images, got {len(true):,} and {len(predicted):,}"
        )
    truth = legend_of(named, ignored, vocabulary)
    plain = legend_of(named, (), vocabulary) if ignored else truth
    layer = Layer(_label_maps(true, truth, "y_true"), _label_maps(predicted, plain, "y_pred"))
    datums = Datums.numbers(len(true), metadata) if uids is None else Datums(uids, metadata)
    if len(datums) != len(true):
        raise SchemaError(
            f"uids: expected one for each of {len(true):,} images, got {len(datums):,}"
        )
    return SegmentationBatch(datums, vocabulary.labels, [layer])


def images_of(values: Any, name: str) -> Sequence[Any]:
    """Return the images of a list or a stack.

    Parameters
    ----------
    values : iterable of array-like, or array-like of 3 or more dimensions
        The images.
    name : str
        Name of the images in messages.

    Raises
    ------
    SchemaError
        If the values have no order, or are a single image.

    Examples
    --------
    >>> images_of([[[0, 1]]], "y_true")
    [[[0, 1]]]
    """
    if isinstance(values, Mapping):
        raise SchemaError(
            f"{name}: expected a list of images, got a mapping of {len(values):,}",
            f"Pass the images in the order of their uids: {name}=[images[uid] for uid in uids].",
        )
    if hasattr(values, "__array__"):
        values = as_array(values, name)
    if _is_image(values):
        raise SchemaError(
            f"{name}: expected a list of images, or an array of 3 dimensions, "
            f"got {short_repr(values)}",
            f"Pass one image in a list: {name}=[image].",
        )
    if isinstance(values, (str, bytes, AnySet)) or not isinstance(values, Iterable):
        raise SchemaError(f"{name}: expected a list of images, got {short_repr(values)}")
    return list(values)


def _is_image(values: Any) -> bool:
    """Return whether a value that should be a list of images is a single image."""
    if isinstance(values, np.ndarray):
        return values.ndim < 3 and values.dtype != object and values.shape != (0,)
    if isinstance(values, (list, tuple)):
        return bool(values) and _is_row(values[0])
    return isinstance(values, Pixels) or hasattr(values, "__array_interface__")


def _is_row(values: Any) -> bool:
    if isinstance(values, (list, tuple)):
        return bool(values) and isinstance(values[0], (int, float, np.generic))
    return isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype != object


_FILL = (
    "Fill them: image.filled(255). If such pixels do not count: "
    "from_arrays(groundtruths, predictions, labels=NAMES, ignore=255)."
)


def label_images(groundtruths: Any, predictions: Any) -> SegmentationBatch | None:
    """Make a batch from stacks or lists of label images, with values as label names.

    Examples
    --------
    >>> batch = label_images([[[0, 1], [1, 1]]], [[[0, 1], [0, 1]]])
    >>> [label.value for label in batch.labels]
    ['0', '1']
    >>> label_images([0, 1], [0, 1]) is None
    True
    """
    sides = [_images(groundtruths, "groundtruths"), _images(predictions, "predictions")]
    images = [image for side in sides for image in side or ()]
    if None in sides or not images:
        return None
    values = {value for image in images for value in np.unique(image).tolist()}
    names = {value: str(value) for value in sorted(values)}
    return from_arrays(sides[0], sides[1], labels=names)


def _images(side: Any, name: str) -> Sequence[NDArray[Any]] | None:
    """Return the images of a side if all have whole numbers in two dimensions, else None.

    Masked pixels raise a `SchemaError`.
    """
    if not isinstance(side, (list, tuple)) and len(getattr(side, "shape", ())) != 3:
        return None
    try:
        given = [readable(image) for image in side]
        images = [np.asarray(image) for image in given]
    except (ValueError, TypeError):
        return None
    are_images = all(image.ndim == 2 and image.dtype.kind in "iub" for image in images)
    if not are_images:
        return None
    for i, image in enumerate(given):
        check_not_masked(image, f"{name}[{i}]", _FILL)
    return images


def _label_maps(images: Iterable[Any], legend: Legend, name: str) -> list[LabelImage]:
    """Convert images to label images; error messages contain `name` and the position."""
    maps = []
    for position, image in enumerate(images):
        with error_at(f"{name}[{position}], "):
            maps.append(label_image(image, legend))
    return maps
