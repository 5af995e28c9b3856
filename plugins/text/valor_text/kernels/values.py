"""Arguments and results of the kernels: code points, kinds of characters, token spans, edits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

CODE_TYPES = (np.uint8, np.uint32)
"""Types of code points: bytes where all texts are ASCII."""

Codes = NDArray[np.uint8] | NDArray[np.uint32]
Ids = NDArray[np.int32]
Positions = NDArray[np.int64]

HIT, SUBSTITUTION, DELETION, INSERTION = range(4)
"""What becomes of a token when one text is made of another: it stays, or one of three edits."""

KINDS_OF_EDITS = 4


@frozen(eq=False, repr=False)
class Characters:
    """Texts as one column of code points.

    Parameters
    ----------
    codes : ndarray of uint8 or uint32
        Code points, in bytes where all are ASCII; between two texts stands one of neither.
    starts, stops : ndarray of int64
        Where each text begins and ends.
    """

    codes: Codes
    starts: Positions
    stops: Positions


@frozen(eq=False, repr=False)
class Spans:
    """Where the tokens of some texts stand.

    Parameters
    ----------
    firsts : ndarray of int64
        Position of each token's first character.
    lengths : ndarray of int32
        Number of its characters.
    lines : ndarray of int32
        Number of its line in its text, from 0 on.
    starts : ndarray of int64
        Where the tokens of each text begin; one more at the end.
    """

    firsts: Positions
    lengths: Ids
    lines: Ids
    starts: Positions


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
