"""Characters: Python's own text, without lone halves of UTF-16 pairs, which no file can hold."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import SchemaError, shown

_LONE = re.compile("[\ud800-\udfff]")
_FIRST, _LAST = 0xD800, 0xDFFF


def plain_text(text: str) -> str:
    """The same characters as Python's own string; one of NumPy is equal, but prints otherwise.

    Examples
    --------
    >>> plain_text(np.str_("cat"))
    'cat'
    """
    return text if type(text) is str else str.__str__(text)


def check_unicode(text: str, place: str) -> None:
    r"""Raise a `SchemaError` if there is a lone surrogate in a text.

    Examples
    --------
    >>> check_unicode("img \U0001f600", "uid")
    >>> check_unicode("img \ud83d", "uid")
    Traceback (most recent call last):
        ...
    valor_core.errors.SchemaError: uid: expected Unicode text, got 'img \ud83d', a lone surrogate
    """
    if not text.isascii() and _LONE.search(text):
        raise SchemaError(f"{place}: expected Unicode text, got {shown(text)}, a lone surrogate")


def check_unicode_column(column: NDArray[Any], name: str) -> None:
    """Raise a `SchemaError` if there is a lone surrogate in a column of text."""
    if column.dtype.kind != "U" or column.dtype.itemsize == 0 or column.size == 0:
        return
    characters = np.ascontiguousarray(column).view(np.uint32)
    if characters.max() < _FIRST:
        return
    is_lone = (characters >= _FIRST) & (characters <= _LAST)
    if is_lone.any():
        position = int(is_lone.argmax()) // (column.dtype.itemsize // 4)
        check_unicode(column[position].item(), f"{name}[{position}]")
