"""Compiled and Python alignments are equal."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from valor_text.kernels import KERNELS
from valor_text.kernels.reference import functions as reference

if KERNELS.library is None:
    pytest.skip(KERNELS.reason, allow_module_level=True)
compiled = importlib.import_module("valor_text.kernels.compiled.functions")

WORDS = 6
TEXT = st.lists(st.integers(0, WORDS - 1), max_size=12)


@given(st.data())
def test_alignments(data: st.DataObject) -> None:
    texts = data.draw(st.lists(TEXT, min_size=1, max_size=5))
    stem_of = np.array(
        data.draw(st.lists(st.integers(0, 3), min_size=WORDS, max_size=WORDS)), np.int32
    )
    synonyms = data.draw(st.lists(st.lists(st.integers(0, 3), max_size=2), min_size=4, max_size=4))
    ids = np.array([word for text in texts for word in text], np.int32)
    starts = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    lefts, rights = (np.ravel(side) for side in np.indices((len(texts), len(texts))))
    given_arrays = (
        *(ids, stem_of[ids], starts, WORDS),
        np.array([one for group in synonyms for one in group], np.int32),
        np.cumsum([0, *map(len, synonyms)], dtype=np.int64),
        *(lefts.astype(np.int64), rights.astype(np.int64)),
    )

    found = compiled.alignments(*given_arrays)

    expected = reference.alignments(*given_arrays)
    assert [part.tolist() for part in found] == [part.tolist() for part in expected]
