"""Exactly rounded sums of floats that merge in any order and any split.

Every finite float64 is an integer multiple of 2**-1074. A sum kept as one Python integer in this
unit never rounds, except once in `ExactSum.value`. Equal data give equal objects, whatever the
batches and their order.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import define, field
from numpy.typing import ArrayLike, NDArray

from valor_core.errors import SchemaError, StateError, and_more, short_repr

if TYPE_CHECKING:
    from fractions import Fraction

_UNIT_BITS = 1074
# Values are scaled into windows of 32 binary exponents and split into an integer part of at most 31
# bits and fractions of 27 and 26 bits. Float sums of up to 2**22 such parts are exact; a smaller
# chunk bounds the memory.
_WINDOW = 32
_FRACTION_BITS = (27, 26)
_CHUNK = 1 << 20
# Values of similar size are split into layers of 31 bits, highest first. The sum of a layer over a
# block is an exact float, too.
_LAYER_BITS = 31
_MOST_LAYERS = 8
_LOWEST_LAYER = -900
_BLOCK = 1 << 14  # fits in the CPU cache
# Exponents of products of two mantissas whose sum of two floats is exact.
_LEAST_PRODUCT, _GREATEST_PRODUCT = 106 - _UNIT_BITS, 1024
_TEXT = re.compile(r"(-?)0x([0-9a-f]+)p([+-][0-9]{1,4})")


@define(repr=False)
class ExactSum:
    """Sum of float64 values that is rounded only once, when it is read.

    Parameters
    ----------
    units : int, default 0
        Sum in units of 2**-1074.

    Examples
    --------
    >>> total = ExactSum()
    >>> total.add([0.1] * 10)
    >>> total.value
    1.0
    >>> other = ExactSum()
    >>> other.add([1e100, 1.0, -1e100])
    >>> total.merge(other)
    >>> total.value
    2.0
    """

    units: int = 0

    def add(self, values: ArrayLike) -> None:
        """Add finite floats of any shape.

        Parameters
        ----------
        values : array_like of float
            Values, not modified. Integers are rejected, since large ones would be rounded.

        Raises
        ------
        SchemaError
            If the values are not floats, or not finite.

        Examples
        --------
        >>> total = ExactSum()
        >>> total.add(np.array([0.25, 0.5]))
        >>> total.value
        0.75
        """
        floats = _finite_floats(values)
        self.units += sum(
            units
            for start in range(0, len(floats), _BLOCK)
            for _, units in _layered_units(None, floats[start : start + _BLOCK])
        )

    def add_products(self, x: ArrayLike, y: ArrayLike) -> None:
        """Add the products of two columns, each without rounding.

        Variances, correlations and R2 follow from sums of products and are then independent of
        the split of the data.

        Parameters
        ----------
        x, y : array_like of float, of the same shape
            Finite floats, not modified.

        Raises
        ------
        SchemaError
            If the shapes differ, or the values are not floats, or not finite.

        Notes
        -----
        Products may exceed the range of float64. Below it, they are rounded to multiples of
        2**-1074, as float64 does.

        Examples
        --------
        >>> total = ExactSum()
        >>> total.add_products([1e200, 0.1], [1e200, 0.1])
        >>> total.add_products([1e200], [-1e200])
        >>> total.value
        0.010000000000000002
        """
        high, low, rest = _products(x, y)
        self.add(high)
        self.add(low)
        self.units += sum(units for _, units in rest)

    def merge(self, other: ExactSum) -> None:
        """Add another sum, which is not modified.

        Examples
        --------
        >>> left, right = ExactSum(), ExactSum()
        >>> right.add([0.5])
        >>> left.merge(right)
        >>> left == right
        True
        """
        self.units += other.units

    @property
    def value(self) -> float:
        """Sum as the nearest float64, ties to even.

        Raises
        ------
        SchemaError
            If the sum exceeds the range of float64.

        Examples
        --------
        >>> ExactSum().value
        0.0
        """
        return _rounded(self.units)

    @property
    def exact(self) -> Fraction:
        """Sum without rounding.

        Examples
        --------
        >>> total = ExactSum()
        >>> total.add_products([1.0, 3.0], [1.0, 3.0])
        >>> total.exact / 2 - 4  # the variance of 1 and 3, whose mean is 2
        Fraction(1, 1)
        """
        return _fraction(self.units)

    def to_text(self) -> str:
        """Return exact text of the sum for a JSON file: a hexadecimal integer and a power of two.

        Examples
        --------
        >>> total = ExactSum()
        >>> total.add([1.5])
        >>> total.to_text()
        '0x3p-1'
        """
        return _units_text(self.units)

    @classmethod
    def from_text(cls, text: str) -> ExactSum:
        """Return the sum that `to_text` wrote.

        Raises
        ------
        SchemaError
            If the text has another format.

        Examples
        --------
        >>> ExactSum.from_text("0x3p-1").value
        1.5
        """
        return cls(_units_of_text(text))


@define(repr=False)
class ExactSums:
    """One exact sum per group code 0, 1, 2, ….

    Parameters
    ----------
    units : list of int, optional
        Sums in units of 2**-1074, by code.

    Examples
    --------
    >>> sums = ExactSums()
    >>> sums.add([0, 2, 0], [0.1, 0.5, 0.2])
    >>> sums.values
    array([0.3, 0. , 0.5])
    """

    units: list[int] = field(factory=list)

    def __len__(self) -> int:
        return len(self.units)

    def grow(self, count: int) -> None:
        """Extend to `count` sums with zeros; never shrinks.

        Examples
        --------
        >>> sums = ExactSums()
        >>> sums.grow(2)
        >>> sums.values
        array([0., 0.])
        """
        self.units.extend([0] * (count - len(self.units)))

    def add(self, codes: ArrayLike, values: ArrayLike) -> None:
        """Add each value to the sum of its code.

        Parameters
        ----------
        codes : array_like of int, shape (n,)
            Group of each value, 0 or more. The sums grow to the largest code.
        values : array_like of float, shape (n,)
            Finite floats.

        Raises
        ------
        SchemaError
            If the lengths differ, a code is negative or not an integer, or a value is not finite.

        Examples
        --------
        >>> sums = ExactSums()
        >>> sums.add([1, 1], [0.25, 0.25])
        >>> sums.values
        array([0. , 0.5])
        """
        floats = _finite_floats(values)
        groups = _group_codes(codes, len(floats))
        if not len(groups):
            return
        self.grow(int(groups.max()) + 1)
        few = len(self.units) < _BLOCK
        step, units_of = (_BLOCK, _layered_units) if few else (_CHUNK, _grouped_units)
        for start in range(0, len(floats), step):
            chunk = slice(start, start + step)
            for group, units in units_of(groups[chunk], floats[chunk]):
                self.units[group] += units

    def add_products(self, codes: ArrayLike, x: ArrayLike, y: ArrayLike) -> None:
        """Add each product of `x` and `y` to the sum of its code, as `ExactSum.add_products`.

        Examples
        --------
        >>> sums = ExactSums()
        >>> sums.add_products([0, 1, 0], [3.0, 0.5, 1.0], [3.0, 0.5, 1.0])
        >>> sums.values
        array([10.  ,  0.25])
        """
        high, low, rest = _products(x, y)
        self.add(codes, high)
        self.add(codes, low)
        for position, units in rest:
            self.units[np.asarray(codes)[position]] += units

    def merge(self, other: ExactSums, codes: ArrayLike | None = None) -> None:
        """Add other sums, which are not modified.

        Parameters
        ----------
        other : ExactSums
            Sums to add.
        codes : array_like of int, optional
            New code of each of the other's codes; unchanged by default. May be longer than `other`,
            like a vocabulary with labels that have no sum.

        Raises
        ------
        SchemaError
            If there are fewer codes than sums, or a code is negative or not an integer.

        Examples
        --------
        >>> left, right = ExactSums(), ExactSums()
        >>> left.add([0], [1.0])
        >>> right.add([0, 1], [2.0, 4.0])
        >>> left.merge(right, codes=[1, 0])
        >>> left.values
        array([5., 2.])
        """
        addends = list(other.units)
        if codes is None:
            targets = np.arange(len(addends))
        else:
            targets = _group_codes(codes, None)
            if len(targets) < len(addends):
                raise SchemaError(
                    f"exact sums: expected a code for each of {len(addends)} sums, "
                    f"got {len(targets)}"
                )
        if len(targets):
            self.grow(int(targets.max()) + 1)
        for target, units in zip(targets.tolist(), addends, strict=False):
            self.units[target] += units

    @property
    def values(self) -> NDArray[np.float64]:
        """Sums by code, each as the nearest float64.

        Examples
        --------
        >>> ExactSums().values
        array([], dtype=float64)
        """
        return np.array([_rounded(units) for units in self.units], dtype=np.float64)

    @property
    def exact(self) -> list[Fraction]:
        """Sums by code without rounding.

        Examples
        --------
        >>> ExactSums([1 << 1074]).exact
        [Fraction(1, 1)]
        """
        return list(map(_fraction, self.units))

    def to_text(self) -> str:
        """Return exact text of all sums for a JSON file, separated by spaces.

        Examples
        --------
        >>> sums = ExactSums()
        >>> sums.add([1], [0.75])
        >>> sums.to_text()
        '0x0p+0 0x3p-2'
        """
        return " ".join(map(_units_text, self.units))

    @classmethod
    def from_text(cls, text: str) -> ExactSums:
        """Return the sums that `to_text` wrote.

        Raises
        ------
        SchemaError
            If the text has another format.

        Examples
        --------
        >>> ExactSums.from_text("0x0p+0 0x3p-2").values
        array([0.  , 0.75])
        """
        return cls([_units_of_text(part) for part in text.split()])


def saved_sums(text: object, name: str, most: NDArray[np.floating[Any]]) -> ExactSums:
    """Return non-negative sums of a state file after validating them.

    Parameters
    ----------
    text : object
        Text from `ExactSums.to_text`, as read from a file.
    name : str
        Name of the sums in error messages.
    most : ndarray of float64, shape (n,)
        Upper bound of each sum; infinite for no bound.

    Raises
    ------
    StateError
        If the text is invalid or a sum is out of range.

    Examples
    --------
    >>> saved_sums("0x3p-2 0x0p+0", "ious", np.array([1.0, 0.0])).values
    array([0.75, 0.  ])
    """
    try:
        sums = ExactSums.from_text(text) if isinstance(text, str) else None
        values = None if sums is None else sums.values
    except SchemaError as error:
        raise StateError(f"{name}: {error.message}") from None
    if sums is None or values is None or len(values) != len(most):
        raise StateError(f"{name}: expected {len(most):,} exact sums, found {short_repr(text)}")
    invalid = np.flatnonzero((values < 0) | (values > most))
    if len(invalid):
        first = invalid[0]
        raise StateError(
            f"{name}: expected sums from 0 to {most[first]:g}, found {values[first]:g}"
        )
    return sums


def _finite_floats(values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values)
    if array.dtype.kind != "f" or array.dtype.itemsize > 8:
        raise SchemaError(
            f"exact sum: expected floats of at most 64 bits, got {short_repr(array)}",
            remedy="Convert the values with .astype(float) if that loses nothing.",
        )
    floats = array.astype(np.float64, copy=False).ravel()
    finite = np.isfinite(floats)
    if not finite.all():
        bad = np.flatnonzero(~finite)
        raise SchemaError(
            f"exact sum: expected finite values, got {floats[bad[0]]} at position {bad[0]}"
            f"{and_more(len(bad) - 1)}"
        )
    return floats


def _products(
    x: ArrayLike, y: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[tuple[int, int]]]:
    """Return products as sums of two floats, and position and units of the products out of range.

    The error of a product is Dekker's, of the mantissas, so that nothing overflows.
    """
    if np.shape(x) != np.shape(y):
        raise SchemaError(
            f"exact sum: expected factors of the same shape, got {np.shape(x)} and {np.shape(y)}"
        )
    (one, exponents), (other, others) = np.frexp(_finite_floats(x)), np.frexp(_finite_floats(y))
    exponents = exponents + others
    high = one * other
    (a, b), (c, d) = _halves(one), _halves(other)
    low = ((a * c - high) + a * d + b * c) + b * d
    outside = (exponents < _LEAST_PRODUCT) | (exponents > _GREATEST_PRODUCT)
    rest = [
        (at, _product_units(one[at], other[at], int(exponents[at])))
        for at in np.flatnonzero(outside).tolist()
    ]
    exponents[outside] = 0
    high[outside] = low[outside] = 0.0
    return np.ldexp(high, exponents), np.ldexp(low, exponents), rest


def _halves(mantissas: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Split mantissas of 53 bits into two of at most 26 bits and a sign."""
    scaled = mantissas * (2.0**27 + 1)
    upper = scaled - (scaled - mantissas)
    return upper, mantissas - upper


