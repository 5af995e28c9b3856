r"""The tokens of Valor's documented BLEU: ``\w+|\$[\d]+|[^\s\.]+``."""

from __future__ import annotations

from collections.abc import Sequence

from valor_text.kernels.kinds import BETWEEN, DIGIT, DOLLAR, MARK, WORD, CharacterKinds
from valor_text.normalisers.tokens import Tokens


def _kind(character: str) -> int:
    if character == "." or character.isspace():
        return BETWEEN
    if character == "$":
        return DOLLAR
    if character.isdecimal():
        return DIGIT
    return WORD if character == "_" or character.isalnum() else MARK


_KINDS = CharacterKinds(_kind)


def tokens(texts: Sequence[str]) -> Tokens:
    """Words, amounts of dollars, and marks with all behind them up to a period or white space.

    Examples
    --------
    >>> tokens(["Don't pay $5.00 (or more)."]).of(0)
    ['Don', "'t", 'pay', '$5', '00', '(or', 'more', ')']
    """
    return Tokens.found(texts, _KINDS)
