"""Annotations: ground truths and predictions of one datum, in the format of 2024."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np
from attrs import field, frozen

from valor_core.errors import (
    ParameterError,
    SchemaError,
    and_more,
    did_you_mean,
    error_at,
    short_repr,
)
from valor_core.schemas import DEFAULT_KEY, Datum, Label, Uid
from valor_core.schemas.columns import as_score, check_number
from valor_core.schemas.geometry import Box, Geometry, Mask, MultiPolygon, Polygon, RotatedBox
from valor_core.schemas.label import as_label
from valor_labels import annotations as given_geometry

_EDGES = ("xmin", "ymin", "xmax", "ymax")
_CORNERS = 4


def bounding_box(value: Any) -> Geometry | None:
    """Convert a value to a box.

    Parameters
    ----------
    value : object
        A geometry; a mapping of ``xmin``, ``ymin``, ``xmax`` and ``ymax``; a ring of four corners,
        or its GeoJSON. None stays None.

    Returns
    -------
    Box, Polygon or None
        A polygon if the corners form a rotated box.

    Raises
    ------
    SchemaError
        If the value has another form.

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
            f"bounding_box: expected a ring of four corners, got {short_repr(value)}",
            "Name the numbers: {'xmin': …, 'ymin': …, 'xmax': …, 'ymax': …}.",
        )
    outline = polygon(value)
    if not isinstance(outline, Polygon) or len(outline.rings) != 1:
        raise SchemaError(
            f"bounding_box: expected one ring of four corners, got {short_repr(value)}"
        )
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
    """Convert a value to a polygon.

    Parameters
    ----------
    value : object
        A geometry; rings of points; GeoJSON of a Polygon or MultiPolygon; a mapping with rings
        under ``value``, as written by the library of 2024. None stays None.

    Raises
    ------
    SchemaError
        If the value has another form.

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
            raise SchemaError(f"polygon: expected GeoJSON of a polygon, got {short_repr(value)}")
        return MultiPolygon(rings) if kind == "MultiPolygon" else Polygon(rings)
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise SchemaError(f"polygon: expected rings of points, got {short_repr(value)}")
    return Polygon(value)


def raster(value: Any) -> Mask | None:
    """Convert a value to a mask.

    Parameters
    ----------
    value : object
        A mask; rows of pixels; COCO's run lengths; a mapping with rows of pixels under ``mask``.
        None stays None.

    Raises
    ------
    SchemaError
        If the value has another form.

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
        raise SchemaError(
            f"raster: expected rows of pixels or run lengths, got {short_repr(value)}"
        )
    return Mask.of(pixels)


_P = ParamSpec("_P")
_R = TypeVar("_R")
_L = TypeVar("_L", "Label", "ScoredLabel")


@frozen
class ScoredLabel:
    """Predicted label with a score.

    Parameters
    ----------
    key, value : str
        As in `Label`.
    score : float
        Score given by the model.

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
        """Label without the score."""
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
    """Labels of a datum, possibly with a geometry.

    Parameters
    ----------
    labels : sequence of Label or ScoredLabel
        Labels; scored ones in a prediction.
    metadata : mapping of str to value, optional
        Fields of the annotation.
    bounding_box : Box, RotatedBox, ring of four corners or mapping, optional
        Box of the object.
    polygon : Polygon, MultiPolygon, rings or GeoJSON, optional
        Polygon of the object.
    raster : Mask, rows of pixels or run lengths, optional
        Mask of the object.
    is_instance : bool, optional
        Whether the geometry is one object instead of the whole region of the label.

    Raises
    ------
    SchemaError
        If a geometry is invalid, or there are several.

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
        """Geometry, if any."""
        given = (getattr(self, name) for name in _GEOMETRIES)
        return next((geometry for geometry in given if geometry is not None), None)


_GEOMETRIES = ("bounding_box", "polygon", "raster")

SIDES = ("height", "width")
"""Metadata fields with the image size in pixels."""

