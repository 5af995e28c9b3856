"""Values: what the kernels are given and answer."""

from typing import Any

import numpy as np
from attrs import frozen
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


def contiguous(values: NDArray[Any], dtype: type[Any]) -> NDArray[Any]:
    """The values, as a kernel wants them."""
    return np.ascontiguousarray(values, dtype)