def _product_units(one: float, other: float, exponent: int) -> int:
    """Units of the product of two mantissas times 2**exponent, rounded to the nearest unit."""
    product = int(one * 2.0**53) * int(other * 2.0**53)
    places = exponent - 106 + _UNIT_BITS
    return product << places if places >= 0 else round(_fraction(product, -places))


def _fraction(numerator: int, bits: int = _UNIT_BITS) -> Fraction:
    from fractions import Fraction  # late import: few metrics need it

    return Fraction(numerator, 1 << bits)


def _group_codes(codes: ArrayLike, count: int | None) -> NDArray[np.int64]:
    array = np.asarray(codes)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
        raise SchemaError(f"exact sums: expected a list of integer codes, got {short_repr(array)}")
    if count is not None and len(array) != count:
        raise SchemaError(f"exact sums: expected {count} codes, one per value, got {len(array)}")
    groups = array.astype(np.int64)
    if len(groups) and groups.min() < 0:
        negative = np.flatnonzero(groups < 0)
        raise SchemaError(
            f"exact sums: expected codes of 0 or more, got {groups[negative[0]]} at position "
            f"{negative[0]}{and_more(len(negative) - 1)}"
        )
    return groups


def _layered_units(
    groups: NDArray[np.int64] | None, floats: NDArray[np.float64]
) -> Iterator[tuple[int, int]]:
    """Yield group and exact units of every (group, layer) in one block of values."""
    rest = floats
    for _ in range(_MOST_LAYERS):
        greatest = max(float(rest.max()), -float(rest.min()))
        if not greatest:
            return
        # A layer is the integer multiples of 2**exponent in all values. None has more than 31 bits,
        # so a block sums to less than 2**53 and float sums are exact in any order.
        exponent = math.frexp(greatest)[1] - _LAYER_BITS
        if exponent < _LOWEST_LAYER:  # below, scaling would exceed the range of floats
            break
        layer = rest * 2.0**-exponent
        np.trunc(layer, out=layer)
        sums = [float(layer.sum())] if groups is None else np.bincount(groups, layer).tolist()
        for group, total in enumerate(sums):
            if total:
                yield group, int(total) << exponent + _UNIT_BITS
        layer *= 2.0**exponent
        rest = rest - layer  # exact: it removes the leading bits
    yield from _grouped_units(groups, rest)


