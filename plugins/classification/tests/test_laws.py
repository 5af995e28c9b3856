"""Any split, order, layout and way of counting the same data gives the same bits.

All metrics are counted together, with parameters of every kind, over data that mix score matrices
and lists, float32 and float64, and several label keys.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from valor_classification.readers.arrays import from_arrays, from_predicted

from valor_core import Evaluator
from valor_core.evaluation import Plan
from valor_core.evaluation.bound_metric import bind_metrics
from valor_core.results.results import Results
from valor_core.schemas import Datums, Label
from valor_core.schemas.classification import (
    Classification,
    ClassificationBatch,
    ScoreList,
    ScoreMatrix,
)

from .support import REGISTRY, results_of
from .test_conformance import PARAMETERS

METRICS = [
    {"name": name} | parameters for name, several in PARAMETERS.items() for parameters in several
] + [{"name": "LogLoss"}]

SEEDS = range(4)


def matrix_batch(rng: Any, prefix: str, dtype: Any, *, key: str = "animal") -> ClassificationBatch:
    names = rng.permutation(["dog", "cat", "bee", "ant"])[:3].tolist()
    truths = [*names, "owl"]
    return ClassificationBatch(
        Datums([f"{prefix}{i}" for i in range(9)], {"weather": rng.choice(["sun", "rain"], 9)}),
        [Label(key, name) for name in truths],
        np.arange(9),
        rng.integers(0, 4, 9),
        ScoreMatrix((rng.integers(0, 9, (9, 3)) / 8).astype(dtype), [0, 1, 2]),
    )


def list_batch(rng: Any, prefix: str, dtype: Any) -> ClassificationBatch:
    items = []
    for i in range(8):
        animals = rng.permutation(["dog", "cat", "bee", "owl"])[: rng.integers(0, 4)].tolist()
        colours = rng.permutation(["white", "black"])[: rng.integers(0, 3)].tolist()
        listed = [("animal", name) for name in animals] + [("colour", name) for name in colours]
        truths = [("animal", "dog")] * int(rng.random() < 0.6)
        truths += [("colour", name) for name in ("white", "black") if rng.random() < 0.5]
        scored = [(label, int(rng.integers(0, 9)) / 8) for label in listed]
        items.append(
            Classification(f"{prefix}{i}", truths, scored, {"weather": rng.choice(["sun", "fog"])})
        )
    batch = ClassificationBatch.of(items)
    scores = batch.scores
    assert isinstance(scores, ScoreList)
    return ClassificationBatch(
        batch.datums,
        batch.labels,
        batch.truth_datums,
        batch.truth_labels,
        ScoreList(scores.datums, scores.labels, scores.values.astype(dtype)),
    )


def mixed(seed: int) -> list[ClassificationBatch]:
    """Eighths, so that float32 and float64 hold the same scores and tie with each other."""
    rng = np.random.default_rng(seed)
    return [
        matrix_batch(rng, "a", np.float64),
        list_batch(rng, "b", np.float32),
        matrix_batch(rng, "c", np.float32),
        matrix_batch(rng, "d", np.float64, key="colour"),
        list_batch(rng, "e", np.float64),
    ]


def evaluator(metrics: Sequence[Any] = METRICS, **options: Any) -> Evaluator:
    return Evaluator(metrics, "classification", registry=REGISTRY, **options)


def counted(batches: Sequence[ClassificationBatch], **options: Any) -> Evaluator:
    one = evaluator(**options)
    for batch in batches:
        one.update(batch)
    return one


def results(batches: Sequence[ClassificationBatch], **options: Any) -> Results:
    return counted(batches, **options).compute().results


def pieces(batch: ClassificationBatch, rng: Any) -> list[ClassificationBatch]:
    """A batch in random pieces with its items in random order."""
    order: NDArray[np.int64] = rng.permutation(len(batch))
    cuts = np.sort(rng.integers(0, len(batch) + 1, rng.integers(0, 4)))
    return [batch.select(part) for part in np.split(order, cuts)]


@pytest.mark.parametrize("seed", SEEDS)
def test_any_split_and_order_gives_the_same_results(seed: int) -> None:
    rng = np.random.default_rng([seed, 1])
    batches = mixed(seed)
    parts = [part for batch in batches for part in pieces(batch, rng)]

    shuffled = [parts[i] for i in rng.permutation(len(parts))]

    assert results(shuffled) == results(batches)


@pytest.mark.parametrize("seed", SEEDS)
def test_any_tree_of_merges_gives_the_same_results(seed: int) -> None:
    rng = np.random.default_rng([seed, 2])
    batches = mixed(seed)
    trees = [counted([part]) for batch in batches for part in pieces(batch, rng)]

    while len(trees) > 1:
        mine, theirs = rng.permutation(len(trees))[:2]
        trees[mine].merge(trees[theirs])
        del trees[theirs]

    assert trees[0].compute().results == results(batches)


@pytest.mark.parametrize("seed", SEEDS)
def test_report_does_not_change_when_counting_continues(seed: int) -> None:
    batches = mixed(seed)
    one = counted(batches[:3])
    early = one.compute()  # its large values are made when they are read
    for batch in batches[3:]:
        one.update(batch)
    one.compute()

    assert early == counted(batches[:3]).compute()


@pytest.mark.parametrize("seed", SEEDS)
def test_states_go_on_after_pickling_and_after_saving(seed: int, tmp_path: Path) -> None:
    batches = mixed(seed)
    half = counted(batches[:3])
    wanted = results(batches)

    half.save(tmp_path / "half.npz")
    resumed = evaluator()
    resumed.resume(tmp_path / "half.npz")
    pickled = evaluator()
    pickled.state.absorb(pickle.loads(pickle.dumps(half.state)))

    assert resumed.compute() == half.compute()
    for one in (resumed, pickled):
        for batch in batches[3:]:
            one.update(batch)
        assert one.compute().results == wanted


@pytest.mark.parametrize("seed", SEEDS[:2])
def test_a_metric_alone_equals_the_metric_among_all(seed: int) -> None:
    batches = mixed(seed)

    together = list(results(batches))
    alone = [result for metric in METRICS for result in results(batches, metrics=[metric])]

    assert alone == together


@pytest.mark.parametrize("seed", SEEDS[:2])
def test_the_layout_and_the_float_type_of_the_same_scores_change_nothing(seed: int) -> None:
    batches = mixed(seed)
    metrics = [metric for metric in METRICS if metric["name"] != "LogLoss"]

    as_lists = [ClassificationBatch.of(batch.items()) for batch in batches]

    assert results(as_lists, metrics=metrics) == results(batches, metrics=metrics)


@pytest.mark.parametrize("seed", SEEDS)
def test_slice_equals_the_evaluation_of_its_items_for_all_batches(seed: int) -> None:
    rng = np.random.default_rng([seed, 3])
    batches = mixed(seed)
    parts = [part for batch in batches for part in pieces(batch, rng)]

    whole = counted(batches, slices=["weather"]).compute()
    split = counted(parts, slices=["weather"]).compute()

    assert split.slices == whole.slices
    assert split.results == whole.results == results(batches)
    for weather in ("sun", "rain", "fog"):
        filtered = results(batches, filter=f"weather == {weather!r}")
        assert list(whole.slice(weather=weather)) == list(filtered)


def test_slices_and_a_filter_that_empties_a_batch() -> None:
    dog, cat = Label("class", "dog"), Label("class", "cat")
    items = [
        Classification("a", [dog], [(dog, 1.0)], {"weather": "sun"}),
        Classification("b", [cat], [(dog, 1.0)], {"weather": "rain"}),
    ]
    one = evaluator(["Counts"], slices=["weather"], filter="weather == 'sun'")

    for item in items:
        one.update([item])

    report = one.compute()
    assert [part[0].slice for part in report.slices] == [{"weather": "sun"}]
    assert list(report.slice(weather="sun")) == list(report.results)


def test_a_label_of_no_item_that_takes_part_is_not_reported() -> None:
    batch = from_predicted(["dog", "cat"], ["dog", "bee"], uids=["a", "b"])

    found = results_of(batch, "Counts", filter="uid == 'a'")

    assert [result.parameters["label"] for result in found] == ["dog"]


def test_a_matrix_of_no_columns_lists_nothing() -> None:
    empty = ScoreMatrix(np.empty((2, 0)), [])
    batch = ClassificationBatch(Datums(["a", "b"]), [Label("class", "dog")], [0, 1], [0, 0], empty)

    found = results(
        [batch], metrics=[metric for metric in METRICS if metric["name"] != "ConfusionMatrix"]
    )

    assert found["Counts"].find(hardmax=True).value == {"tp": 0, "fp": 0, "fn": 2, "tn": 0}
    assert [result.error for result in found if result.error] == []


def test_a_state_merged_with_itself_has_everything_twice() -> None:
    plan = Plan.of(bind_metrics(METRICS, REGISTRY, "classification"), REGISTRY)
    states = plan.new_states()
    for batch in mixed(0):
        plan.count({(): states}, batch, [((), np.arange(len(batch)))], {})
    first, second = (pickle.loads(pickle.dumps(states)) for _ in range(2))

    for state, one, other in zip(states, first, second, strict=True):
        state.merge(state)
        one.merge(other)

    assert plan.compute(states) == plan.compute(first)


def test_the_order_of_columns_in_memory_changes_nothing() -> None:
    rng = np.random.default_rng(9)
    scores = rng.random((50, 30))
    scores /= scores.sum(axis=1, keepdims=True)
    truths = rng.integers(0, 30, 50)

    by_rows = from_arrays(truths, scores)
    by_columns = from_arrays(truths, np.asfortranarray(scores))

    assert results([by_columns]) == results([by_rows])
    assert results([by_rows.select(np.array([i])) for i in range(50)]) == results([by_rows])


def test_counting_in_processes_gives_the_same_results() -> None:
    batches = mixed(0)

    found = results_of(batches, *METRICS, engine={"name": "local", "workers": 2})

    assert found == results(batches)
