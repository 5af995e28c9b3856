"""The OKS in C, in NumPy and in pycocotools have the same bits, and values computed by hand."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from pycocotools.cocoeval import COCOeval, Params
from valor_detection.kernels import KERNELS
from valor_detection.kernels.columns import KeypointColumns, KeypointRows, TrueKeypoints
from valor_detection.kernels.reference import keypoints as numeric

from valor_core.schemas.geometry import Keypoints

if KERNELS.library is None:
    compiled = None
else:
    from valor_detection.kernels.compiled import keypoints as compiled
BOTH = [numeric] if compiled is None else [numeric, compiled]
paths = pytest.mark.parametrize("kernels", BOTH, ids=lambda module: module.__name__.split(".")[-2])

Pairs = tuple[Any, Any, Any]


def columns(
    rng: np.random.Generator, count: int, images: int, sizes: list[int], spread: float
) -> KeypointColumns:
    """Random objects, each with as many points as its group, of few places."""
    groups = rng.integers(0, len(sizes), count)
    rows = np.concatenate([[0], np.cumsum(np.array(sizes, np.int64)[groups])])
    points = np.empty((rows[-1], 3))
    points[:, :2] = (rng.integers(0, 8, (rows[-1], 2)) * spread).round(2)
    points[:, 2] = rng.integers(0, 3, rows[-1])
    for row in np.flatnonzero(rng.random(count) < 0.2):
        points[rows[row] : rows[row + 1], 2] = 0
    return KeypointColumns(np.sort(rng.integers(0, images, count)), groups, points, rows)


def case(seed: int, sizes: list[int]) -> tuple[KeypointColumns, TrueKeypoints, KeypointColumns]:
    rng = np.random.default_rng(seed)
    spread = float(rng.choice([0.0, 0.37, 3.0, 40.0]))
    true = columns(rng, int(rng.integers(0, 8)), 3, sizes, spread)
    predicted = columns(rng, int(rng.integers(0, 16)), 3, sizes, spread)
    count = len(true.datums)
    areas = rng.integers(0, 4, count) * 731.25
    variances = (rng.integers(1, 12, sum(sizes)) / 100 * 2) ** 2
    boxes = rng.integers(0, 8, (count, 4)) * spread
    rows = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return true, TrueKeypoints(boxes, areas, variances, rows), predicted


def same(found: Pairs, expected: Pairs) -> None:
    for each, other in zip(found, expected, strict=True):
        assert each.tobytes() == np.asarray(other, each.dtype).tobytes()


@pytest.mark.skipif(compiled is None, reason="the package has no compiled kernels here")
@pytest.mark.parametrize("lowest", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("sizes", [[17], [1, 4], [7, 8, 9], [200]])
def test_compiled_and_reference_give_same_bits(sizes: list[int], lowest: float) -> None:
    assert compiled is not None
    for seed in range(60):
        true, of, predicted = case(seed, sizes)
        same(
            compiled.oks_pairs(true, of, predicted, lowest),
            numeric.oks_pairs(true, of, predicted, lowest),
        )


@pytest.mark.skipif(compiled is None, reason="the package has no compiled kernels here")
def test_boxes_of_points_are_same_in_compiled_and_reference() -> None:
    assert compiled is not None
    rng = np.random.default_rng(7)
    points = rng.normal(size=(500, 3))
    counts = rng.integers(1, 20, 90)
    starts = rng.integers(0, 480, 90)
    found = compiled.point_boxes(points, starts, counts)
    assert found.tobytes() == numeric.point_boxes(points, starts, counts).tobytes()


def test_selected_rows_of_keypoints_have_points_of_copied_rows() -> None:
    rng = np.random.default_rng(8)
    rows = np.array([0, 2, 2, 5, 9])
    whole = Keypoints(rng.normal(size=(9, 3)), rows, [1, 0, 3, 2])
    positions = np.array([3, 1, 0, 3])
    found = KeypointRows.at_offsets(whole).select(positions)
    expected = whole.select(positions)
    for each in (found, pickle.loads(pickle.dumps(found)), found.select(np.arange(4))):
        assert len(each) == 4
        assert each.points.tolist() == expected.points.tolist()
        assert each.rows.tolist() == [0, 4, 4, 6, 10]
        assert each.labeled.tolist() == [2, 0, 1, 2]
        assert each.at(1) is None
    assert found.select(np.array([2])) == KeypointRows.at_offsets(whole).select(np.array([0]))


@pytest.mark.skipif(compiled is None, reason="the package has no compiled kernels here")
def test_small_buffers_give_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    assert compiled is not None
    monkeypatch.setattr(compiled, "_LEAST_ROOM", 1)
    for seed in range(60):
        true, of, predicted = case(seed, [3, 17])
        same(
            compiled.oks_pairs(true, of, predicted, 0.0),
            numeric.oks_pairs(true, of, predicted, 0.0),
        )


@paths
def test_oks_is_that_of_pycocotools(kernels: Any) -> None:
    """All pairs of an image, in the order of pycocotools: predictions by descending score."""
    compared = 0
    for seed in range(300):
        true, of, predicted = case(seed, [17])
        parameters = Params("keypoints")
        of = of._replace(variances=(parameters.kpt_oks_sigmas * 2) ** 2)
        starts, truths, oks = kernels.oks_pairs(true, of, predicted, 0.0)
        for image in range(3):
            rows, true_rows = (np.flatnonzero(one.datums == image) for one in (predicted, true))
            if not (len(rows) and len(true_rows)):
                continue
            evaluation = COCOeval(iouType="keypoints")
            evaluation._gts[image, 1] = [
                {
                    "keypoints": true.points[true.rows[row] : true.rows[row + 1]].reshape(-1),
                    "bbox": of.boxes[row].tolist(),
                    "area": float(of.areas[row]),
                }
                for row in true_rows
            ]
            evaluation._dts[image, 1] = [
                {
                    "keypoints": predicted.points[
                        predicted.rows[row] : predicted.rows[row + 1]
                    ].reshape(-1),
                    "score": 1 - position / 100,
                }
                for position, row in enumerate(rows)
            ]
            expected = evaluation.computeOks(image, 1)
            found = np.zeros_like(expected)
            for position, row in enumerate(rows):
                pairs = slice(starts[row], starts[row + 1])
                found[position, np.searchsorted(true_rows, truths[pairs])] = oks[pairs]
            assert found.tobytes() == expected.tobytes()
            compared += expected.size
    assert compared > 1000


@paths
def test_oks_is_mean_over_labelled_points(kernels: Any) -> None:
    """The second of three points is not labelled.

    Distances are 2 and 0, variances (2 · 0.5)² = 1, and the area is 8: the mean of
    exp(-4 / (2 · 1 · 8)) = exp(-0.25) and exp(0) = 1.
    """
    zero, rows = np.zeros(1, np.int64), np.array([0, 3])
    true = np.array([[1.0, 1, 2], [5, 5, 0], [3, 3, 1]])
    predicted = np.array([[1.0, 3, 1], [90, 90, 1], [3, 3, 1]])
    starts, truths, oks = kernels.oks_pairs(
        KeypointColumns(zero, zero, true, rows),
        TrueKeypoints(np.zeros((1, 4)), np.array([8.0]), np.ones(3), rows),
        KeypointColumns(zero, zero, predicted, rows),
        0.5,
    )
    assert (starts.tolist(), truths.tolist()) == ([0, 1], [0])
    assert oks[0] == pytest.approx((math.exp(-0.25) + 1) / 2, rel=1e-15)


@paths
def test_objects_without_labelled_points_are_compared_by_box(kernels: Any) -> None:
    """The box from (10, 10) to (14, 12) grows to (6, 8) to (18, 14).

    The first point is inside it. The second is 3 to the left and 4 above: exp(-25 / (2 · 1 · 50)).
    """
    zero, rows = np.zeros(1, np.int64), np.array([0, 2])
    starts, _, oks = kernels.oks_pairs(
        KeypointColumns(zero, zero, np.zeros((2, 3)), rows),
        TrueKeypoints(np.array([[10.0, 10, 4, 2]]), np.array([50.0]), np.ones(2), rows),
        KeypointColumns(zero, zero, np.array([[18.0, 8, 1], [3, 4, 1]]), rows),
        0.5,
    )
    assert starts.tolist() == [0, 1]
    assert oks[0] == pytest.approx((1 + math.exp(-0.25)) / 2, rel=1e-15)