_UNUSED_KEYS = ("text", "context_list", "embedding", "implied_task_types")
"""Further keys that the library of 2024 writes; they are ignored."""


def _check_keys(
    value: Mapping[str, Any], allowed: Sequence[str], place: str, ignored: Sequence[str] = ()
) -> None:
    """Raise a `SchemaError` for the first unsupported key."""
    unknown = [key for key in value if key not in allowed and key not in ignored]
    if unknown:
        raise SchemaError(
            f"{place}: expected no keys but {', '.join(allowed)}, got {short_repr(unknown[0])} in "
            f"{short_repr(value)}{and_more(len(unknown) - 1)}",
            did_you_mean(str(unknown[0]), allowed),
        )


def _datum(value: Any) -> Datum:
    if isinstance(value, Datum):
        return value
    if isinstance(value, Mapping):
        _check_keys(value, ("uid", "metadata"), "datum", _UNUSED_KEYS)
        uid: Any = value.get("uid")
        return Datum(uid, value.get("metadata", {}))
    if isinstance(value, (str, int)):
        return Datum(value)
    raise SchemaError(f"datum: expected a Datum or its uid, got {short_repr(value)}")


def _annotations(values: Any) -> tuple[Annotation, ...]:
    read = []
    for place, value in enumerate(values or ()):
        with error_at(f"annotations[{place}]: "):
            read.append(value if isinstance(value, Annotation) else _annotation(value))
    return tuple(read)


def _annotation(value: Any) -> Annotation:
    if isinstance(value, Mapping):
        names = ("labels", "metadata", *_GEOMETRIES, "is_instance")
        _check_keys(value, names, "Annotation", _UNUSED_KEYS)
        where = {name: value.get(name) for name in (*_GEOMETRIES, "is_instance")}
        return Annotation(value.get("labels"), value.get("metadata") or {}, **where)
    raise SchemaError(f"expected an Annotation or a dictionary like it, got {short_repr(value)}")


@frozen
class GroundTruth:
    """Ground truth of a datum.

    Parameters
    ----------
    datum : Datum, str or int
        The item.
    annotations : sequence of Annotation
        Annotations of the item.
    """

    datum: Datum = field(converter=_datum)
    annotations: Sequence[Annotation] = field(default=(), converter=_annotations)


@frozen
class Prediction:
    """Prediction for a datum; its labels have scores.

    Parameters
    ----------
    datum : Datum, str or int
        The item.
    annotations : sequence of Annotation
        Predicted annotations of the item.
    """

    datum: Datum = field(converter=_datum)
    annotations: Sequence[Annotation] = field(default=(), converter=_annotations)


@frozen
class Annotated:
    """Datum with its true and its predicted annotations.

    Parameters
    ----------
    datum : Datum
        The item, with the metadata of both sides.
    groundtruths, predictions : sequence of Annotation
        Annotations; empty if the side does not contain the datum.
    """

    datum: Datum
    groundtruths: Sequence[Annotation]
    predictions: Sequence[Annotation]


