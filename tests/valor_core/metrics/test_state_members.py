from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from attrs import define, frozen

import valor_core
from valor_core import Result, Text, TextBatch
from valor_core.results import ItemRow, ItemRows
from valor_core.specs import MetricSpec, Range
from valor_core.states import DerivedState, State, StateRequest, counted

ITEMS = [Text("q1", response="a b"), Text("q2", response="c")]


class Unwritten(State):
    count = 0


@define
class Weighted(DerivedState):
    items: int = counted(int)

    def update(self, batch: TextBatch, weights: Any = None) -> None:
        assert weights is None
        self.items += len(batch)


@define
class WeightedOnly(DerivedState):
    items: int = counted(int)

    def update(self, batch: TextBatch, weights: Any) -> None:  # type: ignore[override]
        self.items += len(batch)


@define
class Lengths(DerivedState):
    lengths: dict[str, int] = counted(dict)

    def update(self, batch: TextBatch) -> None:
        for item in batch.items():
            self.lengths[str(item.uid)] = len(item.response or "")

    @property
    def item_rows(self) -> ItemRows:
        return ItemRows.of(ItemRow(uid, float(n)) for uid, n in sorted(self.lengths.items()))


@frozen
class Count:
    parameters: Any
    state: type[State] = Weighted

    def needs(self) -> tuple[StateRequest, ...]:
        return (StateRequest(self.state),)

    def compute(self, state: Any) -> Iterator[Result]:
        yield Result(value=sum(state.lengths.values()) if self.state is Lengths else state.items)


def of_unwritten(parameters: Any) -> Count:
    return Count(parameters, Unwritten)


def of_weighted_only(parameters: Any) -> Count:
    return Count(parameters, WeightedOnly)


def of_lengths(parameters: Any) -> Count:
    return Count(parameters, Lengths)


def spec(implementation: str) -> MetricSpec:
    return MetricSpec(
        name="mylab.Count",
        task="text",
        summary="Count",
        implementation=f"{__name__}:{implementation}",
        higher_is_better=None,
        range=Range(0),
    )


def test_report_names_method_that_state_does_not_define() -> None:
    report = valor_core.evaluate(ITEMS, [spec("of_unwritten")])

    assert report["Count"].only.error == (
        "update: NotImplementedError: Unwritten: expected a definition of update(batch), found none"
    )


@pytest.mark.parametrize(
    ("call", "member"),
    [
        (lambda state: state.merge(Unwritten()), "merge(other)"),
        (lambda state: state.dump(), "dump()"),
        (lambda state: state.restore({}), "restore(content)"),
        (lambda state: state.select(np.array([0])), "select(positions)"),
    ],
    ids=["merge", "dump", "restore", "select"],
)
def test_error_names_class_and_member_that_it_does_not_define(call: Any, member: str) -> None:
    with pytest.raises(NotImplementedError) as caught:
        call(Unwritten())

    assert str(caught.value) == f"Unwritten: expected a definition of {member}, found none"


def test_state_that_accepts_weights_counts_items_without_weights() -> None:
    assert valor_core.evaluate(ITEMS, [spec("Count")])["Count"].value == 2


def test_state_that_requires_weights_fails_with_missing_argument() -> None:
    report = valor_core.evaluate(ITEMS, [spec("of_weighted_only")])

    error = report["Count"].only.error
    assert error is not None
    assert "update: TypeError" in error
    assert "missing 1 required positional argument: 'weights'" in error


def test_report_includes_rows_of_state_on_request() -> None:
    report = valor_core.evaluate(ITEMS, [spec("of_lengths")], items=True)

    (table,) = report.items
    assert [(row.uid, row.value) for row in table.rows] == [("q1", 3.0), ("q2", 1.0)]
    assert valor_core.evaluate(ITEMS, [spec("Count")], items=True).items == ()
