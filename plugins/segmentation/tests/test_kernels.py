"""Compiled and reference kernels count the same for all types and values."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray
from valor_segmentation.kernels import KERNELS
from valor_segmentation.kernels.reference import counting as numeric
from valor_segmentation.kernels.value_positions import Pair, ValuePositions

from valor_core.errors import SchemaError

needs_compiler = pytest.mark.skipif(KERNELS.library is None, reason="NumPy runs")

TYPES = st.sampled_from(
    [np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.uint64, np.int64, ">u2", ">i4"]
)
VALUES = st.lists(
    st.one_of(st.integers(-3, 12), st.sampled_from([-300, 255, 256, 70_000, 1 << 24, 1 << 40])),
    min_size=1,
    max_size=8,
    unique=True,
).map(sorted)


def counted_by_hand(pairs: list[Pair], rows: int, columns: int) -> NDArray[np.int64]:
    table = np.zeros((rows + 1, columns + 1), np.int64)
    for truth, true_positions, prediction, positions in pairs:
        row_of = dict(
            zip(true_positions.values.tolist(), true_positions.positions.tolist(), strict=True)
        )
        column_of = dict(zip(positions.values.tolist(), positions.positions.tolist(), strict=True))
        for true, predicted in zip(
            truth.ravel().tolist(), prediction.ravel().tolist(), strict=True
        ):
            table[row_of.get(true, rows), column_of.get(predicted, columns)] += 1
    return table


@st.composite
def sides(draw: st.DrawFn, shape: tuple[int, int]) -> tuple[NDArray[Any], ValuePositions]:
    values = draw(VALUES)
    dtype = np.dtype(draw(TYPES))
    limits = np.iinfo(dtype)
    fitting = [v for v in values if limits.min <= v <= limits.max] or [0]
    elements = st.sampled_from([*fitting, 1])
    image = draw(arrays.arrays(dtype, shape, elements=elements, fill=st.just(fitting[0])))
    if draw(st.booleans()):
        image = np.repeat(image, 7, axis=0)[: shape[0]]
    positions = draw(st.lists(st.integers(0, 4), min_size=len(values), max_size=len(values)))
    return image, ValuePositions(np.array(values, np.int64), np.array(positions, np.int64))


@st.composite
def some_pairs(draw: st.DrawFn) -> list[Pair]:
    shapes = draw(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 40)), max_size=3))
    return [(*draw(sides(shape)), *draw(sides(shape))) for shape in shapes]


@given(some_pairs())
def test_numpy_counts_as_by_hand(pairs: list[Pair]) -> None:
    found = numeric.count_pairs(pairs, 5, 5)

    assert found.tolist() == counted_by_hand(pairs, 5, 5).tolist()


@needs_compiler
@given(some_pairs())
@settings(max_examples=3 * settings.default.max_examples)
def test_both_kernels_count_the_same(pairs: list[Pair]) -> None:
    from valor_segmentation.kernels.compiled import counting as compiled

    assert np.array_equal(compiled.count_pairs(pairs, 5, 5), numeric.count_pairs(pairs, 5, 5))


@needs_compiler
@for_each("dtype", [np.uint8, np.uint16, np.int32, np.int64])
@for_each("side", [1, 2, 9, 70])
@for_each("count", [3, 300])
def test_images_large_enough_for_threads_are_counted_the_same(
    dtype: Any, side: int, count: int
) -> None:
    from valor_segmentation.kernels.compiled import counting as compiled

    rng = np.random.default_rng(side)
    count = min(count, np.iinfo(dtype).max)
    coarse = rng.integers(0, count, (2, 611 // side + 1, 1013 // side + 1))
    true, predicted = np.kron(coarse, np.ones((1, side, side), int))[:, :611, :1013].astype(dtype)
    positions = ValuePositions(np.arange(count), np.arange(count))
    pairs = [
        (true, positions, predicted, positions),
        (predicted[:7], positions, true[:7], positions),
    ]

    expected = numeric.count_pairs(pairs, count, count)
    assert np.array_equal(compiled.count_pairs(pairs, count, count), expected)
    assert expected.sum() == (611 + 7) * 1013


@needs_compiler
@for_each("dtype", [np.uint8, np.uint16, np.int32, np.int64])
@for_each("values", [[0, 1, 2, 3], [0, 1, 2, 9], [0, 1, 2, 3, 9]])
@for_each("swapped", [False, True])
def test_pixels_that_differ_from_their_neighbors_are_counted(
    dtype: Any, values: list[int], swapped: bool
) -> None:
    from valor_segmentation.kernels.compiled import counting as compiled

    true, predicted = np.random.default_rng(0).choice(values, (2, 50, 100)).astype(dtype)
    true[:20] %= 4  # a part of the image has no unknown value
    order = [1, 0, 2, 3] if swapped else [0, 1, 2, 3]
    positions = ValuePositions(np.arange(4), np.array(order))
    pairs: list[Pair] = [(true, positions, predicted, positions)]

    expected = counted_by_hand(pairs, 4, 4).tolist()
    assert compiled.count_pairs(pairs, 4, 4).tolist() == expected
    assert numeric.count_pairs(pairs, 4, 4).tolist() == expected


INTEGERS = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"]


def a_side(
    dtype: str, values: list[int], strange: list[int]
) -> tuple[NDArray[Any], ValuePositions]:
    """Long runs, then noise without a strange value, then noise with strange values."""
    limits = np.iinfo(dtype)
    known_values, all_values = (
        np.array([v for v in candidates if limits.min <= v <= limits.max], dtype)
        for candidates in (values, values + strange)
    )
    rng = np.random.default_rng(0)
    image = np.concatenate(
        [
            np.repeat(rng.choice(all_values, 50), 60),
            rng.choice(known_values, 4_500),
            rng.choice(all_values, 2_001),
        ]
    ).reshape(1, -1)
    return image, ValuePositions(np.array(values), np.arange(len(values)) % 5)


@needs_compiler
@for_each("true_dtype", INTEGERS)
@for_each("dtype", INTEGERS)
@for_each(
    "values",
    [
        [0, 1, 2, 3],
        [0, 1, 2, 255],
        [*range(256)],
        [*range(300)],
        [-100, -1, 0, 1, 2],
        [-(1 << 15), 0, (1 << 15) - 1],
        [0, 1, 65_535],
        [5, 1_000, 70_000],
        [-(1 << 63), -(1 << 31), 0, 7, 1 << 24, (1 << 31) - 1, (1 << 63) - 1],
    ],
    ids=lambda values: f"{len(values)} values from {values[0]} to {values[-1]}",
)
def test_all_pairs_of_types_are_counted(true_dtype: str, dtype: str, values: list[int]) -> None:
    from valor_segmentation.kernels.compiled import counting as compiled

    edges = [edge + step for edge in (0, 1 << 8, 1 << 16, 1 << 32) for step in (-2, -1, 0, 1)]
    strange = [*edges, *(-edge for edge in edges), 4_000_000_000, (1 << 63) - 2, (1 << 64) - 1]
    true, true_positions = a_side(true_dtype, values, strange)
    predicted, positions = a_side(dtype, values, strange[::-1])
    pairs: list[Pair] = [(true, true_positions, predicted, positions)]

    expected = counted_by_hand(pairs, 5, 5).tolist()
    assert compiled.count_pairs(pairs, 5, 5).tolist() == expected
    assert numeric.count_pairs(pairs, 5, 5).tolist() == expected


@needs_compiler
def test_views_with_gaps_are_counted() -> None:
    from valor_segmentation.kernels.compiled import counting as compiled

    image = np.arange(24, dtype=np.uint8).reshape(4, 6) % 3
    positions = ValuePositions(np.arange(3), np.arange(3))
    pairs = [(image[:, ::2], positions, image.T[:4, :3], positions)]

    assert compiled.count_pairs(pairs, 3, 3).tolist() == counted_by_hand(pairs, 3, 3).tolist()


def test_the_first_unknown_value_is_found() -> None:
    image = np.array([[0, 1], [1, 9], [7, 0]], np.uint16)

    assert ValuePositions(np.array([0, 1]), np.array([0, 1])).unknown(image) == (1, 1, 9)
    assert ValuePositions(np.array([0, 1, 7, 9]), np.zeros(4, int)).unknown(image) is None


def both_kernels() -> list[Any]:
    if KERNELS.library is None:
        return [numeric]
    from valor_segmentation.kernels.compiled import counting as compiled

    return [numeric, compiled]


POSITIONS = ValuePositions(np.array([0, 1]), np.array([0, 1]))


@pytest.mark.parametrize("kernels", both_kernels())
@pytest.mark.parametrize("shape", [(10, 1_000), (4_001, 1_000), (4_000_000,), (0, 1_000)])
def test_images_of_two_sizes_are_rejected(kernels: Any, shape: tuple[int, ...]) -> None:
    true, predicted = np.ones((4_000, 1_000), np.uint8), np.ones(shape, np.uint8)

    with pytest.raises(
        SchemaError, match="images: expected 4000 by 1000 pixels on both sides, got"
    ):
        kernels.count_pairs([(true, POSITIONS, predicted, POSITIONS)], 2, 2)


@pytest.mark.parametrize("kernels", both_kernels())
@pytest.mark.parametrize("dtype", [float, bool, object, "m8[s]", "U1"])
def test_images_of_other_types_than_integers_are_rejected(kernels: Any, dtype: Any) -> None:
    image = np.zeros((2, 2), np.uint8)
    with pytest.raises(SchemaError, match="images: expected whole numbers, got array of"):
        kernels.count_pairs([(image, POSITIONS, image.astype(dtype), POSITIONS)], 2, 2)


@pytest.mark.parametrize("kernels", both_kernels())
@pytest.mark.parametrize("position", [-1, 2, 70_000, 1 << 40])
@pytest.mark.parametrize("value", [1, 70_000, 1 << 40])
def test_positions_outside_the_table_are_rejected(kernels: Any, position: int, value: int) -> None:
    image = np.full((2, 2), value)
    strange = ValuePositions(np.array([0, value]), np.array([0, position]))
    for pair in ((image, strange, image, POSITIONS), (image, POSITIONS, image, strange)):
        with pytest.raises(SchemaError, match="positions: expected 0 to 1, got"):
            kernels.count_pairs([pair], 2, 2)


def test_places_have_one_position_for_each_value() -> None:
    with pytest.raises(SchemaError, match="positions: expected 2, one for each value, got 1"):
        ValuePositions(np.array([0, 1]), np.array([0]))


@needs_compiler
@pytest.mark.parametrize("count", [2, 200])
def test_an_evaluation_after_an_interrupted_one_counts_only_its_own_pixels(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from valor_segmentation.kernels.compiled import counting as compiled

    image = np.random.default_rng(0).integers(0, count, (900, 900)).astype(np.uint8)
    positions = ValuePositions(np.arange(count), np.arange(count))
    pairs: list[Pair] = [(image, positions, image[::-1], positions)]
    expected = compiled.count_pairs(pairs, count, count)

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as stopped:
        stopped.setattr(compiled, "_collect_counts", interrupted)
        with pytest.raises(KeyboardInterrupt):
            compiled.count_pairs(pairs, count, count)

    assert np.array_equal(compiled.count_pairs(pairs, count, count), expected)


@needs_compiler
def test_threads_keep_no_table_of_counts() -> None:
    from valor_segmentation.kernels.compiled import counting as compiled

    count = 2_000
    image = np.random.default_rng(0).integers(0, count, (1_500, 1_000)).astype(np.uint16)
    positions = ValuePositions(np.arange(count), np.arange(count))
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        assert compiled.count_pairs([(image, positions, image, positions)], count, count).sum() > 0
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert after - before < 4 * count**2 / 2  # a thread's table takes 16 MB
