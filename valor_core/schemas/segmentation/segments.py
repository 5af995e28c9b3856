"""Segments: an image with the numbers of objects and regions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import starmap
from typing import Any

import numpy as np
from attrs import field, frozen

from valor_core.errors import SchemaError, and_more, error_at, short_repr
from valor_core.schemas.label import Label, as_label
from valor_core.schemas.segmentation.pixels import Pixels, as_pixels


def _labels(labels: Any) -> Mapping[int, Label]:
    if not isinstance(labels, Mapping):
        raise SchemaError(
            f"labels: expected a mapping from number to label, got {short_repr(labels)}",
            "Map each number to its label: {1: 'cat', 2: 'cat'}.",
        )
    return dict(starmap(_labelled, labels.items()))


def _labelled(number: Any, label: Any) -> tuple[int, Label]:
    value = _number(number, "labels")
    with error_at(f"labels[{value}], "):
        return value, as_label(label)


def _numbers(numbers: Any) -> frozenset[int]:
    if isinstance(numbers, (str, bytes, Mapping)) or not isinstance(numbers, Iterable):
        raise SchemaError(
            f"crowd: expected a list of numbers of segments, got {short_repr(numbers)}",
            "List the segments that are crowds: crowd=[7].",
        )
    return frozenset(_number(number, "crowd") for number in numbers)


def _number(value: Any, name: str) -> int:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
        raise SchemaError(f"{name}: expected whole numbers of segments, got {short_repr(value)}")
    if not _LIMITS.min <= value <= _LIMITS.max:
        raise SchemaError(f"{name}: expected signed 64-bit numbers, got {value}")
    return int(value)


_LIMITS = np.iinfo(np.int64)


@frozen
class Segments:
    """Objects and regions of one side of an image, each with its own number.

    Parameters
    ----------
    pixels : array-like
        Segment number of every pixel.
    labels : mapping of int to label
        Label of each segment. 0 is background unless listed.
    crowd : iterable of int
        Numbers of the segments that are crowds: objects that were not separated.
    listed : bool
        Whether `labels` lists exactly the segments of this image, so that a true segment without
        pixels is missed, as in COCO's panoptic API. By default, `labels` may describe many images.

    Raises
    ------
    SchemaError
        If a number is not an integer, labels have several keys, or a crowd has no label.

    Examples
    --------
    >>> people = Segments([[1, 1, 0, 2]], {1: "person", 2: "person"})
    >>> people.labels[2]
    Label(key='class', value='person')
    """

    pixels: Pixels = field(converter=as_pixels)
    labels: Mapping[int, Label] = field(converter=_labels)
    crowd: frozenset[int] = field(default=frozenset(), converter=_numbers)
    listed: bool = False

    def __attrs_post_init__(self) -> None:
        keys = sorted({label.key for label in self.labels.values()})
        if len(keys) > 1:
            raise SchemaError(f"labels: expected labels of one key for segments, got {keys}")
        unknown = sorted(self.crowd - self.labels.keys())
        if unknown:
            raise SchemaError(
                f"crowd: expected numbers of segments with a label, got {unknown[0]}"
                f"{and_more(len(unknown) - 1)}"
            )
