"""The kernels against hand-worked numbers, naive definitions and scikit-learn."""

from __future__ import annotations

import importlib
import math
from collections import Counter
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_st
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from sklearn.metrics import (
    average_precision_score,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)
from valor_classification.kernels import KERNELS
from valor_classification.kernels.values import (
    UNLISTED_RANK,
    ConfusionCells,
    RankAreas,
    RankCurve,
    in_type,
)

Functions = SimpleNamespace


def implementation(name: str) -> SimpleNamespace:
    """Functions of all modules of one implementation."""
    if name == "compiled" and KERNELS.library is None:
        pytest.skip(KERNELS.reason)
    found: dict[str, Any] = {}
    for module in ("best", "confusion", "ranking", "reliability", "thresholds"):
        found |= vars(importlib.import_module(f"valor_classification.kernels.{name}.{module}"))
    return SimpleNamespace(**found, implementation=name)


@pytest.fixture(scope="module", params=["reference", "compiled"])
def kernels(request: pytest.FixtureRequest) -> SimpleNamespace:
    return implementation(request.param)


@pytest.fixture(params=["usual blocks", "tiny blocks"])
def block_sizes(
    request: pytest.FixtureRequest, kernels: Functions, monkeypatch: pytest.MonkeyPatch
) -> None:
    if request.param == "tiny blocks":
        if kernels.implementation == "reference":
            pytest.skip("has no blocks")
        compiled = "valor_classification.kernels.compiled"
        monkeypatch.setattr(f"{compiled}.functions._THREAD_SCORES", 1)
        monkeypatch.setattr(f"{compiled}.ranking._COLUMN_BYTES", 64)
        monkeypatch.setattr(f"{compiled}.confusion._SMALL_TABLE", 1)


# Scores with many ties, of both signs and both zeros, and scores with hardly any

DTYPES = st.sampled_from([np.float32, np.float64])
TIED = st.sampled_from([-1.5, -0.25, -0.0, 0.0, 0.1, 0.35, 0.5, 1.0, 3.0])


def scores_of(shape: Any) -> st.SearchStrategy[NDArray[Any]]:
    def of_type(dtype: Any) -> st.SearchStrategy[NDArray[Any]]:
        width = 8 * np.dtype(dtype).itemsize
        spread = st.floats(-2, 2, width=width, allow_subnormal=False)
        return st.one_of(
            arrays_st.arrays(dtype, shape, elements=TIED.map(dtype)),
            arrays_st.arrays(dtype, shape, elements=spread),
        )

    return DTYPES.flatmap(of_type)


@st.composite
def matrices(draw: st.DrawFn, least_rows: int = 0) -> NDArray[Any]:
    rows, columns = draw(st.integers(least_rows, 30)), draw(st.integers(1, 7))
    return draw(scores_of((rows, columns)))


@st.composite
def listings(draw: st.DrawFn) -> tuple[int, NDArray[Any], NDArray[Any]]:
    """Number of datums, datum of each entry, score of each entry."""
    count = draw(st.integers(0, 12))
    lengths = draw(st.lists(st.integers(0, 4), min_size=count, max_size=count))
    datums = np.repeat(np.arange(count), lengths)
    return count, datums, draw(scores_of(datums.size))


@st.composite
def labelled(draw: st.DrawFn) -> tuple[NDArray[Any], NDArray[Any]]:
    """Scores of one label, and which of them are of positives."""
    scores = draw(scores_of(draw(st.integers(0, 30))))
    return scores, draw(arrays_st.arrays(np.bool_, scores.size))


THRESHOLDS = st.lists(
    st.sampled_from([-0.5, 0.0, 0.1, 0.35, 0.5, 0.75, 1.0, 2.0]), unique=True, max_size=6
).map(lambda thresholds: np.array(sorted(thresholds), np.float64))

UNLISTED = st.integers(0, 3)


# The greatest score of each datum


def test_the_top_of_a_row_is_the_first_of_its_greatest_scores(kernels: Functions) -> None:
    # Row 0: 0.5 in columns 1 and 2, the first counts. Row 1: -0.1 is the greatest of three
    # negatives. Row 2: all equal, 0.0 and -0.0 included.
    values = np.array([[0.2, 0.5, 0.5], [-0.3, -0.2, -0.1], [0.0, -0.0, 0.0]])

    assert_array_equal(kernels.top_of_rows(values)[0], [1, 2, 0])


@pytest.mark.usefixtures("block_sizes")
@given(matrices())
def test_the_top_of_rows_is_what_argmax_says(kernels: Functions, values: NDArray[Any]) -> None:
    top, scores = kernels.top_of_rows(values)

    assert top.dtype == np.int32
    assert scores.dtype == values.dtype
    assert_array_equal(top, values.argmax(axis=1))
    assert_array_equal(scores, values.max(axis=1))


