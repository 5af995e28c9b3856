"""Features: declared column types of a module, and conversion of values to them."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import SchemaError, short_repr
from valor_evaluate.modules.label_codes import is_whole

Kind = str
"""``"text"``, ``"whole"``, ``"number"``, ``"truth"``, ``"list"``, ``"table"`` or ``"image"``."""

_KINDS = {"s": "text", "i": "whole", "u": "whole", "f": "number", "b": "truth", "d": "number"}
_LISTS = frozenset({"List", "LargeList", "Sequence"})


def kind_of(feature: Any) -> Kind:
    """Return the kind of column that a feature declares.

    Raises
    ------
    SchemaError
        If no item can have it, such as audio.

    Examples
    --------
    >>> kind_of({"id": None, "prediction_text": None})
    'table'
    """
    if isinstance(feature, Mapping):
        return "table"
    name = type(feature).__name__
    if name in _LISTS or isinstance(feature, list):
        return "list"
    if name == "ClassLabel":
        return "whole"
    if name == "Value":
        kind = _KINDS.get(feature.dtype.removeprefix("large_")[:1])
        if kind is not None and not feature.dtype.startswith(("date", "duration")):
            return kind
    if name == "Image":
        return "image"
    raise SchemaError(f"columns: expected text, numbers, labels, lists or tables, got {feature}")


def element_of(feature: Any) -> Any:
    """Return the feature of the elements of a list."""
    return feature[0] if isinstance(feature, list) else feature.feature


def leaves(
    table: Mapping[str, Any], whole: Collection[str] = (), above: str = ""
) -> Iterator[tuple[str, Any]]:
    """Yield path and feature of the columns of a table, including those of nested tables.

    Parameters
    ----------
    table : mapping of str to feature
        Table.
    whole : collection of str
        Paths of tables that are not split.

    Examples
    --------
    >>> dict(leaves({"references": {"id": 1, "answers": {"text": 2}}}))
    {'references.id': 1, 'references.answers.text': 2}
    """
    for name, feature in table.items():
        path = f"{above}{name}"
        if isinstance(feature, Mapping) and path not in whole:
            yield from leaves(feature, whole, f"{path}.")
        else:
            yield path, feature


def are_labels(feature: Any) -> bool:
    """Return True for a list of labels, such as a tag for each word."""
    return "label" in str(getattr(element_of(feature), "id", "") or "")


def narrowed(values: Any, feature: Any) -> Any:
    """Round numbers, also in nested lists, to the precision that a feature declares."""
    if isinstance(values, list):
        return [narrowed(each, feature) for each in values]
    if isinstance(values, dict):
        return {name: narrowed(each, feature[name]) for name, each in values.items()}
    while kind_of(feature) == "list":
        feature = element_of(feature)
    if isinstance(values, float) and feature.dtype in ("float32", "float16"):
        return float(np.dtype(feature.dtype).type(values))
    return values


def as_array(values: list[Any], feature: Any) -> NDArray[Any]:
    """Return a column as an array, with the dtype of its feature, if given."""
    dtype = getattr(feature, "dtype", None)
    is_declared = dtype is not None and kind_of(feature) in ("whole", "number")
    return np.array(values, dtype=dtype if is_declared else None)


def from_json(value: Any, feature: Any) -> Any:
    """Validate a value parsed from JSON against a feature.

    Raises
    ------
    SchemaError
        If the value has another type.

    Examples
    --------
    >>> from_json({"id": "q1"}, {"uid": "a feature"})
    Traceback (most recent call last):
        ...
    valor_core.errors.SchemaError: expected a table of uid, found {'id': 'q1'}
    """
    kind = kind_of(feature)
    if kind == "list" and isinstance(value, list):
        return [from_json(each, element_of(feature)) for each in value]
    if kind == "table" and isinstance(value, dict) and value.keys() == feature.keys():
        return {name: from_json(value[name], feature[name]) for name in feature}
    if kind == "image" and isinstance(value, list):
        return _image(value)
    is_bool = isinstance(value, bool)
    if kind == "text" and isinstance(value, str):
        return value
    if kind == "whole" and isinstance(value, int) and not is_bool:
        return value
    if kind == "number" and isinstance(value, (int, float)) and not is_bool:
        return float(value)
    if kind == "truth" and is_bool:
        return value
    raise SchemaError(f"expected {words(feature)}, found {short_repr(value)}")


def _image(rows: list[Any]) -> NDArray[Any]:
    try:
        image = np.array(rows)
    except ValueError:
        image = np.empty(0, object)
    if image.ndim < 2 or image.dtype.kind not in "iu":
        raise SchemaError(f"expected {words(None, 'image')}, found {short_repr(rows)}")
    return image


def words(feature: Any, kind: Kind = "") -> str:
    """Return a description of a feature that follows "expected"."""
    kind = kind or kind_of(feature)
    if kind == "list":
        return f"a list, each of it {words(element_of(feature))}"
    if kind == "table":
        return f"a table of {', '.join(feature)}"
    return {
        "text": "a text",
        "whole": "a whole number",
        "number": "a number",
        "truth": "true or false",
        "image": "an image, as rows of whole numbers",
    }[kind]


_TRUTHS = {"true": True, "1": True, "false": False, "0": False}


def value_of(field: Any, feature: Any, lists: str | None) -> Any:
    """Convert a field to the type of a feature.

    Parameters
    ----------
    field : str, number, bool, list, dict, or tuple of str
        Value of the item: a text, a metadata value, or the texts of a field with several.
    feature : datasets feature
        Type of the column.
    lists : {"text", "words", "json"} or None
        As in `ModuleParameters`.

    Raises
    ------
    SchemaError
        If it cannot be converted; without the name of the item.
    """
    kind = kind_of(feature)
    if kind == "list":
        return _list(field, feature, lists)
    if isinstance(field, tuple):
        if len(field) != 1:
            raise SchemaError(f"expected {words(feature)}, found {len(field):,} texts")
        return value_of(field[0], feature, lists)
    if kind in ("table", "image"):
        return from_json(_parsed(field) if isinstance(field, str) else field, feature)
    if kind == "text":
        return str(field) if _is_integer(field) else from_json(field, feature)
    if not isinstance(field, str):
        return from_json(field, feature)
    if kind == "whole" and is_whole(field.strip()):
        return int(field)
    if kind == "number" and (number := _number(field)) is not None:
        return number
    if kind == "truth" and field.strip().lower() in _TRUTHS:
        return _TRUTHS[field.strip().lower()]
    raise SchemaError(f"expected {words(feature)}, found {short_repr(field)}")


def _list(field: Any, feature: Any, lists: str | None) -> Any:
    element = element_of(feature)
    kind = kind_of(element)
    if isinstance(field, list):
        return from_json(field, feature)
    is_read = kind == "text" and (lists in ("words", "json") or (not lists and are_labels(feature)))
    if isinstance(field, tuple) and is_read:
        if len(field) != 1:
            raise SchemaError(f"expected one text to read a list from, found {len(field):,} texts")
        field = field[0]
    if isinstance(field, tuple):
        if kind == "text":
            return list(field)
        parts = (field,) if kind == "list" else field
        return [value_of(part, element, lists) for part in parts]
    if not isinstance(field, str):
        raise SchemaError(f"expected {words(feature)}, found {short_repr(field)}")
    is_numeric = kind in ("whole", "number", "truth")
    if lists == "json" or not (is_numeric or kind == "text") or _is_json(field, is_numeric):
        return from_json(_parsed(field), feature)
    if is_numeric or is_read:
        separated = field.replace(",", " ") if is_numeric else field
        return [value_of(word, element, lists) for word in separated.split()]
    return [field]


def _is_json(field: str, is_numeric: bool) -> bool:
    """Return True for a list of numbers in brackets."""
    return is_numeric and field.lstrip().startswith("[")


def _parsed(field: str) -> Any:
    try:
        return json.loads(field)
    except (ValueError, RecursionError):
        raise SchemaError(f"expected JSON, found {short_repr(field)}") from None


def _number(field: str) -> float | None:
    try:
        number = float(field)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _is_integer(field: Any) -> bool:
    return isinstance(field, int) and not isinstance(field, bool)
