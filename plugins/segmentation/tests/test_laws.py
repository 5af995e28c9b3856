"""Any split, order and way of counting the same data gives the same bits."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from cases import for_each

from valor_core import Evaluator
from valor_core.schemas.segmentation import Segmentation, SegmentationBatch

from .support import REGISTRY, results_of
from .test_conformance import PARAMETERS

METRICS = [
    {"name": name} | parameters for name, several in PARAMETERS.items() for parameters in several
]
LABELS = ["cat", "dog", "bee"]


def items_of(seed: int) -> list[Segmentation]:
    """Images of several types; some have one side, none, or masks of another label key."""
    rng = np.random.default_rng(seed)

    def image(dtype: Any, shape: tuple[int, int]) -> Any:
        return np.kron(rng.integers(0, 4, shape), np.ones((3, 5), int)).astype(dtype)

    items = []
    for i in range(9):
        shape = (int(rng.integers(1, 9)), int(rng.integers(1, 9)))
        dtype = [np.uint8, np.uint16, np.int32][i % 3]
        true = image(dtype, shape) if i % 5 else None
        predicted = image(np.uint8, shape) if i % 4 else None
        labels = [LABELS[j] for j in rng.permutation(3)]
        facts = {"weather": "rain" if i % 2 else "sun"}
        ignore = 9 if i % 3 else None
        if true is not None and ignore is not None:
            true[rng.random(true.shape) < 0.1] = ignore
        items.append(Segmentation(f"i{i}", true, predicted, labels, ignore, metadata=facts))
    masks = {("surface", "wet"): rng.random((5, 5)) < 0.5, "owl": rng.random((5, 5)) < 0.5}
    predicted, ignore = {"cat": np.eye(5) > 0}, rng.random((5, 5)) < 0.2
    items.append(
        Segmentation("masks", masks, predicted, ignore=ignore, metadata={"weather": "sun"})
    )
    return items


def counted(*batches: list[Segmentation]) -> list[dict[str, Any]]:
    data = [SegmentationBatch.of(items) for items in batches]
    return [result.to_dict() for result in results_of(data, *METRICS)]


@pytest.mark.parametrize("seed", range(3))
def test_any_order_and_split_gives_the_same_bits(seed: int) -> None:
    items = items_of(seed)
    shuffled = [items[i] for i in np.random.default_rng(seed).permutation(len(items))]
    expected = counted(items)

    assert counted(items[::-1]) == expected
    assert counted(shuffled) == expected
    assert counted(*([item] for item in shuffled)) == expected
    assert counted(items[:4], items[4:]) == expected


@pytest.mark.parametrize("seed", range(3))
def test_items_of_a_batch_give_the_batch(seed: int) -> None:
    items = items_of(seed)

    assert counted(list(SegmentationBatch.of(items).items())) == counted(items)


def keyed(seed: int, keys: dict[str, str], names: dict[str, str]) -> list[Segmentation]:
    """Masks that share no pixel, of labels under some keys."""
    rng = np.random.default_rng(seed)

    def side() -> Any:
        image = np.kron(rng.integers(0, 5, (3, 3)), np.ones((3, 3), int))
        found: dict[tuple[str, str], Any] = {}
        for value, label in enumerate(LABELS, 1):
            if rng.random() < 0.8:
                name = keys[label], names[label]
                found[name] = found.get(name, False) | (image == value)
        return found

    return [Segmentation(i, side(), side()) for i in range(6)]


@for_each("seed", range(3))
@for_each(("keys", "renamed"), [("xyz", "xxz"), ("xxy", "xyy"), ("xyx", "xxx"), ("xxx", "xyz")])
def test_a_label_map_gives_what_data_written_so_give(seed: int, keys: str, renamed: str) -> None:
    old = dict(zip(LABELS, keys, strict=True))
    new = dict(zip(LABELS, renamed, strict=True))
    names = {"cat": "cat", "dog": "cat" if seed else "dog", "bee": "bee"}
    renames = {(old[name], name): (new[name], names[name]) for name in LABELS}

    data = SegmentationBatch.of(keyed(seed, old, dict(zip(LABELS, LABELS, strict=True))))
    mapped = results_of(data, *METRICS, "PanopticQuality", label_map=renames)
    written = results_of(keyed(seed, new, names), *METRICS, "PanopticQuality")

    assert [r.to_dict() for r in mapped] == [r.to_dict() for r in written]


def test_a_metric_alone_gives_the_bits_that_it_gives_together() -> None:
    batch = SegmentationBatch.of(items_of(3))

    alone = [r.to_dict() for metric in METRICS for r in results_of(batch, metric)]
    assert alone == [r.to_dict() for r in results_of(batch, *METRICS)]


def test_slices_give_the_bits_of_their_data() -> None:
    items = items_of(4)
    with Evaluator(METRICS, "segmentation", slices=["weather"], registry=REGISTRY) as evaluator:
        evaluator.update(SegmentationBatch.of(items))
        report = evaluator.compute()

    assert [r.to_dict() for r in report.results] == counted(items)
    for part in report.slices:
        kept = [item for item in items if item.metadata["weather"] == part[0].slice["weather"]]
        assert [r.to_dict() for r in part] == counted(kept)


def test_evaluators_merge_after_pickling() -> None:
    items = items_of(5)
    left, right = (Evaluator(METRICS, "segmentation", registry=REGISTRY) for _ in range(2))
    left.update(SegmentationBatch.of(items[:4]))
    right.update(SegmentationBatch.of(items[4:]))
    whole = pickle.loads(pickle.dumps(right.state))
    whole.merge(left.state, left.evaluation.plan)

    found = left.evaluation.plan.compute(whole.merged(list(whole.states), left.evaluation.plan))
    assert [result.to_dict() for result in found] == counted(items)
