"""Keys: parameters and their values as they stand in the names of numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

NO_VALUE = "(missing)"
"""How tables show the value of a slice of items without the field; ``null`` in keys."""

_CODED = re.compile(r"[^\w\-.: ]|_(?=x[0-9A-F]{4,6}(?:_|[^\w\-.: ]))")
"""Characters that a key does not keep, and the underscore of what reads like a code."""


def pairs(values: Mapping[str, Any]) -> list[str]:
    """Parameters, or the values of a slice, as they stand in keys.

    Examples
    --------
    >>> pairs({"label": "cat", "hardmax": True})
    ['label:cat', 'hardmax:true']
    """
    return [f"{name}:{key_text(value)}" for name, value in values.items()]


def key_text(value: Any) -> str:
    """A value as it stands in a key.

    Examples
    --------
    >>> key_text(True), key_text(None), key_text([0.5, 1])
    ('true', 'null', '0.5 1')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return " ".join(map(key_text, value))
    return str(value)


def safe(part: str) -> str:
    """A part of a key in the characters that experiment trackers take; no two parts become one.

    Letters and digits of all scripts and ``_-.:`` and space stay. Another character becomes its
    code, as in names of XML.

    Examples
    --------
    >>> safe("Köln"), safe("n/a")
    ('Köln', 'n_x002F_a')
    """
    return _CODED.sub(lambda found: f"_x{ord(found[0]):04X}_", part)
