from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

import pytest
from attrs import frozen

from valor_core import Text, metric
from valor_core.errors import ManifestError, SchemaError
from valor_core.evaluation import Evaluator
from valor_core.schemas import Batch, Codes, Datum, Datums, Label
from valor_core.schemas.text.batch import TextBatch
from valor_core.specs import TaskSpec, hookimpl
from valor_core.specs.registry import Registry


@frozen
class Names(Batch):
    """Minimal batch of a plugin."""

    task: ClassVar[str] = "names"

    datums: Datums

    @classmethod
    def of(cls, items: Iterable[Datum]) -> Names:
        return cls(Datums.of(items))

    def select(self, positions: Codes) -> Names:
        return Names(self.datums.select(positions))

    def items(self) -> Iterator[Datum]:
        return map(self.datums.at, range(len(self)))


def test_minimal_batch_has_no_labels_and_both_sides() -> None:
    batch = Names.of([Datum("a"), Datum("b")])

    assert (len(batch), batch.labels, batch.left_out, batch.first_left_out) == (2, (), {}, {})
    assert batch.sides == {"both"}
    assert batch.label_sides.warning is None


def test_renumber_changes_only_datums() -> None:
    batch = Names(Datums.numbers(2)).renumber(5)

    assert batch.datums.uids.tolist() == [5, 6]


def test_label_map_is_rejected_without_labels() -> None:
    batch = Names.of([Datum("a")])

    assert batch.relabel({}) is batch
    with pytest.raises(
        SchemaError, match="label_map: expected none, items of names have no labels"
    ):
        batch.relabel({Label("class", "a"): Label("class", "b")})


def test_evaluator_accepts_batches_and_items() -> None:
    @metric("mylab.Length", task="text", higher_is_better=None)
    def length(item: Text) -> float:
        return len(item.response or "")

    evaluator = Evaluator(metrics=[length], task="text")
    with pytest.raises(SchemaError, match="data: expected a batch of text, got one of names"):
        evaluator.update(Names.of([Datum("a")]))


class Manifest:
    @hookimpl
    def valor_tasks(self) -> list[TaskSpec]:
        return [
            TaskSpec(
                name="mylab.names", summary="", implementation="builtins:dict", item="builtins:dict"
            )
        ]


def test_task_implementation_must_be_a_batch() -> None:
    registry = Registry()
    registry.register("mylab", Manifest())

    with pytest.raises(
        ManifestError, match=r"mylab\.names: expected a class of valor_core\.schemas\.Batch as"
    ):
        registry.batch_class("names")


def test_lacks_requires_may_lack() -> None:
    assert TextBatch.may_lack
    with pytest.raises(NotImplementedError):
        Names.of([Datum("a")]).lacks("response")
