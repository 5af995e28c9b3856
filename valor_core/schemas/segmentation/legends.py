"""Legends: convert the labels and ignored values of an item to the meaning of pixel values."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from valor_core.errors import SchemaError, error_at, short_repr
from valor_core.schemas.label import Label, Vocabulary, as_label
from valor_core.schemas.segmentation.label_images import BACKGROUND, IGNORED, LabelImage, Legend
from valor_core.schemas.segmentation.pixels import MASKS, Flags, Pixels, as_array, flags

PixelLabels = tuple[Label, ...] | Mapping[int, Label | None]
"""Labels of the values 1, 2, …, or the label of each value, None for background."""

_LIMITS = np.iinfo(np.int64)
_ZERO = {"background", "bg", "void", "unlabeled", "unlabelled", "ignore", "ignored", "none"}
_BY_VALUE = "Name each value: labels={1: 'cat', 2: 'dog'}; None is background."


def pixel_labels(labels: Any) -> PixelLabels:
    """Validate and convert the labels of pixel values.

    Parameters
    ----------
    labels : sequence of labels, or mapping of int to label or None
        Labels of the values 1, 2, …, or the label of each value. Keys may be text, as in JSON.

    Raises
    ------
    SchemaError
        If the labels have no order, a key is not an integer, a label is invalid, a number in a
        sequence is not its position, or a sequence begins with background.

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
            f"Omit it, or map each value including 0 to count it as a label: labels={{{named}, "
            "…}.",
        )
    return found


def is_name_of_zero(name: str) -> bool:
    """Return whether a label is a usual name of background, the value 0.

    Many programs list it first.

    Examples
    --------
    >>> is_name_of_zero("_Background_"), is_name_of_zero("back garden")
    (True, False)
    """
    return "".join(filter(str.isalnum, name.casefold())) in _ZERO


def _listed(position: int, label: Any) -> Label:
    """Return the label at a position, which belongs to the value position + 1."""
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
    remedy = f"Swap keys and values: labels={{{label}: {key!r}}}." if is_turned else _BY_VALUE
    raise SchemaError(f"labels: expected labels by values of pixels, got {short_repr(key)}", remedy)


def _number(value: Any) -> int:
    """Convert to an integer or raise a `TypeError`; booleans are not pixel values."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(value)
    return operator.index(value)


def _in_64_bits(value: int, name: str) -> int:
    if not _LIMITS.min <= value <= _LIMITS.max:
        raise SchemaError(f"{name}: expected a whole number of 64 bits, got {value}")
    return value


def ignored_values(ignore: Any) -> tuple[int, ...]:
    """Validate and convert the values of ignored pixels.

    Parameters
    ----------
    ignore : int, or iterable of int, or None
        Value or values.

    Raises
    ------
    SchemaError
        If a value is not an integer.

    Examples
    --------
    >>> ignored_values(None), ignored_values(255), ignored_values([254, 255])
    ((), (255,), (254, 255))
    """
    if ignore is None:
        return ()
    is_one = isinstance(ignore, (str, bytes, Mapping)) or not isinstance(ignore, Iterable)
    values = [ignore] if is_one or getattr(ignore, "ndim", 1) == 0 else ignore
    return tuple(_ignored(value) for value in values)


def _ignored(value: Any) -> int:
    try:
        return _in_64_bits(_number(value), "ignore")
    except TypeError:
        is_image = isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))
        raise SchemaError(
            f"ignore: expected a whole number, or several, got {short_repr(value)}",
            "To ignore the pixels of a mask: Segmentation(…, ignore=mask)." if is_image else None,
        ) from None


def legend_of(labels: PixelLabels, ignored: Iterable[int], vocabulary: Vocabulary) -> Legend:
    """Return the legend of labels by value, adding the labels to the vocabulary.

    0 is background unless it has a label.

    Raises
    ------
    SchemaError
        If no label is given, labels have several keys or duplicates, or an ignored value has a
        label.

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
    """Raise a `SchemaError` if an ignored value has a label.

    Examples
    --------
    >>> check_ignored([255], {1: Label("class", "cat"), 255: None})
    """
    for value in ignored:
        if named.get(value) is not None:
            raise SchemaError(
                f"ignore: expected a value without a label, got {value}, which is '{named[value]}'"
            )


def _named(labels: PixelLabels) -> dict[int, Label | None]:
    """Return the label of each value, with 0 included."""
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
    """Return the label key of one image.

    Raises
    ------
    SchemaError
        If there is no label, or labels have several keys.

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
            "Pass one image per label instead: {label: image}.",
        )
    return keys[0]


def highest(legend: Legend) -> int:
    """Return the highest value with a label, or 0 if there is no label.

    Examples
    --------
    >>> highest(Legend.of_labels(2, ignore=255))
    2
    """
    return int(legend.values[legend.codes >= 0].max(initial=0))


def label_image(image: Any, legend: Legend) -> LabelImage:
    """Convert an image to a label image.

    Raises
    ------
    SchemaError
        If the image is invalid, or boolean although values above 1 have labels.

    Examples
    --------
    >>> label_image([[True, False]], Legend.of_labels(1)).pixels.array
    array([[1, 0]], dtype=uint8)
    """
    if isinstance(image, np.ndarray) or not isinstance(image, Pixels):
        image = as_array(image, "pixels")
        if image.ndim == 2 and image.dtype == np.bool_ and highest(legend) > 1:
            raise SchemaError(
                f"pixels: expected whole numbers up to {highest(legend)} as in labels, got "
                f"{short_repr(image)}",
                MASKS,
            )
    return LabelImage(image, legend)


def ignored_of(value: Any) -> int | tuple[int, ...] | Flags | None:
    """Validate and convert one or several ignored values or a mask of ignored pixels.

    Raises
    ------
    SchemaError
        If the value has another form.

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
