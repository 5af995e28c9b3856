"""Any split, order and selection of the same data gives the same bits.

All metrics are evaluated together, with parameters of every kind.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
from attrs import evolve, fields
from valor_detection.geometry.validity import batch_of
from valor_detection.matching import candidate_pairs
from valor_detection.matching.matches import matching
from valor_detection.matching.overlap import boxes
from valor_detection.matching.protocols import COCO, RANKED
from valor_detection.matching.table import KEY
from valor_detection.metrics.average_precision import AveragePrecision
from valor_detection.parameters.averages import APParameters

from valor_core import Evaluator
from valor_core.results.results import Results
from valor_core.schemas.detection import Detection, DetectionBatch, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box

from .support import REGISTRY, predicted, results_of, true
from .test_conformance import PARAMETERS

METRICS = [
    {"name": name} | parameters for name, several in PARAMETERS.items() for parameters in several
] + [{"name": "COCOSummary"}]

AP = AveragePrecision(APParameters(iou_thresholds=(0.5, 0.75), matching="ranked"))
COLUMNS = ("datums", "labels", "annotations", "crowd", "areas", "scores")
SEEDS = range(4)
ANIMALS = ("dog", "cat", "bee", "owl")


def items_of(seed: int) -> list[Detection]:
    """Random boxes on a grid and scores in eighths, with many ties."""
    rng = np.random.default_rng(seed)

    def box() -> tuple[float, ...]:
        x, y, width, height = (rng.integers(0, 5, 4) * [5, 5, 4, 4]).tolist()
        return x, y, x + width, y + height

    def truth() -> TrueObject:
        labels = [("animal", rng.choice(ANIMALS[:3]))]
        if rng.random() < 0.3:
            labels.append(("color", "white"))
        return true(labels, *box(), is_crowd=bool(rng.random() < 0.1))

    def prediction() -> PredictedObject:
        names = rng.permutation(ANIMALS)[: rng.integers(1, 3)].tolist()
        scored = [(("animal", name), int(rng.integers(0, 9)) / 8) for name in names]
        if rng.random() < 0.3:
            scored.append((("color", str(rng.choice(["white", "black"]))), 0.5))
        return predicted(scored, *box())

    return [
        Detection(
            f"i{i}",
            [truth() for _ in range(rng.integers(0, 6))],
            [prediction() for _ in range(rng.integers(0, 12))],
            {"weather": str(rng.choice(["sun", "rain"])), "night": bool(rng.random() < 0.5)},
        )
        for i in range(12)
    ]


def plain(results: Results) -> list[dict[str, Any]]:
    return [result.to_dict() for result in results]


def counted(batches: Sequence[Any]) -> list[dict[str, Any]]:
    return plain(results_of(list(batches), *METRICS))


def of(items: Sequence[Detection]) -> DetectionBatch:
    return batch_of(items, "accept")  # a few boxes have no area


@pytest.mark.parametrize("seed", SEEDS)
def test_any_order_and_split_gives_the_same_bits(seed: int) -> None:
    items = items_of(seed)
    shuffled = [items[i] for i in np.random.default_rng(seed).permutation(len(items))]
    expected = counted([of(items)])

    assert counted([of(items[::-1])]) == expected
    assert counted([of(shuffled)]) == expected
    assert counted([of([item]) for item in shuffled]) == expected
    assert counted([of(items[:5]), of(items[5:])]) == expected


def with_gaps(side: Any) -> Any:
    """Return the same objects in columns with a stride of two elements."""
    names = set(COLUMNS) & {own.name for own in fields(type(side))}
    return evolve(side, **{name: np.repeat(getattr(side, name), 2)[::2] for name in names})


@pytest.mark.parametrize("seed", SEEDS)
def test_strided_columns_give_the_same_bits(seed: int) -> None:
    batch = of(items_of(seed))
    sides = {"groundtruths": with_gaps(batch.groundtruths)}
    sides["predictions"] = with_gaps(batch.predictions)

    assert not sides["groundtruths"].crowd.flags.c_contiguous
    assert counted([evolve(batch, **sides)]) == counted([batch])


@pytest.mark.parametrize("seed", SEEDS)
def test_metric_alone_gives_the_same_bits_as_with_others(seed: int) -> None:
    batch = of(items_of(seed))
    together = counted([batch])

    alone = [result for metric in METRICS for result in plain(results_of(batch, metric))]
    assert alone == together


@pytest.mark.parametrize("seed", SEEDS)
def test_slices_give_the_same_bits_as_their_data(seed: int) -> None:
    items = items_of(seed)
    alone = cache(lambda *uids: counted([of([item for item in items if item.uid in uids])]))
    for first in (5, 12):
        with Evaluator(
            METRICS, "detection", slices=["weather", "night"], registry=REGISTRY
        ) as counts:
            counts.update(of(items[:first]))
            counts.update(of(items[first:]))
            report = counts.compute()

        assert plain(report.results) == alone(*[item.uid for item in items])
        assert report.slices
        for part in report.slices:
            kept = [item for item in items if part[0].slice.items() <= item.metadata.items()]
            assert plain(part) == alone(*[item.uid for item in kept])


def test_slice_reads_its_matches_from_all_images(monkeypatch: pytest.MonkeyPatch) -> None:
    items, request = items_of(0), candidate_pairs.request((0.5,), COCO)
    whole, part, alone = request.open(), request.open(), request.open()
    whole.update(of(items))
    part.update(of(items[:6]))
    alone.update(of(items[:6]))
    expected = np.array(matching(alone.table, COCO).at(0.5)).tolist()
    matching(whole.table, COCO).prepare()
    monkeypatch.delattr("valor_detection.matching.matches.kernels.match_coco")

    found = matching(part.within(whole).table, COCO)

    assert np.array(found.at(0.5)).tolist() == expected
    assert part.table.whole is None  # nothing is written to the state itself


def test_pairs_are_computed_once_for_all_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    items, sizes = items_of(0), []
    pair = boxes.kernels.box_pairs

    def paired(*arguments: Any) -> Any:
        sizes.append(len(arguments[4]))
        return pair(*arguments)

    monkeypatch.setattr(boxes.kernels, "box_pairs", paired)
    evaluator = Evaluator(["COCOSummary"], "detection", slices=["weather"], registry=REGISTRY)
    evaluator.update(of(items))

    assert sizes == [len(of(items).predictions)]
    assert len(evaluator.compute().slices) == 2
    assert sizes.count(len(of(items).predictions)) == 1


@pytest.mark.parametrize("seed", SEEDS)
def test_divided_state_equals_state_of_its_images(seed: int) -> None:
    batch, request = of(items_of(seed)), candidate_pairs.request((0.5, 0.75), RANKED, scope=KEY)
    whole, alone = request.open(), request.open()
    positions = np.array([1, 4, 5, 11])
    whole.update(batch)
    alone.update(batch.select(positions))
    part = whole.select(positions)
    back = pickle.loads(pickle.dumps(part))
    copied = whole.select(positions)
    copied.detach()

    for one in (part, back, copied):
        own, expected = one.dump(), alone.dump()
        assert own["labels"] == expected["labels"]
        for name, column in expected["chunk"].items():
            assert np.array_equal(own["chunk"][name], column)
        assert plain(Results(AP.compute(one))) == plain(Results(AP.compute(alone)))


def test_divided_state_can_be_updated() -> None:
    items, request = items_of(0), candidate_pairs.request((0.5,), COCO)
    whole = request.open()
    whole.update(of(items[:6]))
    before = whole.table.labels, len(whole.table.objects.scores)

    part = whole.select(np.array([0, 2]))
    part.update(DetectionBatch.of([Detection("new", [TrueObject("zebra", Box(0, 0, 1, 1))])]))

    assert part.table.objects.uids.tolist() == ["i0", "i2", "new"]
    assert (whole.table.labels, len(whole.table.objects.scores)) == before
    assert "zebra" not in [label.value for label in whole.vocabulary.labels]


def test_merged_parts_equal_the_divided_state() -> None:
    batch, request = of(items_of(0)), candidate_pairs.request((0.5,), COCO)
    whole, merged = request.open(), request.open()
    whole.update(batch)
    for positions in (np.arange(1, 12, 2), np.arange(0, 12, 2)):
        merged.merge(whole.select(positions))

    assert merged.table.objects.scores.tolist() == whole.table.objects.scores.tolist()
    assert merged.chunks == whole.chunks  # nothing was copied


def test_images_missing_in_the_other_state_are_matched_alone() -> None:
    items, request = items_of(0), candidate_pairs.request((0.5,), COCO)
    other, part = request.open(), request.open()
    other.update(of(items[:6]))
    part.update(of(items[5:]))

    assert part.within(other).table.whole is None


@pytest.mark.parametrize("seed", SEEDS)
def test_evaluators_merge_after_pickling(seed: int) -> None:
    items = items_of(seed)
    left, right = (Evaluator(METRICS, "detection", registry=REGISTRY) for _ in range(2))
    left.update(of(items[:4]))
    right.update(of(items[4:]))
    whole = pickle.loads(pickle.dumps(right.state))
    whole.merge(left.state, left.evaluation.plan)

    found = left.evaluation.plan.compute(whole.merged(list(whole.states), left.evaluation.plan))
    assert [result.to_dict() for result in found] == counted([of(items)])
