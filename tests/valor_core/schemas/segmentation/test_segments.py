from __future__ import annotations

import re

import pytest

from valor_core.errors import SchemaError
from valor_core.schemas.label import Label
from valor_core.schemas.segmentation.segments import Segments


def test_segments_are_numbers_with_labels():
    segments = Segments([[1, 0, 7]], {1: "cat", 7: ("class", "dog")}, crowd=[7])

    assert segments.pixels.shape == (1, 3)
    assert segments.labels == {1: Label("class", "cat"), 7: Label("class", "dog")}
    assert segments.crowd == {7}


def test_invalid_image_is_rejected():
    with pytest.raises(
        SchemaError, match="pixels: expected rows and columns of whole numbers, got array of int64,"
    ):
        Segments([1, 2], {1: "cat"})


@pytest.mark.parametrize(
    ("labels", "crowd", "message"),
    [
        (
            {1: ("kind", "cat"), 2: ("color", "red")},
            [],
            "labels: expected labels of one key for segments, got ['color', 'kind']",
        ),
        (
            {1: "cat"},
            [5, 6],
            "crowd: expected numbers of segments with a label, got 5 (and 1 more)",
        ),
    ],
)
def test_invalid_segments_are_rejected(labels, crowd, message: str):
    with pytest.raises(SchemaError, match=re.escape(message)):
        Segments([[1, 2]], labels, crowd)


@pytest.mark.parametrize("labels", [["cat", "dog"], {"cat", "dog"}, "cat", None])
def test_labels_must_be_a_mapping_by_number(labels):
    with pytest.raises(SchemaError) as refused:
        Segments([[1, 2]], labels)

    message, remedy = str(refused.value).splitlines()
    assert message.startswith("labels: expected a mapping from number to label, got ")
    assert remedy == "Map each number to its label: {1: 'cat', 2: 'cat'}."


def test_invalid_label_is_named_by_segment():
    with pytest.raises(
        SchemaError, match=r"expected a string, a \(key, value\) pair or a Label, got None"
    ):
        Segments([[1, 2]], {1: "cat", 2: None})


@pytest.mark.parametrize(
    ("crowd", "message"),
    [
        (1, "crowd: expected a list of numbers of segments, got 1"),
        (True, "crowd: expected a list of numbers of segments, got True"),
        ("1", "crowd: expected a list of numbers of segments, got '1'"),
        ({1: True}, "crowd: expected a list of numbers of segments, got {1: True}"),
    ],
)
def test_crowds_must_be_a_list(crowd, message: str):
    with pytest.raises(SchemaError, match=re.escape(message)):
        Segments([[1, 2]], {1: "cat", 2: "dog"}, crowd)
