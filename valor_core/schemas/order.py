"""Order: names that are digits sort by their number, before all other names."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.schemas.arrays import Codes


def natural(name: str | int) -> tuple[bool, int, str, str | int]:
    """Sort key of a name; zeros in front of a number count only between equal numbers.

    Examples
    --------
    >>> sorted(["b", "10", "9", "a", "010"], key=natural)
    ['9', '010', '10', 'a', 'b']
    """
    if not isinstance(name, str):
        return (False, 0, "", name)
    digits = name.lstrip("0") if name.isdigit() else ""
    return (not name.isdigit(), len(digits), digits, name)


def natural_order(names: NDArray[Any]) -> Codes:
    """Positions of names, all strings or all whole numbers, in the order of `natural`.

    Examples
    --------
    >>> natural_order(np.array(["10", "b", "9"]))
    array([2, 0, 1])
    """
    if names.dtype.kind != "U":
        return np.argsort(names, kind="stable")
    is_number = np.char.isdigit(names)
    digits = np.where(is_number, np.char.lstrip(names, "0"), "")
    return np.lexsort((names, digits, np.char.str_len(digits), ~is_number))
