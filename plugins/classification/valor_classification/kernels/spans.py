"""Spans of rows or columns, and how many are worth a thread each."""

from valor_core.threads import Span

_THREAD_SCORES = 1 << 19  # scores that are worth a thread of their own


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
    """Number of threads, at most `threads`, that some number of scores is worth.

    Examples
    --------
    >>> workers(10, threads=2)
    1
    """
    return max(1, min(threads, size // _THREAD_SCORES))
