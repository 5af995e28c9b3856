"""Normalisers of case and white space, and tokenisers that split at white space."""

from __future__ import annotations

import re
from collections.abc import Sequence

from valor_text.kernels.values import BETWEEN, DIGIT, DOLLAR, MARK, WORD, CharacterKinds
from valor_text.normalisers.characters import rewritten
from valor_text.normalisers.tokens import Tokens

SPACED = CharacterKinds(lambda character: BETWEEN if character.isspace() else WORD)
"""Words between white space."""

_BLANKS = CharacterKinds(lambda character: BETWEEN if character == " " else WORD)
_SEVERAL = re.compile(r"\s\s+")


def unchanged(texts: Sequence[str]) -> list[str]:
    """Return the texts unchanged."""
    return list(texts)


def strip(texts: Sequence[str]) -> list[str]:
    """Remove white space at both ends.

    Examples
    --------
    >>> strip([" a  b "])
    ['a  b']
    """
    return [text.strip() for text in texts]


def lower(texts: Sequence[str]) -> list[str]:
    r"""Lowercase, one blank for each run of white space, none at the ends.

    Examples
    --------
    >>> lower([" The\tCAT "])
    ['the cat']
    """
    return [" ".join(text.lower().split()) for text in texts]


def lowercase(texts: Sequence[str]) -> list[str]:
    """Lowercase, with unchanged white space.

    Examples
    --------
    >>> lowercase([" The  CAT "])
    [' the  cat ']
    """
    return rewritten(texts, lambda joined, mark: joined.lower())


def words(texts: Sequence[str]) -> Tokens:
    """Words between white space, as in `str.split`.

    Examples
    --------
    >>> words(["the cat's  mat."]).of(0)
    ['the', "cat's", 'mat.']
    """
    return Tokens.found(texts, SPACED)


def letters(texts: Sequence[str]) -> Tokens:
    """Single characters, including white space.

    Examples
    --------
    >>> letters(["a b"]).of(0)
    ['a', ' ', 'b']
    """
    return Tokens.of_characters(texts)


def jiwer_words(texts: Sequence[str]) -> Tokens:
    r"""Words between blanks, as in jiwer: two or more white space characters count as one blank.

    A single tab or line feed within a text is part of a word.

    Examples
    --------
    >>> jiwer_words(["the\tcat  sat \n"]).of(0)
    ['the\tcat', 'sat']
    """
    return Tokens.found([_SEVERAL.sub(" ", text.strip()) for text in texts], _BLANKS)


def documented_tokens(texts: Sequence[str]) -> Tokens:
    r"""Tokens of Valor's documented BLEU, ``\w+|\$[\d]+|[^\s\.]+``.

    They are words, amounts of dollars, and marks with all characters up to a period or white space.

    Examples
    --------
    >>> documented_tokens(["Don't pay $5.00 (or more)."]).of(0)
    ['Don', "'t", 'pay', '$5', '00', '(or', 'more', ')']
    """
    return Tokens.found(texts, _DOCUMENTED)


def _documented(character: str) -> int:
    if character == "." or character.isspace():
        return BETWEEN
    if character == "$":
        return DOLLAR
    if character.isdecimal():
        return DIGIT
    return WORD if character == "_" or character.isalnum() else MARK


_DOCUMENTED = CharacterKinds(_documented)
