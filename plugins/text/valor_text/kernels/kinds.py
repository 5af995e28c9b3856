"""Kinds of characters: what a tokenizer takes each of them for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

KINDS = {
    "BETWEEN": 0,  # between tokens
    "WORD": 1,  # part of a token of such characters
    "ALONE": 2,  # a token for itself
    "LINE": 3,  # between tokens, and a line ends
    "DIGIT": 4,  # a WORD, or what follows DOLLAR in a token
    "MARK": 5,  # begins a token that goes on until the next BETWEEN or LINE
    "DOLLAR": 6,  # a MARK, whose token is the DIGIT behind it if there is one
}
"""Kinds by name."""

BETWEEN, WORD, ALONE, LINE, DIGIT, MARK, DOLLAR = KINDS.values()

_CODES = 0x110000
_ASCII = 128


@frozen(eq=False, repr=False)
class CharacterKinds:
    """The kind of every character.

    Parameters
    ----------
    kind : callable
        ``kind(character)``, asked once for each that occurs.

    Examples
    --------
    >>> kinds = CharacterKinds(lambda character: BETWEEN if character.isspace() else WORD)
    >>> kinds.table(np.array([ord("a"), ord(" ")], np.uint32))[ord(" ")]
    np.uint8(0)
    """

    kind: Callable[[str], int]
    _table: NDArray[np.uint8] = field(init=False, factory=lambda: np.zeros(_CODES, np.uint8))
    _known: NDArray[np.bool_] = field(init=False, factory=lambda: np.zeros(_CODES, bool))

    def table(self, codes: NDArray[Any]) -> NDArray[np.uint8]:
        """Kinds by code point, known for some code points.

        Parameters
        ----------
        codes : ndarray of uint8 or uint32
            Code points, each any number of times.
        """
        if not self._known[0]:
            self._learn(np.arange(_ASCII))
        if codes.size and codes.max() >= _ASCII:
            found = occurs(codes)
            self._learn(np.flatnonzero(found & ~self._known[: len(found)]))
        return self._table

    def _learn(self, codes: NDArray[np.int64]) -> None:
        # Two threads may learn the same at once: they write the same.
        self._table[codes] = [self.kind(chr(code)) for code in codes.tolist()]
        self._known[codes] = True


def occurs(codes: NDArray[Any]) -> NDArray[np.bool_]:
    """Of every code point up to the greatest of some, whether it is among them."""
    marks = np.zeros(int(codes.max(initial=0)) + 1, bool)
    marks[codes] = True
    return marks
