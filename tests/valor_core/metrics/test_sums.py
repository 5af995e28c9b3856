from __future__ import annotations

import copy
import json
import math
import pickle
import re
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from valor_core.errors import SchemaError, StateError
from valor_core.states import ExactSum, ExactSums, sums
from valor_core.states.sums import saved_sums

FINITE = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


def summed(values: Any) -> ExactSum:
    total = ExactSum()
    total.add(values)
    return total


def summed_by_group(codes: Any, values: Any) -> ExactSums:
    sums = ExactSums()
    sums.add(codes, values)
    return sums


@given(st.lists(FINITE, max_size=50))
def test_sum_equals_fsum(values: list[float]) -> None:
    assert summed(np.array(values, dtype=float)).value == math.fsum(values)


@given(st.lists(FINITE, max_size=30), st.data())
def test_split_and_order_do_not_change_sum(values: list[float], data: st.DataObject) -> None:
    whole = summed(np.array(values, dtype=float))
    shuffled = data.draw(st.permutations(values))
    cut = data.draw(st.integers(0, len(values)))

    left = summed(np.array(shuffled[:cut], dtype=float))
    left.merge(summed(np.array(shuffled[cut:], dtype=float)))

    assert left == whole


@given(st.lists(st.tuples(st.integers(0, 5), FINITE), max_size=40), st.data())
def test_grouped_sums_equal_single_sums_in_any_split(
    pairs: list[tuple[int, float]], data: st.DataObject
) -> None:
    codes = np.array([code for code, _ in pairs], dtype=np.int64)
    values = np.array([value for _, value in pairs], dtype=float)
    order = np.array(data.draw(st.permutations(range(len(pairs)))), dtype=np.int64)
    cut = data.draw(st.integers(0, len(pairs)))

    whole = summed_by_group(codes, values)
    left = summed_by_group(codes[order[:cut]], values[order[:cut]])
    left.merge(summed_by_group(codes[order[cut:]], values[order[cut:]]))

    assert left == whole
    assert whole.units == [summed(values[codes == code]).units for code in range(len(whole))]


def test_chunk_size_does_not_change_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(0).normal(size=100) * 1e5
    codes = np.arange(100) % 7
    expected = summed(values), summed_by_group(codes, values)

    monkeypatch.setattr(sums, "_CHUNK", 3)

    assert (summed(values), summed_by_group(codes, values)) == expected


def test_full_chunk_of_largest_parts_is_exact() -> None:
    values = np.full(sums._CHUNK, np.nextafter(2.0, 0.0) * 2.0**30)

    assert summed(values).units == summed(values[:1]).units * sums._CHUNK


def test_sparse_codes_and_exponents_use_no_dense_table() -> None:
    sums = summed_by_group([0, 50_000, 50_000], [1e-300, 1e300, 1e-300])

    assert sums.values[[0, 50_000]].tolist() == [1e-300, 1e300]
    assert sums.units[50_000] == summed([1e300, 1e-300]).units


@pytest.mark.parametrize(
    "value", [5e-324, -5e-324, sys.float_info.min, sys.float_info.max, -sys.float_info.max, 0.1]
)
def test_sum_of_one_value_is_the_value(value: float) -> None:
    assert summed([value]).value == value
    assert summed(np.array([value] * 3 + [-value] * 2)).value == value


def test_cancelled_overflow_leaves_the_small_value() -> None:
    largest = sys.float_info.max

    assert summed([largest, largest, 1.0, -largest, -largest]).value == 1.0


def test_sum_out_of_range_of_float64_raises() -> None:
    total = summed([sys.float_info.max] * 2)

    with pytest.raises(
        SchemaError, match="exact sum: expected a sum within the range of float64, got a larger one"
    ):
        _ = total.value


def test_narrow_floats_of_any_shape_are_summed_exactly() -> None:
    values = np.array([[0.1, 0.2], [0.3, 0.4]], dtype=np.float32)

    assert summed(values).value == math.fsum(values.ravel().astype(float))


