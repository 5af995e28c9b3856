from __future__ import annotations

from typing import Any

import pytest

from valor_core import Datum, Label
from valor_core.errors import SchemaError
from valor_core.schemas.annotation import Annotation, GroundTruth, Prediction, ScoredLabel

DOG = Label("animal", "dog")


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (None, ()),
        ([DOG], (DOG,)),
        (DOG, (DOG,)),
        ("dog", (Label("class", "dog"),)),
        ([("animal", "dog")], (DOG,)),
        ([{"key": "animal", "value": "dog"}], (DOG,)),
        ([{"key": "animal", "value": "dog", "score": None}], (DOG,)),
        ([{"key": "animal", "value": "dog", "score": 1}], (ScoredLabel("animal", "dog", 1.0),)),
        ({"value": "dog", "score": 0.5}, (ScoredLabel("class", "dog", 0.5),)),
        ([ScoredLabel("animal", "dog", 0.5)], (ScoredLabel("animal", "dog", 0.5),)),
    ],
)
def test_labels_are_taken_as_the_documented_calls_give_them(labels: Any, expected: Any) -> None:
    assert Annotation(labels).labels == expected


@pytest.mark.parametrize(
    ("labels", "error"),
    [
        ([{"key": "animal"}], "Label: value must be a non-empty string, got None"),
        ([{"value": "dog", "score": "a"}], "labels: expected a number as score of 'dog', got 'a'"),
        ([0.5], "label: expected a string, a (key, value) pair or a Label, got 0.5"),
    ],
)
def test_something_else_is_no_label(labels: Any, error: str) -> None:
    with pytest.raises(SchemaError) as caught:
        Annotation(labels)

    assert str(caught.value) == error


@pytest.mark.parametrize("side", [GroundTruth, Prediction])
@pytest.mark.parametrize(
    ("datum", "expected"),
    [
        ("a", Datum("a")),
        (3, Datum(3)),
        ({"uid": "a", "metadata": {"n": 1}}, Datum("a", {"n": 1})),
        (Datum("a"), Datum("a")),
    ],
)
def test_an_item_is_a_datum_or_its_uid(side: Any, datum: Any, expected: Datum) -> None:
    made = side(datum, [{"labels": [DOG]}, Annotation([DOG])])

    assert made.datum == expected
    assert made.annotations == (Annotation([DOG]), Annotation([DOG]))


def test_something_else_is_no_item_and_no_annotation() -> None:
    with pytest.raises(SchemaError, match=r"^datum: expected a Datum or its uid, got None$"):
        GroundTruth(None)  # type: ignore[arg-type]
    with pytest.raises(SchemaError, match=r"^annotations: expected an Annotation, got 'dog'$"):
        GroundTruth("a", ["dog"])  # type: ignore[arg-type, list-item]


def test_a_scored_label_has_a_label() -> None:
    assert ScoredLabel("animal", "dog", 0.5).label == DOG


@pytest.mark.parametrize("side", [GroundTruth, Prediction])
def test_a_datum_without_a_uid_is_refused(side: Any) -> None:
    with pytest.raises(SchemaError, match="uid must be a string or a whole number, got None"):
        side({"metadata": {"weather": "rain"}})
