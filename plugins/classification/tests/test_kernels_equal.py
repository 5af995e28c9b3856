"""Compiled and NumPy kernels answer the same, to the last bit."""

from __future__ import annotations

import importlib
from itertools import product
from types import SimpleNamespace
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_st
from numpy.typing import NDArray
from valor_classification.kernels import KERNELS

if KERNELS.library is None:
    pytest.skip(KERNELS.reason, allow_module_level=True)


def functions(implementation: str) -> SimpleNamespace:
    """Functions of all modules of one implementation."""
    found: dict[str, Any] = {}
    for module in ("best", "confusion", "ranking", "reliability", "thresholds"):
        found |= vars(
            importlib.import_module(f"valor_classification.kernels.{implementation}.{module}")
        )
    return SimpleNamespace(**found)


compiled, reference = functions("compiled"), functions("reference")

DTYPES = st.sampled_from([np.float32, np.float64])
TIED = st.sampled_from([-1.5, -0.0, 0.0, 0.1, 0.35, 0.5, 1.0])


def scores_of(shape: Any, low: float = -2, high: float = 2) -> st.SearchStrategy[NDArray[Any]]:
    """Scores with many ties and with few, denormal ones included."""

    def of_type(dtype: Any) -> st.SearchStrategy[NDArray[Any]]:
        width = 8 * np.dtype(dtype).itemsize
        tied = TIED.filter(lambda score: low <= score <= high).map(dtype)
        spread = st.floats(low, high, width=width)
        return st.one_of(
            arrays_st.arrays(dtype, shape, elements=tied),
            arrays_st.arrays(dtype, shape, elements=spread),
        )

    return DTYPES.flatmap(of_type)


@st.composite
def matrices(draw: st.DrawFn) -> NDArray[Any]:
    rows, columns = (
        draw(st.integers(0, 40)),
        draw(st.sampled_from([1, 2, 3, 4, 5, 7, 8, 9, 10, 16, 17, 63, 130])),
    )
    return draw(scores_of((rows, columns)))


LIMITS = st.lists(st.sampled_from([-0.5, -0.0, 0.1, 0.35, 0.5, 1.0]), unique=True, max_size=6).map(
    lambda limits: np.array(sorted(limits))
)


def bits(answer: Any) -> list[tuple[Any, ...]]:
    """Types, shapes and bytes of all arrays of an answer, and its other parts by their text."""
    if attrs.has(type(answer)):
        answer = attrs.astuple(answer, recurse=False)
    parts = answer if isinstance(answer, tuple) else (answer,)
    return [
        (part.dtype, part.shape, part.tobytes()) if isinstance(part, np.ndarray) else (repr(part),)
        for part in parts
    ]


def assert_same(name: str, *arguments: Any, **options: Any) -> None:
    ours = getattr(compiled, name)(*arguments, **options)
    assert bits(ours) == bits(getattr(reference, name)(*arguments, **options))


@given(matrices(), LIMITS, st.data())
def test_on_matrices(values: NDArray[Any], limits: NDArray[Any], data: st.DataObject) -> None:
    count, width = values.shape
    truths = data.draw(arrays_st.arrays(np.int64, count, elements=st.integers(-1, width - 1)))
    is_true = data.draw(arrays_st.arrays(np.bool_, values.shape))

    assert_same("top_of_rows", values)
    assert_same("scores_in_rows", values, np.maximum(truths, 0))
    assert_same("outside", values, 0.0, 1.0)
    assert_same("passed", values, limits)
    assert_same("threshold_histogram", values, limits)
    for tops in (None, reference.top_of_rows(values)):
        assert_same(
            *("top_cells", values, np.arange(width), truths, limits), label_count=width, tops=tops
        )
    assert_same("ranks_of_truth", values, truths)
    assert_same("rank_matrix", [values[:7], values[7:]], *np.nonzero(is_true))


def anywhere(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], float]:
    """Results of the vector code for all processors."""
    columns, scores = np.empty(len(values), np.int32), np.empty(len(values), values.dtype)
    find = KERNELS.function(f"tops_anywhere_{values.dtype.name}")

    total = find(np.ascontiguousarray(values), *values.shape, columns, scores)
    return columns, scores, total


@given(matrices())
def test_tops_are_the_same_on_any_processor(values: NDArray[Any]) -> None:
    *tops, total = anywhere(values)

    assert bits(tuple(tops)) == bits(reference.top_of_rows(values))
    assert np.isfinite(total) or values.shape[1] < 4


@given(matrices(), st.sampled_from([np.nan, np.inf, -np.inf]), st.data())
def test_a_look_finds_tops_of_finite_scores_only(
    values: NDArray[Any], strange: float, data: st.DataObject
) -> None:
    found = compiled.tops(values)

    if found is None:
        assert values.shape[1] < 8  # short rows are not summed
    else:
        assert bits(found) == bits(reference.top_of_rows(values))
    if values.size:
        values[data.draw(st.tuples(*(st.integers(0, size - 1) for size in values.shape)))] = strange
        assert compiled.tops(values) is None
        assert not np.isfinite(anywhere(values)[2])


def test_a_look_leaves_scores_of_a_sum_that_is_too_great_to_another_one() -> None:
    assert compiled.tops(np.full((2, 9), 1e308)) is None


@given(st.integers(0, 40).flatmap(scores_of), st.data(), st.integers(0, 3), st.integers(0, 3))
def test_on_one_label(
    scores: NDArray[Any], data: st.DataObject, positives: int, negatives: int
) -> None:
    positive_scores = scores[data.draw(arrays_st.arrays(np.bool_, scores.size))]
    unlisted = {"unlisted_positives": positives, "unlisted_negatives": negatives}

    assert_same("rank_label", scores, positive_scores, **unlisted)
    for bends in (False, True):
        assert_same("rank_curve", scores, positive_scores, **unlisted, bends=bends)


