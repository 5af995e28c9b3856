from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from valor_core.errors import SchemaError
from valor_core.schemas.columns import (
    check_codes,
    codes,
    floats,
    read_only,
    with_columns,
    with_copies,
)
from valor_core.schemas.datum import Datums


def test_column_is_converted_once_and_read_only() -> None:
    given = np.array([0, 1, 2])

    column = codes(given, "labels")

    with pytest.raises(ValueError, match="read-only"):
        column[0] = 5
    given[0] = 5
    assert np.shares_memory(column, given)


def test_input_array_stays_writable() -> None:
    given = np.array([0.5, 1.0])

    read_only(given)

    given[0] = 2.0
    assert given.flags.writeable


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.int64])
def test_codes_are_int64(dtype: Any) -> None:
    assert codes(np.array([0, 1], dtype), "labels").dtype == np.int64


def test_empty_list_is_a_column_of_codes() -> None:
    assert codes([], "labels").dtype == np.int64


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0.5], "expected a column of whole numbers, got array of float64, shape (1,)"),
        (["a"], "labels: expected a column of whole numbers, got array of <U1, shape (1,)"),
        ([[0, 1]], "expected a column of whole numbers, got array of int64, shape (1, 2)"),
        ([True, False], "expected a column of whole numbers, got array of bool, shape (2,)"),
        (3, "labels: expected a column of whole numbers, got array of int64, shape ()"),
    ],
)
def test_invalid_codes_are_rejected(values: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        codes(values, "labels")


def test_column_of_another_length_is_rejected() -> None:
    with pytest.raises(SchemaError, match="labels: expected 3 rows, got 2"):
        codes([0, 1], "labels", length=3)


@pytest.mark.parametrize(
    ("dtype", "kept"),
    [
        (np.float64, np.float64),
        (np.float32, np.float32),
        (np.float16, np.float32),
        (np.int64, np.float64),
        (np.bool_, np.float64),
    ],
)
def test_scores_keep_their_precision(dtype: Any, kept: Any) -> None:
    assert floats(np.array([0, 1], dtype), "scores").dtype == kept


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["a"], "scores: expected 1 dimension(s) of numbers, got array of <U1, shape (1,)"),
        ([[0.5]], "expected 1 dimension(s) of numbers, got array of float64, shape (1, 1)"),
        (3, "scores: expected 1 dimension(s) of numbers, got array of int64, shape ()"),
        ([None, "a"], "scores[0]: expected a number, got None"),
    ],
)
def test_invalid_scores_are_rejected(values: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        floats(values, "scores")


@pytest.mark.parametrize(
    ("values", "ndim", "message"),
    [
        ([0.5, np.nan], 1, "scores[1]: expected a finite number, got nan"),
        (
            [[0.5, np.inf], [np.nan, 0]],
            2,
            "scores[0, 1]: expected a finite number, got inf (and 1 more)",
        ),
        ([-np.inf], 1, "scores[0]: expected a finite number, got -inf"),
    ],
)
def test_first_non_finite_number_is_named(values: Any, ndim: int, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        floats(values, "scores", ndim=ndim)


def test_non_finite_number_is_found_at_end_of_long_column() -> None:
    values = np.zeros((1 << 20) + 1)
    values[-1] = np.nan

    with pytest.raises(SchemaError, match=r"scores\[1048576\]: expected a finite number, got nan"):
        floats(values, "scores")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0, 3], "labels[1]: expected one of 3 labels, got 3"),
        ([-1, 0], "labels[0]: expected one of 3 labels, got -1"),
    ],
)
def test_code_without_label_is_named(values: list[int], message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        check_codes(np.array(values), 3, "labels", "labels")


def test_finite_scores_with_overflowing_squares_are_accepted() -> None:
    values = np.array([1e30, -3e38, 0.0], np.float32)

    assert floats(values, "scores").tolist() == values.tolist()


@pytest.mark.parametrize("strange", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [0, 65_535, 65_536, 99_999])
def test_non_finite_score_is_found_at_any_position(strange: float, place: int) -> None:
    values = np.full(100_000, 1e30, np.float32)
    values[place] = strange

    with pytest.raises(SchemaError, match=r"\]: expected a finite number, got"):
        floats(values, "scores")


def test_with_columns_does_not_modify_original() -> None:
    first = Datums(["a", "b"], {"hour": [1, 2]})

    changed = with_columns(first, uids=np.array(["c", "d"]))

    assert (changed.uids.tolist(), first.uids.tolist()) == (["c", "d"], ["a", "b"])
    assert changed.metadata is first.metadata


def test_copies_are_read_only_and_independent() -> None:
    uids = np.array([1, 2])

    own = with_copies(Datums(uids), "uids")
    uids[0] = 7

    assert own.uids.tolist() == [1, 2]
    assert not own.uids.flags.writeable


class Tensor:
    """Tensor like torch's, which NumPy only reads on the CPU and without gradient."""

    def __init__(
        self,
        values: Any,
        dtype: str = "torch.float32",
        *,
        tracked: bool = False,
        device: str = "cpu",
    ) -> None:
        self.values, self.dtype, self.tracked, self.device = values, dtype, tracked, device

    def _with(self, **changes: Any) -> Tensor:
        own = {"dtype": self.dtype, "tracked": self.tracked, "device": self.device}
        return Tensor(self.values, **(own | changes))

    def detach(self) -> Tensor:
        return self._with(tracked=False)

    def cpu(self) -> Tensor:
        return self._with(device="cpu")

    def float(self) -> Tensor:
        return self._with(dtype="torch.float32")

    def __array__(self, *_: Any, **__: Any) -> Any:
        if self.tracked or self.device != "cpu" or self.dtype == "torch.bfloat16":
            raise TypeError(f"can't convert {self.dtype} on {self.device}")
        return np.array(self.values, np.float32)


@pytest.mark.parametrize(
    "tensor",
    [
        Tensor([0.25, 0.5]),
        Tensor([0.25, 0.5], tracked=True),
        Tensor([0.25, 0.5], device="cuda:0"),
        Tensor([0.25, 0.5], "torch.bfloat16", tracked=True, device="cuda:0"),
    ],
)
def test_tensor_on_any_device_is_converted(tensor: Tensor) -> None:
    column = floats(tensor, "scores")

    assert column.dtype == np.float32
    assert column.tolist() == [0.25, 0.5]
