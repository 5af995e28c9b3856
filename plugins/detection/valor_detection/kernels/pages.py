"""Memory pages for large, short-lived arrays."""

from __future__ import annotations

import mmap
import sys
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LARGE = 1 << 22  # bytes from which NumPy requests large pages


def paged(count: int, dtype: Any) -> NDArray[Any]:
    """Allocate an array of zeros in separate pages.

    The operating system gets the pages back once the array is deleted, which an allocator may
    delay. Pages that are never written use no memory.

    Parameters
    ----------
    count : int
        Number of elements.
    dtype : dtype
        Type of the elements.

    Examples
    --------
    >>> paged(3, np.uint8)
    array([0, 0, 0], dtype=uint8)
    """
    pages = _pages(max(1, count * np.dtype(dtype).itemsize))
    if len(pages) >= _LARGE and hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # operating system without large pages
            pages.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(pages, dtype, count)


if sys.platform == "win32":

    def _pages(size: int) -> mmap.mmap:
        return mmap.mmap(-1, size)

else:

    def _pages(size: int) -> mmap.mmap:
        return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
