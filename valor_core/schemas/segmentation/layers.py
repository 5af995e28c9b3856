"""Split and merge layers after labels were renamed to another label key."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from attrs import frozen

from valor_core.errors import SchemaError
from valor_core.schemas.columns import Codes
from valor_core.schemas.label import Label
from valor_core.schemas.segmentation.label_images import (
    BACKGROUND,
    IGNORED,
    LabelImage,
    Layer,
    Legend,
)
from valor_core.schemas.segmentation.packing import without
from valor_core.schemas.segmentation.pixels import Flags, size_words

Names = Callable[[int], str]
"""Name of the datum at a position, for error messages."""


def _keys_of(layer: Layer, labels: Sequence[Label]) -> set[str]:
    """Return the keys of all labels in the legends of a layer."""
    return {labels[code].key for code in layer.codes.tolist()}


def are_apart(layers: Sequence[Layer], labels: Sequence[Label]) -> bool:
    """Return whether each layer has one label key, and each key one layer.

    Examples
    --------
    >>> layer = Layer([LabelImage([[1, 2]], Legend.of_labels(2))], [None])
    >>> are_apart([layer], [Label("x", "cat"), Label("y", "dog")])
    False
    """
    if len(layers) < 2 and len({label.key for label in labels}) < 2:
        return True
    keys = [_keys_of(layer, labels) for layer in layers]
    return max(map(len, keys), default=0) < 2 and sum(map(len, keys)) == len(set().union(*keys))


def by_key(layers: Sequence[Layer], labels: Sequence[Label], name: Names) -> list[Layer]:
    """Return layers with the same data, one per label key.

    Parameters
    ----------
    layers : sequence of Layer
        Layers that may mix or share label keys.
    labels : sequence of Label
        Vocabulary of the legends' codes.
    name : callable
        Name of the datum at a position, for error messages.

    Raises
    ------
    SchemaError
        If two labels of one key share a pixel, or layers of a key differ in size; names the item.

    Examples
    --------
    >>> layer = Layer([LabelImage([[1, 2]], Legend.of_labels(2))], [None])
    >>> [one.codes for one in by_key([layer], [Label("x", "cat"), Label("y", "dog")], str)]
    [array([0]), array([1])]
    """
    if are_apart(layers, labels):
        return list(layers)
    keys = sorted(set().union(*(_keys_of(layer, labels) for layer in layers)))
    return [_layer_of(key, layers, labels, name) for key in keys]


def _layer_of(key: str, layers: Sequence[Layer], labels: Sequence[Label], name: Names) -> Layer:
    has_key = np.array([label.key == key for label in labels])
    parts = [layer.only(has_key) for layer in layers if key in _keys_of(layer, labels)]

    def side(maps: Iterator[tuple[LabelImage | None, ...]], what: str) -> list[LabelImage | None]:
        return [
            _joined([one for one in several if one is not None], labels, f"{name(i)}, {what}")
            for i, several in enumerate(maps)
        ]

    return Layer(
        side(zip(*(part.groundtruths for part in parts), strict=True), "groundtruth"),
        side(zip(*(part.predictions for part in parts), strict=True), "prediction"),
    )


def _joined(maps: Sequence[LabelImage], labels: Sequence[Label], place: str) -> LabelImage | None:
    if len(maps) < 2:
        return maps[0] if maps else None
    joint = _Joint.of(maps)
    image = np.zeros(maps[0].pixels.shape, np.min_scalar_type(len(joint.codes)))
    ignored = len(joint.codes)
    for one, values in zip(maps, joint.values, strict=True):
        painted = values[_positions(one, maps[0], place)]
        is_other = (painted > 0) & (image > 0) & (painted < ignored) & (image < ignored)
        is_other &= joint.codes.take(painted, mode="clip") != joint.codes.take(image, mode="clip")
        if is_other.any():
            first, second = (int(joint.codes[side[is_other][0]]) for side in (image, painted))
            raise SchemaError(
                f"{place}: expected one label of a key per pixel, label_map gives "
                f"{int(is_other.sum()):,} both '{labels[first]}' and '{labels[second]}'",
                "Map one of them to a label with another key in label_map.",
            )
        np.maximum(image, painted.astype(image.dtype), out=image)
    crowd = joint.crowd if any(one.legend.has_instances for one in maps) else None
    joined = LabelImage(image, Legend(np.arange(ignored), joint.codes, crowd))
    is_ignored = image == ignored
    return without(joined, is_ignored) if is_ignored.any() else joined


@frozen(eq=False)
class _Joint:
    """Common numbers of the labels or objects of several label images; 0 is background.

    Parameters
    ----------
    codes : ndarray of int64, shape (n,)
        Label code of each number. The number n means ignored pixels.
    crowd : ndarray of bool, shape (n,)
        Whether the number is a crowd.
    values : list of ndarray of int64
        Number of each value in each image's legend.
    """

    codes: Codes
    crowd: Flags
    values: list[Codes]

    @classmethod
    def of(cls, maps: Sequence[LabelImage]) -> _Joint:
        """Assign numbers in the order of the label images."""
        codes, crowd, numbers = [BACKGROUND], [False], []
        for one in maps:
            found = one.legend.codes
            is_label = found >= 0
            numbers.append(np.where(is_label, len(codes) - 1 + np.cumsum(is_label), 0))
            codes += found[is_label].tolist()
            crowds = np.zeros(len(found), bool) if one.legend.crowd is None else one.legend.crowd
            crowd += crowds[is_label].tolist()
        for one, values in zip(maps, numbers, strict=True):
            values[one.legend.codes == IGNORED] = len(codes)
        return cls(np.array(codes, np.int64), np.array(crowd), numbers)


def _positions(one: LabelImage, like: LabelImage, place: str) -> Codes:
    """Return the position of each pixel's value in the legend."""
    if one.pixels.shape != like.pixels.shape:
        raise SchemaError(
            f"{place}: expected {size_words(like.pixels)} pixels in all layers of a label key, got "
            f"{size_words(one.pixels)}"
        )
    image = one.read(0, one.pixels.shape[0], place)
    listed, positions = one.legend.of_type(image.dtype)
    if not len(listed):
        listed, positions = np.zeros(1, image.dtype), np.zeros(1, np.int64)
    at = np.minimum(np.searchsorted(listed, image), len(listed) - 1)
    unknown = listed[at] != image
    if unknown.any():
        raise SchemaError(f"{place}: expected the value of a label, got {image[unknown][0]}")
    return positions[at]
