"""Weights of items: the option, its errors, per-item metrics and states of plugins."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import define, evolve, field, frozen
from messages import refused

from valor_core import Evaluator, Registry, Text, evaluate, metric
from valor_core.errors import ConfigError, ForeignStateError, SchemaError
from valor_core.results import Result, Undefined
from valor_core.schemas import Datums
from valor_core.schemas.text.batch import TextBatch
from valor_core.specs import MetricSpec, Range
from valor_core.states import DerivedState, ExactSum, StateRequest, counted


@metric("mylab.Length", task="text", higher_is_better=None)
def length(item: Any) -> float | Undefined:
    return len(item.response) if item.response else Undefined("no response")


@metric("mylab.Letters", task="text", higher_is_better=None)
def letters(item: Any) -> dict[str, float]:
    return {letter: item.response.count(letter) for letter in "ab"}


def item(uid: str, response: str, weight: Any, **metadata: Any) -> Text:
    return Text(uid, response=response, metadata={"w": weight, **metadata})


ITEMS = [item("q1", "aab", 0.5, site=1), item("q2", "abbbbb", 2, site=2), item("q3", "a", 0)]


def test_mean_of_items_is_weighted() -> None:
    report = evaluate(ITEMS, [length, letters], weights="w")

    # (0.5 * 3 + 2 * 6 + 0 * 1) / (0.5 + 2 + 0)
    assert report["Length"].value == 13.5 / 2.5
    assert report["Letters"].value == {"a": (0.5 * 2 + 2 * 1) / 2.5, "b": (0.5 + 2 * 5) / 2.5}
    assert report.config["weights"] == "w"


def test_item_without_score_leaves_its_weight_out() -> None:
    report = evaluate([*ITEMS, item("q4", "", 100)], [length], weights="w")

    assert report["Length"].value == 13.5 / 2.5


def test_mean_of_items_of_weight_0_is_undefined() -> None:
    report = evaluate(ITEMS, [length], weights="w", slices=["site"])

    of_third = next(part for part in report.slices if part[0].slice == {"site": None})
    assert of_third[0].undefined == "no items with a score and a weight above 0"


@pytest.mark.parametrize("weights", [[1, 1, 1], np.ones(3, np.float32), [1.0, 1, np.int8(1)]])
def test_weights_of_1_give_the_mean_without_weights(weights: Any) -> None:
    batch = TextBatch.of(ITEMS)
    values = [0.1, 0.2, 0.4]

    @metric("mylab.Value", task="text", higher_is_better=None)
    def value(one: Any) -> float:
        return values[int(one.uid[1]) - 1]

    weighted = evolve(batch, datums=Datums(batch.datums.uids, {"w": weights}))
    assert evaluate(weighted, [value], weights="w").results == evaluate(batch, [value]).results


def test_weighted_mean_has_the_same_bits_for_any_split_and_order(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    items = [item(f"q{i}", "a" * int(n), w) for i, (n, w) in enumerate(random.random((99, 2)) * 9)]
    expected = evaluate(items, [length], weights="w")
    registry = Registry()
    registry.add(length)
    first, second = (Evaluator([length], weights="w", registry=registry) for _ in range(2))
    for i in random.permutation(len(items)):
        (first if i % 3 else second).update([items[i]])

    first.merge(second)
    first.save(tmp_path / "state.npz")
    loaded = Evaluator.load(tmp_path / "state.npz", registry)

    assert loaded.compute().results == expected.results
    assert loaded.compute().config["weights"] == "w"


@pytest.mark.parametrize(
    "weight", [None, "0.5", -1.0, math.nan, math.inf, 10**400, -(10**400), [1.0]]
)
def test_invalid_weight_is_reported_with_item_and_field(weight: Any) -> None:
    evaluator = Evaluator([length], weights="w")

    message = r"item 'q9': expected a finite weight of 0 or more in the metadata field 'w', found"
    with pytest.raises(SchemaError, match=message):
        evaluator.update([*ITEMS, item("q9", "a", weight)])
    assert evaluator.counted_so_far == 0


def test_weights_of_excluded_items_are_not_checked() -> None:
    items = [*ITEMS, item("q9", "a", -1)]

    assert evaluate(items, [length], weights="w", filter="w >= 0")["Length"].value == 13.5 / 2.5


def test_missing_field_of_weights_suggests_closest() -> None:
    with refused(ConfigError):
        evaluate([Text("q1", response="a", metadata={"weight": 1})], [length], weights="weigth")


def test_weights_that_are_all_0_are_reported() -> None:
    with refused(ConfigError):
        evaluate([item("q1", "a", 0), item("q2", "b", 0.0)], [length], weights="w")


def test_evaluation_without_items_needs_no_weights() -> None:
    report = evaluate(TextBatch.of([]), [length], weights="w")

    assert report["Length"].only.undefined == "no items with a score"


def test_array_of_weights_suggests_a_field() -> None:
    with refused(ConfigError):
        evaluate(ITEMS, [length], weights=[1.0, 2.0, 3.0])  # type: ignore[arg-type]


def test_states_of_other_weights_are_not_merged() -> None:
    weighted, other, plain = (
        Evaluator([length], weights="w"),
        Evaluator([length], weights="site"),
        Evaluator([length]),
    )

    for one in (other, plain):
        with pytest.raises(ForeignStateError, match="made by another request, weights is"):
            weighted.merge(one)


@define
class Sum(DerivedState):
    """Sum of the lengths of responses, weighted if items have weights."""

    total: ExactSum = counted(ExactSum)

    def update(self, batch: TextBatch, weights: Any = None) -> None:
        lengths = np.array([len(response) for response in batch.responses], float)
        self.total.add_products(lengths, np.ones(len(batch)) if weights is None else weights)


@define
class Unaware(DerivedState):
    """State that counts no weights."""

    items: int = counted(int)

    def update(self, batch: TextBatch) -> None:
        self.items += len(batch)


@define
class Divided(Sum):
    """State that counts a batch once for all slices."""

    divides = True
    lengths: list[Any] = field(factory=list)

    def update(self, batch: TextBatch, weights: Any = None) -> None:
        super().update(batch, weights)
        self.lengths = [len(one) * w for one, w in zip(batch.responses, weights, strict=True)]

    def select(self, positions: Any) -> Divided:
        part = Divided()
        part.total.add([float(self.lengths[i]) for i in positions])
        return part


@frozen
class Reading:
    """Metric that reads a state."""

    parameters: Any
    state = Sum

    def needs(self) -> tuple[StateRequest, ...]:
        return (StateRequest(self.state),)

    def compute(self, state: Any) -> Iterator[Result]:
        yield Result(value=state.total.value if isinstance(state, Sum) else state.items)


class ReadingUnaware(Reading):
    state = Unaware  # type: ignore[assignment]


class ReadingDivided(Reading):
    state = Divided


def registry_of(*names: str) -> Registry:
    registry = Registry()
    for name in names:
        registry.add(
            MetricSpec(
                name=f"mylab.{name}",
                task="text",
                summary="A sum",
                implementation=f"{__name__}:{name}",
                higher_is_better=None,
                range=Range(),
            )
        )
    return registry


def test_state_with_a_parameter_for_weights_gets_them() -> None:
    registry = registry_of("Reading", "ReadingDivided")

    report = evaluate(
        ITEMS,
        ["mylab.Reading", "mylab.ReadingDivided"],
        weights="w",
        slices=["site"],
        registry=registry,
    )
    plain = evaluate(ITEMS, ["mylab.Reading"], registry=registry)

    assert (report["Reading"].value, report["ReadingDivided"].value) == (13.5, 13.5)
    assert [[one.value for one in part] for part in report.slices] == [
        [1.5, 1.5],
        [12.0, 12.0],
        [0.0, 0.0],
    ]
    assert plain["Reading"].value == 10.0


def test_metric_of_a_state_without_weights_is_named() -> None:
    registry = registry_of("Reading", "ReadingUnaware")

    with refused(ConfigError):
        Evaluator(["mylab.Reading", "mylab.ReadingUnaware"], weights="w", registry=registry)
