"""Hashes of uids and metadata that are the same on every machine and in every batch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from valor_core.schemas import Uids

Hashes = NDArray[np.uint64]
"""Column of hashes."""

# Constants of the finalizer of SplitMix64, which changes half of the output's bits on average
# when one bit of the input changes (Steele, Lea and Flood, OOPSLA 2014).
_INCREMENT = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def mixed(values: Hashes) -> Hashes:
    """Return pseudorandom numbers that are independent of the pattern of the values.

    Examples
    --------
    >>> mixed(np.array([0, 1], np.uint64))
    array([16294208416658607535, 10451216379200822465], dtype=uint64)
    """
    values = values + _INCREMENT
    values = (values ^ (values >> np.uint64(30))) * _FIRST
    values = (values ^ (values >> np.uint64(27))) * _SECOND
    return values ^ (values >> np.uint64(31))


def hashes(column: Uids, seed: int) -> Hashes:
    """Return a hash of each uid, of all integers or all strings.

    A string has the same hash in a column of any width.

    Parameters
    ----------
    column : ndarray of int64 or str, shape (n,)
        Uids.
    seed : int
        Number that selects the hash function.

    Examples
    --------
    >>> bool(hashes(np.array(["a"]), 0)[0] == hashes(np.array(["a", "long"]), 0)[0])
    True
    """
    start = mixed(np.array([seed], np.int64).view(np.uint64))[0]
    if column.dtype.kind in "iu":
        return mixed(column.astype(np.int64).view(np.uint64) ^ start)
    texts = np.ascontiguousarray(column.astype(np.str_))
    if not len(texts):
        return np.empty(0, np.uint64)
    characters = texts.view(np.uint32).reshape(len(texts), -1)
    found = np.full(len(texts), start)
    for place in range(characters.shape[1]):
        codes = characters[:, place].astype(np.uint64)
        # Text ends at the first zero, and shorter texts of a column are padded with zeros.
        found = np.where(codes > 0, mixed(found ^ codes), found)
    return found


def hash_of(value: object, seed: int) -> np.uint64:
    """Return the hash of a metadata value, by its text in Python.

    Examples
    --------
    >>> bool(hash_of("1", 0) == hash_of(1, 0))
    False
    """
    found: np.uint64 = hashes(np.array([repr(value)]), seed)[0]
    return found