def test_arguments_are_not_modified() -> None:
    values = np.array([0.1, -2.5, 1e10])
    codes = np.array([1, 0, 1])
    values.flags.writeable = codes.flags.writeable = False

    summed(values)
    summed_by_group(codes, values)

    assert values.tolist() == [0.1, -2.5, 1e10]
    assert codes.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.nan, "exact sum: expected finite values, got nan at position 1 (and 1 more)"),
        (np.inf, "exact sum: expected finite values, got inf at position 1 (and 1 more)"),
        (-np.inf, "exact sum: expected finite values, got -inf at position 1 (and 1 more)"),
    ],
)
def test_non_finite_value_raises_with_position(value: float, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        summed([0.0, value, value])


@pytest.mark.parametrize(
    ("dtype", "message"),
    [
        (np.int64, "expected floats of at most 64 bits, got array of int64, shape (2,)"),
        (np.bool_, "expected floats of at most 64 bits, got array of bool, shape (2,)"),
        (np.complex128, "expected floats of at most 64 bits, got array of complex128, shape (2,)"),
        (object, "expected floats of at most 64 bits, got array of object, shape (2,)"),
    ],
)
def test_values_of_another_type_are_rejected(dtype: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        summed(np.ones(2, dtype=dtype))


def test_an_empty_batch_adds_nothing() -> None:
    assert summed([]) == ExactSum()
    assert summed_by_group([], []) == ExactSums()
    assert ExactSums().values.dtype == np.float64


def test_merge_renumbers_groups_without_modifying_other() -> None:
    left = summed_by_group([0, 1], [1.0, 2.0])
    right = summed_by_group([0, 1, 2], [10.0, 20.0, 30.0])
    before = copy.deepcopy(right)

    left.merge(right, codes=np.array([3, 0, 0, 9]))

    assert left.values.tolist() == [51.0, 2.0, 0.0, 10.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert right == before


def test_sums_can_be_merged_with_themselves() -> None:
    sums = summed_by_group([0, 1], [1.0, 2.0])
    total = summed([1.5])

    sums.merge(sums, codes=[1, 2])
    total.merge(total)

    assert sums.values.tolist() == [1.0, 3.0, 2.0]
    assert total.value == 3.0


def test_grow_never_shrinks() -> None:
    sums = summed_by_group([2], [1.0])

    sums.grow(1)

    assert len(sums) == 3


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        ([0], "exact sums: expected 2 codes, one per value, got 1"),
        ([0, -1], "exact sums: expected codes of 0 or more, got -1 at position 1"),
        ([-1, -2], "expected codes of 0 or more, got -1 at position 0 (and 1 more)"),
        ([0.0, 1.0], "expected a list of integer codes, got array of float64, shape (2,)"),
        ([[0], [1]], "expected a list of integer codes, got array of int64, shape (2, 1)"),
    ],
)
def test_invalid_codes_are_rejected(codes: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        summed_by_group(np.array(codes), [1.0, 2.0])


def test_merge_with_too_few_codes_is_rejected() -> None:
    with pytest.raises(SchemaError, match="exact sums: expected a code for each of 2 sums, got 1"):
        ExactSums().merge(summed_by_group([0, 1], [1.0, 1.0]), codes=[0])


@given(st.lists(FINITE, max_size=10))
def test_sum_survives_text_and_pickle(values: list[float]) -> None:
    total = summed(np.array(values, dtype=float))
    sums = summed_by_group(np.arange(len(values)), np.array(values, dtype=float))

    assert ExactSum.from_text(json.loads(json.dumps(total.to_text()))) == total
    assert ExactSums.from_text(json.loads(json.dumps(sums.to_text()))) == sums
    assert pickle.loads(pickle.dumps((total, sums))) == (total, sums)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "exact sum: expected text such as '0x3p-1', got ''"),
        ("1.5", "exact sum: expected text such as '0x3p-1', got '1.5'"),
        ("0x3", "exact sum: expected text such as '0x3p-1', got '0x3'"),
        ("0x3p-1075", "exact sum: expected text such as '0x3p-1', got '0x3p-1075'"),
        ("0x3p+99999", "exact sum: expected text such as '0x3p-1', got '0x3p+99999'"),
        ("0X3p-1", "exact sum: expected text such as '0x3p-1', got '0X3p-1'"),
        ("3p0", "exact sum: expected text such as '0x3p-1', got '3p0'"),
    ],
)
def test_invalid_text_is_rejected(text: str, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        ExactSum.from_text(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "ious: expected 2 exact sums, found None"),
        ("0x1p-1", "ious: expected 2 exact sums, found '0x1p-1'"),
        ("0x0p+0 0x0p+0 0x0p+0", "ious: expected 2 exact sums, found '0x0p+0 0x0p+0 0x0p+0'"),
        ("0x1p-1 many", "ious: exact sum: expected text such as '0x3p-1', got 'many'"),
        (
            "0x1p-1 0x1p+9999",
            "exact sum: expected a sum within the range of float64, got a larger one",
        ),
        ("0x0p+0 -0x1p-1", "ious: expected sums from 0 to inf, found -0.5"),
        ("0x3p+0 0x1p+0", "ious: expected sums from 0 to 2, found 3"),
    ],
)
def test_saved_sums_of_wrong_number_or_range_are_rejected(text: object, message: str) -> None:
    with pytest.raises(StateError, match=re.escape(message)):
        saved_sums(text, "ious", np.array([2.0, np.inf]))


