"""Sliced results: results of the whole and of slices side by side, and how each is called."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from attrs import frozen

from valor_core.metrics.result import Result

NO_VALUE = "(missing)"
"""How tables show the value of a slice of items without the field; ``null`` in keys."""

_CODED = re.compile(r"[^\w\-.: ]|_(?=x[0-9A-F]{4,6}(?:_|[^\w\-.: ]))")
"""Characters that a key does not keep, and the underscore of what reads like a code."""


@frozen
class SlicedResult:
    """A result and the slice that it is of.

    Parameters
    ----------
    where : mapping of str to value
        The slice, ``{"weather": "rain"}``; empty for the whole.
    result : Result
        The result.
    """

    where: Mapping[str, Any]
    result: Result

    @property
    def slice(self) -> str:
        """The slice as it stands in keys; empty for the whole.

        Examples
        --------
        >>> SlicedResult({"weather": "rain", "night": True}, Result(value=0.5)).slice
        'weather:rain/night:true'
        """
        return "/".join(pairs(self.where))


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
