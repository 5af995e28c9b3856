"""Normalisers and tokenisers by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from attrs import field, frozen

from valor_text.normalisers.tokens import Tokens
from valor_text.parameters.fields import (
    NORMALISERS,
    TOKENISERS,
    Preparation,
    normaliser_named,
    tokeniser_named,
)

Texts = Sequence[str]

_AT_ONCE: Mapping[tuple[str, str], str] = {
    ("squad", "words"): "squad:tokens",
}
"""Functions that find the tokens of normalised texts without building these texts."""


@frozen(repr=False)
class Normaliser:
    """Function from texts to normalised texts.

    Parameters
    ----------
    name : str
        Name and version.
    normalise : callable
        ``normalise(texts)`` returns a text for each, in the same order.
    """

    name: str
    normalise: Callable[[Texts], list[str]] = field(repr=False)


@frozen(repr=False)
class Tokeniser:
    """Function from texts to tokens.

    Parameters
    ----------
    name : str
        Name and version.
    tokenise : callable
        ``tokenise(texts)`` returns the tokens of all texts.
    """

    name: str
    tokenise: Callable[[Texts], Tokens] = field(repr=False)


@cache
def normaliser(name: str) -> Normaliser:
    """Return a normaliser by its name, with or without a version.

    Raises
    ------
    ParameterError
        If no normaliser has that name and version.

    Examples
    --------
    >>> normaliser("lower").name
    'lower@1'
    """
    named = normaliser_named(name)
    return Normaliser(named, _function(NORMALISERS, named))


@cache
def tokeniser(name: str) -> Tokeniser:
    """Return a tokeniser by its name, with or without a version.

    Raises
    ------
    ParameterError
        If no tokeniser has that name and version.

    Examples
    --------
    >>> tokeniser("rouge@1").name
    'rouge@1'
    """
    named = tokeniser_named(name)
    return Tokeniser(named, _function(TOKENISERS, named))


def normalise(texts: Texts, name: str) -> list[str]:
    """Normalise texts.

    Parameters
    ----------
    texts : sequence of str
        Texts.
    name : str
        Name of the normaliser.

    Returns
    -------
    list of str
        One text for each, in the same order.
    """
    return normaliser(name).normalise(texts)


def tokenise(texts: Texts, name: str) -> Tokens:
    """Cut texts into tokens.

    Parameters
    ----------
    texts : sequence of str
        Texts.
    name : str
        Name of the tokeniser.
    """
    return tokeniser(name).tokenise(texts)


def tokens_of(texts: Texts, normaliser: str, tokeniser: str) -> Tokens:
    """Normalise texts, and cut them into tokens.

    Parameters
    ----------
    texts : sequence of str
        Texts.
    normaliser, tokeniser : str
        Names.

    Examples
    --------
    >>> tokens_of(["The  Cat's mat."], "squad", "words").of(0)
    ['cats', 'mat']
    """
    both = _short(normaliser_named(normaliser)), _short(tokeniser_named(tokeniser))
    if both in _AT_ONCE:
        tokens: Tokens = _imported(_AT_ONCE[both])(texts)
        return tokens
    return tokenise(normalise(texts, normaliser), tokeniser)


def _short(named: str) -> str:
    return named.partition("@")[0]


def _function(known: Mapping[str, Preparation], named: str) -> Callable[..., Any]:
    return _imported(known[_short(named)].function)


def _imported(function: str) -> Callable[..., Any]:
    module, _, name = function.partition(":")
    found: Callable[..., Any] = getattr(import_module(f"{__package__}.{module}"), name)
    return found
