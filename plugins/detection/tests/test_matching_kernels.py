"""The kernels in C and NumPy give the same bits, and results computed by hand."""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from valor_detection.kernels import KERNELS
from valor_detection.kernels.columns import (
    GroupedMatches,
    PairColumns,
    RankedColumns,
    RankedMatches,
)
from valor_detection.kernels.reference import matching as numeric

from valor_core.errors import SchemaError
from valor_core.schemas.geometry.shapes import ends

if KERNELS.library is None:
    compiled = None
else:
    from valor_detection.kernels.compiled import matching as compiled
BOTH = [numeric] if compiled is None else [numeric, compiled]
paths = pytest.mark.parametrize("kernels", BOTH, ids=lambda module: module.__name__.split(".")[-2])


def columns(draw, most=40, datums=4, groups=3):
    """Random sorted images, groups and boxes on a coarse grid, with many ties."""
    count = draw(st.integers(0, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    grid = draw(st.sampled_from([0.1, 1.0, 7.0]))
    boxes = rng.integers(0, 8, (count, 4)) * grid
    return (
        np.sort(rng.integers(0, datums, count)),
        rng.integers(0, groups, count),
        boxes,
        rng,
    )


@st.composite
def sides(draw):
    true_datums, true_groups, true_boxes, rng = columns(draw)
    datums, groups, boxes, _ = columns(draw, most=80)
    lowest = draw(st.sampled_from([0.0, 0.1, 0.5, 1.0]))
    crowd = rng.random(len(true_datums)) < 0.2
    return true_datums, true_groups, true_boxes, crowd, datums, groups, boxes, lowest


@st.composite
def pairs(draw):
    """Random ragged pairs with many equal IoUs, crowds and ignored objects."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count, truths = draw(st.integers(0, 30)), draw(st.integers(1, 12))
    rows = [np.sort(rng.permutation(truths)[: rng.integers(0, truths + 1)]) for _ in range(count)]
    starts = ends([len(row) for row in rows])
    flat = np.concatenate(rows).astype(np.int64) if rows else np.empty(0, np.int64)
    ious = rng.integers(1, 11, len(flat)) / 10
    crowd, ignored = rng.random(truths) < 0.2, rng.random(truths) < 0.3
    return starts, flat, ious, crowd, ignored | crowd


def same(one, two):
    for a, b in zip(one, two, strict=True):
        assert a.dtype == b.dtype
        assert np.array_equal(a, b)


@pytest.mark.skipif(compiled is None, reason="built without a compiler")
class TestSameBits:
    @given(sides())
    def test_box_pairs(self, given):
        same(numeric.box_pairs(*given), compiled.box_pairs(*given))

    @given(st.integers(0, 2**32 - 1), st.integers(0, 300))
    def test_orders_and_ranks(self, seed, count):
        rng = np.random.default_rng(seed)
        groups, datums = rng.integers(0, 3, count), np.sort(rng.integers(0, 9, count))
        scores = rng.integers(-3, 4, count) / 4 * rng.choice([1.0, 1e-310, 1e300])
        order = numeric.score_order(groups, scores, 3)
        assert np.array_equal(order, compiled.score_order(groups, scores, 3))
        same([numeric.ranks(order, groups, datums)], [compiled.ranks(order, groups, datums)])

    @given(st.lists(st.integers(0, 9)))
    def test_grouped_order(self, groups):
        column = np.array(groups, np.int64)
        same([numeric.grouped_order(column, 10)], [compiled.grouped_order(column, 10)])

    @given(sides())
    def test_box_pairs_in_threads_and_in_parts(self, given):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(compiled, "_THREAD_ROWS", 1)
            patch.setattr(compiled, "_LEAST_ROOM", 1)
            patch.setattr(compiled, "thread_count", lambda: 3)
            patch.setattr("valor_core.kernels.threads.thread_count", lambda: 3)
            found = compiled.box_pairs(*given)
        same(numeric.box_pairs(*given), found)

    @given(
        st.integers(0, 2**32 - 1),
        st.sampled_from([2, 40, 1000]),
        st.sampled_from([1, 30, 3000]),
        st.sampled_from([0, 1, 8, 30]),
    )
    def test_order_of_scores_that_are_nearly_equal(self, seed, count, group_count, bits):
        rng = np.random.default_rng(seed)
        groups = rng.integers(0, group_count, count)
        scores = rng.choice([0.5, -0.5, 1e9]) + rng.integers(0, 1 << bits, count) * 2.0**-52
        order = numeric.score_order(groups, scores, group_count)
        assert np.array_equal(order, compiled.score_order(groups, scores, group_count))

    @given(pairs())
    def test_matchings(self, given):
        limits = np.array([0.1, 0.35, 0.5, 0.7, 1.0])
        columns = PairColumns(*given)
        same(numeric.match_coco(columns, limits), compiled.match_coco(columns, limits))
        for prefers in (False, True):
            same(
                numeric.match_best(columns, limits, prefers_counted=prefers),
                compiled.match_best(columns, limits, prefers_counted=prefers),
            )
        same(
            numeric.match_best_then_crowd(columns, limits),
            compiled.match_best_then_crowd(columns, limits),
        )
        counted = PairColumns(*given[:4], given[4] & ~given[3])
        same(
            numeric.match_best_then_crowd(counted, limits),
            compiled.match_best_then_crowd(counted, limits),
        )
        scores = np.sort(np.arange(len(given[0]) - 1) // 3)[::-1] / 7
        ranked = (*given[:3], scores, given[3])
        same([numeric.match_ranked(*ranked)], [compiled.match_ranked(*ranked)])
        for limit in limits:
            one = np.array([limit])
            same(numeric.match_coco(columns, one), compiled.match_coco(columns, one))
            for prefers in (False, True):
                same(
                    numeric.match_best(columns, one, prefers_counted=prefers),
                    compiled.match_best(columns, one, prefers_counted=prefers),
                )

    @given(pairs())
    def test_64_thresholds(self, given):
        columns, limits = PairColumns(*given), np.linspace(0.01, 1.0, 64)
        same(numeric.match_coco(columns, limits), compiled.match_coco(columns, limits))

    @given(pairs(), st.integers(1, 5), st.integers(0, 2**32 - 1))
    def test_interpolated(self, given, groups, seed):
        rng = np.random.default_rng(seed)
        matched, ignored_match, _ = numeric.match_coco(PairColumns(*given), np.array([0.3, 0.6]))
        labels = np.sort(rng.integers(0, groups, len(matched)))
        true = (matched & ~ignored_match)[:, None] >> np.arange(2, dtype=np.uint64) & np.uint64(
            1
        ) == 1
        found = np.max([np.bincount(labels[bit], minlength=groups) for bit in true.T], axis=0)
        positives = found + rng.integers(0, 3, groups)
        matches = RankedMatches(
            ends(np.bincount(labels, minlength=groups)),
            np.arange(len(labels)),
            rng.integers(0, 9, len(labels)).astype(np.int32),
            rng.random(len(labels)) < 0.8,
            *(matched, ignored_match, 2),
        )
        arguments = matches, -(-np.arange(11) * positives[:, None] // 10), positives
        for with_rows in (False, True):
            same(
                numeric.interpolated(*arguments, with_rows=with_rows),
                compiled.interpolated(*arguments, with_rows=with_rows),
            )
        weights = rng.poisson(1, len(labels)).astype(np.float64)
        before = matches.false_before.astype(np.float64)
        same(
            [numeric.envelopes(matches, weights, before)],
            [compiled.envelopes(matches, weights, before)],
        )

    @given(pairs(), st.integers(1, 5), st.integers(1, 4), st.integers(0, 2**32 - 1))
    def test_interpolated_of_weighted_groups(self, given, labels, groups, seed):
        rng = np.random.default_rng(seed)
        matched, ignored_match, _ = numeric.match_coco(PairColumns(*given), np.array([0.3, 0.6]))
        of_rows = np.sort(rng.integers(0, labels, len(matched)))
        starts = ends(np.bincount(of_rows, minlength=labels))
        missed = rng.integers(0, 6, labels)
        before = [rng.integers(0, missed[label] + 1) for label in of_rows]
        matches = RankedMatches(
            starts,
            np.arange(len(of_rows)),
            np.array(before, np.int32),
            rng.random(len(of_rows)) < 0.8,
            *(matched, ignored_match, 2),
        )
        for first, last in pairwise(starts):
            matches.false_before[first:last].sort()
        in_groups = [
            rng.integers(0, groups, n).astype(np.int32) for n in (len(of_rows), missed.sum())
        ]
        grouped = GroupedMatches(matches, in_groups[0], ends(missed), in_groups[1])
        weights = rng.poisson(1, groups).astype(np.int32)
        _, found = numeric.interpolated_weighted(
            grouped, weights, np.empty((labels, 0), np.int64), np.ones(labels, np.int64)
        )
        positives = found.max(axis=0) + rng.integers(0, 3, labels)
        needed = -(-np.arange(11) * positives[:, None] // 10)

        same(
            numeric.interpolated_weighted(grouped, weights, needed, positives),
            compiled.interpolated_weighted(grouped, weights, needed, positives),
        )
        same(
            numeric.interpolated_weighted(grouped, np.ones_like(weights), needed, positives),
            numeric.interpolated(matches, needed, positives)[:2],
        )

    @given(pairs(), st.integers(0, 60), st.integers(1, 5), st.integers(0, 2**32 - 1))
    def test_pairs_and_ranked_matches(self, given, further, groups, seed):
        rng = np.random.default_rng(seed)
        starts, truths, ious, crowd, ignored = given
        starts = np.append(starts, np.full(further, starts[-1]))  # predictions without pairs
        count = len(starts) - 1
        labels, true_labels = rng.integers(0, groups, count), rng.integers(0, groups, len(crowd))
        order = numeric.score_order(labels, rng.integers(0, 5, count) / 4, groups)
        chosen = (order, starts, truths, ious, labels, true_labels)
        found = numeric.chosen_pairs(*chosen)
        same(found, compiled.chosen_pairs(*chosen))

        matched, ignored_match, _ = numeric.match_coco(
            PairColumns(*found[1:], crowd, ignored), np.array([0.3, 0.6])
        )
        places = np.full(count, -1, np.int32)
        places[found[0]] = np.arange(len(found[0]))
        ranked = RankedColumns(
            ends(np.bincount(labels, minlength=groups)),
            *(order, places[order]),
            *(rng.random(count) < 0.8, rng.random(count) < 0.8),
            *(matched, ignored_match),
        )
        same(*(path.ranked_matches(ranked, 2).columns for path in (numeric, compiled)))
        for bit in range(2):
            same(numeric.ranked(ranked, bit), compiled.ranked(ranked, bit))
        same(*([path.true_positives(ranked, 2)] for path in (numeric, compiled)))

    @given(st.lists(st.integers(0, 10**6) | st.integers(0, 10**13), max_size=20))
    def test_needed(self, counts):
        positives = np.array([*range(300), *counts], np.int64)
        for recalls in (None, np.linspace(0, 1, 101)):
            same([numeric.needed(positives, recalls)], [compiled.needed(positives, recalls)])

    @given(st.integers(0, 2**32 - 1), st.integers(0, 60))
    def test_positives(self, seed, count):
        rng = np.random.default_rng(seed)
        labels, areas = rng.integers(0, 4, count), rng.integers(0, 6, count) / 2
        arguments = (labels, areas, rng.random(count) < 0.3, (0.5, 2.0), 5)
        same([numeric.positives(*arguments)], [compiled.positives(*arguments)])

    @given(sides(), st.sampled_from([1e-162, 1e-155, 1e-150, 1e-80, 1e75]))
    def test_box_pairs_of_extreme_sizes(self, given, scale):
        true_datums, true_groups, true_boxes, crowd, datums, groups, boxes, lowest = given
        truths = (true_datums, true_groups, true_boxes * scale, crowd)
        arguments = (*truths, datums, groups, boxes * scale, lowest)
        with np.errstate(all="ignore"):
            expected = numeric.box_pairs(*arguments)
        same(expected, compiled.box_pairs(*arguments))


@paths
def test_boxes_of_one_image_and_group_make_pairs(kernels):
    # Image 0 has true boxes of groups 0 and 1, image 1 one of group 0.
    true = np.array([[0.0, 0, 4, 4], [0.0, 0, 4, 4], [0.0, 0, 4, 4]])
    starts, truths, ious = kernels.box_pairs(
        np.array([0, 0, 1]),
        np.array([0, 1, 0]),
        true,
        np.zeros(3, dtype=bool),
        np.array([0, 1, 1]),
        np.array([1, 0, 1]),
        np.array([[0.0, 0, 4, 2], [2.0, 0, 4, 4], [0.0, 0, 4, 4]]),
        0.0,
    )

    # The first shares 8 of 16 with row 1; the second 8 of 16 + 16 - 8 with row 2.
    assert starts.tolist() == [0, 1, 2, 2]
    assert truths.tolist() == [1, 2]
    assert ious.tolist() == [8 / 16, 8 / 24]


@paths
def test_a_crowd_is_measured_by_the_prediction_alone(kernels):
    zero = np.zeros(1, np.int64)
    crowd = np.array([[0.0, 0, 10, 10]])
    seen = np.array([[8.0, 0, 4, 5]])

    _, _, ious = kernels.box_pairs(zero, zero, crowd, np.array([True]), zero, zero, seen, 0.5)

    # 2 by 5 of the prediction's 20 lie inside.
    assert ious.tolist() == [10 / 20]


@paths
def test_touching_boxes_are_no_pair(kernels):
    zero = np.zeros(1, np.int64)
    one, other = np.array([[0.0, 0, 1, 1]]), np.array([[1.0, 0, 1, 1]])

    starts, _, _ = kernels.box_pairs(zero, zero, one, np.array([False]), zero, zero, other, 0.0)

    assert starts.tolist() == [0, 0]


def chosen(kernels, rows, crowd, ignored, threshold):
    """Match rows of {ground truth: IoU}; return the ground truth of each, or None."""
    starts = ends([len(row) for row in rows])
    truths = np.array([truth for row in rows for truth in row], np.int64)
    ious = np.array([iou for row in rows for iou in row.values()])
    flags = np.array(crowd, dtype=bool), np.array(ignored, dtype=bool)
    *_, places = kernels.match_coco(
        PairColumns(starts, truths, ious, *flags), np.array([threshold])
    )
    return [None if place < 0 else int(truths[place]) for place in places]


@paths
@pytest.mark.parametrize(
    ("rows", "crowd", "ignored", "expected"),
    [
        pytest.param([{0: 0.8, 1: 0.9}, {1: 0.95}], [0, 0], [0, 0], [1, None], id="by score"),
        pytest.param(
            [{0: 0.9, 1: 0.8}, {0: 0.95, 1: 0.6}], [0, 0], [0, 0], [0, 1], id="falls back"
        ),
        pytest.param([{0: 0.7, 1: 0.7}], [0, 0], [0, 0], [1], id="of equals the last"),
        pytest.param([{0: 0.6, 1: 0.9}], [0, 0], [0, 1], [0], id="rather one that counts"),
        pytest.param([{0: 0.4, 1: 0.9}], [0, 0], [0, 1], [1], id="else an ignored one"),
        pytest.param([{0: 0.9}, {0: 0.8}], [1], [1], [0, 0], id="a crowd is never used up"),
        pytest.param([{0: 0.49}], [0], [0], [None], id="below the threshold"),
        pytest.param([{0: 0.5}], [0], [0], [0], id="at the threshold"),
    ],
)
def test_coco_matching(kernels, rows, crowd, ignored, expected):
    assert chosen(kernels, rows, crowd, ignored, 0.5) == expected


@paths
def test_rule_valor_does_not_fall_back_to_second_best(kernels):
    starts, truths = np.array([0, 2, 4]), np.array([0, 1, 0, 1])
    ious, none = np.array([0.9, 0.8, 0.95, 0.6]), np.zeros(2, dtype=bool)

    *_, places = kernels.match_best(PairColumns(starts, truths, ious, none, none), np.array([0.5]))

    # Object 0 is the best of both; the first one matches it.
    assert places.tolist() == [0, -1]


@paths
def test_first_match_of_a_crowd_counts_if_crowds_do(kernels):
    # Ground truths: 0 counts, 1 is a crowd that counts, 2 is ignored.
    rows = [
        {0: 0.8},  # true positive
        {0: 0.7, 1: 0.9},  # 0 is matched already: true positive of the crowd
        {1: 0.6},  # matches the crowd again: ignored
        {1: 0.4},  # below the limit: false positive
        {1: 0.9, 2: 0.6},  # any object before a crowd: ignored
        {0: 0.3, 2: 0.5},  # an ignored object matches any number of predictions
        {0: 0.9, 2: 0.6},  # only the best object is considered, and it is matched already
    ]
    starts = ends([len(row) for row in rows])
    truths = np.array([truth for row in rows for truth in row], np.int64)
    ious = np.array([iou for row in rows for iou in row.values()])
    crowd, ignored = np.array([False, True, False]), np.array([False, False, True])
    columns = PairColumns(starts, truths, ious, crowd, ignored)

    matched, ignored_match, places = kernels.match_best_then_crowd(columns, np.array([0.5]))

    assert matched.tolist() == [1, 1, 1, 0, 1, 1, 0]
    assert ignored_match.tolist() == [0, 0, 1, 0, 1, 1, 0]
    assert [int(truths[place]) for place in places if place >= 0] == [0, 1, 1, 2, 2]


@paths
def test_ranked_matching_is_independent_of_the_threshold(kernels):
    # The higher score matches object 0 at an IoU of 0.1 although the other one has 0.9.
    starts, truths = np.array([0, 1, 2]), np.array([0, 0])
    ious, scores = np.array([0.1, 0.9]), np.array([0.8, 0.5])

    places = kernels.match_ranked(starts, truths, ious, scores, np.zeros(1, dtype=bool))

    assert places.tolist() == [0, -1]


@paths
def test_interpolated_precision_by_hand(kernels):
    # By score: tp, fp, tp, fp. Two of three ground truths are matched:
    # precisions 1/1 and 2/3 at recalls 1/3 and 2/3; recall 3/3 is not reached.
    bits, none = np.array([1, 1], np.uint64), np.zeros(2, np.uint64)

    matches = RankedMatches(
        np.array([0, 2]),
        np.array([0, 2]),
        np.array([0, 1], np.int32),
        np.ones(2, dtype=bool),
        *(bits, none, 1),
    )

    precisions, found, reached_by = kernels.interpolated(
        matches,
        np.array([[0, 1, 2, 3]]),
        np.array([3]),
        with_rows=True,
    )

    assert precisions[0, :, 0] == pytest.approx([1, 1, 2 / 3, 0], abs=1e-15)
    assert reached_by[0, :, 0].tolist() == [0, 0, 1, -1]
    assert found.tolist() == [[2]]


@paths
def test_false_positives_before_a_match_are_counted_by_hand(kernels):
    # Two groups by score: match, false, out of range, match | beyond the limit, match.
    starts, order = np.array([0, 4, 6]), np.array([5, 4, 3, 2, 1, 0])
    places = np.array([0, -1, -1, 1, 2, 2], np.int32)
    counts = np.array([1, 1, 1, 1, 0, 1], dtype=bool)
    in_range = np.array([1, 1, 1, 0, 1, 1], dtype=bool)  # by row: row 3 is of another size
    matched, none = np.array([1, 3, 2], np.uint64), np.zeros(3, np.uint64)

    columns = RankedColumns(starts, order, places, counts, in_range, matched, none)
    own, at, before, counted, bits, _ = kernels.ranked_matches(columns, 2).columns

    assert own.tolist() == [0, 2, 3]
    assert at.tolist() == [0, 3, 5]
    assert before.tolist() == [0, 1, 0]
    assert counted.tolist() == [True, True, True]
    assert bits.tolist() == [1, 3, 2]


def crowded(count):
    """Every prediction overlaps every ground truth and prefers the last ones, soon matched."""
    truths = np.tile(np.arange(count), count)
    ious = 0.5 + (truths + np.repeat(np.arange(count), count) % 3) / (4 * count)
    none = np.zeros(count, dtype=bool)
    return np.arange(0, count**2 + 1, count), truths, ious, none, none


@paths
def test_many_overlapping_objects_cost_no_more_than_their_pairs(kernels):
    given = crowded(2000)

    began = time.process_time()
    *_, places = kernels.match_coco(PairColumns(*given), np.array([0.5]))
    seconds = time.process_time() - began

    # Each matches the last free one.
    assert given[1][places].tolist() == list(range(2000))[::-1]
    # An insertion sort or a pass over all pairs per prediction takes far more.
    assert seconds < 4


@paths
def test_dense_and_sparse_images_match_in_one_call(kernels):
    starts, truths, ious, _, _ = crowded(40)
    lonely = np.arange(40, 400)
    starts = np.append(starts, starts[-1] + np.arange(1, len(lonely) + 1))
    truths, ious = np.append(truths, lonely), np.append(ious, np.full(len(lonely), 0.75))
    crowd, ignored = np.arange(400) == 39, np.isin(np.arange(400), [38, 39])
    limits = np.array([0.5, 0.6, 0.7])

    given = PairColumns(starts, truths, ious, crowd, ignored)

    matched, ignored_match, matched_pair = kernels.match_coco(given, limits)

    found = [kernels.match_coco(given, limits[bit : bit + 1])[2] for bit in range(len(limits))]
    assert matched_pair.tolist() == found[0].tolist()  # all IoUs reach the lowest threshold
    for bit, places in enumerate(found):
        has = places >= 0
        assert (matched >> np.uint64(bit) & np.uint64(1) == 1).tolist() == has.tolist()
        flags = np.zeros(len(places), dtype=bool)
        flags[has] = ignored[truths[places[has]]]
        assert (ignored_match >> np.uint64(bit) & np.uint64(1) == 1).tolist() == flags.tolist()
    # 38 objects count; the last two predictions match the crowd.
    assert truths[found[0][:40]].tolist() == [*range(37, -1, -1), 39, 39]


@paths
def test_true_and_false_positives_by_hand(kernels):
    # By score: true, false, out of range, ignored | beyond the limit, true.
    starts, order = np.array([0, 4, 6]), np.array([5, 4, 3, 2, 1, 0])
    places = np.array([0, -1, -1, 1, 2, 2], np.int32)
    counts = np.array([1, 1, 1, 1, 0, 1], dtype=bool)
    in_range = np.array([1, 1, 1, 0, 1, 1], dtype=bool)  # by row: row 3 is of another size
    matched, ignored_match = np.array([2, 2, 3], np.uint64), np.array([0, 2, 0], np.uint64)

    columns = RankedColumns(starts, order, places, counts, in_range, matched, ignored_match)

    own, rows, is_true, right, wrong = kernels.ranked(columns, 1)
    found = kernels.true_positives(columns, 2)

    assert own.tolist() == [0, 2, 3]
    assert rows.tolist() == [5, 4, 0]
    assert is_true.tolist() == [True, False, True]
    assert np.flatnonzero(right).tolist() == [0, 5]
    assert np.flatnonzero(wrong).tolist() == [4]
    assert found.tolist() == [[0, 1], [1, 1]]


@paths
def test_needed_true_positives_equal_pycocotools(kernels):
    positives, recalls = np.arange(1, 400), np.linspace(0, 1, 101)

    least = kernels.needed(positives, recalls)

    for count, needed in zip(positives.tolist(), least, strict=True):
        reached = np.arange(count + 1) / count  # as `COCOeval.accumulate` searches them
        assert needed.tolist() == np.searchsorted(reached, recalls, side="left").tolist()


@paths
def test_crowds_and_areas_out_of_range_are_no_positives(kernels):
    areas, crowd = np.array([1.0, 4.0, 9.0, 9.5, 5.0]), np.array([0, 0, 0, 0, 1], dtype=bool)

    found = kernels.positives(np.array([0, 0, 2, 2, 2]), areas, crowd, (4.0, 9.0), 4)

    assert found.tolist() == [1, 0, 1, 0]


@paths
def test_more_predictions_than_32_bits_are_rejected(kernels):
    # A row broadcast that many times needs no memory.
    groups = np.broadcast_to(np.int64(0), 1 << 31)
    scores = np.broadcast_to(np.float64(0.5), 1 << 31)
    with pytest.raises(
        SchemaError, match="expected at most 2,147,483,647 in one evaluation, found 2,147,483,648"
    ):
        kernels.score_order(groups, scores, 1)
