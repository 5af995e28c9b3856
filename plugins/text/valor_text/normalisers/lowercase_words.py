"""Plain ways to prepare texts: as they are, in lower case, split at white space."""

from __future__ import annotations

from collections.abc import Sequence

from valor_text.kernels.kinds import BETWEEN, WORD, CharacterKinds
from valor_text.normalisers.characters import rewritten
from valor_text.normalisers.tokens import Tokens


def as_it_is(texts: Sequence[str]) -> list[str]:
    """The texts, unchanged."""
    return list(texts)


def strip(texts: Sequence[str]) -> list[str]:
    """No white space at the ends.

    Examples
    --------
    >>> strip([" a  b "])
    ['a  b']
    """
    return [text.strip() for text in texts]


def lower(texts: Sequence[str]) -> list[str]:
    r"""Lower case, one blank for any white space, none at the ends.

    Examples
    --------
    >>> lower([" The\tCAT "])
    ['the cat']
    """
    return [" ".join(text.lower().split()) for text in texts]


def lowercase(texts: Sequence[str]) -> list[str]:
    """Lower case, nothing else.

    Examples
    --------
    >>> lowercase([" The  CAT "])
    [' the  cat ']
    """
    return rewritten(texts, lambda joined, mark: joined.lower())


SPACED = CharacterKinds(lambda character: BETWEEN if character.isspace() else WORD)


def words(texts: Sequence[str]) -> Tokens:
    """What stands between white space, as `str.split` finds it.

    Examples
    --------
    >>> words(["the cat's  mat."]).of(0)
    ['the', "cat's", 'mat.']
    """
    return Tokens.found(texts, SPACED)


def letters(texts: Sequence[str]) -> Tokens:
    """Every character for itself, white space too.

    Examples
    --------
    >>> letters(["a b"]).of(0)
    ['a', ' ', 'b']
    """
    return Tokens.of_characters(texts)
