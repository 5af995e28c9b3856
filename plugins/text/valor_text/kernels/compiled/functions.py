"""Kernels in C, called through ctypes, equal to their counterparts in `reference`.

The functions allocate and check arrays; the C code reads and fills them.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_text.kernels import KERNELS
from valor_text.kernels.values import (
    CODE_TYPES,
    KINDS_OF_EDITS,
    CharacterKinds,
    Characters,
    Codes,
    Ids,
    Positions,
    Spans,
)

__all__ = [
    "alignments",
    "common_ngrams",
    "edit_counts",
    "edit_sequences",
    "lines_in_common",
    "longest_common",
    "runs",
    "shifted_edits",
    "stems",
    "vocabulary",
]

NO_MEMORY = KERNELS.constant("no_memory")


def _function(name: str, optional: Sequence[str] = ()) -> Callable[..., int]:
    """Bind a function of the library that returns a count, or `NO_MEMORY`.

    Raises
    ------
    MemoryError
        If a call cannot allocate its memory.
    """
    bound = KERNELS.function(name, optional)

    def call(*values: Any) -> int:
        count: int = bound(*values)
        if count == NO_MEMORY:
            raise MemoryError(f"{name}: no memory for the work")
        return count

    return call


def _by_type(name: str) -> dict[np.dtype[Any], Callable[..., int]]:
    """Bind the functions for each type of code points."""
    return {kind: _function(f"{name}_{kind.name}") for kind in map(np.dtype, CODE_TYPES)}


_alignments = _function("alignments")
_common_ngrams = _function("common_ngrams")
_edits = _function("edits", optional=("edits",))
_lines_in_common = _function("lines_in_common")
_longest_common = _function("longest_common")
_shifted_edits = _function("shifted_edits")
_RUNS, _STEMS, _VOCABULARY = map(_by_type, ("runs", "stems", "vocabulary"))


def alignments(
    ids: Ids,
    stems: Ids,
    starts: Positions,
    word_count: int,
    synonyms: Ids,
    synonym_starts: Positions,
    responses: Positions,
    references: Positions,
) -> tuple[Positions, Positions]:
    """Words of each pair's response that are aligned to its reference, and number of chunks."""
    aligned, chunks = np.empty(len(responses), np.int64), np.empty(len(responses), np.int64)
    _alignments(
        *(ids, stems, starts, word_count, synonyms, synonym_starts),
        *(responses, references, len(responses), aligned, chunks),
    )
    return aligned, chunks


def common_ngrams(
    ids: Ids,
    starts: Positions,
    longest: int,
    responses: Positions,
    references: Positions,
    reference_starts: Positions,
) -> Positions:
    """Number of n-grams of each length that each item's response and references have in common."""
    common = np.empty((len(responses), longest), np.int64)
    _common_ngrams(
        *(ids, starts, longest),
        *(responses, references, reference_starts, len(responses), common),
    )
    return common


def edit_counts(
    ids: Ids, starts: Positions, word_count: int, lefts: Positions, rights: Positions
) -> Positions:
    """Hits, substitutions, deletions and insertions of each pair of texts."""
    counts = np.empty((len(lefts), KINDS_OF_EDITS), np.int64)
    _edits(ids, starts, word_count, lefts, rights, len(lefts), counts, None)
    return counts


def edit_sequences(
    ids: Ids, starts: Positions, word_count: int, lefts: Positions, rights: Positions
) -> tuple[NDArray[np.uint8], Positions]:
    """Edits of each pair of texts in order, and the offset of each pair's first edit."""
    counts = np.empty((len(lefts), KINDS_OF_EDITS), np.int64)
    lengths = np.diff(starts)
    edits = np.empty(int((lengths[lefts] + lengths[rights]).sum()), np.uint8)
    _edits(ids, starts, word_count, lefts, rights, len(lefts), counts, edits)
    ends = np.concatenate([[0], np.cumsum(counts.sum(axis=1))])
    return edits[: ends[-1]], ends


def lines_in_common(
    ids: Ids, lines: Ids, starts: Positions, word_count: int, lefts: Positions, rights: Positions
) -> Positions:
    """Hits of each pair's left text, by longest common subsequences of lines."""
    hits = np.empty(len(lefts), np.int64)
    _lines_in_common(ids, lines, starts, word_count, lefts, rights, len(lefts), hits)
    return hits


def longest_common(
    ids: Ids, starts: Positions, word_count: int, lefts: Positions, rights: Positions
) -> Positions:
    """Length of a longest common subsequence of each pair of texts."""
    lengths = np.empty(len(lefts), np.int64)
    _longest_common(ids, starts, word_count, lefts, rights, len(lefts), lengths)
    return lengths


def runs(characters: Characters, kinds: CharacterKinds) -> Spans:
    """Offsets, lengths and lines of the tokens of texts."""
    codes, texts = characters.codes, len(characters.starts)
    # A text has at most one token per character. Pages that are never written cost nothing.
    firsts = np.empty(len(codes), np.int64)
    lengths, lines = np.empty(len(codes), np.int32), np.empty(len(codes), np.int32)
    starts = np.empty(texts + 1, np.int64)
    given = (codes, characters.starts, characters.stops, texts, kinds.table(codes))
    count = _RUNS[codes.dtype](*given, firsts, lengths, lines, starts)
    return Spans(firsts[:count].copy(), lengths[:count].copy(), lines[:count].copy(), starts)


def shifted_edits(
    ids: Ids, starts: Positions, responses: Positions, references: Positions
) -> Positions:
    """Number of edits, including shifts, from each response to its reference."""
    edits = np.empty(len(responses), np.int64)
    _shifted_edits(ids, starts, responses, references, len(responses), edits)
    return edits


def stems(words: Characters) -> tuple[Codes, Ids]:
    """Code points of the stems, at the offsets of the words, and their lengths."""
    codes, lengths = words.codes.copy(), (words.stops - words.starts).astype(np.int32)
    _STEMS[codes.dtype](codes, words.starts, lengths, len(lengths))
    return codes, lengths


def vocabulary(characters: Characters, spans: Spans) -> tuple[Ids, Positions]:
    """Number of each token's word, and the first token of each word."""
    count = len(spans.firsts)
    ids, words = np.empty(count, np.int32), np.empty(count, np.int64)
    count_words = _VOCABULARY[characters.codes.dtype]
    word_count = count_words(characters.codes, spans.firsts, spans.lengths, count, ids, words)
    return ids, words[:word_count]
