"""Phrases: fixed words that are searched anywhere in a text."""

from __future__ import annotations

from collections.abc import Iterable


def first_phrase(phrases: Iterable[str], text: str) -> str | None:
    """The first phrase that is a substring of a text, as the rule that fired.

    Examples
    --------
    >>> first_phrase(("unclear", "unknown"), "it is unknown"), first_phrase(("unclear",), "clear")
    ('phrase: unknown', None)
    """
    return next((f"phrase: {phrase}" for phrase in phrases if phrase in text), None)
