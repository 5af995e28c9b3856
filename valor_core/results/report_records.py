"""Validation of the shape of report files."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from valor_core.errors import ReportError, short_repr
from valor_core.results.result import check_details

_PATH_LENGTH = 100
"""Longest path to a value in an error message."""


def check_report(record: Mapping[str, Any]) -> None:
    """Raise a `ReportError` unless a record has the shape of a report.

    Only shapes are checked, not the meaning of values.

    Examples
    --------
    >>> check_report({"results": [{"type": "F1", "value": "high"}]})
    >>> check_report({"results": {}})
    Traceback (most recent call last):
        ...
    valor_core.errors.ReportError: results: expected a list, found {}
    """
    _check(record, _REPORT, "")


def _check(value: Any, shape: Any, place: str) -> None:
    """Check a value against a shape: a list of one shape, a table, a kind or a function."""
    if isinstance(shape, str):
        if not _KINDS[shape](value):
            raise ReportError(f"{place}: expected {shape}, found {short_repr(value)}")
    elif isinstance(shape, list):
        _check(value, "a list", place)
        for number, one in enumerate(value):
            _check(one, shape[0], f"{place}[{number}]")
    elif isinstance(shape, dict):
        _check(value, "a table", place)
        for name, inner in shape.items():
            for key in value if name == _EACH else [name.rstrip("?")]:
                inside = f"{place}.{key}".lstrip(".")
                if key in value:
                    _check(value[key], inner, inside)
                elif not name.endswith("?"):
                    raise ReportError(f"{inside}: the key is missing")
    else:
        shape(value, place)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


_KINDS: Mapping[str, Callable[[Any], bool]] = {
    "text": lambda value: isinstance(value, str),
    "true or false": lambda value: isinstance(value, bool),
    "a whole number of 0 or more": _is_count,
    "a list": lambda value: isinstance(value, list),
    "a table": lambda value: isinstance(value, Mapping),
}


def _json(value: Any, place: str) -> None:
    """Check that a value can be written to JSON again."""
    if isinstance(value, Mapping):
        for name, one in value.items():
            _json(one, f"{place}.{name}" if len(place) < _PATH_LENGTH else place)
    elif isinstance(value, list):
        for one in value:
            _json(one, place)
    elif isinstance(value, (int, float)) and not _is_finite(value):
        raise ReportError(f"{place}: expected a finite number, found {short_repr(value)}")


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _table(value: Any, place: str) -> None:
    _check(value, "a table", place)
    _json(value, place)


def _details(value: Any, place: str) -> None:
    _table(value, place)
    check_details(value, place)


_EACH = "*"
_COUNT = "a whole number of 0 or more"
_RESULT = {
    "type": "text",
    "value": _json,
    "metric?": "text",
    "asked?": "text",
    "parameters?": _table,
    "undefined?": "text",
    "error?": "text",
    "left_out?": {_EACH: _COUNT},
    "details?": _details,
}
_ROW = {"uid": _json, "value": _json, "details?": _table}
_REPORT = {
    "results": [_RESULT],
    "slices?": [{"slice": _table, "items?": _COUNT, "results": [_RESULT]}],
    "items?": [{"metric": "text", "parameters": _table, "rows": [_ROW]}],
    "requirements?": [_table],
    "counts?": {_EACH: _COUNT},
    "warnings?": ["text"],
    "not_found?": ["text"],
    "versions?": {_EACH: "text"},
    "config?": _table,
    "stopped?": "text",
    "interrupted?": "true or false",
    "facts?": {_EACH: _table},
}
"""Keys of a report. A question mark means optional, a star any key."""
