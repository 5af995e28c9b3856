"""Compiled and Python kernels are equal."""

from __future__ import annotations

import importlib
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from valor_text.kernels import KERNELS
from valor_text.kernels.reference import functions as reference
from valor_text.kernels.values import (
    ALONE,
    BETWEEN,
    DIGIT,
    DOLLAR,
    LINE,
    MARK,
    WORD,
    CharacterKinds,
)
from valor_text.normalisers.characters import characters
from valor_text.normalisers.tokens import Tokens

if KERNELS.library is None:
    pytest.skip(KERNELS.reason, allow_module_level=True)
compiled = importlib.import_module("valor_text.kernels.compiled.functions")

_KIND = {
    " ": BETWEEN,
    "\n": LINE,
    ".": ALONE,
    "\u2003": BETWEEN,
    "7": DIGIT,
    "-": MARK,
    "$": DOLLAR,
}
KINDS = CharacterKinds(lambda character: _KIND.get(character, WORD))

TEXTS = st.lists(
    st.text(st.sampled_from("aab. \n\u2003\u00e977$-\U0001f600"), max_size=150), max_size=8
)
LONG = st.lists(st.integers(0, 3), min_size=60, max_size=140).map(
    lambda words: " ".join("abc\n"[word] for word in words)
)


def bits(answer: Any) -> Any:
    """Return types and values of all arrays of a result."""
    if isinstance(answer, tuple):
        return [bits(part) for part in answer]
    if attrs.has(type(answer)):
        return [bits(part) for part in attrs.astuple(answer, recurse=False)]
    return (answer.dtype, answer.tolist()) if isinstance(answer, np.ndarray) else answer


def tokens_of(texts: list[str]) -> Tokens:
    return Tokens.found(texts, KINDS)


@given(TEXTS)
def test_tokens(texts: list[str]) -> None:
    column = characters(texts)
    spans = reference.runs(column, KINDS)

    assert bits(compiled.runs(column, KINDS)) == bits(spans)
    assert bits(compiled.vocabulary(column, spans)) == bits(reference.vocabulary(column, spans))


def test_vocabulary_of_many_words() -> None:
    column = characters([" ".join(map(str, range(start, start + 9000))) for start in (0, 5000)])
    spans = reference.runs(column, KINDS)

    ids, words = compiled.vocabulary(column, spans)

    assert len(words) == 14000
    assert bits((ids, words)) == bits(reference.vocabulary(column, spans))


@given(TEXTS, st.integers(0, 5), st.data())
def test_common_ngrams(texts: list[str], longest: int, data: st.DataObject) -> None:
    tokens = tokens_of([*texts, "a b"])
    one_of = st.integers(0, len(texts))
    ragged = data.draw(st.lists(st.lists(one_of, max_size=3), max_size=5))
    responses = data.draw(st.lists(one_of, min_size=len(ragged), max_size=len(ragged)))
    starts = np.cumsum([0, *map(len, ragged)])
    references = np.array([text for item_texts in ragged for text in item_texts], np.int64)
    given_arrays = (
        *(tokens.ids, tokens.starts, longest),
        *(np.array(responses, np.int64), references, starts.astype(np.int64)),
    )

    expected = reference.common_ngrams(*given_arrays)
    assert bits(compiled.common_ngrams(*given_arrays)) == bits(expected)


@given(st.lists(st.one_of(LONG, st.text("ab \n", max_size=9)), min_size=1, max_size=4))
def test_subsequences(texts: list[str]) -> None:
    tokens = tokens_of(texts)
    lefts, rights = (np.ravel(side) for side in np.indices((len(texts), len(texts))))
    pair = (tokens.word_count, lefts.astype(np.int64), rights.astype(np.int64))

    whole = (tokens.ids, tokens.starts, *pair)
    assert bits(compiled.longest_common(*whole)) == bits(reference.longest_common(*whole))
    lines = (tokens.ids, tokens.lines, tokens.starts, *pair)
    assert bits(compiled.lines_in_common(*lines)) == bits(reference.lines_in_common(*lines))
