"""Saved parts: scores and flags of a state file, checked before a state takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from valor_core.errors import StateError, shown
from valor_core.schemas import Floats
from valor_core.states import saved_column


def scores(content: Mapping[str, Any], name: str, shape: tuple[int | None, ...]) -> Floats:
    """Finite scores in one of the two types that kernels read.

    Raises
    ------
    StateError
        If they are something else.

    Examples
    --------
    >>> scores({"values": np.array([0.5])}, "values", (None,))
    array([0.5])
    """
    dtype = getattr(content.get(name), "dtype", None)
    found: Floats = saved_column(
        content, name, np.float32 if dtype == np.float32 else np.float64, shape=shape
    )
    return found


def flag(content: Mapping[str, Any], name: str) -> bool:
    """True or false.

    Raises
    ------
    StateError
        If it is something else.

    Examples
    --------
    >>> flag({"has_several": True}, "has_several")
    True
    """
    value = content.get(name)
    if not isinstance(value, bool):
        raise StateError(f"{name}: expected true or false, found {shown(value)}")
    return value
