"""Details of items: sets of labels and texts of errors."""

from __future__ import annotations

import numpy as np
from valor_labels import LabelSets, error_counts, label_counts

from valor_core.schemas import Label


def test_sets_of_any_sizes_are_found_again() -> None:
    random = np.random.default_rng(0)
    sizes = random.integers(0, 4, 200)
    codes = random.integers(0, 3, sizes.sum())
    sets = LabelSets.of(np.repeat(np.arange(200), sizes), codes, 200)
    expected = [tuple(one.tolist()) for one in np.split(codes, np.cumsum(sizes)[:-1])]

    numbers, distinct = sets.distinct()
    assert [distinct[number] for number in numbers] == expected
    assert len(set(distinct)) == len(distinct)

    chosen = random.permutation(200)[:50]
    numbers, distinct = sets.select(chosen).distinct()
    assert [distinct[number] for number in numbers] == [expected[one] for one in chosen]
    numbers, distinct = sets.select(chosen, np.full(50, 2)).distinct()
    assert [distinct[number] for number in numbers] == [expected[one][:2] for one in chosen]


def test_labels_of_several_keys_are_named_with_their_keys() -> None:
    labels = [Label("class", "dog"), Label("colour", "dog")]
    found = label_counts(np.array([1, 1, 1]), np.array([1, 0, 1]), 2, labels)

    assert found.tolist() == [{}, {"dog": 1, "colour: dog": 2}]
    assert label_counts(np.array([], np.int64), np.array([], np.int64), 1, []).tolist() == [{}]


def test_errors_of_no_items_are_no_texts() -> None:
    assert error_counts({"missed": np.array([], np.int64)}).tolist() == []
    assert error_counts({"missed": np.array([1200])}).tolist() == ["1,200 missed"]
