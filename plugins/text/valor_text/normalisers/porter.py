"""Stems of English words, as nltk's Porter stemmer finds them."""

from __future__ import annotations

from collections.abc import Sequence

from valor_text import kernels
from valor_text.normalisers.characters import characters, text_of


def stems(words: Sequence[str]) -> list[str]:
    """Stem of each word, in lowercase.

    Examples
    --------
    >>> stems(["flipping", "Skies"])
    ['flip', 'sky']
    """
    column = characters([word.lower() for word in words])
    codes, lengths = kernels.stems(column)
    text = text_of(codes)
    places = zip(column.starts.tolist(), lengths.tolist(), strict=True)
    return [text[start : start + length] for start, length in places]
