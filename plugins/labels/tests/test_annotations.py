from __future__ import annotations

import re
from typing import Any

import pytest
from valor_labels import (
    Annotated,
    Annotation,
    GroundTruth,
    Prediction,
    ScoredLabel,
    annotated,
    scored_labels,
    true_labels,
)

from valor_core import Datum, Label
from valor_core.errors import SchemaError
from valor_core.schemas.geometry.geometry import Box, Mask, Polygon

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
def test_labels_are_accepted_in_documented_formats(labels: Any, expected: Any) -> None:
    assert Annotation(labels).labels == expected


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([{"key": "animal"}], "Label: value must be a non-empty string, got None"),
        ([{"value": "dog", "score": "a"}], "labels: expected a number as score of 'dog', got 'a'"),
        ([0.5], "label: expected a string, a (key, value) pair or a Label, got 0.5"),
    ],
)
def test_invalid_label_is_rejected(labels: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        Annotation(labels)


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
def test_datum_is_read_from_uid(side: Any, datum: Any, expected: Datum) -> None:
    made = side(datum, [{"labels": [DOG]}, Annotation([DOG])])

    assert made.datum == expected
    assert made.annotations == (Annotation([DOG]), Annotation([DOG]))


def test_invalid_datum_or_annotation_is_rejected() -> None:
    with pytest.raises(SchemaError, match="datum: expected a Datum or its uid, got None"):
        GroundTruth(None)  # type: ignore[arg-type]
    with pytest.raises(
        SchemaError, match="expected an Annotation or a dictionary like it, got 'dog'"
    ):
        GroundTruth("a", ["dog"])  # type: ignore[arg-type, list-item]


def test_scored_label_has_a_label() -> None:
    assert ScoredLabel("animal", "dog", 0.5).label == DOG


@pytest.mark.parametrize("side", [GroundTruth, Prediction])
def test_datum_without_uid_is_rejected(side: Any) -> None:
    with pytest.raises(
        SchemaError, match="Datum: uid must be a string or a whole number, got None"
    ):
        side({"metadata": {"weather": "rain"}})


RING = [(0, 0), (2, 0), (2, 1), (0, 1), (0, 0)]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({}, None),
        ({"bounding_box": [RING]}, Box(0, 0, 2, 1)),
        ({"polygon": [RING]}, Polygon([RING])),
        ({"raster": [[1, 0]]}, Mask.of([[1, 0]])),
    ],
)
def test_annotation_has_at_most_one_geometry(where: dict[str, Any], expected: Any) -> None:
    made = Annotation([DOG], **where)
    (from_dictionary,) = GroundTruth("a", [{"labels": [DOG]} | where]).annotations  # type: ignore[list-item]

    assert made.geometry == expected
    assert from_dictionary == made


def test_two_geometries_are_rejected() -> None:
    with pytest.raises(
        SchemaError, match="Annotation: expected one geometry, got bounding_box and raster"
    ):
        Annotation([DOG], bounding_box=[RING], raster=[[1]])


def test_sides_are_matched_by_datum() -> None:
    true, seen = Annotation([DOG]), Annotation([ScoredLabel("animal", "dog", 0.5)])

    found = list(
        annotated(
            [GroundTruth(Datum("a", {"n": 1}), [true]), GroundTruth("c")],
            [{"datum": "b"}, Prediction(Datum("a", {"m": 2, "n": 3}), [seen])],
        )
    )
    assert found == [
        Annotated(Datum("a", {"m": 2, "n": 1}), (true,), (seen,)),
        Annotated(Datum("c"), (), ()),
        Annotated(Datum("b"), (), ()),
    ]


def test_duplicate_datum_is_rejected() -> None:
    with pytest.raises(
        SchemaError, match="item 'a', predictions: expected each datum once, found it 2 times"
    ):
        list(annotated([], [Prediction("a"), Prediction("a")]))


def test_invalid_entry_is_named_with_index() -> None:
    box: Any = {"labels": [DOG], "bounding_box": RING}
    good: Any = {"datum": "a", "annotations": [box]}
    flat: Any = {"datum": "b", "annotations": [box, {"bounding_box": [0, 0, 1, 1]}]}

    with pytest.raises(
        SchemaError, match=r"groundtruths\[0\]: expected a GroundTruth or a dictionary like it, got"
    ):
        list(annotated([Prediction("a")], []))  # type: ignore[list-item]
    with pytest.raises(
        SchemaError,
        match=r"predictions\[1\]: annotations\[1\]: bounding_box: expected a ring of four",
    ):
        list(annotated([], [good, flat]))


def test_only_predictions_have_scores() -> None:
    true, seen = Annotation([DOG]), Annotation([ScoredLabel("animal", "dog", 0.5)])
    datum = Datum("a")

    assert true_labels(datum, true) == [DOG]
    assert scored_labels(datum, seen) == [(DOG, 0.5)]
    with pytest.raises(
        SchemaError, match="item 'a', groundtruths: expected labels without score, got"
    ):
        true_labels(datum, seen)
    with pytest.raises(
        SchemaError, match=r"expected labels with a score, got Label\(key='animal', value='dog'\)"
    ):
        scored_labels(datum, true)
