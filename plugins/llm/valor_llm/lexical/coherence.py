"""Coherence of a text, by what its neighboring sentences share."""

from __future__ import annotations

from itertools import pairwise

from valor_llm.lexical import cues
from valor_llm.lexical.sentences import sentences
from valor_llm.lexical.words import Words, tokens


def coherence(text: str) -> float:
    """Share of the sentences that follow from the one before.

    One follows that shares a word with it or begins with a linking word, and does not repeat it. A
    single sentence is coherent, no sentence is not.

    Examples
    --------
    >>> coherence("Bread needs flour. Flour is milled from grain. My uncle had a boat.")
    0.5
    """
    own = sentences(text)
    if len(own) < 2:
        return float(len(own))
    return sum(_follows(one, other) for one, other in pairwise(own)) / (len(own) - 1)


def _follows(before: str, after: str) -> bool:
    one, other = Words.of(before), Words.of(after)
    if one == other:
        return False
    return (
        bool(one.content.keys() & other.content.keys())
        or next(iter(tokens(after)), "") in cues.LINKING
    )
