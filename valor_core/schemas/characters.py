"""Characters: Python's own text, without lone halves of UTF-16 pairs, which no file can hold.

Names, of items and of labels, are also without the character NUL. At the end of a text, NumPy's
columns drop it, so that two names would become one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import SchemaError, shown

_LONE = re.compile("[\ud800-\udfff]")
_FIRST, _LAST = 0xD800, 0xDFFF
_BLOCK = 2**18  # characters that are looked at together, so that they stay in the cache
NUL = "\0"
"""The character NUL, which NumPy drops at the end of a text."""


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


def check_name(text: str, place: str) -> None:
    r"""Raise a `SchemaError` if a text cannot be a name: one as of `check_unicode`, or with NUL.

    Examples
    --------
    >>> check_name("img_7\0", "uid")
    Traceback (most recent call last):
        ...
    valor_core.errors.SchemaError: uid: expected a name without the character NUL, got 'img_7\x00'
    """
    check_unicode(text, place)
    if NUL in text:
        raise SchemaError(f"{place}: expected a name without the character NUL, got {shown(text)}")


def check_names(values: Iterable[Any], name: str) -> None:
    """Raise a `SchemaError` if a text among some values, not yet a column, has the character NUL.

    Examples
    --------
    >>> check_names(["cat", 3], "labels")
    """
    values = list(values)
    try:
        has_none = NUL not in "".join(values)  # which takes a third of the time of looking at each
    except TypeError:
        has_none = False
    for position, value in enumerate(() if has_none else values):
        if isinstance(value, str) and NUL in value:
            check_name(value, f"{name}[{position}]")


def check_name_column(column: NDArray[Any], name: str) -> None:
    """Raise a `SchemaError` if a text in a column cannot be a name."""
    if column.dtype.kind != "U" or column.dtype.itemsize == 0 or column.size == 0:
        return
    width = column.dtype.itemsize // 4
    characters = np.ascontiguousarray(column).view(np.uint32).reshape(-1, width)
    rows = max(_BLOCK // width, 1)
    for start in range(0, len(characters), rows):
        block = characters[start : start + rows]
        # behind the last character, a column is filled up with NUL
        is_wrong = (block[:, :-1] == 0) & (block[:, 1:] != 0)
        if block.max() >= _FIRST:
            is_wrong = np.hstack([is_wrong, (block >= _FIRST) & (block <= _LAST)])
        if is_wrong.any():
            position = start + int(is_wrong.any(axis=1).argmax())
            check_name(column[position].item(), f"{name}[{position}]")
