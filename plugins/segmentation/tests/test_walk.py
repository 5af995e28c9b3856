"""Images are walked strip by strip, with one strip of a side in memory, on all cores alike."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
import pytest
from valor_segmentation.counting.strips import Blank, map_images, strips, with_blank_side
from valor_segmentation.readers.in_memory import from_arrays

from valor_core.schemas.segmentation import LabelImage, Layer, Legend
from valor_core.schemas.segmentation.pixels import ImageInMemory

from .support import results_of

METRICS = ("Counts", "BoundaryIOU", "PanopticQuality", "Hausdorff")


class Watched:
    """Pixels that notice which of the strips that they gave away are still there."""

    shape, strip_rows = (40, 30), 4

    def __init__(self) -> None:
        self.given: list[weakref.ref[Any]] = []
        self.kept = 0

    def read(self, first: int, last: int) -> Any:
        self.kept = max(self.kept, sum(one() is not None for one in self.given))
        strip = np.add.outer(np.arange(first, last) // 9, np.arange(30) // 7) % 3
        self.given.append(weakref.ref(strip))
        return strip


@pytest.mark.parametrize("metric", METRICS)
def test_a_strip_is_let_go_before_the_next_one_is_read(
    metric: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("layer_counts._STRIP", "boundary_counts._BLOCK", "segment_overlaps._BLOCK"):
        monkeypatch.setattr(f"valor_segmentation.counting.{module}", 50)
    true, predicted = Watched(), Watched()

    results_of(from_arrays([true], [predicted], labels=["cat", "dog"]), metric)

    assert (true.kept, predicted.kept) == (0, 0)
    assert len(true.given) == (1 if metric == "Hausdorff" else 10)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_results_do_not_depend_on_the_number_of_threads(
    metric: str, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(2)
    true = [np.kron(rng.integers(0, 4, (5, 6)), np.ones((9, 9), int)) for _ in range(7)]
    predicted = [np.where(rng.random(t.shape) < 0.9, t, rng.integers(0, 4, t.shape)) for t in true]
    data = from_arrays(true, predicted, labels=["cat", "dog", "owl"])
    whole = results_of(data, metric)

    monkeypatch.setattr("valor_segmentation.counting.strips._THREAD_PIXELS", 1)
    monkeypatch.setattr("valor_core.kernels.threads.thread_count", lambda: threads)

    assert results_of(data, metric) == whole


def test_answers_are_in_the_order_of_the_images() -> None:
    one = LabelImage([[0, 1]], Legend.of_labels(1))
    layer = Layer([one, None, None, one], [one, None, one, None])

    assert map_images(lambda position, true, predicted: position, layer) == [0, 2, 3]


def test_a_side_that_is_missing_is_background_in_no_memory() -> None:
    pair = with_blank_side(None, LabelImage(np.zeros((6, 5), np.int32), Legend.of_labels(1)))

    assert pair is not None
    blank = pair[0].pixels
    assert blank == Blank((6, 5))
    assert blank.read(2, 4).shape == (2, 5)
    assert blank.read(0, 6).strides == (0, 0)
    assert with_blank_side(None, None) is None


@pytest.mark.parametrize(
    ("most", "expected"),
    [
        (1, [(0, 3), (3, 6), (6, 9), (9, 10)]),
        (24, [(0, 6), (6, 10)]),
        (1000, [(0, 10)]),
    ],
)
def test_strips_are_whole_and_bounded(most: int, expected: list[tuple[int, int]]) -> None:
    assert list(strips((10, 4), Blank((10, 4), 3), most=most)) == expected


def test_the_longer_strip_decides() -> None:
    assert list(strips((10, 4), Blank((10, 4), 3), Blank((10, 4), 7), most=1)) == [(0, 7), (7, 10)]


def test_an_image_without_rows_has_no_strips() -> None:
    assert list(strips((0, 4), ImageInMemory(np.zeros((0, 4), np.uint8)))) == []
