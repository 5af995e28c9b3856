"""Kernels of masks, in C and NumPy, against pycocotools and decoded pixels."""

from __future__ import annotations

import importlib
import pickle
import re
import time
from collections.abc import Sequence
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from pycocotools import mask as coco
from valor_detection.kernels import KERNELS
from valor_detection.kernels.row_errors import RowError
from valor_detection.kernels.segmentations import (
    COMPRESSED,
    NO_MASK,
    POLYGONS,
    RUNS,
    Segmentation,
    Segmentations,
)

from valor_core.schemas.geometry import Mask, RunLengths
from valor_core.schemas.geometry.run_lengths import compressed

FLAG = np.array([False])
FIRST = np.array([0])


def implementation(name: str) -> ModuleType:
    if name == "compiled" and KERNELS.library is None:
        pytest.skip(KERNELS.reason)
    return importlib.import_module(f"valor_detection.kernels.{name}.masks")


@pytest.fixture(scope="module", params=["compiled", "reference"])
def masks(request: pytest.FixtureRequest) -> ModuleType:
    return implementation(request.param)


def decompressed(masks: ModuleType, texts: Sequence[bytes]) -> tuple[Any, Any]:
    rows = [Segmentation(COMPRESSED, letters=text) for text in texts]
    return runs_of(masks, rows, np.zeros((len(rows), 2), np.int64))


def drawn(masks: ModuleType, rows: Sequence[Sequence[Any]], sizes: Any) -> tuple[Any, Any]:
    """Run lengths of polygons, each a flat list of x and y."""
    kinds = [POLYGONS if row else NO_MASK for row in rows]
    given = [Segmentation(kind, rings=row) for kind, row in zip(kinds, rows, strict=True)]
    return runs_of(masks, given, np.reshape(sizes, (-1, 2)))


def runs_of(masks: ModuleType, rows: Sequence[Segmentation], sizes: Any) -> tuple[Any, Any]:
    found: tuple[Any, Any] = masks.segmentation_runs(
        Segmentations.of(rows), np.arange(len(rows)), sizes
    )
    return found


def parts(values: Any, starts: Any) -> list[list[int]]:
    return [values[a:b].tolist() for a, b in pairwise(starts)]


def coco_runs(polygons: Sequence[Any], size: tuple[int, int]) -> list[int]:
    rle = coco.merge(coco.frPyObjects([list(map(float, p)) for p in polygons], *size))
    return Mask.from_rle(rle).runs.tolist()


