from __future__ import annotations

from pathlib import Path

import numpy as np
from valor_detection.matching.names_and_shapes import Outlines

from valor_core import Evaluator
from valor_core.schemas.detection import Detection, DetectionBatch, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box, Mask, Polygon

from .support import true

CORNERS = [(0, 0), (8, 0), (8, 8)]


def batch(uid: str, *more: PredictedObject) -> DetectionBatch:
    found = PredictedObject({"dog": 0.9}, Box(0, 0, 1, len(uid)), f"{uid}_p")
    return DetectionBatch.of(
        [Detection(uid, [true("dog", 0, 0, 2, len(uid), uid=f"{uid}_t")], [found, *more])]
    )


def outlines(*batches: DetectionBatch) -> Outlines:
    state = Outlines()
    for one in batches:
        state.update(one)
    return state


def test_rows_are_sorted_by_image() -> None:
    one, other = outlines(batch("bb"), batch("a")), outlines(batch("ccc"))
    other.merge(one)

    assert [other.truths.name(row) for row in range(3)] == ["a_t", "bb_t", "ccc_t"]
    assert other.predictions.geometry(2) == Box(0, 0, 1, 3)


def test_annotation_without_uid_is_named_by_position() -> None:
    state = outlines(batch("a", PredictedObject({"dog": 0.5}, Box(0, 0, 1, 1))))

    assert [state.predictions.name(row) for row in range(2)] == ["a_p", 1]


def test_a_restored_state_is_the_same() -> None:
    polygon = PredictedObject({"dog": 0.5}, Polygon(CORNERS))
    state, again = outlines(batch("b", polygon), batch("a")), Outlines()
    again.restore(state.dump())

    assert [again.predictions.name(row) for row in range(3)] == ["a_p", "b_p", 1]
    assert again.predictions.geometry(2) == Polygon(CORNERS)
    assert again.predictions.geometry(1) == Box(0, 0, 1, 1)


def test_images_without_a_polygon_are_saved_like_those_with_one(tmp_path: Path) -> None:
    cat = Polygon(CORNERS)
    truths = {"rain": TrueObject("cat", cat), "sun": true("cat", 0, 0, 8, 8)}
    items = [Detection(sky, [truth], [], {"sky": sky}) for sky, truth in truths.items()]
    evaluator = Evaluator(["detection.Examples"], slices=["sky"])
    evaluator.update(items)
    evaluator.save(tmp_path / "state.npz")

    again = Evaluator.load(tmp_path / "state.npz")
    assert again.compute().to_json() == evaluator.compute().to_json()


def test_mask_is_replaced_by_its_bounding_box() -> None:
    state = outlines(batch("a", PredictedObject({"dog": 0.5}, Mask.of([[0, 1], [0, 1]]))))

    assert state.predictions.geometry(1) == Box(1, 0, 2, 2)


def test_detached_state_shares_no_memory_with_a_batch() -> None:
    one = batch("a")
    state = outlines(one)
    state.detach()

    kept = state.sheets[0][2].shapes.boxes
    assert not np.shares_memory(kept, one.predictions.shapes.boxes)
    assert state.predictions.geometry(0) == Box(0, 0, 1, 1)


def test_without_images_there_are_no_rows() -> None:
    assert len(Outlines().truths.datums) == 0
