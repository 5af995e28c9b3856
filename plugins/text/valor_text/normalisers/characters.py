"""Texts as a single column of code points."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from valor_text.kernels.values import Characters, Codes

Rewrite = Callable[[str, str], str]
"""Function of joined texts and their separator, which changes each text independently."""

_SEPARATORS = "\x00\x01\x02\ufdd0\ufdd1\ufdd2"


def separator(texts: Sequence[str]) -> str | None:
    r"""Return a character that is in no text and does not affect adjacent letters.

    Texts joined by it can be changed together: it has no case, and is not a word character, white
    space or punctuation. None if the texts contain all candidates.

    Examples
    --------
    >>> separator(["a", "b"])
    '\x00'
    """
    return next((mark for mark in _SEPARATORS if not any(mark in text for text in texts)), None)


def rewritten(texts: Sequence[str], rewrite: Rewrite) -> list[str]:
    """Apply a function to texts, joined if a separator is available.

    Examples
    --------
    >>> rewritten(["a-b", "c"], lambda joined, mark: joined.replace("-", " "))
    ['a b', 'c']
    """
    mark = separator(texts)
    if mark is None:
        return [rewrite(text, "") for text in texts]
    return rewrite(mark.join([*texts, ""]), mark).split(mark)[:-1]


def characters(texts: Sequence[str]) -> Characters:
    """Return the code points of texts.

    Examples
    --------
    >>> characters(["ab", "c"]).stops
    array([2, 4])
    """
    joined = "\x00".join([*texts, ""])
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    ends = np.cumsum(lengths + 1)
    if joined.isascii():
        codes: Codes = np.frombuffer(joined.encode("ascii"), np.uint8)
    else:
        codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), "<u4")
        codes = codes.astype(np.uint32, copy=False)
    return Characters(codes, ends - lengths - 1, ends - 1)


def text_of(codes: Codes) -> str:
    """Return the text of code points.

    Examples
    --------
    >>> text_of(characters(["añb"]).codes)[:3]
    'añb'
    """
    encoding = "latin-1" if codes.dtype == np.uint8 else "utf-32-le"
    return (
        codes.astype(codes.dtype.newbyteorder("<"), copy=False)
        .tobytes()
        .decode(encoding, "surrogatepass")
    )
