from __future__ import annotations

import pytest
from messages import refused

from valor_core.plugin import SchemaError
from valor_core.schemas.label import Label
from valor_core.schemas.segmentation.segments import Segments


def test_segments_are_numbers_with_labels():
    segments = Segments([[1, 0, 7]], {1: "cat", 7: ("class", "dog")}, crowd=[7])

    assert segments.pixels.shape == (1, 3)
    assert segments.labels == {1: Label("class", "cat"), 7: Label("class", "dog")}
    assert segments.crowd == {7}


def test_an_image_that_is_none_is_refused():
    with refused(SchemaError):
        Segments([1, 2], {1: "cat"})


@pytest.mark.parametrize(
    ("labels", "crowd"),
    [
        (
            {1: ("kind", "cat"), 2: ("color", "red")},
            [],
        ),
        ({1: "cat"}, [5, 6]),
    ],
)
def test_segments_that_do_not_fit_are_refused(labels, crowd):
    with refused(SchemaError):
        Segments([[1, 2]], labels, crowd)


@pytest.mark.parametrize("labels", [["cat", "dog"], {"cat", "dog"}, "cat", None])
def test_labels_of_segments_stand_by_their_numbers(labels):
    with pytest.raises(SchemaError) as refused:
        Segments([[1, 2]], labels)

    message, remedy = str(refused.value).splitlines()
    assert message.startswith("labels: expected the label of each number, got ")
    assert remedy == "Write them by number: {1: 'cat', 2: 'cat'}."


def test_a_label_of_a_segment_that_is_none_names_its_number():
    with refused(SchemaError):
        Segments([[1, 2]], {1: "cat", 2: None})


@pytest.mark.parametrize("crowd", [1, True, "1", {1: True}])
def test_crowds_are_listed(crowd):
    with refused(SchemaError):
        Segments([[1, 2]], {1: "cat", 2: "dog"}, crowd)
