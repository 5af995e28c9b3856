from __future__ import annotations

import numpy as np
import pytest
from cases import for_each
from valor_detection.matching.candidate_pairs import Overlaps, request
from valor_detection.matching.protocols import PROTOCOLS
from valor_detection.matching.settings import Selection, selections
from valor_detection.matching.table import ImageGroups, ImageWeights, Table
from valor_detection.matching.threshold_counts import tally
from valor_detection.parameters.averages import APParameters
from valor_detection.parameters.fields import ProtocolName
from valor_testing import examples

from valor_core.schemas.detection import Detection, DetectionBatch, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box

from .support import ROW

SCORES = (0.25, 0.5, 0.0, 0.95)


def table_of(protocol: ProtocolName, *batches: DetectionBatch) -> Table:
    state: Overlaps = request((0.5, 0.75), PROTOCOLS[protocol]).open()
    for batch in batches:
        state.update(batch)
    return state.table


def selection(**parameters: object) -> Selection:
    return next(selections(APParameters(**parameters)))  # type: ignore[arg-type]


def one_by_one(table: Table, chosen: Selection, iou: float, score: float) -> tuple[object, object]:
    """Count true and false positives of every label, prediction by prediction."""
    matched = chosen.matching(table)
    counts = chosen.counts(table) & (table.objects.scores >= score)
    size = len(table.labels)
    is_matched, is_ignored = matched.at(iou)
    is_true, is_false = is_matched & ~is_ignored, ~is_matched & matched.in_range
    true = np.bincount(table.objects.labels[counts & is_true], minlength=size)
    false = np.bincount(table.objects.labels[counts & is_false], minlength=size)
    return true.tolist(), false.tolist()


@for_each("name", ["boxes", "crowds", "keys", "many", "one-sided"])
@for_each("protocol", ["coco", "ranked", "valor"])
@for_each("most", [None, 2])
def test_tally_equals_count_prediction_by_prediction(
    name: str, protocol: ProtocolName, most: int | None
) -> None:
    batches = [b for b in examples.datasets("detection")[name] if isinstance(b, DetectionBatch)]
    table = table_of(protocol, *batches)
    sizes = {"area_ranges": {"middle": [50, 1500]}, "max_detections": most, "matching": protocol}

    for chosen in (selection(matching=protocol), selection(**sizes)):
        for iou in (0.5, 0.75):
            found = tally(table, chosen, iou, SCORES)
            assert found.score_thresholds == tuple(sorted(SCORES))
            for score in SCORES:
                row = found.row(score)
                expected = one_by_one(table, chosen, iou, score)
                assert (found.tp[row].tolist(), found.fp[row].tolist()) == expected
            assert (found.tp + found.fn == found.positives).all()


@for_each("name", ["boxes", "crowds", "keys", "many", "one-sided"])
@for_each("protocol", ["coco", "ranked", "valor"])
@for_each("most", [None, 2])
def test_tally_of_a_resample_equals_count_of_its_predictions(
    name: str, protocol: ProtocolName, most: int | None
) -> None:
    batches = [b for b in examples.datasets("detection")[name] if isinstance(b, DetectionBatch)]
    table = table_of(protocol, *batches)
    random = np.random.default_rng(0)
    groups = ImageGroups(table, random.integers(0, 3, len(table.objects.uids), np.int32), 3)
    sizes = {"area_ranges": {"middle": [50, 1500]}, "max_detections": most, "matching": protocol}
    chosen = selection(**sizes)

    for weights in ([1, 1, 1], [0, 1, 1], [2, 0, 3], [0, 0, 0]):
        drawn = table.resampled(ImageWeights(groups, np.array(weights, np.int64)))
        found = tally(drawn, chosen, 0.5, SCORES)
        for score in SCORES:
            row = found.row(score)
            expected = one_by_one(drawn, chosen, 0.5, score)
            assert (found.tp[row].tolist(), found.fp[row].tolist()) == expected


@pytest.mark.parametrize("protocol", ["coco", "ranked", "valor"])
def test_tally_of_data_computed_by_hand(protocol: ProtocolName) -> None:
    # By descending score: a dog, IoU 1; c dog, none; b dog, IoU 0.6; d cat, IoU 0.75; d bee, none.
    table = table_of(protocol, DetectionBatch.of(ROW))
    scores = (0.25, 0.65, 0.75, 0.85)

    found = tally(table, selection(matching=protocol), 0.5, scores)
    assert [str(label) for label in table.labels] == ["bee", "cat", "dog"]
    assert found.tp.T.tolist() == [[0, 0, 0, 0], [1, 0, 0, 0], [2, 2, 1, 1]]
    assert found.fp.T.tolist() == [[1, 0, 0, 0], [0, 0, 0, 0], [1, 1, 1, 0]]
    assert found.fn.T.tolist() == [[0, 0, 0, 0], [0, 1, 1, 1], [2, 2, 3, 3]]
    found = tally(table, selection(matching=protocol), 0.75, scores)
    assert found.tp.T.tolist() == [[0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 1, 1]]


def test_tally_is_computed_once_for_equal_parameters() -> None:
    table = table_of("coco", DetectionBatch.of(ROW))

    one = tally(table, selection(), 0.5, (0.5, 0.25))
    assert tally(table, selection(), 0.5, (0.25, 0.5)) is one
    assert tally(table, selection(), 0.75, (0.25, 0.5)) is not one
    assert tally(table, selection(max_detections=1), 0.5, (0.25, 0.5)) is not one


@pytest.mark.parametrize("protocol", ["coco", "ranked", "valor"])
def test_limit_among_equal_scores_follows_order_of_the_protocol(protocol: ProtocolName) -> None:
    # The first prediction has an IoU of 6/10, the second one of 9/10 with the only object: the
    # first one matches under coco, which ranks by position, the second under other protocols.
    predicted = [PredictedObject({"dog": 0.5}, Box(0, 0, 10, bottom)) for bottom in (6, 9)]
    item = Detection("a", [TrueObject("dog", Box(0, 0, 10, 10))], predicted)
    table = table_of(protocol, DetectionBatch.of([item]))

    found = tally(table, selection(matching=protocol, max_detections=1), 0.5, (0.25,))

    assert (found.tp.tolist(), found.fp.tolist()) == ([[1]], [[0]])
