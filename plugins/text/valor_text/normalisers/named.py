"""The normalisers and tokenisers by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from valor_text.normalisers.normaliser import Normaliser, Tokeniser
from valor_text.normalisers.tokens import Tokens
from valor_text.parameters.fields import normaliser_named, tokeniser_named

_NORMALISERS: Mapping[str, str] = {
    "none": "lowercase_words:as_it_is",
    "lower": "lowercase_words:lower",
    "lowercase": "lowercase_words:lowercase",
    "strip": "lowercase_words:strip",
    "squad": "squad:squad",
    "unicode": "unicode:folded",
    "speech": "speech.multilingual:with_diacritics",
    "speech_plain": "speech.multilingual:without_diacritics",
    "english_speech": "speech.english:english",
}
_TOKENISERS: Mapping[str, str] = {
    "words": "lowercase_words:words",
    "characters": "lowercase_words:letters",
    "rouge": "rouge:tokens",
    "valor": "documented:tokens",
    "13a": "sacrebleu:mteval",
    "intl": "sacrebleu:international",
    "zh": "sacrebleu:chinese",
    "char": "sacrebleu:letters",
    "ja-mecab": "mecab:japanese",
    "ko-mecab": "mecab:korean",
    "chrf": "chrf:tokens",
    "jiwer": "jiwer:tokens",
    "unicode_words": "unicode:words",
}

_AT_ONCE: Mapping[tuple[str, str], str] = {
    ("squad", "words"): "squad:tokens",
}
"""Tokens of normalised texts that are found without making the texts."""


@cache
def normaliser(name: str) -> Normaliser:
    """A normaliser by its name, with or without a version.

    Raises
    ------
    ParameterError
        If there is none of that name and version.

    Examples
    --------
    >>> normaliser("lower").name
    'lower@1'
    """
    named = normaliser_named(name)
    return Normaliser(named, _found(_NORMALISERS[_short(named)]))


@cache
def tokeniser(name: str) -> Tokeniser:
    """A tokeniser by its name, with or without a version.

    Raises
    ------
    ParameterError
        If there is none of that name and version.

    Examples
    --------
    >>> tokeniser("rouge@1").name
    'rouge@1'
    """
    named = tokeniser_named(name)
    return Tokeniser(named, _found(_TOKENISERS[_short(named)]))


def normalise(texts: Sequence[str], name: str) -> list[str]:
    """Texts as a normaliser makes them.

    Parameters
    ----------
    texts : sequence of str
        The texts.
    name : str
        The normaliser.

    Returns
    -------
    list of str
        A text for each, in the same order.
    """
    return normaliser(name).normalise(texts)


def tokenise(texts: Sequence[str], name: str) -> Tokens:
    """Tokens of texts as a tokeniser finds them.

    Parameters
    ----------
    texts : sequence of str
        The texts.
    name : str
        The tokeniser.
    """
    return tokeniser(name).tokenise(texts)


def tokens_of(texts: Sequence[str], normaliser: str, tokeniser: str) -> Tokens:
    """Tokens of texts as a tokeniser finds them once they are normalised.

    Parameters
    ----------
    texts : sequence of str
        The texts.
    normaliser, tokeniser : str
        The names.

    Examples
    --------
    >>> tokens_of(["The  Cat's mat."], "squad", "words").of(0)
    ['cats', 'mat']
    """
    both = _short(normaliser_named(normaliser)), _short(tokeniser_named(tokeniser))
    if both in _AT_ONCE:
        found: Tokens = _found(_AT_ONCE[both])(texts)
        return found
    return tokenise(normalise(texts, normaliser), tokeniser)


def _short(named: str) -> str:
    return named.partition("@")[0]


def _found(place: str) -> Callable[..., Any]:
    module, _, function = place.partition(":")
    found: Callable[..., Any] = getattr(import_module(f"valor_text.normalisers.{module}"), function)
    return found