def test_saved_sums_are_restored_exactly() -> None:
    sums = ExactSums()
    sums.add([0, 1, 1], [0.1, 0.2, 1e-300])

    assert saved_sums(sums.to_text(), "ious", np.array([0.1, np.inf])) == sums


ANY = st.floats(allow_nan=False, allow_infinity=False)
PAIRS = st.lists(st.tuples(ANY, ANY), max_size=20)


def products_of(pairs: list[tuple[float, float]]) -> ExactSum:
    x, y = np.array(pairs, dtype=float).reshape(-1, 2).T
    total = ExactSum()
    total.add_products(x, y)
    return total


@given(PAIRS)
def test_products_equal_fractions_in_units_of_the_least_float(
    pairs: list[tuple[float, float]],
) -> None:
    units = sum(round(Fraction(x) * Fraction(y) * 2**1074) for x, y in pairs)

    assert products_of(pairs).units == units
    assert products_of(pairs).exact == Fraction(units, 2**1074)


@given(st.lists(st.tuples(*[st.floats(-1e150, 1e150).filter(lambda x: abs(x) > 1e-130)] * 2)))
def test_products_of_ordinary_floats_are_exact(pairs: list[tuple[float, float]]) -> None:
    expected = sum((Fraction(x) * Fraction(y) for x, y in pairs), Fraction())

    assert products_of(pairs).exact == expected


@given(PAIRS, st.data())
def test_split_and_order_do_not_change_products(
    pairs: list[tuple[float, float]], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(pairs))
    cut = data.draw(st.integers(0, len(pairs)))

    left = products_of(shuffled[:cut])
    left.merge(products_of(shuffled[cut:]))

    assert left == products_of(pairs)


@given(st.lists(st.tuples(st.integers(0, 3), ANY, ANY), min_size=1, max_size=20))
def test_grouped_products_equal_products_of_each_group(
    rows: list[tuple[int, float, float]],
) -> None:
    codes, x, y = zip(*rows, strict=True)
    sums = ExactSums()
    sums.add_products(codes, x, y)

    assert sums.units == [
        products_of([(x, y) for code, x, y in rows if code == group]).units
        for group in range(max(codes) + 1)
    ]
    assert sums.exact == [Fraction(units, 2**1074) for units in sums.units]


def test_variance_far_from_zero_loses_no_digit() -> None:
    # 1e8 + 1, 1e8 + 2 and 1e8 + 4: mean 1e8 + 7/3, squared deviations 16/9, 1/9 and 25/9
    values = np.array([1.0, 2.0, 4.0]) + 1e8
    total, squares = ExactSum(), ExactSum()
    total.add(values)
    squares.add_products(values, values)

    variance = squares.exact / 3 - (total.exact / 3) ** 2

    assert variance == Fraction(42, 27)
    assert float(variance) == 42 / 27


def test_products_beyond_the_range_of_floats_cancel() -> None:
    total = ExactSum()
    total.add_products([1e308, 0.5, -1e308], [1e308, 3.0, 1e308])

    assert total.value == 1.5


def test_factors_of_other_lengths_are_rejected() -> None:
    with pytest.raises(SchemaError, match=r"expected factors of the same shape, got \(2,\)"):
        ExactSum().add_products([1.0, 2.0], [1.0])
    with pytest.raises(SchemaError, match="expected finite values, got inf"):
        ExactSum().add_products([math.inf], [1.0])
    with pytest.raises(SchemaError, match="expected 1 codes, one per value, got 2"):
        ExactSums().add_products([0, 1], [1.0], [1.0])
