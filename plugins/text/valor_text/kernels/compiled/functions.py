"""Functions of the compiled library: what each takes and answers."""

from collections.abc import Callable
from ctypes import c_int64
from typing import Any

import numpy as np

from valor_core.kernels import array
from valor_text.kernels.library import KERNELS

NO_MEMORY = -1

KINDS = array(np.uint8)
IDS, IDS_OUT = array(np.int32), array(np.int32, written=True)
PLACES, PLACES_OUT = array(np.int64), array(np.int64, written=True)
COUNT = c_int64


def function(name: str, *arguments: Any) -> Callable[..., int]:
    """A function of the library that answers a count, or that memory ran out.

    Raises
    ------
    MemoryError
        When it is called, and there is no memory for its work.
    """
    answered = KERNELS.function(name, c_int64, *arguments)

    def call(*values: Any) -> int:
        count: int = answered(*values)
        if count == NO_MEMORY:
            raise MemoryError(f"{name}: no memory for the work")
        return count

    return call
