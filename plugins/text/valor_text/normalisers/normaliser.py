"""Normalisers and tokenisers by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

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
    normalised: list[str] = _function(NORMALISERS, normaliser_named(name))(texts)
    return normalised


def tokenise(texts: Texts, name: str) -> Tokens:
    """Cut texts into tokens.

    Parameters
    ----------
    texts : sequence of str
        Texts.
    name : str
        Name of the tokeniser.
    """
    tokens: Tokens = _function(TOKENISERS, tokeniser_named(name))(texts)
    return tokens


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


def _function(preparations: Mapping[str, Preparation], named: str) -> Callable[..., Any]:
    return _imported(preparations[_short(named)].function)


@cache
def _imported(function: str) -> Callable[..., Any]:
    module, _, name = function.partition(":")
    found: Callable[..., Any] = getattr(import_module(f"{__package__}.{module}"), name)
    return found
