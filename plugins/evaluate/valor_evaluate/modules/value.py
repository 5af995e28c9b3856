"""Conversion of fields of items to the types of a module's columns."""

from __future__ import annotations

import json
import math
from typing import Any

from valor_core.errors import SchemaError, shown
from valor_evaluate.modules.feature import are_labels, element_of, from_json, kind_of, words
from valor_evaluate.modules.label_codes import is_whole

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
    raise SchemaError(f"expected {words(feature)}, found {shown(field)}")


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
        raise SchemaError(f"expected {words(feature)}, found {shown(field)}")
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
        raise SchemaError(f"expected JSON, found {shown(field)}") from None


def _number(field: str) -> float | None:
    try:
        number = float(field)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _is_integer(field: Any) -> bool:
    return isinstance(field, int) and not isinstance(field, bool)
