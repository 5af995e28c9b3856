from __future__ import annotations

import pytest

from valor_core.errors import SchemaError
from valor_core.schemas.label import Label
from valor_core.schemas.segments import Segments


def test_segments_are_numbers_with_labels():
    segments = Segments([[1, 0, 7]], {1: "cat", 7: ("class", "dog")}, crowd=[7])

    assert segments.pixels.shape == (1, 3)
    assert segments.labels == {1: Label("class", "cat"), 7: Label("class", "dog")}
    assert segments.crowd == {7}


def test_an_image_that_is_none_is_refused():
    with pytest.raises(SchemaError, match="expected rows and columns of whole numbers"):
        Segments([1, 2], {1: "cat"})


@pytest.mark.parametrize(
    ("labels", "crowd", "expected"),
    [
        (
            {1: ("kind", "cat"), 2: ("color", "red")},
            [],
            r"labels of one key .* \['color', 'kind'\]",
        ),
        ({1: "cat"}, [5, 6], r"crowd: expected numbers of segments .* got 5 \(and 1 more\)"),
    ],
)
def test_segments_that_do_not_fit_are_refused(labels, crowd, expected):
    with pytest.raises(SchemaError, match=expected):
        Segments([[1, 2]], labels, crowd)
