"""Label rows: labels of merged states, arrays of each kind, and damaged files."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attrs import define
from valor_labels import LabelRows, counted_by_label

from valor_core.errors import StateError
from valor_core.schemas import Codes, Floats, Label
from valor_core.states import ExactSums, counted

CAT, DOG = Label("class", "cat"), Label("class", "dog")


@define
class Distances(LabelRows):
    """Every kind of field with an entry for each label, and one without."""

    images: Codes = counted_by_label(lambda: np.zeros((0, 2), np.int64))
    longest: Floats = counted_by_label(lambda: np.zeros(0))
    sums: ExactSums = counted_by_label(ExactSums)
    is_full: bool = counted(bool)
    read: int = counted(int)


def state_of(labels: list[Label], *rows: list[float]) -> Distances:
    """Return a state with a distance of each label."""
    state = Distances()
    sums = ExactSums()
    sums.add(range(len(labels)), rows[0])
    images = np.ones((len(labels), 2), np.int64)
    state.add(labels, images=images, longest=rows[0], sums=sums)
    state.read = 1
    return state


def test_merged_states_add_and_keep_the_greatest_by_label() -> None:
    one, other = state_of([DOG, CAT], [0.5, 2.0]), state_of([CAT], [1.0])
    other.is_full = True
    one.merge(other)
    assert one.images.tolist() == [[1, 1], [2, 2]]
    assert one.longest.tolist() == [0.5, 2.0]
    assert one.sums.values.tolist() == [0.5, 3.0]
    assert (one.is_full, one.read, one.labels) == (True, 2, (CAT, DOG))
    assert other.images.tolist() == [[1, 1]]


def test_state_of_a_file_equals_the_saved_one() -> None:
    one, copy = state_of([DOG, CAT], [0.5, 2.0]), Distances()
    content = one.dump()
    assert list(content) == ["labels", "images", "longest", "sums", "is_full", "read"]
    copy.restore(content)
    assert repr(copy.dump()) == repr(content)
    copy.merge(one)
    assert one.images.tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"images": np.array([[1, 1]])}, "images: expected the shape 2 by 2"),
        ({"images": np.array([[1, 1], [1, -1]])}, "images: expected numbers of 0 or more"),
        ({"images": np.full((2, 2), 1 << 61)}, "counts: expected at most 2.3e"),
        ({"longest": np.array([1, 2])}, "longest: expected an array of float64"),
        ({"sums": "0x1p+0"}, "sums: expected 2 exact sums"),
        ({"is_full": 1}, "is_full: expected bool, found 1"),
        ({"read": -1}, "read: expected numbers of 0 or more, found -1"),
    ],
)
def test_damaged_content_is_rejected(change: dict[str, Any], message: str) -> None:
    content = state_of([DOG, CAT], [0.5, 2.0]).dump() | change
    with pytest.raises(StateError, match=message):
        Distances().restore(content)
