"""Annotations: ground truths and predictions of one datum, as the documented calls take them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np
from attrs import field, frozen

from valor_core.errors import ParameterError, SchemaError, and_more, did_you_mean, error_at, shown
from valor_core.schemas.annotation import annotation as given_geometry
from valor_core.schemas.columns import as_score, check_number
from valor_core.schemas.datum import Datum, Uid
from valor_core.schemas.geometry.geometry import (
    Box,
    Geometry,
    Mask,
    MultiPolygon,
    Polygon,
    RotatedBox,
)
from valor_core.schemas.label import DEFAULT_KEY, Label, as_label

_EDGES = ("xmin", "ymin", "xmax", "ymax")
_CORNERS = 4


def bounding_box(value: Any) -> Geometry | None:
    """The box that a value stands for.

    Parameters
    ----------
    value : object
        A geometry; a mapping of ``xmin``, ``ymin``, ``xmax`` and ``ymax``; a ring of four corners,
        or what GeoJSON makes of one. None stays None.

    Returns
    -------
    Box, Polygon or None
        A polygon where the corners are of a box that is turned.

    Raises
    ------
    SchemaError
        If it is something else.

    Examples
    --------
    >>> bounding_box([[(0, 0), (2, 0), (2, 1), (0, 1), (0, 0)]])
    Box(xmin=0.0, ymin=0.0, xmax=2.0, ymax=1.0)
    """
    if value is None or isinstance(value, (Box, RotatedBox)):
        return value
    if isinstance(value, Mapping) and set(value) == set(_EDGES):
        return Box(*(value[edge] for edge in _EDGES))
    if _are_edges(value):
        raise SchemaError(
            f"bounding_box: expected a ring of four corners, got {shown(value)}",
            "Say what the numbers are: {'xmin': …, 'ymin': …, 'xmax': …, 'ymax': …}.",
        )
    outline = polygon(value)
    if not isinstance(outline, Polygon) or len(outline.rings) != 1:
        raise SchemaError(f"bounding_box: expected one ring of four corners, got {shown(value)}")
    corners = outline.rings[0]
    if len(corners) != _CORNERS:
        raise SchemaError(f"bounding_box: expected four corners, got {len(corners)}")
    low, high = corners.min(axis=0), corners.max(axis=0)
    is_straight = ((corners == low) | (corners == high)).all()
    if is_straight and len(np.unique(corners, axis=0)) == _CORNERS:
        return Box(*low.tolist(), *high.tolist())
    return outline


def _are_edges(value: Any) -> bool:
    return (
        isinstance(value, (list, tuple, np.ndarray))
        and len(value) == len(_EDGES)
        and all(isinstance(one, (int, float, np.number)) for one in value)
    )


def polygon(value: Any) -> Geometry | None:
    """The polygon that a value stands for.

    Parameters
    ----------
    value : object
        A geometry; rings of points; GeoJSON of a Polygon or MultiPolygon; a mapping with rings
        under ``value``, as the library of 2024 writes it. None stays None.

    Raises
    ------
    SchemaError
        If it is something else.

    Examples
    --------
    >>> polygon({"type": "Polygon", "coordinates": [[[0, 0], [2, 0], [0, 1], [0, 0]]]}).rings[0]
    array([[0., 0.],
           [2., 0.],
           [0., 1.]])
    """
    if value is None or isinstance(value, (Box, RotatedBox, Polygon, MultiPolygon)):
        return value
    if isinstance(value, Mapping):
        kind = value.get("type", "Polygon")
        rings = value.get("coordinates", value.get("value"))
        if rings is None or kind not in ("Polygon", "MultiPolygon"):
            raise SchemaError(f"polygon: expected GeoJSON of a polygon, got {shown(value)}")
        return MultiPolygon(rings) if kind == "MultiPolygon" else Polygon(rings)
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise SchemaError(f"polygon: expected rings of points, got {shown(value)}")
    return Polygon(value)


def raster(value: Any) -> Mask | None:
    """The mask that a value stands for.

    Parameters
    ----------
    value : object
        A mask; rows of pixels; COCO's run lengths; a mapping with rows of pixels under ``mask``.
        None stays None.

    Raises
    ------
    SchemaError
        If it is something else.

    Examples
    --------
    >>> raster({"mask": [[0, 1], [0, 1]]}).runs
    array([2, 2], dtype=uint32)
    """
    if value is None or isinstance(value, Mask):
        return value
    if isinstance(value, Mapping) and "counts" in value:
        return Mask.from_rle(value)
    pixels = value.get("mask") if isinstance(value, Mapping) else value
    if pixels is None or isinstance(pixels, str):
        raise SchemaError(f"raster: expected rows of pixels or run lengths, got {shown(value)}")
    return Mask.of(pixels)


_P = ParamSpec("_P")
_R = TypeVar("_R")


@frozen
class ScoredLabel:
    """A predicted label with its score.

    Parameters
    ----------
    key, value : str
        As in `Label`.
    score : float
        What the model gave it.

    Examples
    --------
    >>> ScoredLabel("animal", "dog", 0.75).label
    Label(key='animal', value='dog')
    """

    key: str
    value: str
    score: float

    @property
    def label(self) -> Label:
        """The label alone."""
        return Label(self.key, self.value)


def _labels(labels: Any) -> tuple[Label | ScoredLabel, ...]:
    is_one = isinstance(labels, (str, Mapping, Label, ScoredLabel))
    return tuple(map(_label, (labels,) if is_one else labels or ()))


def _label(value: Any) -> Label | ScoredLabel:
    if isinstance(value, ScoredLabel):
        return value
    if not isinstance(value, Mapping):
        return as_label(value)
    _check_keys(value, ("key", "value", "score"), "labels")
    label = as_label({"key": value.get("key", DEFAULT_KEY), "value": value.get("value")})
    score = value.get("score")
    if score is None:
        return label
    check_number(score, f"labels: expected a number as score of '{label}'")
    return ScoredLabel(label.key, label.value, as_score(score))


@frozen
class Annotation:
    """What is said about a datum.

    Parameters
    ----------
    labels : sequence of Label or ScoredLabel
        Labels; scored ones in a prediction.
    metadata : mapping of str to value, optional
        Facts about the annotation.
    bounding_box : Box, RotatedBox, ring of four corners or mapping, optional
        Where the object is, as a box.
    polygon : Polygon, MultiPolygon, rings or GeoJSON, optional
        Where it is, as a polygon.
    raster : Mask, rows of pixels or run lengths, optional
        Where it is, as pixels.
    is_instance : bool, optional
        Whether the geometry is of one object, and not of all that has the label.

    Raises
    ------
    SchemaError
        If a geometry cannot be understood, or there are several.

    Examples
    --------
    >>> Annotation(["dog"], bounding_box=[(0, 0), (2, 0), (2, 1), (0, 1)]).geometry
    Box(xmin=0.0, ymin=0.0, xmax=2.0, ymax=1.0)
    """

    labels: tuple[Label | ScoredLabel, ...] = field(default=(), converter=_labels)
    metadata: Mapping[str, Any] = field(factory=dict)
    bounding_box: Geometry | None = field(
        default=None, converter=given_geometry.bounding_box, kw_only=True
    )
    polygon: Geometry | None = field(default=None, converter=given_geometry.polygon, kw_only=True)
    raster: Mask | None = field(default=None, converter=given_geometry.raster, kw_only=True)
    is_instance: bool | None = field(default=None, kw_only=True)

    def __attrs_post_init__(self) -> None:
        given = [name for name in _GEOMETRIES if getattr(self, name) is not None]
        if len(given) > 1:
            raise SchemaError(f"Annotation: expected one geometry, got {' and '.join(given)}")

    @property
    def geometry(self) -> Geometry | None:
        """Where it is, or None where that is not said."""
        given = (getattr(self, name) for name in _GEOMETRIES)
        return next((geometry for geometry in given if geometry is not None), None)


_GEOMETRIES = ("bounding_box", "polygon", "raster")

SIDES = ("height", "width")
"""Facts of a datum that are the size of its image, in pixels."""

_OF_OTHER_TASKS = ("text", "context_list", "embedding", "implied_task_types")
"""Keys that the library of 2024 writes besides; they are passed over."""


def _check_keys(
    value: Mapping[str, Any], known: Sequence[str], place: str, passed_over: Sequence[str] = ()
) -> None:
    """Raise a `SchemaError` that names the first key that has no meaning."""
    unknown = [key for key in value if key not in known and key not in passed_over]
    if unknown:
        raise SchemaError(
            f"{place}: expected no keys but {', '.join(known)}, got {shown(unknown[0])} in "
            f"{shown(value)}{and_more(len(unknown) - 1)}",
            did_you_mean(str(unknown[0]), known),
        )


def _datum(value: Any) -> Datum:
    if isinstance(value, Datum):
        return value
    if isinstance(value, Mapping):
        _check_keys(value, ("uid", "metadata"), "datum", _OF_OTHER_TASKS)
        uid: Any = value.get("uid")
        return Datum(uid, value.get("metadata", {}))
    if isinstance(value, (str, int)):
        return Datum(value)
    raise SchemaError(f"datum: expected a Datum or its uid, got {shown(value)}")


def _annotations(values: Any) -> tuple[Annotation, ...]:
    read = []
    for place, value in enumerate(values or ()):
        with error_at(f"annotations[{place}]: "):
            read.append(value if isinstance(value, Annotation) else _annotation(value))
    return tuple(read)


def _annotation(value: Any) -> Annotation:
    if isinstance(value, Mapping):
        names = ("labels", "metadata", *_GEOMETRIES, "is_instance")
        _check_keys(value, names, "Annotation", _OF_OTHER_TASKS)
        where = {name: value.get(name) for name in (*_GEOMETRIES, "is_instance")}
        return Annotation(value.get("labels"), value.get("metadata") or {}, **where)
    raise SchemaError(f"expected an Annotation or a dictionary like it, got {shown(value)}")


@frozen
class GroundTruth:
    """The truth about a datum.

    Parameters
    ----------
    datum : Datum, str or int
        The item.
    annotations : sequence of Annotation
        What is true of it.
    """

    datum: Datum = field(converter=_datum)
    annotations: Sequence[Annotation] = field(default=(), converter=_annotations)


@frozen
class Prediction:
    """What a model says about a datum; its labels have scores.

    Parameters
    ----------
    datum : Datum, str or int
        The item.
    annotations : sequence of Annotation
        What is predicted of it.
    """

    datum: Datum = field(converter=_datum)
    annotations: Sequence[Annotation] = field(default=(), converter=_annotations)


@frozen
class Annotated:
    """A datum with what is true of it and what is predicted.

    Parameters
    ----------
    datum : Datum
        The item, with the metadata of both sides.
    groundtruths, predictions : sequence of Annotation
        Nothing on a side that does not have the datum.
    """

    datum: Datum
    groundtruths: Sequence[Annotation]
    predictions: Sequence[Annotation]


def without_data_argument(call: Callable[_P, _R]) -> Callable[_P, _R]:
    """Reject `data`, the single argument that the documentation of 2024 prints.

    Raises
    ------
    ParameterError
        At a call with `data`.

    Examples
    --------
    >>> without_data_argument(len)(data=[])
    Traceback (most recent call last):
        ...
    valor_core.errors.ParameterError: data: expected ground truths and predictions apart, got list
    Write: len(groundtruths, predictions)
    """

    @wraps(call)
    def checked(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        if "data" in kwargs:
            raise ParameterError(
                "data: expected ground truths and predictions apart, got "
                f"{type(kwargs['data']).__name__}",
                f"Write: {call.__name__}(groundtruths, predictions)",
            )
        return call(*args, **kwargs)

    return checked


def annotated(
    groundtruths: Iterable[GroundTruth | Mapping[str, Any]],
    predictions: Iterable[Prediction | Mapping[str, Any]],
) -> Iterator[Annotated]:
    """Ground truths and predictions matched by datum, in the order of the ground truths.

    Parameters
    ----------
    groundtruths, predictions : iterable of GroundTruth and of Prediction
        Each datum at most once on a side. Dictionaries of the same shape will do.

    Raises
    ------
    SchemaError
        If a datum stands twice on a side or has two sizes, or something is no ground truth or
        prediction.

    Examples
    --------
    >>> [one.datum.uid for one in annotated([GroundTruth("a")], [{"datum": "b"}])]
    ['a', 'b']
    """
    truths = _side("groundtruths", GroundTruth, groundtruths)
    seen = _side("predictions", Prediction, predictions)
    _check_once("groundtruths", [one.datum.uid for one in truths])
    _check_once("predictions", [one.datum.uid for one in seen])
    metadata: dict[Uid, dict[str, Any]] = {}
    for one in [*seen, *truths]:
        known = metadata.setdefault(one.datum.uid, {})
        _check_sides(one.datum, known)
        known.update(one.datum.metadata)
    true = {one.datum.uid: one.annotations for one in truths}
    predicted = {one.datum.uid: one.annotations for one in seen}
    for uid in {**true, **predicted}:
        yield Annotated(Datum(uid, metadata[uid]), true.get(uid, ()), predicted.get(uid, ()))


def _side(side: str, cls: Any, values: Any) -> list[Any]:
    if isinstance(values, (str, Mapping)) or not isinstance(values, Iterable):
        raise SchemaError(f"{side}: expected a list with one entry per datum, got {shown(values)}")
    read = []
    for place, value in enumerate(values):
        with error_at(f"{side}[{place}]: "):
            read.append(_as(cls, value))
    return read


def _check_sides(datum: Datum, known: Mapping[str, Any]) -> None:
    """Raise a `SchemaError` if the predictions of a datum say that it has another size."""
    for side in SIDES:
        if side in known and datum.metadata.get(side, known[side]) != known[side]:
            raise SchemaError(
                f"item {datum.uid!r}, {side}: expected one on both sides, got "
                f"{shown(datum.metadata[side])} of the ground truth and {shown(known[side])} of "
                "the prediction"
            )


def true_labels(datum: Datum, annotation: Annotation) -> list[Label]:
    """The labels of a ground truth, which have no scores.

    Raises
    ------
    SchemaError
        If one has; names the item.
    """
    for label in annotation.labels:
        if not isinstance(label, Label):
            raise SchemaError(
                f"item {datum.uid!r}, groundtruths: expected labels without score, "
                f"got {shown(label)}"
            )
    return [label for label in annotation.labels if isinstance(label, Label)]


def scored_labels(datum: Datum, annotation: Annotation) -> list[tuple[Label, float]]:
    """The labels of a prediction with their scores.

    Raises
    ------
    SchemaError
        If one has none; names the item.
    """
    for label in annotation.labels:
        if not isinstance(label, ScoredLabel):
            raise SchemaError(
                f"item {datum.uid!r}, predictions: expected labels with a score, got {shown(label)}"
            )
    return [(one.label, one.score) for one in annotation.labels if isinstance(one, ScoredLabel)]


def _as(cls: Any, value: Any) -> Any:
    if isinstance(value, Mapping):
        _check_keys(value, ("datum", "annotations"), cls.__name__)
        return cls(value.get("datum"), value.get("annotations") or ())
    if not isinstance(value, cls):
        raise SchemaError(f"expected a {cls.__name__} or a dictionary like it, got {shown(value)}")
    return value


def _check_once(side: str, uids: Sequence[Uid]) -> None:
    uid, count = Counter(uids).most_common(1)[0] if uids else ("", 0)
    if count > 1:
        raise SchemaError(f"item {uid!r}, {side}: expected each datum once, found it {count} times")
