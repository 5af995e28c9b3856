"""Detection items: images and the objects in them."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import numpy as np
from attrs import field, frozen
from attrs.converters import optional

from valor_core.errors import SchemaError, short_repr
from valor_core.schemas.columns import BY_CONTENT, Floats, as_float
from valor_core.schemas.datum import Uid, as_uid, metadata_field, uid_field
from valor_core.schemas.geometry.geometry import Geometry
from valor_core.schemas.geometry.shapes import keypoints_of
from valor_core.schemas.label import Label, as_labels, as_scored_labels

_SIDE_LIMIT = 1 << 31  # pixels


def _scored_labels(value: Any) -> tuple[tuple[Label, float], ...]:
    return as_scored_labels(value, "labels")


def _flag(value: Any, name: str) -> bool:
    if not isinstance(value, (bool, int, np.bool_, np.integer)) or value not in (0, 1):
        raise SchemaError(f"TrueObject: {name} must be true or false, got {short_repr(value)}")
    return bool(value)


def _crowd(value: Any) -> bool:
    return _flag(value, "is_crowd")


def _ignored(value: Any) -> bool:
    return _flag(value, "ignored")


def _searched(value: Any) -> tuple[Label, ...] | None:
    return None if value is None else as_labels(value)


def _area(value: Any) -> float | None:
    if value is None:
        return None
    is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not is_number or not math.isfinite(as_float(value)):
        raise SchemaError(f"TrueObject: area must be a finite number, got {short_repr(value)}")
    return float(value)


def _count(value: Any) -> int | None:
    if value is None or (isinstance(value, (int, np.integer)) and value >= 0):
        return None if value is None else int(value)
    raise SchemaError(f"TrueObject: num_keypoints must be 0 or more, got {short_repr(value)}")


def _check_geometry(instance: Any, _: Any, value: Any) -> None:
    if not isinstance(value, Geometry):
        name = type(instance).__name__
        raise SchemaError(
            f"{name}: geometry must be a Box, Polygon or Mask, got {short_repr(value)}"
        )


@frozen
class TrueObject:
    """Object in the ground truth of an image.

    Parameters
    ----------
    labels : label or sequence of labels
        One label per label key. A bare string is a value with the key ``class``.
    geometry : Box, RotatedBox, Polygon, MultiPolygon or Mask
        Geometry in the image.
    is_crowd : bool
        Whether it is a crowd: any number of predictions can match it, and none of them counts.
    area : float, optional
        Area that area ranges refer to. Defaults to the area of the geometry.
    uid : str or int, optional
        Name of the object.
    ignored : bool
        Whether the object counts neither way, as VOC's difficult ones: a prediction matched to it
        is neither a true nor a false positive.
    keypoints : array of float, shape (k, 3) or (k, 2), optional
        x, y and visibility of the points. Points with a visibility above 0, which is the default,
        are labelled.
    num_keypoints : int, optional
        Number of labelled points. Defaults to those of `keypoints`.
    """

    labels: tuple[Label, ...] = field(converter=as_labels)
    geometry: Geometry = field(validator=_check_geometry)
    is_crowd: bool = field(default=False, converter=_crowd)
    area: float | None = field(default=None, converter=_area)
    uid: Uid | None = field(default=None, converter=as_uid)
    ignored: bool = field(default=False, converter=_ignored)
    keypoints: Floats | None = field(default=None, converter=optional(keypoints_of), eq=BY_CONTENT)
    num_keypoints: int | None = field(default=None, converter=_count)


@frozen
class PredictedObject:
    """Object predicted by a model.

    Parameters
    ----------
    labels : mapping of label to score, or sequence of (label, score)
        Labels with scores.
    geometry : Box, RotatedBox, Polygon, MultiPolygon or Mask
        Geometry in the image.
    uid : str or int, optional
        Name of the object.
    keypoints : array of float, shape (k, 3) or (k, 2), optional
        x, y and confidence of the points. No metric reads the confidences.

    Examples
    --------
    >>> from valor_core.schemas.geometry.geometry import Box
    >>> PredictedObject({"dog": 0.75}, Box(0, 0, 2, 1)).labels
    ((Label(key='class', value='dog'), 0.75),)
    """

    labels: tuple[tuple[Label, float], ...] = field(converter=_scored_labels)
    geometry: Geometry = field(validator=_check_geometry)
    uid: Uid | None = field(default=None, converter=as_uid)
    keypoints: Floats | None = field(default=None, converter=optional(keypoints_of), eq=BY_CONTENT)


def _tuple(values: Any) -> tuple[Any, ...]:
    if not isinstance(values, Iterable):
        raise SchemaError(f"Detection: expected a list of objects, got {short_repr(values)}")
    return tuple(values)


def _size(value: Any) -> tuple[int, int] | None:
    if value is None:
        return None
    try:
        height, width = map(operator.index, value)
    except (TypeError, ValueError):
        height = width = -1
    if not (0 <= height < _SIDE_LIMIT and 0 <= width < _SIDE_LIMIT):
        raise SchemaError(
            f"Detection: size must be height and width in whole pixels, got {short_repr(value)}"
        )
    return height, width


@frozen
class Detection:
    """True and predicted objects of one image.

    Parameters
    ----------
    uid : str or int
        Name of the image, unique in the data set.
    groundtruths : sequence of TrueObject
        True objects.
    predictions : sequence of PredictedObject
        Predicted objects, in the order that breaks ties.
    metadata : mapping of str to value, optional
        Fields for slices and filters.
    size : (int, int), optional
        Height and width of the image in pixels.
    searched : sequence of labels, optional
        Labels that annotators searched for in the image; all by default. Unmatched predictions of
        other labels are not counted.

    Examples
    --------
    >>> from valor_core.schemas.geometry.geometry import Box
    >>> item = Detection("img_7", [TrueObject("dog", Box(0, 0, 2, 1))])
    >>> item.groundtruths[0].labels
    (Label(key='class', value='dog'),)
    """

    task: ClassVar[str] = "detection"

    uid: Uid = uid_field()
    groundtruths: tuple[TrueObject, ...] = field(converter=_tuple, default=())
    predictions: tuple[PredictedObject, ...] = field(converter=_tuple, default=())
    metadata: Mapping[str, Any] = metadata_field()
    size: tuple[int, int] | None = field(default=None, converter=_size)
    searched: tuple[Label, ...] | None = field(default=None, converter=_searched)
