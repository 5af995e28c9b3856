"""The words of chrF++: what stands between white space, with one mark cut off."""

from __future__ import annotations

import string
from collections.abc import Sequence

import numpy as np

from valor_text.kernels import Spans, runs
from valor_text.kernels.values import Codes
from valor_text.normalisers.characters import characters
from valor_text.normalisers.lowercase_words import SPACED
from valor_text.normalisers.tokens import Tokens

_PUNCTUATION = np.array([ord(mark) for mark in string.punctuation], np.uint32)


def tokens(texts: Sequence[str]) -> Tokens:
    """Words, with an ASCII mark at the end, or else at the beginning, for itself.

    Examples
    --------
    >>> tokens(["(Hi)! 'tis - a.b"]).of(0)
    ['(Hi)', '!', "'", 'tis', '-', 'a.b']
    """
    column = characters(texts)
    return Tokens.at(column, _cut(column.codes, runs(column, SPACED)))


def _cut(codes: Codes, words: Spans) -> Spans:
    """The places of words, and of the marks that are cut off them."""
    firsts, lengths = words.firsts, words.lengths
    is_long = lengths > 1
    ends = is_long & np.isin(codes[firsts + lengths - 1], _PUNCTUATION)
    begins = is_long & ~ends & np.isin(codes[firsts], _PUNCTUATION)
    heads = np.where(ends, lengths - 1, np.where(begins, 1, lengths))
    is_cut = ends | begins
    pieces = is_cut + 1
    stops = np.cumsum(pieces)
    new_firsts, new_lengths = np.repeat(firsts, pieces), np.repeat(heads, pieces)
    tails = stops[is_cut] - 1
    new_firsts[tails] += heads[is_cut]
    new_lengths[tails] = (lengths - heads)[is_cut]
    starts = np.concatenate([[0], stops])[words.starts]
    return Spans(new_firsts, new_lengths.astype(np.int32), np.repeat(words.lines, pieces), starts)
