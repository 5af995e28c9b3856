"""Normaliser and Tokeniser: what makes texts of texts, and tokens of texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attrs import field, frozen

from valor_text.normalisers.tokens import Tokens

Texts = Sequence[str]


@frozen(repr=False)
class Normaliser:
    """What makes texts of texts.

    Parameters
    ----------
    name : str
        What parameters call it.
    normalise : callable
        ``normalise(texts)``, the new texts in the same order.
    """

    name: str
    normalise: Callable[[Texts], list[str]] = field(repr=False)


@frozen(repr=False)
class Tokeniser:
    """What makes tokens of texts.

    Parameters
    ----------
    name : str
        What parameters call it.
    tokenise : callable
        ``tokenise(texts)``, the tokens of all texts.
    """

    name: str
    tokenise: Callable[[Texts], Tokens] = field(repr=False)
