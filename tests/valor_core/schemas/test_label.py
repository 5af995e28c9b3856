from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from valor_core import Label
from valor_core.errors import SchemaError
from valor_core.schemas import Vocabulary, label_map
from valor_core.schemas.label import as_label, as_labels, as_scored_labels


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("", "a", "Label: key must be a non-empty string, got ''"),
        ("a", "", "Label: value must be a non-empty string, got ''"),
        ("a", 3, "Label: value must be a non-empty string, got 3"),
    ],
)
def test_label_needs_key_and_value(key: Any, value: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        Label(key, value)


@pytest.mark.parametrize(
    ("value", "label"),
    [
        ("dog", Label("class", "dog")),
        (3, Label("class", "3")),
        (np.int64(3), Label("class", "3")),
        (("animal", "dog"), Label("animal", "dog")),
        (["animal", "dog"], Label("animal", "dog")),
        ({"key": "animal", "value": "dog"}, Label("animal", "dog")),
        (Label("animal", "dog"), Label("animal", "dog")),
    ],
)
def test_bare_values_become_labels(value: Any, label: Label) -> None:
    assert as_label(value) == label


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "label: expected a string, a (key, value) pair or a Label, got None"),
        (True, "label: expected a string, a (key, value) pair or a Label, got True"),
        (0.5, "label: expected a string, a (key, value) pair or a Label, got 0.5"),
        (("a", "b", "c"), "expected a string, a (key, value) pair or a Label, got ('a', 'b', 'c')"),
        ({"key": "a"}, "expected a string, a (key, value) pair or a Label, got {'key': 'a'}"),
    ],
)
def test_invalid_label_is_rejected(value: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        as_label(value)


def test_labels_are_sorted_by_key_and_value() -> None:
    labels = [Label("class", "b"), Label("animal", "z"), Label("class", "a")]

    assert list(map(str, sorted(labels))) == ["animal: z", "a", "b"]


def test_numeric_labels_are_sorted_by_value() -> None:
    labels = [Label("class", value) for value in ("2", "-5", "10", "0.5", "a")]

    assert [label.value for label in sorted(labels)] == ["-5", "0.5", "2", "10", "a"]


@pytest.mark.parametrize("sequence", [list, tuple])
def test_sequence_of_two_labels_is_not_a_pair(sequence: Any) -> None:
    for names in (["cat"], ["cat", "dog"], ["cat", "dog", "cow"]):
        assert as_labels(sequence(names)) == tuple(Label("class", name) for name in names)
    assert as_labels(sequence([("animal", "dog")])) == (Label("animal", "dog"),)


@pytest.mark.parametrize(
    "mapping",
    [
        {"tabby": "cat", ("animal", "x"): ("animal", "y")},
        [["tabby", "cat"], [["animal", "x"], ["animal", "y"]]],
    ],
)
def test_label_map_accepts_mapping_or_pairs(mapping: Any) -> None:
    assert label_map(mapping) == {
        Label("class", "tabby"): Label("class", "cat"),
        Label("animal", "x"): Label("animal", "y"),
    }


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        (3, "label_map: expected a table of labels, got 3"),
        ("tabby", "label_map: expected a table of labels, got 'tabby'"),
        (["tabby"], "label_map: expected [from, to] pairs, got 'tabby'"),
        ([["a", "b", "c"]], "label_map: expected [from, to] pairs, got ['a', 'b', 'c']"),
        ([["a", "b"], ["a", "c"]], "label_map: expected one name for 'a', found two"),
    ],
)
def test_invalid_label_map_is_rejected(mapping: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        label_map(mapping)


@given(st.lists(st.lists(st.sampled_from("abcdef"), unique=True), max_size=4))
def test_join_adds_labels_and_keeps_codes(batches: list[list[str]]) -> None:
    vocabulary = Vocabulary()

    for names in batches:
        joined = vocabulary.join([Label("class", name) for name in names])
        assert [vocabulary.labels[code].value for code in joined] == names

    assert len(set(vocabulary.labels)) == len(vocabulary)
    assert [vocabulary.labels[code] for code in vocabulary.order] == sorted(vocabulary.labels)
    assert list(vocabulary.sorted_labels) == sorted(vocabulary.labels)


def test_vocabulary_has_sorted_keys() -> None:
    vocabulary = Vocabulary([Label("b", "x"), Label("a", "x"), Label("b", "y")])

    assert vocabulary.keys == ("a", "b")
    assert vocabulary.join([Label("b", "y")]).tolist() == [2]


def test_numpy_strings_become_builtin() -> None:
    key, value = np.array(["animal", "okapi"])

    assert type(as_label(value).value) is str
    assert repr(as_label("okapi")) == "Label(key='class', value='okapi')"
    assert repr(Label(key, value)) == "Label(key='animal', value='okapi')"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([("dog", 0.5), "cat"], "labels: expected (label, score) pairs, got 'cat'"),
        (0.5, "labels: expected (label, score) pairs, got 0.5"),
        ({"dog": True}, "labels: expected a number as score, got True"),
        ({"dog": "0.5"}, "labels: expected a number as score, got '0.5'"),
    ],
)
def test_invalid_scored_labels_are_rejected(value: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        as_scored_labels(value, "labels")


def test_scores_are_printed_decimals() -> None:
    pairs = as_scored_labels((("dog", np.float32(0.35)), ["cat", 1]), "labels")

    assert [score for _, score in pairs] == [0.35, 1.0]