def without_data_argument(call: Callable[_P, _R]) -> Callable[_P, _R]:
    """Decorate a call to reject `data`, the single argument in the documentation of 2024.

    Raises
    ------
    ParameterError
        If the call has the argument `data`.

    Examples
    --------
    >>> without_data_argument(len)(data=[])
    Traceback (most recent call last):
        ...
    valor_core.errors.ParameterError: data: expected two arguments, got list
    Write: len(groundtruths, predictions)
    """

    @wraps(call)
    def checked(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        if "data" in kwargs:
            raise ParameterError(
                f"data: expected two arguments, got {type(kwargs['data']).__name__}",
                f"Write: {call.__name__}(groundtruths, predictions)",
            )
        return call(*args, **kwargs)

    return checked


def annotated(
    groundtruths: Iterable[GroundTruth | Mapping[str, Any]],
    predictions: Iterable[Prediction | Mapping[str, Any]],
) -> Iterator[Annotated]:
    """Match ground truths and predictions by datum, in the order of the ground truths.

    Parameters
    ----------
    groundtruths, predictions : iterable of GroundTruth and of Prediction
        Each datum at most once per side. Dictionaries with the same keys are accepted.

    Raises
    ------
    SchemaError
        If a datum occurs twice on a side or has two sizes, or an entry is invalid.

    Examples
    --------
    >>> [one.datum.uid for one in annotated([GroundTruth("a")], [{"datum": "b"}])]
    ['a', 'b']
    """
    truths = _side("groundtruths", GroundTruth, groundtruths)
    predicted_items = _side("predictions", Prediction, predictions)
    _check_once("groundtruths", [one.datum.uid for one in truths])
    _check_once("predictions", [one.datum.uid for one in predicted_items])
    metadata: dict[Uid, dict[str, Any]] = {}
    for one in [*predicted_items, *truths]:
        merged = metadata.setdefault(one.datum.uid, {})
        _check_sides(one.datum, merged)
        merged.update(one.datum.metadata)
    true = {one.datum.uid: one.annotations for one in truths}
    predicted = {one.datum.uid: one.annotations for one in predicted_items}
    for uid in {**true, **predicted}:
        yield Annotated(Datum(uid, metadata[uid]), true.get(uid, ()), predicted.get(uid, ()))


def _side(side: str, cls: Any, values: Any) -> list[Any]:
    if isinstance(values, (str, Mapping)) or not isinstance(values, Iterable):
        raise SchemaError(
            f"{side}: expected a list with one entry per datum, got {short_repr(values)}"
        )
    read = []
    for place, value in enumerate(values):
        with error_at(f"{side}[{place}]: "):
            read.append(_as(cls, value))
    return read


def _check_sides(datum: Datum, merged: Mapping[str, Any]) -> None:
    """Raise a `SchemaError` if both sides of a datum give different image sizes."""
    for side in SIDES:
        if side in merged and datum.metadata.get(side, merged[side]) != merged[side]:
            raise SchemaError(
                f"item {datum.uid!r}, {side}: expected the same on both sides, got "
                f"{short_repr(datum.metadata[side])} of the ground truth and "
                f"{short_repr(merged[side])} of "
                "the prediction"
            )


def true_labels(datum: Datum, annotation: Annotation) -> list[Label]:
    """Return the labels of a ground truth.

    Raises
    ------
    SchemaError
        If a label has a score; names the item.
    """
    return _labels_of(Label, datum, annotation, "groundtruths: expected labels without score")


def scored_labels(datum: Datum, annotation: Annotation) -> list[tuple[Label, float]]:
    """Return the labels of a prediction with their scores.

    Raises
    ------
    SchemaError
        If a label has no score; names the item.
    """
    labels = _labels_of(ScoredLabel, datum, annotation, "predictions: expected labels with a score")
    return [(one.label, one.score) for one in labels]


def _labels_of(kind: type[_L], datum: Datum, annotation: Annotation, expectation: str) -> list[_L]:
    """Return the labels, or raise a `SchemaError` for the first of another kind."""
    found = []
    for label in annotation.labels:
        if not isinstance(label, kind):
            raise SchemaError(f"item {datum.uid!r}, {expectation}, got {short_repr(label)}")
        found.append(label)
    return found


def _as(cls: Any, value: Any) -> Any:
    if isinstance(value, Mapping):
        _check_keys(value, ("datum", "annotations"), cls.__name__)
        return cls(value.get("datum"), value.get("annotations") or ())
    if not isinstance(value, cls):
        raise SchemaError(
            f"expected a {cls.__name__} or a dictionary like it, got {short_repr(value)}"
        )
    return value


def _check_once(side: str, uids: Sequence[Uid]) -> None:
    uid, count = Counter(uids).most_common(1)[0] if uids else ("", 0)
    if count > 1:
        raise SchemaError(f"item {uid!r}, {side}: expected each datum once, found it {count} times")
