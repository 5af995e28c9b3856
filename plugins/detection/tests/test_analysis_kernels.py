"""Kernels of calibration and error analysis: equal bits in C and NumPy, and cases by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from valor_detection.kernels import KERNELS
from valor_detection.kernels.columns import ErrorColumns, FaultColumns
from valor_detection.kernels.reference import analysis as numeric

from valor_core.schemas.geometry.shapes import ends

if KERNELS.library is None:
    compiled = None
else:
    from valor_detection.kernels.compiled import analysis as compiled
BOTH = [numeric] if compiled is None else [numeric, compiled]
paths = pytest.mark.parametrize("kernels", BOTH, ids=lambda module: module.__name__.split(".")[-2])

CLASSIFICATION, LOCALIZATION, BOTH_WRONG, DUPLICATE = range(4)

seeds = st.integers(0, 2**32 - 1)


def same(one, two):
    for a, b in zip(one, two, strict=True):
        assert a.dtype == b.dtype
        assert np.array_equal(a, b)


def scored(rng, count, bins):
    """Random scores on and next to the edges of bins, and outside of [0, 1]."""
    edges = rng.integers(0, bins + 1, count) / bins
    kinds = [
        rng.random(count),
        rng.random(count).astype(np.float32).astype(np.float64),
        edges,
        np.nextafter(edges, rng.choice([-1.0, 2.0], count)),
        rng.random(count) * 10.0 ** rng.integers(-320, 0, count),
        rng.choice([0.0, -0.0, 1.0, 1.5, -0.5], count),
    ]
    return np.choose(rng.integers(0, len(kinds), count), kinds)


@st.composite
def overlapping(draw):
    """Random pairs with many equal IoUs, also at the thresholds, and two label keys."""
    rng = np.random.default_rng(draw(seeds))
    count, truths = draw(st.integers(0, 40)), draw(st.integers(1, 12))
    rows = [np.sort(rng.permutation(truths)[: rng.integers(0, 5)]) for _ in range(count)]
    starts = ends([len(row) for row in rows])
    flat = np.concatenate(rows).astype(np.int64) if rows else np.empty(0, np.int64)
    return (
        *(starts, flat, rng.integers(1, 11, len(flat)) / 10),
        *(rng.integers(0, 3, count), rng.integers(0, 3, truths)),
        *(rng.random(truths) < 0.2, rng.random(count) < 0.8, rng.random(truths) < 0.5),
        *(0.5, draw(st.sampled_from([0.0, 0.1, 0.4]))),
    )


@pytest.mark.skipif(compiled is None, reason="built without a compiler")
class TestSameBits:
    @given(seeds, st.integers(0, 300), st.sampled_from([1, 2, 3, 10, 15, 7777]))
    def test_reliability(self, seed, count, bins):
        rng = np.random.default_rng(seed)
        scores, right = scored(rng, count, bins), rng.random(count) < 0.5
        wrong = ~right & (rng.random(count) < 0.8)
        arguments = (
            *(rng.integers(0, 5, count), scores, right, wrong),
            *(rng.choice([-1.0, 0.0, 0.25]), np.array([1, 0, 0, 2, 1]), 3),
            np.arange(1, bins) / bins,
        )
        same(numeric.reliability(*arguments), compiled.reliability(*arguments))

    @given(overlapping())
    def test_faults(self, given):
        columns = FaultColumns(*given[:-2])
        same(numeric.faults(columns, *given[-2:]), compiled.faults(columns, *given[-2:]))

    @given(seeds, st.integers(0, 60), st.integers(1, 4))
    def test_repairs(self, seed, count, labels):
        rng = np.random.default_rng(seed)
        scores = rng.integers(0, 9, count) / 8
        own = rng.integers(0, labels, count)
        rows = np.lexsort((-scores, own))[rng.random(count) < 0.9]
        errors, moved = rng.integers(1, 20), rng.integers(0, 9)
        numbers = rng.integers(-1, errors, count).astype(np.int32)
        is_true = (rng.random(len(rows)) < 0.5) & (numbers[rows] < 0)
        moved_labels, moved_scores = rng.integers(0, labels, moved), rng.integers(0, 9, moved) / 8
        arguments = (
            *(ends(np.bincount(own[rows], minlength=labels)), rows, is_true, scores, numbers),
            *(rng.integers(0, 4, errors).astype(np.uint8), rng.random(errors) < 0.5),
            ends(np.bincount(moved_labels, minlength=labels)),
            moved_scores[np.lexsort((-moved_scores, moved_labels))],
        )
        columns = ErrorColumns(*arguments)
        same(*(path.repairs(columns).columns for path in (numeric, compiled)))


@paths
def test_bins_include_their_upper_edge(kernels):
    # Label 0 in group 1: 0.5 and 0.25 are below the edge, 0.75 above; label 1 in group 0.
    labels, scores = np.array([0, 0, 0, 1, 1, 0]), np.array([0.5, 0.75, 0.25, 1.5, 1.0, 0.125])
    right = np.array([True, True, False, True, False, False])
    wrong = np.array([False, False, True, False, True, False])

    counts, hits, sums, outside = kernels.reliability(
        labels, scores, right, wrong, 0.25, np.array([1, 0]), 2, np.array([0.5])
    )

    assert counts.tolist() == [[0, 1], [2, 1]]
    assert hits.tolist() == [[0, 0], [1, 1]]
    assert sums.tolist() == [[0.0, 1.0], [0.75, 0.75]]
    assert outside.tolist() == [1, 0]


@paths
def test_sums_of_scores_are_rounded_once(kernels):
    # Ten times 0.1 is 1, which no order of additions gives; the tiny score rounds away.
    scores = np.array([0.1] * 10 + [5e-324])
    right = np.ones(11, dtype=bool)

    *_, sums, _ = kernels.reliability(
        np.zeros(11, np.int64), scores, right, ~right, 0.0, np.zeros(1, np.int64), 1, np.empty(0)
    )

    assert sums.tolist() == [[1.0]]


@paths
@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        pytest.param({0: 0.3}, (LOCALIZATION, 0), id="near one of its label"),
        pytest.param({0: 0.3, 2: 0.9}, (LOCALIZATION, 0), id="the first error that fits"),
        pytest.param({2: 0.5}, (CLASSIFICATION, 2), id="at the threshold with another label"),
        pytest.param({1: 0.8, 2: 0.9}, (CLASSIFICATION, 2), id="rather than a duplicate"),
        pytest.param({1: 0.8}, (DUPLICATE, -1), id="the object is used"),
        pytest.param({0: 0.8}, (BOTH_WRONG, -1), id="it should have been a match"),
        pytest.param({2: 0.3}, (BOTH_WRONG, -1), id="near another label"),
        pytest.param({0: 0.1}, (LOCALIZATION, 0), id="at the background is near"),
        pytest.param({2: 0.1}, None, id="at the background with another label"),
        pytest.param({0: 0.05}, None, id="below the background"),
        pytest.param({3: 0.9}, None, id="a crowd"),
        pytest.param({}, None, id="nothing near"),
        pytest.param({0: 0.3, 1: 0.3}, (LOCALIZATION, 0), id="of equals the first"),
    ],
)
def test_error_of_a_prediction(kernels, pairs, expected):
    # Objects 0 and 1 have the label, 2 another; 1 is matched, 3 a crowd. The last is no error.
    columns = FaultColumns(
        np.array([0, len(pairs), len(pairs)]),
        np.array(list(pairs), np.int64),
        np.array(list(pairs.values()), np.float64),
        np.array([7, 7]),
        np.array([7, 7, 8, 7]),
        np.array([False, False, False, True]),
        np.array([True, True]),
        np.array([False, True, False, False]),
    )

    rows, kinds, targets = kernels.faults(columns, 0.5, 0.1)

    found = list(zip(kinds.tolist(), targets.tolist(), strict=True))
    assert found == ([] if expected is None else [expected])
    assert rows.tolist() == [0] * len(found)


@paths
def test_true_positive_has_no_error(kernels):
    pair = np.array([0, 1]), np.zeros(1, np.int64), np.array([0.9])
    zero, no = np.zeros(1, np.int64), np.zeros(1, dtype=bool)

    rows, _, _ = kernels.faults(FaultColumns(*pair, zero, zero, no, no, no), 0.5, 0.1)

    assert rows.tolist() == []


@paths
def test_repaired_errors_move_to_their_rank(kernels):
    # By score: true positive, background error, duplicate, repaired localization error.
    # A classification error of another label moves here, after the equal score of 0.5.
    given = ErrorColumns(
        np.array([0, 4]),
        np.array([3, 2, 1, 0]),
        np.array([True, False, False, False]),
        np.array([0.25, 0.5, 0.5, 0.75]),
        np.array([1, 0, -1, -1], np.int32),
        np.array([DUPLICATE, LOCALIZATION], np.uint8),
        np.array([False, True]),
        np.array([0, 1]),
        np.array([0.5]),
    )

    found = kernels.repairs(given)

    starts, at, before, counted, matched, ignored_match = found.columns

    assert starts.tolist() == [0, 4]
    assert at.tolist() == [0, 2, 3, 3]
    assert before.tolist() == [0, 1, 1, 1]
    assert counted.tolist() == [False, True, False, True]
    assert matched.tolist() == [0b111111, 1 << DUPLICATE, 1 << CLASSIFICATION, 1 << LOCALIZATION]
    assert ignored_match.tolist() == [0, 1 << DUPLICATE, 0, 0]
