"""Spans of rows or columns, and numbers of threads for them."""

from valor_core.kernels import Span

_THREAD_SCORES = 1 << 18  # fewest scores per thread

CACHED = 1 << 16
"""Scores worked on at a time, so that they and their masks stay in cache."""

_COLUMN_BYTES = 1 << 23  # maximum size of the copies of columns of one thread
_COLUMN_SHARE = 4  # a thread copies at most one column in four, but at least one


def columns_at_once(count: int, width: int, itemsize: int) -> int:
    """Number of columns, of `width`, that a thread copies at a time.

    Examples
    --------
    >>> columns_at_once(100_000, width=12, itemsize=4)
    3
    """
    if count * width <= CACHED:
        return width
    return max(1, min(_COLUMN_BYTES // (itemsize * (count + 1)), width // _COLUMN_SHARE))


def spans(first: int, last: int, step: int) -> list[Span]:
    """Spans of at most `step` that follow each other from `first` to `last`.

    Examples
    --------
    >>> spans(0, 5, 2)
    [(0, 2), (2, 4), (4, 5)]
    """
    step = max(1, step)
    return [(start, min(start + step, last)) for start in range(first, last, step)]


def workers(size: int, threads: int) -> int:
    """Number of threads for `size` scores, at most `threads`.

    Examples
    --------
    >>> workers(10, threads=2)
    1
    """
    return max(1, min(threads, size // _THREAD_SCORES))
