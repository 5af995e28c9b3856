"""Pixel values: the labels that whole numbers stand for, as people write them."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from valor_core.errors import SchemaError, error_at, shown
from valor_core.schemas.label import Label, Vocabulary, as_label
from valor_core.schemas.segmentation.label_images import BACKGROUND, IGNORED, LabelImage, Legend
from valor_core.schemas.segmentation.pixels import MASKS, Flags, Pixels, as_array, flags

PixelLabels = tuple[Label, ...] | Mapping[int, Label | None]
"""The labels of 1, 2, …, or the label of each value, where None is background."""

_LIMITS = np.iinfo(np.int64)
_ZERO = {"background", "bg", "void", "unlabeled", "unlabelled", "ignore", "ignored", "none"}
_BY_VALUE = "Name each value: labels={1: 'cat', 2: 'dog'}; None is background."


def pixel_labels(labels: Any) -> PixelLabels:
    """What people say that the values of pixels mean.

    Parameters
    ----------
    labels : sequence of labels, or mapping of int to label or None
        The labels of 1, 2, …, or the label of each value. Keys may be text, as JSON has them.

    Raises
    ------
    SchemaError
        If it has no order, a key is no whole number, a label is none, a number in a sequence
        is the name of another number, or a sequence begins with background.

    Examples
    --------
    >>> pixel_labels(["cat"])
    (Label(key='class', value='cat'),)
    >>> pixel_labels({7: "cat", 0: None})
    {7: Label(key='class', value='cat'), 0: None}
    """
    if isinstance(labels, (set, frozenset)):
        raise SchemaError(
            f"labels: expected labels in the order of their values, got a set of {len(labels)}",
            _BY_VALUE,
        )
    if isinstance(labels, Mapping) and set(labels) != {"key", "value"}:
        return _by_value(labels)
    if labels is None:
        return ()
    is_one = isinstance(labels, (str, Label, Mapping)) or not isinstance(labels, Iterable)
    found = tuple(_listed(i, label) for i, label in enumerate([labels] if is_one else labels))
    if found and is_name_of_zero(found[0].value):
        named = ", ".join(f"{i}: {label.value!r}" for i, label in enumerate(found[:2]))
        raise SchemaError(
            f"labels[0]: expected the label of the value 1, since 0 is background, got "
            f"{found[0].value!r}",
            f"Leave it out, or name each value, 0 too, to count it like a label: labels={{{named}, "
            "…}.",
        )
    return found


def is_name_of_zero(name: str) -> bool:
    """Whether a label is called like what the value 0 stands for where nobody says otherwise.

    Many programs begin their lists of labels with it.

    Examples
    --------
    >>> is_name_of_zero("_Background_"), is_name_of_zero("back garden")
    (True, False)
    """
    return "".join(filter(str.isalnum, name.casefold())) in _ZERO


def _listed(position: int, label: Any) -> Label:
    """The label of the value after its position."""
    if isinstance(label, (str, Label)):
        return as_label(label)
    is_number = isinstance(label, (int, np.integer)) and not isinstance(label, bool)
    if is_number and label != position + 1:
        raise SchemaError(
            f"labels[{position}]: expected the name of the value {position + 1}, got the number "
            f"{label}",
            _BY_VALUE,
        )
    with error_at(f"labels[{position}], "):
        return as_label(label)


def _by_value(labels: Mapping[Any, Any]) -> dict[int, Label | None]:
    named: dict[int, Label | None] = {}
    for key, label in labels.items():
        value = _value(key, label)
        if value in named:
            raise SchemaError(f"labels: expected each value once, got {value} twice")
        with error_at(f"labels[{value}], "):
            named[value] = None if label is None else as_label(label)
    return named


def _value(key: Any, label: Any) -> int:
    with suppress(TypeError, ValueError):
        return _in_64_bits(int(key) if isinstance(key, str) else _number(key), "labels")
    is_turned = isinstance(label, (int, np.integer))
    remedy = f"Turn it around: labels={{{label}: {key!r}}}." if is_turned else _BY_VALUE
    raise SchemaError(f"labels: expected labels by values of pixels, got {shown(key)}", remedy)


def _number(value: Any) -> int:
    """A whole number, or a TypeError; that true is 1 goes for Python, not for pixels."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(value)
    return operator.index(value)


def _in_64_bits(value: int, name: str) -> int:
    if not _LIMITS.min <= value <= _LIMITS.max:
        raise SchemaError(f"{name}: expected a whole number of 64 bits, got {value}")
    return value


def ignored_values(ignore: Any) -> tuple[int, ...]:
    """The values of pixels that do not count.

    Parameters
    ----------
    ignore : int, or iterable of int, or None
        A value, or several.

    Raises
    ------
    SchemaError
        If one is no whole number.

    Examples
    --------
    >>> ignored_values(None), ignored_values(255), ignored_values([254, 255])
    ((), (255,), (254, 255))
    """
    if ignore is None:
        return ()
    is_one = isinstance(ignore, (str, bytes, Mapping)) or not isinstance(ignore, Iterable)
    several = [ignore] if is_one or getattr(ignore, "ndim", 1) == 0 else ignore
    return tuple(_ignored(value) for value in several)