@pytest.mark.parametrize("width", [1, 2, 3, 19, 20, 21, 300])
def test_the_top_of_rows_is_right_for_few_and_for_many_columns(
    kernels: Functions, width: int
) -> None:
    values = np.random.default_rng(7).integers(0, 40, (501, width)).astype(np.float32)

    assert_array_equal(kernels.top_of_rows(values)[0], values.argmax(axis=1))


@pytest.mark.parametrize("most", [1, 2, 5])
def test_the_top_of_rows_is_the_same_in_any_number_of_threads(
    kernels: Functions, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kernels.implementation == "compiled":
        monkeypatch.setattr("valor_classification.kernels.compiled.functions._THREAD_SCORES", 10)
    values = np.random.default_rng(7).integers(0, 4, (101, 3)).astype(np.float32)

    top, scores = kernels.top_of_rows(values, threads=most)

    assert_array_equal(top, values.argmax(axis=1))
    assert_array_equal(scores, values.max(axis=1))


@pytest.mark.usefixtures("block_sizes")
@given(matrices(), st.data())
def test_a_score_of_each_row_is_found_in_its_column(
    kernels: Functions, values: NDArray[Any], data: st.DataObject
) -> None:
    count, width = values.shape
    columns = data.draw(arrays_st.arrays(np.int64, count, elements=st.integers(0, width - 1)))

    assert_array_equal(kernels.scores_in_rows(values, columns), values[np.arange(count), columns])


@given(st.lists(st.sampled_from([-1.0, -0.0, 0.0, 0.5, 1.0, 1.5])))
def test_scores_outside_are_counted(kernels: Functions, values: list[float]) -> None:
    expected = sum(value < 0 or value > 1 for value in values)

    assert kernels.outside(np.array(values, np.float32), 0.0, 1.0) == expected


def test_the_top_of_a_run_is_the_first_listed_of_its_greatest_scores(
    kernels: Functions,
) -> None:
    # Datum 0 lists 0.1, 0.4, 0.4 at positions 0 to 2: position 1. Datum 1 lists nothing.
    # Datum 2 lists -0.5 at position 3.
    datums = np.array([0, 0, 0, 2])
    values = np.array([0.1, 0.4, 0.4, -0.5], np.float32)

    assert_array_equal(kernels.top_of_runs(datums, values, count=3), [1, -1, 3])


@pytest.mark.usefixtures("block_sizes")
@given(listings())
def test_the_top_of_runs_is_the_first_maximum_of_each_datum(
    kernels: Functions, listing: Any
) -> None:
    count, datums, values = listing
    expected = []
    for datum in range(count):
        entries = np.flatnonzero(datums == datum).tolist()
        expected.append(max(entries, key=lambda entry: values[entry], default=-1))

    assert_array_equal(kernels.top_of_runs(datums, values, count=count), expected)


# Thresholds


def test_a_score_passes_the_thresholds_it_reaches(kernels: Functions) -> None:
    # 0.35 passes 0.35 and not 0.5; 0.5 passes both; 0.34 neither; 2.0 both; -1.0 neither.
    values = np.array([0.35, 0.5, 0.34, 2.0, -1.0])

    counts = kernels.passed(values, np.array([0.35, 0.5]))

    assert counts.dtype == np.uint8
    assert_array_equal(counts, [1, 2, 0, 2, 0])


def test_a_float32_score_passes_the_threshold_it_was_rounded_from(kernels: Functions) -> None:
    # The float32 nearest to 0.7 is 0.699999988, less than the float64 0.7.
    values = np.array([0.35, 0.7, 0.95], np.float32)

    assert_array_equal(kernels.passed(values, np.array([0.35, 0.7, 0.95])), [1, 2, 3])
    assert_array_equal(
        kernels.threshold_histogram(values[:, None], np.array([0.35, 0.7, 0.95])), [[0, 1, 1, 1]]
    )


@pytest.mark.usefixtures("block_sizes")
@given(matrices(), THRESHOLDS)
def test_passed_counts_the_comparisons_that_hold(
    kernels: Functions, values: NDArray[Any], thresholds: NDArray[np.float64]
) -> None:
    expected = (values[:, :, None] >= thresholds.astype(values.dtype)).sum(axis=2)

    assert_array_equal(kernels.passed(values, thresholds), expected)


@pytest.mark.parametrize("count", [255, 256, 1000])
def test_more_thresholds_than_a_byte_holds_are_counted(kernels: Functions, count: int) -> None:
    thresholds = np.linspace(0, 1, count)
    values = np.array([-1.0, 0.0, 0.5, 1.0])

    expected = [(value >= thresholds).sum() for value in values]

    assert_array_equal(kernels.passed(values, thresholds), expected)
    assert_array_equal(
        kernels.threshold_histogram(values[:, None], thresholds)[0],
        np.bincount(expected, minlength=count + 1),
    )


SPACINGS = {
    "even": lambda count: np.arange(count) / count,
    "even, with both ends": lambda count: np.linspace(0, 1, count),
    "even, around zero": lambda count: np.linspace(-0.7, 0.4, count),
    "of neighboring numbers": lambda count: 0.5 + np.arange(count) * 2.0**-53,
    "of denormal numbers": lambda count: np.arange(count) * 5e-324,
    "even, but for one": lambda count: np.sort(np.append(np.arange(count - 1) / count, 0.50001)),
    "denser and denser": lambda count: np.geomspace(1e-6, 1, count),
    "all equal": lambda count: np.full(count, 0.25),
    "infinitely far": lambda count: np.linspace(0, 1, count) * 1e308,
}


@pytest.mark.parametrize("spacing", SPACINGS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(data=st.data())
def test_scores_at_and_near_many_limits_are_counted_as_by_comparing(
    kernels: Functions, spacing: str, dtype: type[np.floating[Any]], data: st.DataObject
) -> None:
    thresholds = SPACINGS[spacing](data.draw(st.integers(30, 300)))
    with np.errstate(over="ignore"):
        limits = in_type(thresholds, np.dtype(dtype))
    ends = [0, -0.0, 1, -1, np.finfo(dtype).smallest_subnormal]
    ends += [np.finfo(dtype).max, np.finfo(dtype).min]
    drawn = data.draw(arrays_st.arrays(dtype, 20, elements=st.floats(0, 1, width=32)))
    near = [limits, np.nextafter(limits, dtype(-2)), np.nextafter(limits, dtype(2))]
    values = np.concatenate([*near, np.array(ends, dtype), drawn])
    values = values[np.isfinite(values)][:, None]
    expected = (values >= limits).sum(axis=1)

    assert_array_equal(kernels.passed(values, thresholds)[:, 0], expected)
    assert_array_equal(
        kernels.threshold_histogram(values, thresholds)[0],
        np.bincount(expected, minlength=limits.size + 1),
    )


def test_a_histogram_counts_the_scores_between_thresholds(kernels: Functions) -> None:
    # Column 0: 0.1 passes none of 0.3, 0.6; 0.3 and 0.5 pass one. Column 1: 0.9, 0.6 pass
    # both, 0.0 none.
    values = np.array([[0.1, 0.9], [0.3, 0.6], [0.5, 0.0]])

    assert_array_equal(
        kernels.threshold_histogram(values, np.array([0.3, 0.6])), [[1, 2, 0], [1, 0, 2]]
    )


@pytest.mark.usefixtures("block_sizes")
@given(matrices(), THRESHOLDS, st.integers(1, 3))
def test_a_histogram_is_the_count_of_passed(
    kernels: Functions, values: NDArray[Any], thresholds: NDArray[np.float64], threads: int
) -> None:
    counts = kernels.passed(values, thresholds)
    expected = [np.bincount(column, minlength=thresholds.size + 1) for column in counts.T]

    assert_array_equal(kernels.threshold_histogram(values, thresholds, threads=threads), expected)


@pytest.mark.parametrize("shape", [(999, 1), (40_000, 3), (1_300, 1000), (300_000, 4)])
@pytest.mark.parametrize("count", [19, 60])
def test_a_large_histogram_is_right_in_one_thread_and_in_two(
    kernels: Functions, shape: tuple[int, int], count: int
) -> None:
    values = np.random.default_rng(3).random(shape, np.float32)
    thresholds = np.linspace(0, 1, count)
    keys = kernels.passed(values, thresholds) + np.arange(shape[1]) * (count + 1)
    expected = np.bincount(keys.ravel(), minlength=shape[1] * (count + 1)).reshape(shape[1], -1)

    for workers in (1, 2):
        assert_array_equal(
            kernels.threshold_histogram(values, thresholds, threads=workers), expected
        )


def test_a_histogram_of_nothing_is_zero(kernels: Functions) -> None:
    assert_array_equal(
        kernels.threshold_histogram(np.empty((0, 2)), np.array([0.5])), [[0, 0], [0, 0]]
    )
    assert kernels.threshold_histogram(np.empty((3, 0)), np.array([0.5])).shape == (0, 2)
    assert_array_equal(kernels.threshold_histogram(np.empty((3, 1)), np.empty(0)), [[3]])


# Areas


def naive_auc(positives: list[float], negatives: list[float]) -> float:
    """Exact share of pairs in which the positive wins; a tie is half a win."""
    if not positives or not negatives:
        return math.nan
    halves = sum((p > n) + (p >= n) for p in positives for n in negatives)
    return float(Fraction(halves, 2 * len(positives) * len(negatives)))


def naive_average_precision(positives: list[float], negatives: list[float]) -> float:
    if not positives:
        return math.nan
    total = Fraction(0)
    for score in positives:
        true = sum(p >= score for p in positives)
        total += Fraction(true, true + sum(n >= score for n in negatives))
    return float(total / len(positives))


def same(left: float, right: float) -> bool:
    return left == right or (math.isnan(left) and math.isnan(right))


def test_areas_of_a_ranking_without_ties(kernels: Functions) -> None:
    # Positives 0.35, 0.8; negatives 0.1, 0.4. Pairs won: 0.35 > 0.1, 0.8 > 0.1, 0.8 > 0.4:
    # 3 of 4. Precision at 0.8 is 1/1, at 0.35 2/3; (1 + 2/3) / 2 = 5/6.
    areas = kernels.rank_label(np.array([0.1, 0.4, 0.35, 0.8]), np.array([0.35, 0.8]))

    assert (areas.positives, areas.negatives, areas.auc) == (2, 2, 0.75)
    assert areas.average_precision == pytest.approx(5 / 6, abs=1e-15)


def test_areas_count_a_tie_as_one_half_and_a_tied_group_as_one_step(
    kernels: Functions,
) -> None:
    # Positives 0.5, 0.5, 0.2; negatives 0.5, 0.1. Wins: each 0.5 ties with 0.5 and beats 0.1
    # (1.5), 0.2 beats 0.1 (1): 4 of 6. At 0.5 there are 2 of 3, at 0.2 3 of 4:
    # (2 * 2/3 + 3/4) / 3 = 25/36.
    areas = kernels.rank_label(np.array([0.5, 0.2, 0.5, 0.1, 0.5]), np.array([0.5, 0.5, 0.2]))

    assert areas.auc == 4 / 6
    assert areas.average_precision == pytest.approx(25 / 36, abs=1e-15)


def test_the_unlisted_tie_with_each_other_below_every_score(kernels: Functions) -> None:
    # Listed: positive 0.9, negative 0.3. Unlisted: 1 positive, 2 negatives. The listed
    # positive beats 3 negatives; the unlisted one ties with 2, loses to 0.3: 4 of 2 * 3.
    # Precision at 0.9 is 1/1, at the end 2/5: (1 + 2/5) / 2 = 0.7.
    areas = kernels.rank_label(
        np.array([0.9, 0.3]), np.array([0.9]), unlisted_positives=1, unlisted_negatives=2
    )

    assert (areas.positives, areas.negatives) == (2, 3)
    assert areas.auc == 4 / 6
    assert areas.average_precision == pytest.approx(0.7, abs=1e-15)


@pytest.mark.parametrize("count", [1, 3, 49, 1000])
def test_a_perfect_ranking_is_exactly_one(kernels: Functions, count: int) -> None:
    scores = np.arange(2.0 * count)

    areas = kernels.rank_label(scores, scores[count:])

    assert (areas.auc, areas.average_precision) == (1.0, 1.0)


def test_areas_without_positives_or_negatives_are_nan(kernels: Functions) -> None:
    scores = np.array([0.1, 0.2])

    without_positives = kernels.rank_label(scores, scores[:0])
    without_negatives = kernels.rank_label(scores, scores)
    without_anything = kernels.rank_label(scores[:0], scores[:0])

    assert math.isnan(without_positives.auc)
    assert math.isnan(without_positives.average_precision)
    assert (without_positives.positives, without_positives.negatives) == (0, 2)
    assert math.isnan(without_negatives.auc)
    assert without_negatives.average_precision == 1.0
    assert math.isnan(without_anything.auc)
    assert math.isnan(without_anything.average_precision)


@pytest.mark.usefixtures("block_sizes")
@given(labelled(), UNLISTED, UNLISTED)
def test_areas_follow_their_definitions(
    kernels: Functions, label: Any, positives: int, negatives: int
) -> None:
    scores, is_positive = label
    winners = scores[is_positive].tolist() + [-math.inf] * positives
    losers = scores[~is_positive].tolist() + [-math.inf] * negatives

    areas = kernels.rank_label(
        scores, scores[is_positive], unlisted_positives=positives, unlisted_negatives=negatives
    )

    assert (areas.positives, areas.negatives) == (len(winners), len(losers))
    assert same(areas.auc, naive_auc(winners, losers))
    expected = naive_average_precision(winners, losers)
    assert areas.average_precision == pytest.approx(expected, rel=1e-14, nan_ok=True)


@pytest.mark.usefixtures("block_sizes")
@given(labelled(), st.randoms(use_true_random=False))
def test_areas_and_curves_do_not_depend_on_the_order_of_scores(
    kernels: Functions, label: Any, random: Any
) -> None:
    scores, is_positive = label
    order = np.array(random.sample(range(scores.size), scores.size), np.int64)
    before, shuffled = scores.copy(), scores[order]

    curve = kernels.rank_curve(scores, scores[is_positive])
    other_curve = kernels.rank_curve(shuffled, shuffled[is_positive[order]])

    areas = attrs.astuple(kernels.rank_label(scores, scores[is_positive]))
    of_shuffled = attrs.astuple(kernels.rank_label(shuffled, shuffled[is_positive[order]]))
    assert all(map(same, areas, of_shuffled))
    assert curve.thresholds.tobytes() == other_curve.thresholds.tobytes()
    assert_array_equal(curve.true_positives, other_curve.true_positives)
    assert_array_equal(curve.false_positives, other_curve.false_positives)
    assert scores.tobytes() == before.tobytes()


def bits(areas: RankAreas) -> list[bytes]:
    return [
        column.tobytes()
        for column in (areas.positives, areas.negatives, areas.auc, areas.average_precision)
    ]


def test_areas_of_a_matrix_take_each_column_against_the_rest(kernels: Functions) -> None:
    # Column 0: truth 0.9 above 0.3 and 0.6, both areas 1. Column 1: truths 0.7 and 0.05,
    # other 0.1; one of two pairs won; precision 1/1 and 2/3. Column 2: never the truth.
    values = np.array([[0.9, 0.1, 0.5], [0.3, 0.7, 0.5], [0.6, 0.05, 0.5]])

    areas = kernels.rank_matrix([values], np.array([0, 1, 2]), np.array([0, 1, 1]))

    assert_array_equal(areas.positives, [1, 2, 0])
    assert_array_equal(areas.negatives, [2, 1, 3])
    assert_array_equal(areas.auc, [1.0, 0.5, math.nan])
    np.testing.assert_allclose(areas.average_precision, [1.0, 5 / 6, math.nan], rtol=1e-15)


def test_a_row_of_a_matrix_can_be_positive_for_several_columns_or_none(
    kernels: Functions,
) -> None:
    # Row 0 is true for both columns, row 1 for none, row 2 for column 1.
    # Column 0: 0.8 beats 0.6, ties with 0.8: 1.5 of 2. Column 1: 0.1 and 0.9 against 0.4: 1 of 2.
    values = np.array([[0.8, 0.1], [0.6, 0.4], [0.8, 0.9]], np.float32)

    areas = kernels.rank_matrix([values], np.array([2, 0, 0]), np.array([1, 1, 0]))

    assert_array_equal(areas.positives, [1, 2])
    assert_array_equal(areas.auc, [0.75, 0.5])


@st.composite
def matrices_with_truths(draw: st.DrawFn) -> tuple[NDArray[Any], NDArray[Any]]:
    values = draw(matrices())
    return values, draw(arrays_st.arrays(np.bool_, values.shape))


@pytest.mark.usefixtures("block_sizes")
@given(matrices_with_truths(), st.integers(1, 3))
def test_areas_of_a_matrix_are_those_of_its_columns(
    kernels: Functions, drawn: Any, threads: int
) -> None:
    values, is_true = drawn
    rows, columns = np.nonzero(is_true)

    areas = kernels.rank_matrix([values], rows, columns, threads=threads)

    for column in range(values.shape[1]):
        scores = values[:, column]
        label = kernels.rank_label(scores, scores[is_true[:, column]])
        assert areas.positives[column] == label.positives
        assert areas.negatives[column] == label.negatives
        assert same(areas.auc[column], label.auc)
        assert same(areas.average_precision[column], label.average_precision)


@pytest.mark.usefixtures("block_sizes")
@given(matrices_with_truths(), st.data())
def test_areas_of_a_matrix_do_not_depend_on_order_or_split(
    kernels: Functions, drawn: Any, data: st.DataObject
) -> None:
    values, is_true = drawn
    order = np.array(data.draw(st.permutations(range(len(values)))), np.int64)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(values)), max_size=4)))
    rows, columns = np.nonzero(is_true)
    moved_rows, moved_columns = np.nonzero(is_true[order])
    cells = np.array(data.draw(st.permutations(range(moved_rows.size))), np.int64)
    before = values.tobytes()

    whole = kernels.rank_matrix([values], rows, columns)
    parts = kernels.rank_matrix(
        np.split(values[order], cuts), moved_rows[cells], moved_columns[cells], threads=2
    )

    assert bits(parts) == bits(whole)
    assert values.tobytes() == before


