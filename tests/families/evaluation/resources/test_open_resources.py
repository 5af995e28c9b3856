from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from valor_cli.config import fill_in

import valor_core
from valor_core.errors import (
    ForeignStateError,
)
from valor_core.plugins.registry import Registry
from valor_core.schemas.text import Text


def test_an_environment_variable_is_looked_up_again_after_a_state_is_loaded(
    mylab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORD", "dog")
    secret = fill_in({"words": ["${env:WORD}"]})
    state = tmp_path / "state.npz"
    with valor_core.Evaluator(["mylab.KnownWords"], resources={"dictionary": secret}) as first:
        first.update([Text("q1", response="cat")])
        first.save(state)

    with valor_core.Evaluator.load(state) as evaluator:
        evaluator.update([Text("q2", response="dog")])
        report = evaluator.compute()

    # the first item knew no word, the second one all
    assert report["KnownWords"].value == 0.5
    assert b"dog" not in state.read_bytes()


def test_a_state_does_not_go_on_where_the_environment_says_something_else(
    mylab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORD", "dog")
    secret = fill_in({"words": ["${env:WORD}"]})
    state = tmp_path / "state.npz"
    with valor_core.Evaluator(["mylab.KnownWords"], resources={"dictionary": secret}) as first:
        first.update([Text("q1", response="cat")])
        first.save(state)
    monkeypatch.setenv("WORD", "fish")

    with pytest.raises(ForeignStateError, match=r"made by another request, dictionary\.words"):
        valor_core.Evaluator.load(state)


@valor_core.parameters
class Voice:
    """Parameters of a voice."""

    says: str = valor_core.parameter(help="What it says.")
    log: Path | None = valor_core.parameter(default=None, help="File that notes its end.")


class Speaker:
    def __init__(self, parameters: Voice) -> None:
        self.says, self.log = parameters.says, parameters.log

    def close(self) -> None:
        if self.log is not None:
            with self.log.open("a", encoding="utf-8") as file:
                file.write(f"{self.says}\n")


class Choir:
    def __init__(self, parameters: Any, voice: Any) -> None:
        self.voice = voice


def said(item: Text, parameters: Any, resources: Any) -> float:
    return float(len("".join(one.says for one in resources["choir"].voice)))


CHOIR = valor_core.ResourceSpec(
    name="song.choir",
    summary="Voices",
    implementation=f"{__name__}:Choir",
    kinds="voice",
    several_kinds=True,
)
VOICE = valor_core.ResourceKindSpec(
    name="song.low",
    resource="song.choir",
    summary="A low voice",
    parameters=Voice,
    implementation=f"{__name__}:Speaker",
    identity=("says",),
)
SAID = valor_core.MetricSpec(
    name="song.Said",
    task="text",
    summary="Characters that all voices say",
    implementation=f"{__name__}:said",
    higher_is_better=None,
    range=valor_core.Range(0),
    per_item=True,
    resources=("choir",),
)


class Song:
    @staticmethod
    @valor_core.hookimpl
    def valor_metrics() -> list[valor_core.MetricSpec]:
        return [SAID]

    @staticmethod
    @valor_core.hookimpl
    def valor_resources() -> list[valor_core.ResourceSpec]:
        return [CHOIR]

    @staticmethod
    @valor_core.hookimpl
    def valor_resource_kinds() -> list[valor_core.ResourceKindSpec]:
        return [VOICE]


@pytest.fixture
def song() -> Registry:
    registry = Registry()
    registry.register("song", Song)
    return registry
