"""Kernels of edits: both implementations equal rapidfuzz."""

from __future__ import annotations

import os
import sys
from itertools import pairwise
from random import Random
from subprocess import run

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein
from valor_text.kernels import KERNELS
from valor_text.kernels.reference import functions as reference
from valor_text.kernels.values import DELETION, HIT, INSERTION, SUBSTITUTION

needs_library = pytest.mark.skipif(KERNELS.library is None, reason=KERNELS.reason)

TEXTS = st.lists(st.integers(0, 3), max_size=90)
KINDS = {"equal": HIT, "replace": SUBSTITUTION, "delete": DELETION, "insert": INSERTION}


def columns(pairs):
    """Return texts as token ids for the kernels: all left texts, then all right texts."""
    texts = [left for left, _ in pairs] + [right for _, right in pairs]
    ids = np.array([token for text in texts for token in text], np.int32)
    starts = np.cumsum([0, *map(len, texts)]).astype(np.int64)
    lefts = np.arange(len(pairs))
    return ids, starts, int(ids.max(initial=-1)) + 1, lefts, lefts + len(pairs)


def rapidfuzz(left, right):
    """Return the edits of rapidfuzz, one for each step."""
    return [
        KINDS[tag]
        for tag, first, last, other_first, other_last in Levenshtein.opcodes(left, right)
        for _ in range(max(last - first, other_last - other_first))
    ]


def check(kernels, pairs):
    given_columns = columns(pairs)
    edits, ends = kernels.edit_sequences(*given_columns)
    counts = kernels.edit_counts(*given_columns)
    assert (edits.dtype, ends.dtype, counts.dtype) == (np.uint8, np.int64, np.int64)
    assert counts.shape == (len(pairs), 4)
    for (first, last), row, (left, right) in zip(pairwise(ends), counts, pairs, strict=True):
        expected = rapidfuzz(left, right)
        assert edits[first:last].tolist() == expected
        assert row.tolist() == np.bincount(expected, minlength=4).tolist()


def long_pairs(length, vocabulary, seed):
    """Generate different and similar texts whose table of distances is too large to store."""
    source = Random(seed)
    left = source.choices(range(vocabulary), k=length)
    other = source.choices(range(vocabulary), k=length + 300)
    near = [token for token in left if source.random() < 0.9]
    return [(left, other), (left, near), (near, left)]


def nearly_equal(length, seed):
    """Generate a long text with a few edits near the ends of its similar halves."""
    source = Random(seed)
    left = source.choices(range(20), k=length)
    right = list(left)
    for center in (length - 40, length // 2 + 30, length // 2 - 70, 60):
        at = center + source.randrange(30)
        right[at : at + source.randrange(3)] = source.choices(range(20), k=source.randrange(3))
    return left, right


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=4))
def test_python_edits_equal_rapidfuzz(pairs):
    check(reference, pairs)


def test_python_edits_of_long_texts_equal_rapidfuzz():
    check(reference, long_pairs(2300, 12, seed=1)[:1])


@needs_library
@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=8))
def test_compiled_edits_equal_rapidfuzz(pairs):
    from valor_text.kernels.compiled import functions as compiled

    check(compiled, pairs)


@needs_library
@pytest.mark.parametrize(("length", "vocabulary"), [(2100, 3), (3500, 40), (6000, 2000)])
def test_compiled_edits_of_long_texts_equal_rapidfuzz(length, vocabulary):
    from valor_text.kernels.compiled import functions as compiled

    check(compiled, long_pairs(length, vocabulary, seed=length))


@needs_library
def test_compiled_edits_of_long_similar_texts_equal_rapidfuzz():
    from valor_text.kernels.compiled import functions as compiled

    check(compiled, [nearly_equal(30_000, seed) for seed in range(4)])


@needs_library
@pytest.mark.skipif(
    "asan" in os.environ.get("LD_PRELOAD", ""), reason="takes terabytes of addresses"
)
def test_edits_of_long_texts_use_little_memory():
    # Few distinct characters, and few edits. A mask per character would need 1.2 GB, twice that
    # with room to grow, and whole tables of the halves 0.6 GB.
    count = """
from resource import RLIMIT_AS, setrlimit
import numpy as np
from valor_text.kernels.compiled.functions import edit_counts
left = np.random.default_rng(0).integers(0, 90, 100_000, np.int32)
right = left.copy()
right[[5, 49_990, 50_010, 99_990]] = 90
ids, starts = np.concatenate([left, right]), np.array([0, 100_000, 200_000])
setrlimit(RLIMIT_AS, (1 << 30, 1 << 30))
print(edit_counts(ids, starts, 91, np.array([0]), np.array([1])).tolist())
"""
    done = run([sys.executable, "-c", count], capture_output=True, text=True, check=True)
    assert done.stdout == "[[99996, 4, 0, 0]]\n"


@needs_library
@pytest.mark.parametrize("length", [63, 64, 65, 127, 128, 129])
def test_compiled_edits_at_word_boundary_equal_rapidfuzz(length):
    from valor_text.kernels.compiled import functions as compiled

    source = Random(length)
    texts = [source.choices(range(3), k=length + source.randrange(-1, 2)) for _ in range(40)]
    check(compiled, list(zip(texts[:20], texts[20:], strict=True)))
