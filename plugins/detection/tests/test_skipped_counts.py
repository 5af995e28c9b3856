"""Counts of objects that readers skip, in states and reports."""

from __future__ import annotations

from attrs import evolve

from valor_core import Evaluator
from valor_core.schemas.detection import Detection, DetectionBatch

COUNTED = "predictions left out: zero area"


def batch(uid: str, count: int) -> DetectionBatch:
    return evolve(DetectionBatch.of([Detection(uid)]), left_out={COUNTED: count})


def test_skipped_objects_are_a_warning_of_the_report():
    evaluator = Evaluator(["COCOSummary"], "detection")
    evaluator.update(batch("a", 2))
    evaluator.update(batch("b", 1))

    assert evaluator.compute().warnings == ("3 predictions left out: zero area",)


def test_counts_of_skipped_objects_survive_saving_and_merging(tmp_path):
    first, second = (Evaluator(["COCOSummary"], "detection") for _ in range(2))
    first.update(batch("a", 2))
    second.update(batch("b", 1))
    first.save(tmp_path / "state.npz")

    second.merge(Evaluator.load(tmp_path / "state.npz"))

    assert second.compute().warnings == ("3 predictions left out: zero area",)
