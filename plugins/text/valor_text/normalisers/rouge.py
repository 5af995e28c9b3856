"""Tokens of ROUGE, as in the package rouge_score, and stems of English words."""

from __future__ import annotations

from collections.abc import Sequence

from valor_text.kernels import functions as kernels
from valor_text.kernels.values import BETWEEN, LINE, WORD, CharacterKinds
from valor_text.normalisers.characters import characters, text_of
from valor_text.normalisers.lowercase_words import lowercase
from valor_text.normalisers.tokens import Tokens

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
_SHORTEST_STEMMED = 4


def _kind(character: str) -> int:
    if character == "\n":
        return LINE
    return WORD if character in _LETTERS else BETWEEN


_KINDS = CharacterKinds(_kind)


def tokens(texts: Sequence[str]) -> Tokens:
    r"""Runs of a to z and 0 to 9 of the lowercased texts; a line feed ends a line.

    Examples
    --------
    >>> tokens(["The cat's\nmat"]).of(0)
    ['the', 'cat', 's', 'mat']
    """
    return Tokens.found(lowercase(texts), _KINDS)


def stemmed(tokens: Tokens) -> Tokens:
    """Replace words of more than three letters by their stems."""
    return tokens.renamed(_stems)


def _stems(words: list[str]) -> list[str]:
    pairs = zip(words, stems(words), strict=True)
    return [stem if len(word) >= _SHORTEST_STEMMED else word for word, stem in pairs]


def stems(words: Sequence[str]) -> list[str]:
    """Lowercased stems of English words, as in nltk's Porter stemmer.

    Examples
    --------
    >>> stems(["flipping", "Skies"])
    ['flip', 'sky']
    """
    column = characters([word.lower() for word in words])
    codes, lengths = kernels.stems(column)
    text = text_of(codes)
    bounds = zip(column.starts.tolist(), lengths.tolist(), strict=True)
    return [text[start : start + length] for start, length in bounds]
