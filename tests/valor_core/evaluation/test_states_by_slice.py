from __future__ import annotations

from typing import Any

from attrs import define, frozen

from valor_core import Evaluator, Registry, Result
from valor_core.evaluation.states_by_slice import StatesBySlice, by_slice
from valor_core.plugin import (
    MetricSpec,
    Range,
    State,
    StateRequest,
    hookimpl,
)
from valor_core.schemas.text import Text


@define
class Letters(State):
    count: int = 0

    def update(self, batch: Any) -> None:
        self.count += sum(len(text) for text in batch.responses if text)

    def merge(self, other: Letters) -> None:
        self.count += other.count

    def dump(self) -> dict[str, Any]:
        return {"count": self.count}

    def restore(self, content: dict[str, Any]) -> None:
        self.count = content["count"]


@frozen
class LettersByNoise:
    parameters: Any

    def needs(self) -> tuple[StateRequest, ...]:
        return (by_slice(StateRequest(Letters), "noise"),)

    def compute(self, states: StatesBySlice) -> Any:
        yield Result(value=[[where["noise"], state.count] for where, state in states.items()])


SPEC = MetricSpec(
    name="noisy.LettersByNoise",
    task="text",
    summary="Letters at each level of noise",
    implementation=f"{__name__}:LettersByNoise",
    higher_is_better=None,
    range=Range(0),
)


class Manifest:
    @staticmethod
    @hookimpl
    def valor_metrics() -> tuple[MetricSpec, ...]:
        return (SPEC,)


def evaluator(monkeypatch: Any) -> Evaluator:
    monkeypatch.setattr("valor_core.evaluation.plan.implementation", lambda spec: LettersByNoise)
    registry = Registry()
    registry.register("noisy", Manifest)
    return Evaluator(["noisy.LettersByNoise"], registry=registry)


def test_a_curve_over_noise_levels_is_one_result(monkeypatch: Any, tmp_path: Any) -> None:
    items = [
        Text(i, response="x" * i, metadata={"noise": i % 3 / 2} if i else {}) for i in range(7)
    ]
    one = evaluator(monkeypatch)
    one.update(items[:3])
    one.save(tmp_path / "state.npz")
    two = evaluator(monkeypatch)
    two.resume(tmp_path / "state.npz")
    two.update(items[3:])

    (result,) = two.compute()

    # noise 0: items 3 and 6; 0.5: 1 and 4; 1: 2 and 5; the item 0 has none
    assert result.value == [[0, 9], [0.5, 5], [1, 7], [None, 0]]
