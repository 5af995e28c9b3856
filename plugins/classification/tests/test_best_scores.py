from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest
from valor_classification.readers import arrays
from valor_classification.readers.arrays import finite_tops, from_arrays

from valor_core.errors import SchemaError
from valor_core.schemas import Floats
from valor_core.schemas.classification import ScoreMatrix
from valor_core.schemas.classification.scores import Tops

SCORES = np.array([[0.1, 0.7, 0.2], [0.5, 0.2, 0.3], [0.0, 0.4, 0.6]])


Kernel = Callable[[Floats], Tops | None]


def no_kernel(matrix: Floats) -> Tops | None:
    return None


def argmax(matrix: Floats) -> Tops | None:
    if not np.isfinite(matrix).all():
        return None
    return Tops(matrix.argmax(axis=1).astype(np.int32), matrix.max(axis=1))


@pytest.fixture(params=[no_kernel, argmax], ids=["NumPy", "kernel"])
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    monkeypatch.setattr(arrays, "_compiled_tops", request.param)
    monkeypatch.setattr(arrays, "_FEW", 1)
    monkeypatch.setattr(arrays, "_SHORT", 1)
    found: Kernel = request.param
    return found


@pytest.fixture
def matrix(monkeypatch: pytest.MonkeyPatch) -> ScoreMatrix:
    monkeypatch.setattr(arrays, "_compiled_tops", argmax)
    monkeypatch.setattr(arrays, "_FEW", 1)
    monkeypatch.setattr(arrays, "_SHORT", 1)
    return ScoreMatrix(SCORES, np.arange(3), finite_tops(SCORES, "scores"))


def columns(scores: object) -> list[int]:
    assert isinstance(scores, ScoreMatrix)
    assert scores.tops is not None
    found: list[int] = scores.tops.columns.tolist()
    assert found == scores.values.argmax(axis=1).tolist()
    assert scores.tops.scores.tolist() == scores.values.max(axis=1).tolist()
    return found


def test_the_look_that_checks_a_batch_finds_its_tops(kernel: Kernel) -> None:
    scores = from_arrays([1, 0, 1], SCORES).scores

    if kernel is no_kernel:
        assert isinstance(scores, ScoreMatrix)
        assert scores.tops is None
    else:
        assert columns(scores) == [1, 0, 2]


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("strange", [np.nan, np.inf, -np.inf])
def test_score_that_is_not_finite_is_named_by_both_checks(strange: float) -> None:
    scores = SCORES.copy()
    scores[2, 1] = strange

    with pytest.raises(SchemaError, match=r"y_score\[2, 1\]: expected a finite number, got"):
        from_arrays([1, 0, 1], scores)


@pytest.mark.usefixtures("kernel")
def test_a_matrix_without_scores_has_nothing_to_look_at() -> None:
    assert finite_tops(np.zeros((0, 3)), "scores") is None
    assert finite_tops(np.zeros((3, 0)), "scores") is None


def test_kernel_is_called_only_for_large_matrices_with_long_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(arrays, "_compiled_tops", argmax)
    monkeypatch.setattr(arrays, "_FEW", SCORES.size)
    monkeypatch.setattr(arrays, "_SHORT", SCORES.shape[1])

    assert finite_tops(SCORES, "scores") is not None
    assert finite_tops(SCORES[:2], "scores") is None
    monkeypatch.setattr(arrays, "_SHORT", 4)
    assert finite_tops(SCORES, "scores") is None


def test_tops_follow_their_rows(matrix: ScoreMatrix) -> None:
    assert columns(matrix.select(np.array([0, 2]))) == [1, 2]
    assert columns(pickle.loads(pickle.dumps(matrix))) == [1, 0, 2]
    assert columns(matrix.detached()) == [1, 0, 2]


def test_tops_stay_where_labels_change_their_names(matrix: ScoreMatrix) -> None:
    assert columns(matrix.relabel(np.array([2, 0, 1]))) == [1, 0, 2]


def test_tops_of_columns_that_become_one_are_found_anew(matrix: ScoreMatrix) -> None:
    assert matrix.relabel(np.array([0, 1, 0])).tops is None


def test_joined_matrices_have_tops_if_all_parts_do(matrix: ScoreMatrix) -> None:
    without = ScoreMatrix(SCORES, np.arange(3))
    codes = [np.arange(3)] * 2

    assert columns(ScoreMatrix.joined([matrix, matrix], [0, 3], codes)) == [1, 0, 2] * 2
    assert ScoreMatrix.joined([matrix, without], [0, 3], codes).tops is None


def test_matrices_checked_either_way_are_equal(matrix: ScoreMatrix) -> None:
    assert matrix == ScoreMatrix(SCORES, np.arange(3))
    assert "tops" not in repr(matrix)
