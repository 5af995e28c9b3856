from __future__ import annotations

from pathlib import Path

import pytest
from valor_cli.config import fill_in

import valor_core
from valor_core.errors import ForeignStateError
from valor_core.schemas.text import Text


def test_environment_variable_is_read_again_after_loading(
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


def test_state_is_rejected_if_environment_changed(
    mylab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORD", "dog")
    secret = fill_in({"words": ["${env:WORD}"]})
    state = tmp_path / "state.npz"
    with valor_core.Evaluator(["mylab.KnownWords"], resources={"dictionary": secret}) as first:
        first.update([Text("q1", response="cat")])
        first.save(state)
    monkeypatch.setenv("WORD", "fish")

    with pytest.raises(
        ForeignStateError,
        match=r"made by another request, dictionary\.words is \[\['\$\{env:WORD\}',",
    ):
        valor_core.Evaluator.load(state)
