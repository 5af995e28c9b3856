from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from messages import refused
from valor_classification.readers.pairs import predicted, scored

from valor_core.plugin import SchemaError


@pytest.mark.parametrize(
    ("true", "seen"),
    [
        (["cat", "dog"], ["cat", "cat"]),
        ([0, 1], np.array([0.0, 1.0])),
        (np.array([[0], [1]]), np.array([[1], [1]])),
        ([True, False], [True, True]),
        (np.array(["cat", 3], object), ["cat", "3"]),
    ],
)
def test_labels_beside_labels_are_predicted(true: Any, seen: Any) -> None:
    batch = predicted(true, seen)

    assert batch is not None
    assert len(batch) == 2
    assert scored(true, seen) is None


@pytest.mark.parametrize(
    ("true", "seen"),
    [
        ([0, 1], [0.25, 0.75]),
        (["no", "yes"], [0.25, 0.75]),
        ([0, 1], [[0.25, 0.75], [0.5, 0.5]]),
        ([[1, 0], [0, 1]], [[0.25, 0.75], [0.5, 0.5]]),
    ],
)
def test_labels_beside_numbers_are_scored(true: Any, seen: Any) -> None:
    batch = scored(true, seen)

    assert batch is not None
    assert batch.scores.values.shape == (2, 2)
    assert predicted(true, seen) is None


@pytest.mark.parametrize("make", [predicted, scored])
@pytest.mark.parametrize(
    ("true", "seen"),
    [
        (np.zeros((1, 2, 2)), np.zeros((1, 2, 2))),
        ([{"labels": [1]}], [{"labels": [1]}]),
        ([["a"], ["b", "c"]], ["a", "b"]),
        (3, [1]),
        ([0.25, 0.75], [0, 1]),
        ([[0.25, 0.75]], [0]),
        (object(), object()),
    ],
)
def test_what_is_of_another_task_is_none(make: Any, true: Any, seen: Any) -> None:
    assert make(true, seen) is None


def test_predicted_matrices_are_answered_with_what_to_pass() -> None:
    with refused(SchemaError):
        predicted([[1, 0], [0, 1]], [[1, 0], [1, 1]])


def test_labels_of_different_length_are_refused() -> None:
    with refused(SchemaError):
        predicted([0, 1], [0])


def test_tensors_are_read_from_their_device_without_a_gradient() -> None:
    class Tensor:
        def __init__(self, values: Any) -> None:
            self.values = values

        def detach(self) -> Tensor:
            return self

        def cpu(self) -> Any:
            return np.asarray(self.values)

        def __array__(self, *_: Any, **__: Any) -> Any:
            raise RuntimeError("on another device")

    batch = scored(Tensor([0, 1]), Tensor([[0.75, 0.25], [0.5, 0.5]]))

    assert batch is not None
    assert batch.truth_labels.tolist() == [0, 1]
