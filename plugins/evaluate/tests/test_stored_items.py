"""Stored items: independence of order, saved files, and damaged files."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from valor_classification.readers.arrays import from_arrays
from valor_evaluate.modules.stored_items import ClassifiedItems, StoredItems, TextItems

from valor_core import Classification, ClassificationBatch, Text, TextBatch
from valor_core.errors import StateError

FIELDS = ("metadata.other", "references", "response")
TEXTS = [
    Text("10", response="no", references=["yes", "aye"], metadata={"other": 1.5}),
    Text("9", response="yes", metadata={"other": ["a", {"b": float("nan")}], "more": 1}),
    Text("b", references="so", metadata={"other": np.float64("inf")}),
]
CLASSES = [
    Classification("b", "dog", [("cat", 0.5), ("dog", 0.25)], {"other": True}),
    Classification("a", ["dog", "ant"], {"bee": 1.0}),
]


def kept(*batches: Any, fields: tuple[str, ...] = FIELDS) -> StoredItems:
    state = StoredItems(fields=fields)
    for batch in batches:
        state.update(batch)
    return state


def restored(content: dict[str, Any]) -> StoredItems:
    state = StoredItems(fields=FIELDS)
    state.restore(content)
    return state


def test_texts_are_sorted_by_uid_with_fields_read() -> None:
    items = kept(TextBatch.of(TEXTS)).items

    assert isinstance(items, TextItems)
    assert items.uids.tolist() == ["9", "10", "b"]
    assert items.fields == {
        "response": ["yes", "no", None],
        "references": [(), ("yes", "aye"), ("so",)],
        "metadata.other": [["a", {"b": None}], 1.5, None],
    }


def test_labels_are_sorted_and_predictions_keep_their_order() -> None:
    one, two = (ClassificationBatch.of([item]) for item in CLASSES)

    items = kept(one, two).items

    assert isinstance(items, ClassifiedItems)
    assert items.uids.tolist() == ["a", "b"]
    assert [label.value for label in items.batch.labels] == ["ant", "bee", "cat", "dog"]
    assert items.batch.truth_datums.tolist() == [0, 0, 1]
    assert items.batch.truth_labels.tolist() == [0, 3, 3]
    assert items.scores.datums.tolist() == [0, 1, 1]
    assert items.scores.labels.tolist() == [1, 2, 3]
    assert items.scores.values.tolist() == [1.0, 0.5, 0.25]
    assert items.fields == {"metadata.other": [None, True]}


def test_scores_of_a_table_are_those_of_a_list() -> None:
    table = from_arrays([1, 0], np.array([[0.25, 0.75], [0.5, 0.5]], np.float32), uids=["a", "b"])

    items = kept(table).items

    assert isinstance(items, ClassifiedItems)
    assert items.scores.values.dtype == np.float64
    assert items.scores.values.tolist() == [0.25, 0.75, 0.5, 0.5]
    assert items.scores.labels.tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("batch", [TextBatch.of(TEXTS), ClassificationBatch.of(CLASSES)])
def test_dump_is_restored(batch: Any) -> None:
    state = kept(batch)

    again = restored(state.dump())

    assert again.items is not None
    assert str(again.dump()) == str(state.dump())


def test_empty_state_dumps_nothing() -> None:
    assert StoredItems(fields=FIELDS).dump() == {}
    assert restored({}).items is None


@pytest.mark.parametrize(
    ("batch", "changes", "message"),
    [
        (TEXTS, {"task": "sound"}, "task: expected text or classification, found 'sound'"),
        (TEXTS, {"task": []}, "task: expected text or classification, found []"),
        (TEXTS, {"uids": None}, "uids: expected an array, found None"),
        (TEXTS, {"fields": None}, "fields: expected columns by name, found None"),
        (TEXTS, {"fields": {}}, "fields: expected 3 cells of metadata.other, found None"),
        (
            TEXTS,
            {"fields": {"metadata.other": [1] * 3, "references": [()] * 3, "response": [1] * 3}},
            "response: expected a text, found 1",
        ),
        (
            TEXTS,
            {"fields": {"metadata.other": [1] * 3, "references": ["x"] * 3, "response": [""] * 3}},
            "references: expected texts, found 'x'",
        ),
        (CLASSES, {"labels": [1]}, "labels: expected labels, found [1]"),
        (
            CLASSES,
            {"truth_labels": np.array([0, 3, 9])},
            "truth_labels[2]: expected one of 4 labels, got 9",
        ),
        (CLASSES, {"score_datums": np.array([1, 0, 0])}, "scores: expected rows sorted by datum"),
        (
            CLASSES,
            {"scores": np.array([1.0, np.nan, 0.0])},
            "scores: expected finite numbers, found nan",
        ),
    ],
)
def test_damaged_file_is_rejected(batch: list[Any], changes: dict[str, Any], message: str) -> None:
    made: Any = TextBatch if isinstance(batch[0], Text) else ClassificationBatch
    content = kept(made.of(batch)).dump() | changes

    with pytest.raises(StateError, match=re.escape(message)):
        restored(content)
