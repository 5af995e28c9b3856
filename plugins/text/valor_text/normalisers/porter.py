"""Stems of English words, by nltk's Porter."""

from __future__ import annotations

from functools import cache


@cache
def stem(word: str) -> str:
    """The stem of a word.

    Examples
    --------
    >>> stem("flipping")
    'flip'
    """
    stemmed: str = _stemmer().stem(word)
    return stemmed


@cache
def _stemmer():  # type: ignore[no-untyped-def]
    # From its module: the package's top imports much more.
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer()
