"""Columns of classification, compared with batches of Valor."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from valor_evaluate import module
from valor_evaluate.exported.columns.classification import ClassificationColumns

from valor_core import Classification, ClassificationBatch
from valor_core.errors import SchemaError


def batch(
    predictions: Any, references: Any, start: int = 0, uid: Any = None, **said: Any
) -> ClassificationBatch:
    columns = {"predictions": predictions, "references": references}
    if uid is not None:
        columns["uid"] = uid
    return ClassificationColumns(**said).batch(columns, start)


def items(found: ClassificationBatch) -> list[Classification]:
    return list(found.items())


@pytest.mark.parametrize("make", [list, np.array], ids=["list", "array"])
def test_labels_against_labels(make: Any) -> None:
    assert items(batch(make(["cat", "dog"]), make(["dog", "dog"]))) == [
        Classification(0, "dog", {"cat": 1.0}),
        Classification(1, "dog", {"dog": 1.0}),
    ]
    assert items(batch(make([1, 0]), make([1, 1]))) == [
        Classification(0, "1", {"1": 1.0}),
        Classification(1, "1", {"0": 1.0}),
    ]


def test_numbers_are_positions_among_the_labels() -> None:
    assert items(batch([1, 0], [1, 1], labels=("ham", "spam"))) == [
        Classification(0, "spam", {"spam": 1.0}),
        Classification(1, "spam", {"ham": 1.0}),
    ]
    assert items(batch([[0.25, 0.75]], [1], labels=("ham", "spam"))) == [
        Classification(0, "spam", {"ham": 0.25, "spam": 0.75})
    ]


def test_scores_of_all_labels() -> None:
    assert items(batch([[0.25, 0.75]], ["b"], labels=("a", "b"))) == [
        Classification(0, "b", {"a": 0.25, "b": 0.75})
    ]
    assert items(batch(np.array([[0.25, 0.75]]), [1])) == [
        Classification(0, "1", {"0": 0.25, "1": 0.75})
    ]


def test_one_number_is_the_score_of_the_second_label() -> None:
    assert items(batch([0.75], [1])) == [Classification(0, "1", {"0": 0.25, "1": 0.75})]


def test_several_true_labels_as_zeros_and_ones() -> None:
    assert items(batch([[0.25, 0.75, 0.5]], [[1, 0, 1]])) == [
        Classification(0, ["0", "2"], {"0": 0.25, "1": 0.75, "2": 0.5})
    ]


def test_labels_with_their_scores() -> None:
    """As returned by pipelines of transformers, and stored by datasets."""
    pairs = [[{"label": "a", "score": 0.75}, {"label": "b", "score": 0.25}], []]
    table = [{"label": ["a", "b"], "score": [0.75, 0.25]}, {"label": [], "score": []}]
    expected = [Classification(0, "b", {"a": 0.75, "b": 0.25}), Classification(1, ["a", "b"], {})]

    assert items(batch(pairs, ["b", ["a", "b"]])) == expected
    assert items(batch(table, ["b", ["a", "b"]])) == expected
    assert items(batch([{"label": "a", "score": 0.75}], ["b"])) == [
        Classification(0, "b", {"a": 0.75})
    ]


def test_items_without_any_label() -> None:
    assert items(batch([[], None], ["a", None])) == [Classification(0, "a"), Classification(1)]


def test_labels_under_a_key() -> None:
    assert items(batch(["cat"], ["dog"], key="animal")) == [
        Classification(0, [("animal", "dog")], [(("animal", "cat"), 1.0)])
    ]
    assert items(batch([[{"label": "cat", "score": 0.5}]], ["dog"], key="animal")) == [
        Classification(0, [("animal", "dog")], [(("animal", "cat"), 0.5)])
    ]


def test_items_have_uids_or_numbers() -> None:
    assert [item.uid for item in items(batch(["a"], ["a"], uid=["q7"]))] == ["q7"]
    for predictions in (["a", "b"], [0.5, 0.5], [[{"label": "a", "score": 1.0}], []]):
        found = batch(predictions, [1, 0] if predictions[0] == 0.5 else ["a", "b"], 5)
        assert found.datums.numbered
        assert [item.uid for item in items(found)] == [5, 6]


def test_no_items() -> None:
    assert len(batch([], [])) == 0


@pytest.mark.parametrize(
    ("predictions", "references", "said", "message"),
    [
        (
            [[0.5, 0.5]],
            ["a"],
            {},
            "classification.F1: predictions: expected labels for the columns of",
        ),
        (
            [[0.5, 0.5]],
            ["c"],
            {"labels": ["a", "b"]},
            "classification.F1: references[0]: expected one of the labels, got 'c'",
        ),
        (
            [2],
            [0],
            {"labels": ["a", "b"]},
            "predictions[0]: expected a position among 2 labels, got 2",
        ),
        (
            [[{"label": "a"}]],
            ["a"],
            {},
            'classification.F1: item 0, predictions: expected {"label": …, "score":',
        ),
        (
            [{"label": ["a", "b"], "score": [0.5]}],
            ["a"],
            {},
            "item 0, predictions: expected a score for each of 2 labels, got 1",
        ),
        (
            [[{"label": "a", "score": float("nan")}]],
            ["a"],
            {},
            "item 0, predictions: expected a finite score for 'a', got nan",
        ),
        (
            [[{"label": "a", "score": 1.0}], 3],
            ["a", "b"],
            {},
            'item 1, predictions: expected {"label": …, "score": …}, got 3',
        ),
        (
            [["a", "b"]],
            ["a"],
            {},
            "classification.F1: predictions: expected a label, the scores of all",
        ),
        ([1.5], [1], {}, "predictions[0]: expected a probability in [0, 1], got 1.5"),
    ],
)
def test_invalid_input_is_rejected(
    predictions: Any, references: Any, said: dict[str, Any], message: str
) -> None:
    exported = module("classification.F1", data=said)

    with pytest.raises(SchemaError, match=re.escape(message)):
        exported.add_batch(predictions=predictions, references=references)