def _grouped_units(
    groups: NDArray[np.int64] | None, floats: NDArray[np.float64]
) -> Iterator[tuple[int, int]]:
    """Yield group and exact units of every (group, exponent) in one non-empty chunk."""
    # A value is mantissa * 2**exponent. The exponent's high bits select the window; the low ones
    # scale the mantissa, so that all values of a window have the same unit.
    mantissas, exponents = np.frexp(floats)
    windows = exponents >> _WINDOW.bit_length() - 1
    exponents &= _WINDOW - 1
    parts = _parts(np.ldexp(mantissas, exponents))
    lowest = int(windows.min())
    span = int(windows.max()) - lowest + 1
    keys: NDArray[Any] = windows.astype(np.int64) - lowest
    if groups is not None:
        keys += groups * span  # one code for group and window, so that one pass counts all
    keys, cells = _dense(keys)
    sums = [np.bincount(keys, weights=part) for part in parts]
    used = np.flatnonzero((sums[0] != 0) | (sums[1] != 0) | (sums[2] != 0))
    shift = lowest * _WINDOW + _UNIT_BITS - sum(_FRACTION_BITS)
    for cell, *totals in zip(
        (used if cells is None else cells[used]).tolist(),
        *(part_sums[used].tolist() for part_sums in sums),
        strict=True,
    ):
        group, window = divmod(cell, span)
        yield group, _shifted(_combined(*totals), window * _WINDOW + shift)


