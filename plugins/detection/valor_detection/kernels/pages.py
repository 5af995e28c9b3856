"""Pages of memory for arrays that are large and short-lived."""

from __future__ import annotations

import mmap
import sys
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LARGE = 1 << 22  # bytes from which on NumPy asks for large pages, too


def paged(count: int, dtype: Any) -> NDArray[Any]:
    """An array of zeros in pages of its own.

    The system has the pages back as soon as the array is gone, while an allocator may keep them,
    and a page that is not written to takes no memory.

    Parameters
    ----------
    count : int
        Number of its elements.
    dtype : dtype
        What they are.

    Examples
    --------
    >>> paged(3, np.uint8)
    array([0, 0, 0], dtype=uint8)
    """
    pages = _pages(max(1, count * np.dtype(dtype).itemsize))
    if len(pages) >= _LARGE and hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # a system without large pages
            pages.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(pages, dtype, count)


if sys.platform == "win32":

    def _pages(size: int) -> mmap.mmap:
        return mmap.mmap(-1, size)

else:

    def _pages(size: int) -> mmap.mmap:
        return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