def random_mask(random: np.random.Generator, size: tuple[int, int]) -> Mask:
    coarse = random.random((size[0] // 3 + 1, size[1] // 3 + 1)) < random.random()
    return Mask.of(np.kron(coarse, np.ones((3, 3), bool))[: size[0], : size[1]])


NUMBERS = st.integers(0, 2**32 - 1) | st.integers(0, 40)


@given(st.lists(st.lists(NUMBERS, max_size=9), max_size=6))
@pytest.mark.parametrize("name", ["compiled", "reference"])
def test_compressed_run_lengths_round_trip(name: str, rows: Any) -> None:
    texts = [compressed(np.array(row, np.uint32)).encode() for row in rows]
    runs, starts = decompressed(implementation(name), texts)
    assert runs.dtype == np.uint32
    assert parts(runs, starts) == rows


@pytest.mark.parametrize(
    "text",
    [b"!", b"52p", b"5P", b"52\xe9", b"O", b"PPPPPPPPPPPPP0", b"PPPPPPP8"],
)
def test_invalid_compressed_text_is_rejected_with_its_row(masks: ModuleType, text: bytes) -> None:
    with pytest.raises(RowError, match="row 2: expected COCO's compressed run lengths") as error:
        decompressed(masks, [b"52", b"", text, b"52"])
    assert str(error.value.at("dt.json, [7]")) == (
        "dt.json, [7]: expected COCO's compressed run lengths"
    )
    assert pickle.loads(pickle.dumps(error.value)).row == 2


def test_first_of_several_invalid_rows_is_named(masks: ModuleType) -> None:
    far = Segmentation(POLYGONS, rings=[[0, 0, 1e9, 0, 2, 2]])
    no_text, negative = (Segmentation(COMPRESSED, letters=text) for text in (b"!", b"O"))
    given, sizes = Segmentations.of([no_text, far, negative]), np.full((3, 2), 4)
    for order in ([0, 1, 2], [1, 0, 2], [2, 1, 0], [1, 2, 0]):
        with pytest.raises(RowError) as error:
            masks.segmentation_runs(given, np.array(order), sizes)
        assert error.value.row == 0
        assert ("coordinates" in error.value.sentence) == (order[0] == 1)


def test_segmentations_of_all_kinds_may_be_mixed(masks: ModuleType) -> None:
    square = [0.0, 0, 0, 1, 2, 1, 2, 0]
    given = [
        Segmentation(COMPRESSED, letters=b"52203"),
        Segmentation(RUNS, counts=[1, 2, 3]),
        Segmentation(
            POLYGONS, rings=[square, [*square, 7.0]]
        ),  # the last of an odd number is skipped
        Segmentation(),
    ]
    random = np.random.default_rng(2)
    order = random.permutation(np.repeat(np.arange(4), 3))
    sizes = np.full((12, 2), 2)
    runs, starts = masks.segmentation_runs(Segmentations.of(given), order, sizes)
    expected = [[5, 2, 2, 2, 5], [1, 2, 3], [0, 1, 1, 1, 1], []]
    assert parts(runs, starts) == [expected[row] for row in order]


COORDINATES = st.floats(-9, 29) | st.integers(-2, 24) | st.integers(-20, 240).map(lambda i: i / 10)
RINGS = st.lists(COORDINATES, min_size=6, max_size=16).map(lambda c: c[: len(c) // 2 * 2])
SIZES = st.tuples(st.integers(1, 20), st.integers(1, 20))


@settings(max_examples=3 * settings.default.max_examples)
@given(st.lists(st.tuples(st.lists(RINGS, min_size=1, max_size=3), SIZES), max_size=4))
@pytest.mark.parametrize("name", ["compiled", "reference"])
def test_drawn_polygons_equal_pycocotools(name: str, rows: Any) -> None:
    sizes = np.array([size for _, size in rows], np.int64).reshape(-1, 2)
    runs, starts = drawn(implementation(name), [p for p, _ in rows], sizes)
    assert runs.dtype == np.uint32
    assert parts(runs, starts) == [coco_runs(polygons, size) for polygons, size in rows]


def test_drawn_large_polygons_equal_pycocotools(masks: ModuleType) -> None:
    random = np.random.default_rng(3)
    rows, sizes = [], []
    for scale in np.geomspace(3, 900, 60):
        size = tuple(random.integers(1, scale, 2).tolist())
        corners = random.integers(3, 60)
        step = random.choice([0.0, 0.1, 0.5, 1.0])
        points = [random.normal(scale / 2, scale / 3, 2 * corners) for _ in range(1 + corners % 3)]
        rows.append([np.round(p / step) * step if step else p for p in points])
        sizes.append(size)
    runs, starts = drawn(masks, rows, sizes)
    expected = [coco_runs(row, size) for row, size in zip(rows, sizes, strict=True)]
    assert parts(runs, starts) == expected


def test_drawn_far_and_steep_edges_equal_pycocotools(masks: ModuleType) -> None:
    rows = [
        [[0.1 * i, -1e5, 0.1 * i + 7.3, 1e5, 12, 3]]
        for i in range(10)  # a million points of the fine grid
    ] + [[[-1e5, 0.1 * i, 1e5, 0.1 * i + 7.3, 3, 12]] for i in range(10)]
    sizes = np.full((20, 2), 30)
    runs, starts = drawn(masks, rows, sizes)
    assert parts(runs, starts) == [coco_runs(row, (30, 30)) for row in rows]


def test_row_without_polygons_has_no_runs(masks: ModuleType) -> None:
    square = [0, 0, 2, 0, 2, 1, 0, 1]
    runs, rows = drawn(masks, [[], [square], []], np.full((3, 2), 2))
    assert parts(runs, rows) == [[], [0, 1, 1, 1, 1], []]


def test_a_ring_without_corners_encloses_nothing(masks: ModuleType) -> None:
    runs, rows = drawn(masks, [[[]], [[1, 1]]], np.full((2, 2), 3))
    assert parts(runs, rows) == [[9], [9]]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1.1e8, -1.1e8])
@pytest.mark.parametrize("at", range(6))
def test_far_coordinates_are_rejected_with_their_row(
    masks: ModuleType, value: float, at: int
) -> None:
    fine = [0, 0, 2, 0, 2, 2]
    wrong = [*fine[:at], value, *fine[at + 1 :]]
    sizes = np.full((4, 2), 4)
    with pytest.raises(
        RowError, match="row 2: expected coordinates within 100 million pixels, found"
    ):
        drawn(masks, [[fine], [], [fine, wrong], [wrong]], sizes)


@pytest.mark.parametrize("size", [(-1, 4), (4, -1), (1 << 16, 1 << 15), (1, 1 << 40)])
def test_huge_images_are_rejected_with_their_row(masks: ModuleType, size: tuple[int, int]) -> None:
    with pytest.raises(
        RowError, match="row 1: expected an image of at most 2 billion pixels, found"
    ):
        drawn(masks, [[], [[0, 0, 2, 0, 2, 2]]], [(4, 4), size])


def test_long_polygons_are_rejected_with_their_row(masks: ModuleType) -> None:
    wide = [0, 0, 10**8, 0] * 6
    square = [0, 0, 2, 0, 2, 2]
    with pytest.raises(
        RowError, match="row 1: expected edges that cross at most 20,000,000 columns of pixels,"
    ):
        drawn(masks, [[square], [wide, wide]], [(4, 4), (20, 10**8)])
    # 24 edges cross 100 million columns each.


def test_polygon_of_a_million_random_corners_is_rejected_quickly(masks: ModuleType) -> None:
    ring = np.random.default_rng(8).random(2_000_000) * 1000
    began = time.process_time()
    with pytest.raises(RowError) as error:
        drawn(masks, [[ring]], [(1000, 1000)])
    assert time.process_time() - began < 10  # drawing it would take minutes and all memory
    assert re.fullmatch(
        r"row 0: expected edges that cross at most 20,000,000 columns of pixels, found "
        r"33\d,\d{3},\d{3} of polygons of 1,000,000 corners",
        str(error.value),
    )


def test_edges_that_cross_one_column_too_many_are_rejected(masks: ModuleType) -> None:
    wide = [0.0, 0, 10**6, 0, 10**6, 1, 0, 1]
    runs, starts = drawn(masks, [[wide]], [(1, 10**6)])
    assert parts(runs, starts) == [[0, 10**6]]
    with pytest.raises(
        RowError, match="row 0: expected edges that cross at most 20,000,000 columns of pixels,"
    ):
        drawn(masks, [[[0.0, 0, 10**7 + 1, 0, 10**7 + 1, 1, 0, 1]]], [(1, 10**7 + 1)])


def test_many_edges_in_one_column_are_drawn_quickly(masks: ModuleType) -> None:
    random = np.random.default_rng(1)
    ring = np.empty((60_000, 2))
    ring[::2, 0], ring[1::2, 0] = 0.2, 1.2
    ring[:, 1] = random.uniform(0, 900, len(ring)).round(2)
    size = (1000, 1000)

    began = time.process_time()
    runs, starts = drawn(masks, [[ring.ravel()]], [size])
    seconds = time.process_time() - began

    assert parts(runs, starts) == [coco_runs([ring.ravel()], size)]
    if "compiled" in masks.__name__:
        assert seconds < 0.3  # an insertion sort takes more than twice that


def test_areas_and_boxes_of_masks_equal_pycocotools(masks: ModuleType) -> None:
    random = np.random.default_rng(5)
    sizes = [tuple(random.integers(1, 30, 2).tolist()) for _ in range(300)]
    some = [random_mask(random, size) for size in sizes]
    rows = RunLengths.of(some)
    areas, boxes, filled = masks.measured(rows.runs, rows.rows, rows.sizes)
    rles = [
        {"size": list(s), "counts": compressed(m.runs)} for s, m in zip(sizes, some, strict=True)
    ]
    assert_array_equal(areas, [coco.area(rle) for rle in rles])
    # pycocotools returns four billion for empty masks.
    expected = [
        coco.toBbox(rle) if area else np.zeros(4) for rle, area in zip(rles, areas, strict=True)
    ]
    assert_array_equal(boxes, expected)
    assert_array_equal(filled, [height * width for height, width in sizes])


@settings(max_examples=3 * settings.default.max_examples)
@given(st.lists(st.integers(0, 3) | st.integers(0, 30), min_size=1, max_size=9), st.integers(1, 9))
@pytest.mark.parametrize("name", ["compiled", "reference"])
def test_areas_and_boxes_of_zero_length_runs_equal_pycocotools(
    name: str, runs: list[int], height: int
) -> None:
    width = -(-sum(runs) // height) + 1
    column = np.array(runs, np.uint32)
    size = np.array([[height, width]])
    areas, boxes, filled = implementation(name).measured(column, np.array([0, len(runs)]), size)
    rle = {"size": [height, width], "counts": compressed(column)}
    assert areas[0] == coco.area(rle)
    assert boxes[0].tolist() == (coco.toBbox(rle).tolist() if areas[0] else [0, 0, 0, 0])
    assert filled[0] == sum(runs)


@pytest.mark.parametrize("runs", [[0, 2**32 - 1, 2], [2**31, 2**31, 1, 3], [9, 2**32 - 1]])
def test_runs_of_too_many_pixels_have_no_size(masks: ModuleType, runs: list[int]) -> None:
    areas, boxes, filled = masks.measured(
        np.array([*runs, 1, 3], np.uint32),
        np.array([0, len(runs), len(runs) + 2]),
        np.array([[5, 6], [2, 2]]),
    )
    assert areas.tolist() == [0, 3]
    assert boxes.tolist() == [[0, 0, 0, 0], [0, 0, 2, 2]]
    assert filled.tolist() == [sum(runs), 4]


def test_rows_without_runs_or_pixels_have_area_0(masks: ModuleType) -> None:
    runs = np.array([6, 0, 1], np.uint32)
    sizes = np.array([(0, 0), (2, 3), (0, 5), (1, 1)])
    areas, boxes, filled = masks.measured(runs, np.array([0, 0, 1, 1, 3]), sizes)
    assert areas.tolist() == [0, 0, 0, 1]
    assert boxes.tolist() == [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 1]]
    assert filled.tolist() == [0, 6, 0, 1]


@pytest.mark.parametrize("height", [2**32, 3 << 32, 2**32 - 1, 2**62, 0, -1, -(2**32)])
def test_mask_of_four_billion_rows_does_not_crash(masks: ModuleType, height: int) -> None:
    runs, rows, sizes = np.array([1, 5, 2], np.uint32), np.array([0, 3]), np.array([[height, 1]])
    areas, boxes, filled = masks.measured(runs, rows, sizes)
    assert (areas.tolist(), filled.tolist()) == ([5], [8])
    assert boxes.tolist() == [[0, 1, 1, 5] if height > 0 else [0, 0, 0, 0]]


@pytest.mark.parametrize("seed", range(8))
def test_ious_equal_pycocotools(masks: ModuleType, seed: int) -> None:
    random = np.random.default_rng(seed)
    size = tuple(random.integers(1, 70, 2).tolist())
    true = [random_mask(random, size) for _ in range(12)]
    predicted = [random_mask(random, size) for _ in range(15)]
    crowd = random.random(12) < 0.4
    rles = [
        [{"size": list(size), "counts": compressed(mask.runs)} for mask in side]
        for side in (predicted, true)
    ]
    expected = coco.iou(*rles, crowd.astype(np.uint8).tolist()).T
    t, p = (a.ravel() for a in np.meshgrid(range(12), range(15), indexing="ij"))
    given_rows = RunLengths.of(true), RunLengths.of(predicted), t, p, crowd[t]
    assert_array_equal(masks.mask_ious(*given_rows), expected.ravel())
    at_least = masks.mask_ious(*given_rows, 0.5)
    exact = expected.ravel()
    assert_array_equal(at_least[exact >= 0.5], exact[exact >= 0.5])
    assert ((at_least == exact) | (at_least == 0)).all()


@settings(max_examples=3 * settings.default.max_examples)
@given(st.data())
@pytest.mark.parametrize("name", ["compiled", "reference"])
def test_ious_equal_those_of_the_pixels(name: str, data: st.DataObject) -> None:
    bits = st.lists(st.booleans(), min_size=60, max_size=60)
    first, second = (np.array(data.draw(bits)).reshape(2, 30) for _ in range(2))
    both, either = (first & second).sum(), (first | second).sum()
    iou = implementation(name).mask_ious(
        RunLengths.of([Mask.of(first)]), RunLengths.of([Mask.of(second)]), FIRST, FIRST, FLAG
    )
    assert iou[0] == (both / either if both else 0)


def test_zero_length_runs_share_no_pixel(masks: ModuleType) -> None:
    gaps = RunLengths(np.array([1, 0, 0, 1, 0, 2], np.uint32), np.array([0, 6]), np.array([[2, 2]]))
    whole = RunLengths.of([Mask.of([[1, 1], [1, 1]])])
    assert masks.mask_ious(whole, gaps, FIRST, FIRST, FLAG).tolist() == [0.75]
    assert masks.mask_ious(gaps, whole, FIRST, FIRST, FLAG).tolist() == [0.75]


def test_iou_of_images_with_too_many_pixels_is_0(masks: ModuleType) -> None:
    huge = RunLengths(
        np.array([1 << 31], np.uint32), np.array([0, 1]), np.array([[1 << 16, 1 << 15]])
    )
    with pytest.raises(
        RowError, match="expected an image of at most 2 billion pixels, found 65536 by 32768"
    ):
        masks.mask_ious(huge, huge, FIRST, FIRST, FLAG)


def test_no_rows_give_empty_results(masks: ModuleType) -> None:
    none = RunLengths.of([])
    empty = np.empty(0, np.int64)
    assert len(runs_of(masks, [], none.sizes)[0]) == 0
    assert [len(part) for part in masks.measured(none.runs, none.rows, none.sizes)] == [0, 0, 0]
    assert len(masks.mask_ious(none, none, empty, empty, np.empty(0, bool))) == 0


def test_results_do_not_depend_on_threads(
    masks: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(9)
    rows = [[random.uniform(0, 30, 12)] for _ in range(40)]
    sizes = np.full((40, 2), 30)
    plain = drawn(masks, rows, sizes)
    texts = [compressed(np.array(part, np.uint32)).encode() for part in parts(*plain)]
    for name in ("_ROWS_EACH", "_RUNS_EACH", "_PAIRS_EACH"):
        monkeypatch.setattr(masks, name, 10, raising=False)
    monkeypatch.setattr("valor_core.kernels.threads.thread_count", lambda: 3)
    for one, other in zip(drawn(masks, rows, sizes), plain, strict=True):
        assert_array_equal(one, other)
    for one, other in zip(decompressed(masks, texts), plain, strict=True):
        assert_array_equal(one, other)
    lengths = RunLengths(*plain, sizes)
    areas, _, filled = masks.measured(*plain, sizes)
    assert_array_equal(areas, lengths.areas)
    assert_array_equal(filled, np.full(40, 900))
    every = np.arange(40)
    ious = masks.mask_ious(lengths, lengths, every, every, np.zeros(40, bool))
    assert_array_equal(ious, (areas > 0).astype(float))
    with pytest.raises(RowError, match="row 3: expected COCO's compressed run lengths"):
        decompressed(masks, [b"52525252"] * 3 + [b"!"] * 30)


def test_images_with_a_huge_total_of_pixels_are_drawn(masks: ModuleType) -> None:
    size, random = (40_000, 40_000), np.random.default_rng(4)
    rows = [
        [np.round(random.normal(20_000, 60, 12), 1) for _ in range(1 + row % 2)] for row in range(4)
    ]
    sizes = np.array([size] * 4)
    runs, starts = drawn(masks, rows, sizes)
    assert parts(runs, starts) == [coco_runs(row, size) for row in rows]

    rles = [
        {"size": list(size), "counts": compressed(np.array(own, np.uint32))}
        for own in parts(runs, starts)
    ]
    areas, boxes, filled = masks.measured(runs, starts, sizes)
    assert_array_equal(areas, coco.area(rles))
    assert_array_equal(boxes, coco.toBbox(rles))
    assert_array_equal(filled, [40_000**2] * 4)

    t, p = (a.ravel() for a in np.meshgrid(range(4), range(4), indexing="ij"))
    lengths = RunLengths(runs, starts, sizes)
    ious = masks.mask_ious(lengths, lengths, t, p, np.zeros(16, bool))
    assert_array_equal(ious, coco.iou(rles, rles, [0] * 4).ravel())
    assert len(np.unique(ious)) > 3