def test_areas_of_no_columns_are_empty(kernels: Functions) -> None:
    none = np.empty(0, np.int64)

    assert kernels.rank_matrix([np.empty((3, 0))], none, none).auc.shape == (0,)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("decimals", [1, 3, 16])
def test_areas_agree_with_scikit_learn(kernels: Functions, dtype: Any, decimals: int) -> None:
    generator = np.random.default_rng(decimals)
    truths = generator.integers(0, 5, 3000)
    values = generator.random((3000, 5))
    values[np.arange(3000), truths] += 0.2
    values = values.round(decimals).astype(dtype)

    areas = kernels.rank_matrix([values[:1000], values[1000:]], np.arange(3000), truths, threads=2)

    for column in range(5):
        is_true, scores = truths == column, values[:, column]
        # Both programs sum and round in float64, scikit-learn in another order.
        assert areas.auc[column] == pytest.approx(roc_auc_score(is_true, scores), abs=1e-12)
        assert areas.average_precision[column] == pytest.approx(
            average_precision_score(is_true, scores), abs=1e-12
        )


@pytest.mark.usefixtures("block_sizes")
@given(labelled(), UNLISTED, UNLISTED)
def test_areas_of_few_scores_agree_with_scikit_learn(
    kernels: Functions, label: Any, positives: int, negatives: int
) -> None:
    scores, is_positive = label
    # scikit-learn takes no -inf: the lowest finite number below every score stands for it.
    every_score = np.append(scores, np.full(positives + negatives, -9, scores.dtype))
    is_true = np.append(is_positive, np.arange(positives + negatives) < positives)

    areas = kernels.rank_label(
        scores, scores[is_positive], unlisted_positives=positives, unlisted_negatives=negatives
    )

    if is_true.any():
        assert areas.average_precision == pytest.approx(
            average_precision_score(is_true, every_score), abs=1e-12
        )
    if is_true.any() and not is_true.all():
        assert areas.auc == pytest.approx(roc_auc_score(is_true, every_score), abs=1e-12)


