"""Report records: whether what a JSON file holds has the shape of a report."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from valor_core.errors import ReportError, shown
from valor_core.metrics.result_details import check_details

Check = Callable[[Any, str], None]


def check_report(record: Mapping[str, Any]) -> None:
    """Raise a `ReportError` unless a record has the shape of a report.

    Only shapes are checked. What a metric's value means is the metric's own affair.

    Examples
    --------
    >>> check_report({"results": [{"type": "F1", "value": "high"}]})
    >>> check_report({"results": {}})
    Traceback (most recent call last):
        ...
    valor_core.errors.ReportError: results: expected a list, found {}
    """
    _REPORT(record, "report")


def _fails(place: str, expected: str, found: Any) -> ReportError:
    return ReportError(f"{place}: expected {expected}, found {shown(found)}")


def _text(value: Any, place: str) -> None:
    if not isinstance(value, str):
        raise _fails(place, "text", value)


def _count(value: Any, place: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
        raise _fails(place, "a whole number of 0 or more", value)


def _truth(value: Any, place: str) -> None:
    if not isinstance(value, bool):
        raise _fails(place, "true or false", value)


def _json(value: Any, place: str) -> None:
    """Anything that a report can be written with again."""
    if isinstance(value, Mapping):
        for name, one in value.items():
            _json(one, f"{place}.{name}" if len(place) < 100 else place)
    elif isinstance(value, list):
        for one in value:
            _json(one, place)
    elif isinstance(value, (int, float)):
        try:
            is_finite = math.isfinite(value)
        except OverflowError:
            is_finite = False
        if not is_finite:
            raise _fails(place, "a finite number", value)


def _table(value: Any, place: str) -> None:
    if not isinstance(value, Mapping):
        raise _fails(place, "a table", value)
    _json(value, place)


def _each(check: Check) -> Check:
    def check_all(value: Any, place: str) -> None:
        if not isinstance(value, Mapping):
            raise _fails(place, "a table", value)
        for name, one in value.items():
            check(one, f"{place}.{name}")

    return check_all


def _list(check: Check) -> Check:
    def check_all(value: Any, place: str) -> None:
        if not isinstance(value, list):
            raise _fails(place, "a list", value)
        for number, one in enumerate(value):
            check(one, f"{place}[{number}]")

    return check_all


def _fields(required: Mapping[str, Check], **optional: Check) -> Check:
    def check_all(value: Any, place: str) -> None:
        if not isinstance(value, Mapping):
            raise _fails(place, "a table", value)
        inside = "" if place == "report" else f"{place}."
        for name, check in required.items():
            if name not in value:
                raise ReportError(f"{inside}{name}: the key is missing")
            check(value[name], f"{inside}{name}")
        for name, check in optional.items():
            if name in value:
                check(value[name], f"{inside}{name}")

    return check_all


def _details(value: Any, place: str) -> None:
    _table(value, place)
    check_details(value, place)


_RESULT = _fields(
    {"type": _text, "value": _json},
    metric=_text,
    parameters=_table,
    undefined=_text,
    error=_text,
    left_out=_each(_count),
    details=_details,
)
_ROW = _fields({"uid": _json, "value": _json}, details=_table)
_REPORT = _fields(
    {"results": _list(_RESULT)},
    slices=_list(_fields({"slice": _table, "results": _list(_RESULT)})),
    items=_list(_fields({"metric": _text, "parameters": _table, "rows": _list(_ROW)})),
    requirements=_list(_table),
    counts=_each(_count),
    warnings=_list(_text),
    not_found=_list(_text),
    versions=_each(_text),
    config=_table,
    stopped=_text,
    interrupted=_truth,
    facts=_each(_table),
)
