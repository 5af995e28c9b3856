"""Counts of weighted items: exact sums of weights, in the place of numbers of items.

A sum of weights is a `Fraction`, so that it has the same bits for any split and order of the items.
Arrays of sums have the type object; a sum over no items is the integer 0.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_classification.kernels.values import ConfusionCells
from valor_core.errors import StateError, short_repr
from valor_core.schemas import Codes, Floats
from valor_core.states import ExactSums, StateContent
from valor_core.states.saved_columns import saved_column

_UNIT = 1 << 1074  # of `ExactSums`
_TEXT = re.compile(r"[0-9]{1,700}(/[1-9][0-9]{0,400})?")


def weighed(codes: NDArray[Any], weights: Floats, size: int) -> Codes:
    """Return the sum of the weights of each code.

    Parameters
    ----------
    codes : ndarray of int, shape (n,)
        Codes from 0 to `size` - 1.
    weights : ndarray of float64, shape (n,)
        Weight of each code.
    size : int
        Number of codes.

    Examples
    --------
    >>> weighed(np.array([2, 0, 2]), np.array([0.5, 3.0, 0.25]), 3).tolist()
    [Fraction(3, 1), 0, Fraction(3, 4)]
    """
    sums = ExactSums()
    sums.grow(size)
    sums.add(codes, weights)
    return np.array([Fraction(units, _UNIT) if units else 0 for units in sums.units], dtype=object)


def total(weights: Floats) -> Any:
    """Return the sum of some weights."""
    return weighed(np.zeros(len(weights), np.int64), weights, 1)[0]


def weighed_cells(
    truths: Codes, predictions: NDArray[Any], bins: NDArray[Any], weights: Floats
) -> ConfusionCells:
    """Return the confusion of weighted items, like the kernel `confusion_cells`.

    Parameters
    ----------
    truths, predictions : ndarray of int64, shape (n,)
        Label codes, -1 for none.
    bins : ndarray of int, shape (n,)
        Number of thresholds that the prediction passes.
    weights : ndarray of float64, shape (n,)
        Weights of the items.

    Examples
    --------
    >>> labels = np.array([0, 1, 1])
    >>> cells = weighed_cells(labels, labels, np.array([1, 1, 1]), np.array([2.0, 0.5, 0.25]))
    >>> cells.truths.tolist(), cells.counts.tolist()
    ([0, 1], [Fraction(2, 1), Fraction(3, 4)])
    """
    width, depth = int(predictions.max(initial=-1)) + 2, int(bins.max(initial=0)) + 1
    codes = ((truths + 1) * width + predictions + 1) * depth + bins
    cells, index = np.unique(codes, return_inverse=True)
    pairs, bins = np.divmod(cells, depth)
    return ConfusionCells(
        truths=pairs // width - 1,
        predictions=pairs % width - 1,
        bins=bins,
        counts=weighed(index, weights, len(cells)),
    )


def numbers(values: NDArray[Any]) -> NDArray[Any]:
    """Return sums of weights as integers if all are whole, otherwise as floats; counts unchanged.

    Examples
    --------
    >>> numbers(np.array([Fraction(1, 2), 0])), numbers(np.array([Fraction(2), 1]))
    (array([0.5, 0. ]), array([2, 1]))
    """
    if values.dtype != object:
        return values
    small = all(one.denominator == 1 and one < 1 << 53 for one in values.flat)
    return values.astype(np.int64 if small else np.float64)


def number(value: Any) -> int | float:
    """Return a sum of weights as an integer if it is whole, otherwise as a float.

    Examples
    --------
    >>> number(3), number(Fraction(3)), number(Fraction(3, 4))
    (3, 3, 0.75)
    """
    if isinstance(value, Fraction):
        value = numbers(np.array([value])).item()
    found: int | float = value
    return found


def as_text(value: Any) -> Any:
    """Return counts for a state file; sums of weights become text.

    Examples
    --------
    >>> as_text(Fraction(3, 4)), as_text(np.array([Fraction(3, 4), 0])), as_text(3)
    ('3/4', ['3/4', 0], 3)
    """
    if isinstance(value, np.ndarray) and value.dtype == object:
        return [as_text(one) for one in value.flat]
    return str(value) if isinstance(value, Fraction) else value


def of_text(value: Any, name: str, shape: tuple[int, ...] = ()) -> Any:
    """Return the sums of weights that `as_text` converted to text.

    Raises
    ------
    StateError
        If there are other values, or not as many as the shape requires.

    Examples
    --------
    >>> of_text("3/4", "datums"), of_text(["3/4", 0], "truths", (2,)).tolist()
    (Fraction(3, 4), [Fraction(3, 4), 0])
    """
    if isinstance(value, list):
        if len(value) != np.prod(shape, dtype=int):
            raise StateError(f"{name}: expected the shape {shape}, found {len(value):,} sums")
        found = np.zeros(len(value), dtype=object)
        found[:] = [of_text(one, name) for one in value]
        return found.reshape(shape)
    if type(value) is int and value == 0:
        return value
    if not isinstance(value, str) or not _TEXT.fullmatch(value):
        raise StateError(f"{name}: expected sums of weights, found {short_repr(value)}")
    return Fraction(value)


def saved_weights(content: StateContent, count: int) -> Floats | None:
    """Return the column ``weights`` of a state file, or None if it has none.

    Examples
    --------
    >>> saved_weights({"weights": np.array([0.5, 2.0])}, 2), saved_weights({}, 2)
    (array([0.5, 2. ]), None)
    """
    if "weights" not in content:
        return None
    found: Floats = saved_column(content, "weights", np.float64, shape=(count,), low=0)
    return found