# Curves


def points(curve: RankCurve) -> list[tuple[float, int, int]]:
    columns = curve.thresholds, curve.true_positives, curve.false_positives
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_a_curve_counts_both_sides_at_each_distinct_score(kernels: Functions) -> None:
    # Positives 0.8, 0.4; negatives 0.4, 0.1. At 0.8: 1 and 0; at 0.4: 2 and 1; at 0.1: 2 and 2.
    curve = kernels.rank_curve(np.array([0.1, 0.4, 0.8, 0.4]), np.array([0.4, 0.8]))

    assert points(curve) == [(0.8, 1, 0), (0.4, 2, 1), (0.1, 2, 2)]


def test_a_curve_ends_with_the_unlisted_if_there_are_any(kernels: Functions) -> None:
    # After 0.8 with 1 positive come 2 unlisted positives and 1 negative: 3 and 1.
    scores = np.array([0.8], np.float32)

    curve = kernels.rank_curve(scores, scores, unlisted_positives=2, unlisted_negatives=1)

    assert curve.thresholds.dtype == np.float32
    assert points(curve) == [(pytest.approx(0.8), 1, 0), (-math.inf, 3, 1)]


def test_a_curve_of_nothing_is_empty(kernels: Functions) -> None:
    assert points(kernels.rank_curve(np.empty(0), np.empty(0))) == []


