"""Order: names that are numbers sort by their value, before all other names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from valor_core.schemas.columns import Codes

if TYPE_CHECKING:
    from decimal import Decimal

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)", re.ASCII)


def is_numeral(name: str) -> bool:
    """Whether a name is a decimal number, with or without a sign.

    Examples
    --------
    >>> [is_numeral(name) for name in ("-5", "0.25", "1e3", "cat")]
    [True, True, False, False]
    """
    return _NUMBER.fullmatch(name) is not None


def natural(name: str | int) -> tuple[bool, Decimal | int, str]:
    """Sort key of a name; how a number is written counts only between equal numbers.

    Examples
    --------
    >>> sorted(["b", "10", "-9", "a", "010", "9.5"], key=natural)
    ['-9', '9.5', '010', '10', 'a', 'b']
    """
    if not isinstance(name, str):
        return (False, int(name), str(name))
    if not is_numeral(name):
        return (True, 0, name)
    from decimal import Decimal

    return (False, Decimal(name), name)


def natural_order(names: NDArray[Any]) -> Codes:
    """Positions of names, all strings or all whole numbers, in the order of `natural`.

    Examples
    --------
    >>> natural_order(np.array(["10", "b", "-9"]))
    array([2, 0, 1])
    """
    if names.dtype.kind != "U" or not len(names):
        return np.argsort(names, kind="stable")
    letters = np.ascontiguousarray(names).view(np.uint32).reshape(len(names), -1)
    first = letters[:, 0]
    is_digits = (_are_digits(letters) | (letters == 0)).all(axis=1) & (first != 0)
    starts_one = _are_digits(first) | (first == _PLUS) | (first == _MINUS) | (first == _POINT)
    if any(map(is_numeral, names[starts_one & ~is_digits].tolist())):
        listed = names.tolist()
        return np.array(sorted(range(len(listed)), key=lambda i: natural(listed[i])), np.int64)
    if not is_digits.any():
        return np.argsort(names, kind="stable")
    digits = np.where(is_digits, np.char.lstrip(names, "0"), "")
    return np.lexsort((names, digits, np.char.str_len(digits), ~is_digits))


_PLUS, _MINUS, _POINT = map(ord, "+-.")


def _are_digits(letters: NDArray[np.uint32]) -> NDArray[np.bool_]:
    return (letters >= ord("0")) & (letters <= ord("9"))
