"""ROUGE's tokens, as the package rouge_score has them: runs of a to z and 0 to 9."""

from __future__ import annotations

from collections.abc import Sequence

from valor_text.kernels.kinds import BETWEEN, LINE, WORD, CharacterKinds
from valor_text.normalisers.lowercase_words import lowercase
from valor_text.normalisers.porter import stems
from valor_text.normalisers.tokens import Tokens

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
_SHORTEST_STEMMED = 4


def _kind(character: str) -> int:
    if character == "\n":
        return LINE
    return WORD if character in _LETTERS else BETWEEN


_KINDS = CharacterKinds(_kind)


def tokens(texts: Sequence[str]) -> Tokens:
    r"""Runs of a to z and 0 to 9 of the texts in lower case; a line ends at a line feed.

    Examples
    --------
    >>> tokens(["The cat's\nmat"]).of(0)
    ['the', 'cat', 's', 'mat']
    """
    return Tokens.found(lowercase(texts), _KINDS)


def stemmed(tokens: Tokens) -> Tokens:
    """The tokens, words of more than three letters cut to their stems by Porter's algorithm."""
    return tokens.renamed(_stems)


def _stems(words: list[str]) -> list[str]:
    pairs = zip(words, stems(words), strict=True)
    return [stem if len(word) >= _SHORTEST_STEMMED else word for word, stem in pairs]
