"""Order: names that are digits sort by their number, before all other names."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.schemas.arrays import Codes


def natural(name: str | int) -> tuple[bool, int, str | int]:
    """Sort key of a name; zeros in front of a number do not make it longer.

    Examples
    --------
    >>> sorted(["b", "10", "9", "a"], key=natural)
    ['9', '10', 'a', 'b']
    """
    if not isinstance(name, str):
        return (False, 0, name)
    is_number = name.isdigit()
    return (not is_number, len(name.lstrip("0")) if is_number else 0, name)


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
    length = np.where(is_number, np.char.str_len(np.char.lstrip(names, "0")), 0)
    return np.lexsort((names, length, ~is_number))
