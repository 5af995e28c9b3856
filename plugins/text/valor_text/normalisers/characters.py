"""Characters: texts as one column of code points."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from valor_text.kernels import Characters
from valor_text.kernels.values import Codes

Rewrite = Callable[[str, str], str]
"""A function of texts joined by a mark, and the mark; it must not look beyond one."""

_SEPARATORS = "\x00\x01\x02\ufdd0\ufdd1\ufdd2"


def separator(texts: Sequence[str]) -> str | None:
    r"""A character that stands in none of the texts and never matters to a letter beside it.

    Joined by it, all texts can be changed at once: it has no case, and is neither a word
    character, nor white space, nor punctuation. None if all that are tried stand in the texts.

    Examples
    --------
    >>> separator(["a", "b"])
    '\x00'
    """
    return next((mark for mark in _SEPARATORS if not any(mark in text for text in texts)), None)


def rewritten(texts: Sequence[str], rewrite: Rewrite) -> list[str]:
    """The texts as a function makes them; all at once where a mark stands in none of them.

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
    """The code points of texts, one text behind the other.

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
    """The text of some code points.

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