@given(st.integers(0, 3000), st.integers(1, 5), st.booleans(), st.integers(0, 2**32 - 1))
def test_on_one_label_of_weighted_groups(
    count: int, groups: int, has_ties: bool, seed: int
) -> None:
    random = np.random.default_rng(seed)
    marks = 4 * random.integers(0, groups, count) + random.integers(0, 2, count)
    is_last = random.random(count) < (0.4 if has_ties else 1)
    is_last[-1:] = True
    below, positives, negatives = random.integers(0, 4, 3).tolist()

    assert_same(
        "rank_weighted",
        (marks + 2 * is_last).astype(np.int32),
        random.poisson(1, groups).astype(np.int32),
        below=below,
        unlisted_positives=positives,
        unlisted_negatives=negatives,
    )


@given(st.integers(0, 40).flatmap(lambda count: scores_of(count, 0, 1)), LIMITS, st.data())
def test_on_probabilities(values: NDArray[Any], limits: NDArray[Any], data: st.DataObject) -> None:
    hits = data.draw(arrays_st.arrays(np.bool_, values.size))

    assert_same("reliability", values, hits, limits.astype(values.dtype))


@given(matrices(), LIMITS, st.data())
def test_on_best_scores(values: NDArray[Any], limits: NDArray[Any], data: st.DataObject) -> None:
    count, width = values.shape
    truths = data.draw(arrays_st.arrays(np.int64, count, elements=st.integers(0, width)))

    limits = limits.astype(values.dtype)
    for tops in (None, reference.top_of_rows(values)):
        assert_same("top_reliability", values, np.arange(width)[::-1], truths, limits, tops=tops)


@given(
    st.tuples(st.integers(0, 20), st.integers(1, 5)).flatmap(lambda shape: scores_of(shape, 0, 1)),
    st.data(),
)
def test_on_truths(values: NDArray[Any], data: st.DataObject) -> None:
    count, width = values.shape
    truth = st.tuples(st.integers(0, max(count - 1, 0)), st.integers(-1, width - 1))
    truths = sorted(data.draw(st.lists(truth, unique=True, max_size=30 if count else 0)))
    datums, columns = np.array(truths, np.int64).reshape(-1, 2).T

    assert_same("squared_errors", values, datums, columns)


def test_on_many_probabilities() -> None:
    generator = np.random.default_rng(3)
    values = generator.random(1_100_000).astype(np.float32)
    limits = np.linspace(0, 1, 16)[1:].astype(np.float32)

    assert_same("reliability", values, values > 0.4, limits, threads=2)
    rows, labels = values.reshape(-1, 10), np.arange(10)
    truths = generator.integers(0, 10, len(rows))
    for tops in (None, reference.top_of_rows(rows)):
        assert_same("top_reliability", rows, labels, truths, limits, tops=tops, threads=2)
    assert_same("squared_errors", rows, np.arange(len(rows)), truths, threads=2)


@given(st.lists(st.integers(0, 4), max_size=9), st.data())
def test_on_listings(lengths: list[int], data: st.DataObject) -> None:
    datums = np.repeat(np.arange(len(lengths)), lengths)
    values = data.draw(scores_of(datums.size))
    positions = [data.draw(st.integers(-1, length - 1)) for length in lengths]
    firsts = np.cumsum([0, *lengths])[:-1]
    entries = np.array(
        [
            first + position if position >= 0 else -1
            for first, position in zip(firsts.tolist(), positions, strict=True)
        ],
        np.int64,
    )

    assert_same("top_of_runs", datums, values, count=len(lengths))
    assert_same("ranks_of_truth_in_runs", datums, values, entries)


@given(
    st.lists(st.tuples(st.integers(-1, 4), st.integers(-1, 4), st.integers(0, 3)), max_size=60),
    st.sampled_from([5, 1000]),
    st.sampled_from([np.uint8, np.uint16]),
)
def test_on_codes(datums: list[tuple[int, int, int]], labels: int, dtype: Any) -> None:
    truths, predictions, bins = np.array(datums, np.int64).reshape(-1, 3).T
    bins = bins.astype(dtype)

    assert_same("confusion_cells", truths, predictions, bins, label_count=labels, threshold_count=3)


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [
        ((2, 66_000), np.float32),
        *product([(70_000, 1), (5_003, 33), (503, 257)], [np.float32, np.float64]),
    ],
)
def test_on_many_scores(shape: tuple[int, int], dtype: Any) -> None:
    generator = np.random.default_rng(shape)
    values = (generator.random(shape) ** 9).astype(dtype).round(5)
    truths = generator.integers(0, shape[1], shape[0])
    limits = np.linspace(0, 1, 40)

    assert_same("top_of_rows", values, threads=2)
    assert_same("threshold_histogram", values, limits, threads=2)
    assert_same("threshold_histogram", values, limits[1:9], threads=2)
    for tops in (None, reference.top_of_rows(values)):
        assert_same(
            *("top_cells", values, np.arange(shape[1]), truths, limits),
            label_count=shape[1],
            tops=tops,
            threads=2,
        )
    assert_same("ranks_of_truth", values, truths)
    assert_same("rank_matrix", [values], np.arange(shape[0]), truths, threads=2)
    assert_same("rank_curve", values[:, 0], values[truths == 0, 0], bends=True)