@pytest.mark.usefixtures("block_sizes")
@given(labelled(), UNLISTED, UNLISTED)
def test_curves_follow_their_definition(
    kernels: Functions, label: Any, positives: int, negatives: int
) -> None:
    scores, is_positive = label
    winners = scores[is_positive].tolist() + [-math.inf] * positives
    losers = scores[~is_positive].tolist() + [-math.inf] * negatives

    curve = kernels.rank_curve(
        scores, scores[is_positive], unlisted_positives=positives, unlisted_negatives=negatives
    )

    assert points(curve) == [
        (score, sum(p >= score for p in winners), sum(n >= score for n in losers))
        for score in sorted({*winners, *losers}, reverse=True)
    ]


@pytest.mark.parametrize("decimals", [1, 16])
def test_curves_agree_with_scikit_learn(kernels: Functions, decimals: int) -> None:
    generator = np.random.default_rng(11)
    is_true = generator.random(2000) < 0.3
    scores = (generator.random(2000) + 0.3 * is_true).round(decimals)

    curve = kernels.rank_curve(scores, scores[is_true])
    recall = curve.true_positives / curve.true_positives[-1]
    fall_out = curve.false_positives / curve.false_positives[-1]
    precision = curve.true_positives / (curve.true_positives + curve.false_positives)

    # scikit-learn adds a first point at infinity, and a last one of precision 1.
    fpr, tpr, thresholds = roc_curve(is_true, scores, drop_intermediate=False)
    assert_array_equal(curve.thresholds, thresholds[1:])
    np.testing.assert_allclose(fall_out, fpr[1:], rtol=0, atol=1e-12)
    np.testing.assert_allclose(recall, tpr[1:], rtol=0, atol=1e-12)
    precisions, recalls, thresholds = precision_recall_curve(is_true, scores)
    assert_array_equal(curve.thresholds[::-1], thresholds)
    np.testing.assert_allclose(precision[::-1], precisions[:-1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(recall[::-1], recalls[:-1], rtol=0, atol=1e-12)


# The rank of the truth


def test_the_rank_of_a_truth_counts_what_comes_before_it(kernels: Functions) -> None:
    # Row 0: 0.5 in column 2, the equal 0.5 in column 1 is listed earlier: 1. Row 1: 0.5 in
    # column 1 with an equal listed later: 0. Row 2: 0.1 below 0.9 and 0.3: 2. Row 3: none.
    values = np.array([[0.2, 0.5, 0.5], [0.2, 0.5, 0.5], [0.9, 0.1, 0.3], [0.9, 0.1, 0.3]])

    ranks = kernels.ranks_of_truth(values, np.array([2, 1, 1, -1]))

    assert_array_equal(ranks, [1, 0, 2, UNLISTED_RANK])


def naive_rank(scores: list[float], truth: int) -> int:
    if truth < 0:
        return UNLISTED_RANK
    ranking = sorted(range(len(scores)), key=lambda column: (-scores[column], column))
    return ranking.index(truth)


@pytest.mark.usefixtures("block_sizes")
@given(matrices(), st.data())
def test_ranks_of_truth_are_places_in_the_ranking(
    kernels: Functions, values: NDArray[Any], data: st.DataObject
) -> None:
    truths = data.draw(
        arrays_st.arrays(np.int64, len(values), elements=st.integers(-1, values.shape[1] - 1))
    )
    expected = [
        naive_rank(row, truth) for row, truth in zip(values.tolist(), truths.tolist(), strict=True)
    ]

    assert_array_equal(kernels.ranks_of_truth(values, truths), expected)


@pytest.mark.parametrize("width", [1, 20, 21, 300])
def test_ranks_of_truth_are_right_for_few_and_for_many_columns(
    kernels: Functions, width: int
) -> None:
    generator = np.random.default_rng(5)
    values = generator.integers(0, 50, (300, width)).astype(np.float32)
    truths = generator.integers(-1, width, 300)
    expected = [
        naive_rank(row, truth) for row, truth in zip(values.tolist(), truths.tolist(), strict=True)
    ]

    assert_array_equal(kernels.ranks_of_truth(values, truths), expected)


def test_a_truth_among_no_columns_ranks_after_everything(kernels: Functions) -> None:
    assert_array_equal(kernels.ranks_of_truth(np.empty((1, 0)), np.array([-1])), [UNLISTED_RANK])


def test_the_rank_of_a_listed_truth_counts_its_datum_only(kernels: Functions) -> None:
    # Datum 0 lists 0.7, 0.2, 0.7; the truth is the last: one equal entry before it. Datum 1
    # lists 0.5, its truth. Datum 2 does not list its truth. Datum 3 lists nothing.
    datums = np.array([0, 0, 0, 1, 2])
    values = np.array([0.7, 0.2, 0.7, 0.5, 0.9])

    ranks = kernels.ranks_of_truth_in_runs(datums, values, np.array([2, 3, -1, -1]))

    assert_array_equal(ranks, [1, 0, UNLISTED_RANK, UNLISTED_RANK])


@pytest.mark.usefixtures("block_sizes")
@given(listings(), st.data())
def test_ranks_of_listed_truths_are_places_in_each_ranking(
    kernels: Functions, listing: Any, data: st.DataObject
) -> None:
    count, datums, values = listing
    entries, expected = [], []
    for datum in range(count):
        listed = np.flatnonzero(datums == datum)
        position = data.draw(st.integers(-1, listed.size - 1))
        entries.append(listed[position] if position >= 0 else -1)
        expected.append(naive_rank(values[listed].tolist(), position))

    ranks = kernels.ranks_of_truth_in_runs(datums, values, np.array(entries, np.int64))

    assert_array_equal(ranks, expected)


# Confusion


def cell_counts(cells: ConfusionCells) -> list[tuple[int, ...]]:
    columns = cells.truths, cells.predictions, cells.bins, cells.counts
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_confusion_cells_count_equal_datums(kernels: Functions) -> None:
    # Datums 0 and 2 are alike, datum 1 passes fewer thresholds, datum 3 predicts nothing,
    # datum 4 has no truth.
    cells = kernels.confusion_cells(
        np.array([0, 0, 0, 1, -1]),
        np.array([1, 1, 1, -1, 0]),
        np.array([2, 1, 2, 0, 2], np.uint8),
        label_count=2,
        threshold_count=2,
    )

    assert cell_counts(cells) == [(-1, 0, 2, 1), (0, 1, 1, 1), (0, 1, 2, 2), (1, -1, 0, 1)]


@pytest.mark.usefixtures("block_sizes")
@given(
    st.lists(st.tuples(st.integers(-1, 4), st.integers(-1, 4), st.integers(0, 3)), max_size=60),
    st.sampled_from([5, 100_000]),
)
def test_confusion_cells_are_a_counter(
    kernels: Functions, datums: list[tuple[int, int, int]], labels: int
) -> None:
    truths, predictions, bins = np.array(datums, np.int64).reshape(-1, 3).T

    cells = kernels.confusion_cells(
        truths, predictions, bins, label_count=labels, threshold_count=3
    )

    assert cell_counts(cells) == [(*cell, n) for cell, n in sorted(Counter(datums).items())]
    assert all(
        column.dtype == np.int64
        for column in (cells.truths, cells.predictions, cells.bins, cells.counts)
    )


@pytest.mark.usefixtures("block_sizes")
@given(st.data(), st.sampled_from([3, 100_000]), st.sampled_from([1, 2]), st.booleans())
def test_top_cells_are_the_cells_of_the_tops(
    kernels: Functions, data: st.DataObject, labels: int, threads: int, known: bool
) -> None:
    rows, columns = data.draw(st.integers(0, 30)), data.draw(st.integers(1, 3))
    scores = st.sampled_from([0.0, 0.25, 0.35, 0.5, 1.0])
    values = data.draw(arrays_st.arrays(np.float32, (rows, columns), elements=scores))
    truths = data.draw(arrays_st.arrays(np.int64, rows, elements=st.integers(-1, labels - 1)))
    every = st.permutations(range(labels)) if labels < 9 else st.just([7, 2, 5])
    codes = np.array(data.draw(every))
    thresholds = np.array([0.35, 0.5])
    tops = values.argmax(axis=1) if rows else np.empty(0, np.int64)
    passed = (values.max(axis=1, initial=0)[:, None] >= thresholds.astype(np.float32)).sum(axis=1)

    cells = kernels.top_cells(
        *(values, codes[:columns], truths, thresholds),
        label_count=labels,
        tops=kernels.top_of_rows(values) if known else None,
        threads=threads,
    )

    expected = Counter(zip(truths.tolist(), codes[tops].tolist(), passed.tolist(), strict=True))
    assert cell_counts(cells) == [(*cell, n) for cell, n in sorted(expected.items())]


def test_a_threshold_in_the_type_of_the_scores_keeps_its_sign_and_range() -> None:
    with np.errstate(all="raise", under="ignore"):
        limits = in_type(np.array([-1e300, -1e-300, 0.0, 1e-300, 0.35, 1e300]), np.dtype("f4"))

    tiny = np.float32(1e-45)
    assert limits.tolist() == [-np.inf, 0.0, 0.0, tiny, np.float32(0.35), np.inf]


def test_no_score_of_0_passes_a_tiny_threshold(kernels: Functions) -> None:
    scores = np.array([[0.0, 1e-45], [-1e-45, 1.0]], np.float32)
    thresholds = np.array([1e-300, 1e300])

    assert kernels.passed(scores, thresholds).tolist() == [[0, 1], [0, 1]]
    found = kernels.threshold_histogram(scores, thresholds)
    assert found.tolist() == [[2, 0, 0], [0, 2, 0]]
    cells = kernels.top_cells(
        scores[:, :1], np.array([0]), np.array([0, 0]), thresholds, label_count=1
    )
    assert cells.bins.tolist() == [0]


@given(values=arrays_st.arrays(np.float64, st.integers(0, 50), elements=st.floats(0, 1)))
def test_exact_units_are_the_sum_of_fractions(
    kernels: Functions, values: NDArray[np.float64]
) -> None:
    wanted = sum(map(Fraction, values.tolist()), Fraction(0))

    assert Fraction(kernels.exact_units(values), 2**1074) == wanted


@pytest.mark.usefixtures("block_sizes")
@given(data=st.data())
def test_squared_errors_are_the_sum_of_fractions(kernels: Functions, data: st.DataObject) -> None:
    shape = data.draw(st.tuples(st.integers(1, 12), st.integers(1, 4)))
    scores = data.draw(arrays_st.arrays(np.float32, shape, elements=st.floats(0, 1, width=32)))
    is_true = data.draw(arrays_st.arrays(np.bool_, shape))

    found = kernels.squared_errors(scores, *np.nonzero(is_true))

    errors = (scores.astype(np.float64) - is_true)[is_true.any(axis=1)]
    wanted = sum(map(Fraction, (errors**2).ravel().tolist()), Fraction(0))
    assert Fraction(found, 2**1074) == wanted


def test_squared_errors_of_a_truth_without_a_column_are_those_of_a_row_of_zeros(
    kernels: Functions,
) -> None:
    # The first row has a truth that is no column: .25 + .0625. The second has none at all.
    scores = np.array([[0.5, 0.25], [1.0, 1.0]])

    found = kernels.squared_errors(scores, np.array([0]), np.array([-1]))

    assert Fraction(found, 2**1074) == Fraction(5, 16)


@pytest.mark.usefixtures("block_sizes")
def test_best_scores_that_are_no_probabilities_are_in_no_bin(kernels: Functions) -> None:
    # Best scores 0.75 of label 4 (right), 0.5 of label 3 (wrong), and 1.5.
    scores = np.array([[0.25, 0.75], [0.5, -0.5], [1.5, 0.0]])
    labels, truths = np.array([3, 4]), np.array([4, 4, 3])

    found = kernels.top_reliability(scores, labels, truths, np.array([0.6]))

    assert found.outside == 1
    assert_array_equal(found.counts, [1, 1])
    assert_array_equal(found.hits, [0, 1])
    assert [units / 2**1074 for units in found.units] == [0.5, 0.75]
