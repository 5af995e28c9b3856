"""Tables of pixels by true and predicted label, and how many labels they can have."""

from __future__ import annotations

import numpy as np

from valor_core.errors import SchemaError, StateError
from valor_core.schemas import Codes

MOST_COUNTED = 1 << 61
"""Pixels, or what else is counted; sums and differences of fewer stay within 64 bits."""

MOST_LABELS = 10_000
"""Labels of a key; a table of so many takes 0.8 GB, and threads have one each."""


def check_labels(count: int) -> None:
    """Raise a `SchemaError` if a table of some labels would be too large.

    Examples
    --------
    >>> check_labels(65_535)
    Traceback (most recent call last):
        ...
    valor_core.errors.SchemaError: labels: expected at most 10,000 of one key, got 65,535, whose \
table of true and predicted labels takes 34.4 GB
    Leave out labels that no image has, or join some with label_map.
    """
    if count > MOST_LABELS:
        raise SchemaError(
            f"labels: expected at most {MOST_LABELS:,} of one key, got {count:,}, whose table of "
            f"true and predicted labels takes {8 * (count + 1) ** 2 / 1e9:,.1f} GB",
            "Leave out labels that no image has, or join some with label_map.",
        )


def check_total(*tables: Codes) -> None:
    """Raise a `StateError` if some tables together count more than sums of 64 bits can tell.

    Examples
    --------
    >>> check_total(np.array([1 << 61]))
    Traceback (most recent call last):
        ...
    valor_core.errors.StateError: counts: expected at most 2.3e+18 in all, found 2.3e+18
    Merge fewer states, each of data of its own.
    """
    total = sum(float(table.sum(dtype=np.float64)) for table in tables)
    if total >= MOST_COUNTED:
        raise StateError(
            f"counts: expected at most {MOST_COUNTED:.1e} in all, found {total:.1e}",
            "Merge fewer states, each of data of its own.",
        )
