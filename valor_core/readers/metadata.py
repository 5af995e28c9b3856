"""Metadata read from tables: what is written as a number or a truth value becomes one."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_TRUTH = {"true": True, "false": False}


def typed(value: Any) -> Any:
    """The value that a cell of text stands for; other values stay.

    Each value is judged alone, so that it does not depend on how a file is split. Text such as
    ``007`` or ``1,5`` stays text.

    Examples
    --------
    >>> [typed(text) for text in ("2020", "0.5", "true", "rain", "007", None)]
    [2020, 0.5, True, 'rain', '007', None]
    """
    if not isinstance(value, str):
        return value
    if value.lower() in _TRUTH:
        return _TRUTH[value.lower()]
    if _INTEGER.fullmatch(value):
        return int(value)
    if _NUMBER.fullmatch(value) and math.isfinite(float(value)):
        return float(value)
    return value


def typed_column(values: Iterable[Any]) -> list[Any]:
    """A column of such values; each distinct text is judged once."""
    values = values.tolist() if isinstance(values, np.ndarray) else list(values)
    kept = {text: typed(text) for text in {value for value in values if isinstance(value, str)}}
    return [kept[value] if isinstance(value, str) else value for value in values]


def unpacked(tables: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Columns of a column that holds a table of fields for each item.

    Examples
    --------
    >>> unpacked([{"weather": "rain"}, {}])
    {'weather': ['rain', None]}
    """
    tables = list(tables)
    names = dict.fromkeys(name for table in tables for name in table)
    return {name: [table.get(name) for table in tables] for name in names}
