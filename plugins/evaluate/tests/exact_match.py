"""Metric of a function, in a module that other processes can import."""

from __future__ import annotations

from valor_core import metric


@metric("mylab.ExactMatch", task="text")
def exact_match(item, *, ignore_case: bool = False) -> float:  # type: ignore[no-untyped-def]
    """Return True if the response is one of the references."""
    fold = str.casefold if ignore_case else str
    return float(fold(item.response) in map(fold, item.references))