def _ignored(value: Any) -> int:
    try:
        return _in_64_bits(_number(value), "ignore")
    except TypeError:
        is_image = isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))
        raise SchemaError(
            f"ignore: expected a whole number, or several, got {shown(value)}",
            "Which pixels do not count is said by Segmentation(…, ignore=mask)."
            if is_image
            else None,
        ) from None


def legend_of(labels: PixelLabels, ignored: Iterable[int], vocabulary: Vocabulary) -> Legend:
    """The legend of values and their labels, which the vocabulary takes in.

    0 is background unless it has a label.

    Raises
    ------
    SchemaError
        If there is no label, labels have several keys, a list has one twice, or a value to ignore
        has one.

    Examples
    --------
    >>> legend_of(pixel_labels({0: "road", 7: "car"}), [255], Vocabulary()).meaning
    {0: 0, 7: 1, 255: -2}
    """
    named = _named(labels)
    check_ignored(ignored, named)
    meaning = {
        value: BACKGROUND if label is None else vocabulary.code(label)
        for value, label in sorted(named.items())
    }
    return Legend.of(meaning | dict.fromkeys(ignored, IGNORED))


def check_ignored(ignored: Iterable[int], named: Mapping[int, Label | None]) -> None:
    """Raise a `SchemaError` that names a value to ignore and its label, if one has any.

    Examples
    --------
    >>> check_ignored([255], {1: Label("class", "cat"), 255: None})
    """
    for value in ignored:
        if named.get(value) is not None:
            raise SchemaError(
                f"ignore: expected a value that is no label, got {value}, which is '{named[value]}'"
            )


def _named(labels: PixelLabels) -> dict[int, Label | None]:
    """Label of each value, of which 0 is always one."""
    if not isinstance(labels, Mapping):
        _check_distinct(labels)
        labels = dict(enumerate(labels, 1))
    label_key_of(labels)
    return {0: None, **labels}


def _check_distinct(labels: Iterable[Label]) -> None:
    seen: set[Label] = set()
    for label in labels:
        if label in seen:
            raise SchemaError(f"labels: expected each label once, got '{label}' twice")
        seen.add(label)


def label_key_of(labels: PixelLabels) -> str:
    """The key of the labels of one image.

    Raises
    ------
    SchemaError
        If there is none, or several.

    Examples
    --------
    >>> label_key_of(pixel_labels({0: None, 1: ("kind", "road")}))
    'kind'
    """
    given = labels.values() if isinstance(labels, Mapping) else labels
    keys = sorted({label.key for label in given if label is not None})
    if not keys:
        raise SchemaError(
            "labels: expected a label for an image of whole numbers, got none", _BY_VALUE
        )
    if len(keys) > 1:
        raise SchemaError(
            f"labels: expected labels of one key for an image of whole numbers, got {keys}",
            "Give an image for each label instead: {label: image}.",
        )
    return keys[0]


def highest(legend: Legend) -> int:
    """The highest value of a label; 0 where there is no label.

    Examples
    --------
    >>> highest(Legend.of_labels(2, ignore=255))
    2
    """
    return int(legend.values[legend.codes >= 0].max(initial=0))


def label_maps(images: Iterable[Any], legend: Legend, name: str) -> list[LabelImage]:
    """Label images of images; messages call them by `name` and position.

    Raises
    ------
    SchemaError
        As `label_image` does.

    Examples
    --------
    >>> label_maps([[["cat"]]], Legend.of_labels(1), "y_true")
    Traceback (most recent call last):
        ...
    valor_core.errors.SchemaError: y_true[0], pixels: expected rows and columns of whole numbers, \
got array of <U3, shape (1, 1)
    """
    maps = []
    for position, image in enumerate(images):
        with error_at(f"{name}[{position}], "):
            maps.append(label_image(image, legend))
    return maps


def label_image(image: Any, legend: Legend) -> LabelImage:
    """The label image of an image.

    Raises
    ------
    SchemaError
        If it is none, or one of true and false where values above 1 have labels.

    Examples
    --------
    >>> label_image([[True, False]], Legend.of_labels(1)).pixels.array
    array([[1, 0]], dtype=uint8)
    """
    if isinstance(image, np.ndarray) or not isinstance(image, Pixels):
        image = as_array(image, "pixels")
        if image.ndim == 2 and image.dtype == np.bool_ and highest(legend) > 1:
            raise SchemaError(
                f"pixels: expected whole numbers up to {highest(legend)} as labels have, got "
                f"{shown(image)}",
                MASKS,
            )
    return LabelImage(image, legend)


def ignored_of(value: Any) -> int | tuple[int, ...] | Flags | None:
    """A value to ignore, several, or which pixels to.

    Raises
    ------
    SchemaError
        If it is none of these.

    Examples
    --------
    >>> ignored_of(255), ignored_of([254, 255]), ignored_of([[0, 1]])
    (255, (254, 255), array([[False,  True]]))
    """
    if value is None:
        return None
    if _has_rows(value):
        return flags(value, "ignore")
    values = ignored_values(value)
    return values[0] if len(values) == 1 else values


def _has_rows(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return bool(value) and isinstance(value[0], (list, tuple, np.ndarray))
    return getattr(value, "ndim", 0) == 2
