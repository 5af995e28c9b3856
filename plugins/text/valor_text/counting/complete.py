"""Complete items: those that have a response and references, and why the others are left out."""

from __future__ import annotations

from collections import Counter

import numpy as np

from valor_core.schemas.text import TextBatch

COMPARED = ("response", "references")
"""What an item needs for being compared."""


def complete(batch: TextBatch) -> tuple[TextBatch, Counter[str]]:
    """The items of a batch that can be compared, and how many are left out, by reason.

    Per-item metrics need not ask: they declare what they read and are handed no others.

    Examples
    --------
    >>> from valor_core.schemas.text import Text
    >>> batch = TextBatch.of([Text("q1", response="a", references="a"), Text("q2", response="b")])
    >>> items, left_out = complete(batch)
    >>> len(items), left_out
    (1, Counter({'undefined: no references': 1}))
    """
    is_complete = np.ones(len(batch), bool)
    left_out: Counter[str] = Counter()
    for name in COMPARED:
        lacks = batch.lacks(name) & is_complete
        if lacks.any():
            left_out[f"undefined: no {name}"] = int(lacks.sum())
            is_complete &= ~lacks
    return (batch.select(np.flatnonzero(is_complete)) if left_out else batch), left_out
