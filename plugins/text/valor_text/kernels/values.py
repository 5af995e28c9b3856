"""Arguments and results of the kernels: code points, kinds of characters, token spans, edits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

CODE_TYPES = (np.uint8, np.uint32)
"""Types of code points: bytes if all texts are ASCII."""

Codes = NDArray[np.uint8] | NDArray[np.uint32]
Ids = NDArray[np.int32]
Positions = NDArray[np.int64]

HIT, SUBSTITUTION, DELETION, INSERTION = range(4)
"""Edit operations for a token."""

KINDS_OF_EDITS = 4


@frozen(eq=False, repr=False)
class Characters:
    """Texts as a single column of code points.

    Parameters
    ----------
    codes : ndarray of uint8 or uint32
        Code points, in bytes if all are ASCII. A separator follows each text.
    starts, stops : ndarray of int64
        Offsets of the first character, and of the end, of each text.
    """

    codes: Codes
    starts: Positions
    stops: Positions


@frozen(eq=False, repr=False)
class Spans:
    """Offsets of the tokens of texts.

    Parameters
    ----------
    firsts : ndarray of int64
        Offset of the first character of each token.
    lengths : ndarray of int32
        Number of characters of each token.
    lines : ndarray of int32
        Line of each token in its text, starting at 0.
    starts : ndarray of int64
        Index of the first token of each text, and the total.
    """

    firsts: Positions
    lengths: Ids
    lines: Ids
    starts: Positions


KINDS = {
    "BETWEEN": 0,  # between tokens
    "WORD": 1,  # part of a token of such characters
    "ALONE": 2,  # a token of one character
    "LINE": 3,  # between tokens, and the end of a line
    "DIGIT": 4,  # a WORD, also after DOLLAR in a token
    "MARK": 5,  # starts a token that ends at the next BETWEEN or LINE
    "DOLLAR": 6,  # a MARK, or the start of a token if a DIGIT follows
}
"""Kinds by name."""

BETWEEN, WORD, ALONE, LINE, DIGIT, MARK, DOLLAR = KINDS.values()

_CODES = 0x110000
_ASCII = 128


@frozen(eq=False, repr=False)
class CharacterKinds:
    """Kind of every character.

    Parameters
    ----------
    kind : callable
        ``kind(character)``, called once for each that occurs.

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
        """Return kinds by code point, filled for the given code points.

        Parameters
        ----------
        codes : ndarray of uint8 or uint32
            Code points, with repetitions.
        """
        if not self._known[0]:
            self._learn(np.arange(_ASCII))
        if codes.size and codes.max() >= _ASCII:
            found = occurs(codes)
            self._learn(np.flatnonzero(found & ~self._known[: len(found)]))
        return self._table

    def _learn(self, codes: NDArray[np.int64]) -> None:
        # Two threads may compute the same entries, and write equal values.
        self._table[codes] = [self.kind(chr(code)) for code in codes.tolist()]
        self._known[codes] = True


def occurs(codes: NDArray[Any]) -> NDArray[np.bool_]:
    """Return a mask of the code points that occur, up to the largest."""
    marks = np.zeros(int(codes.max(initial=0)) + 1, bool)
    marks[codes] = True
    return marks