def _parts(scaled: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
    """Yield the integer part and two pieces of the fraction; overwrites its argument."""
    for bits in _FRACTION_BITS:
        integers = np.trunc(scaled)
        yield integers
        scaled -= integers
        scaled *= 2.0**bits
    yield scaled


def _combined(integer: float, upper: float, lower: float) -> int:
    first, second = _FRACTION_BITS
    return (int(integer) << first + second) + (int(upper) << second) + int(lower)


def _dense(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """Renumber keys, and return their old values, if counting by them would need much memory."""
    if int(keys.max()) < 4 * len(keys) + 4096:
        return keys, None
    cells, renumbered = np.unique(keys, return_inverse=True)
    return renumbered, cells


def _shifted(mantissa: int, places: int) -> int:
    # A subnormal's mantissa ends in zeros, which the right shift removes.
    return mantissa << places if places >= 0 else mantissa >> -places


def _rounded(units: int) -> float:
    try:
        return units / (1 << _UNIT_BITS)
    except OverflowError as error:
        raise SchemaError(
            "exact sum: expected a sum within the range of float64, got a larger one"
        ) from error


def _units_text(units: int) -> str:
    if units == 0:
        return "0x0p+0"
    zeros = (units & -units).bit_length() - 1
    return f"{units >> zeros:#x}p{zeros - _UNIT_BITS:+d}"


def _units_of_text(text: str) -> int:
    match = _TEXT.fullmatch(text)
    places = int(match[3]) + _UNIT_BITS if match else -1
    if match is None or places < 0:
        raise SchemaError(f"exact sum: expected text such as '0x3p-1', got {short_repr(text)}")
    return int(match[1] + match[2], 16) << places
