"""States saved by version 0.1.0, one for each metric, load and give the same results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from valor_core import Classification, Evaluator
from valor_core.errors import StateError, VersionPinError
from valor_core.evaluation.saved import read_header
from valor_core.specs import MetricSpec, Registry

STATES = Path(__file__).parent / "states"


@pytest.mark.parametrize("state", sorted(STATES.glob("*.npz")), ids=lambda path: path.stem)
def test_state_of_0_1_gives_the_same_results(state: Path) -> None:
    if raised := _raised_versions(state):
        with pytest.raises((StateError, VersionPinError), match=raised):
            Evaluator.load(state)
        return
    recorded = json.loads(state.with_suffix(".json").read_text(encoding="utf-8"))
    loaded = _results(Evaluator.load(state))
    assert [_compared(result, like) for result, like in zip(loaded, recorded, strict=True)] == [
        _compared(like, like) for like in recorded
    ]


def test_each_state_of_0_1_is_of_a_registered_metric() -> None:
    assert len(list(STATES.glob("*.npz"))) == 106
    assert {path.stem for path in STATES.glob("*.npz")} <= {
        spec.name for spec in Registry().all(MetricSpec)
    }


def test_evaluator_that_has_counted_items_resumes_from_a_state_of_0_1() -> None:
    evaluator = Evaluator("Accuracy", "classification", slices=["weather"])
    evaluator.update([Classification("new", "cat", {"dog": 1.0})])
    evaluator.resume(STATES / "classification.Accuracy.npz")
    saved = Evaluator.load(STATES / "classification.Accuracy.npz")
    assert evaluator.state.read == 1 + saved.state.read


def test_state_saved_before_a_parameter_existed_loads_with_its_default(tmp_path: Path) -> None:
    state = _without_parameter("text.BLEU", "effective_order", tmp_path)
    evaluator = Evaluator("BLEU", "text", slices=["weather"])
    evaluator.resume(state)
    assert evaluator.state.read == 5


def test_state_saved_before_a_parameter_existed_is_rejected_with_another_value(
    tmp_path: Path,
) -> None:
    state = _without_parameter("text.BLEU", "effective_order", tmp_path)
    choice = {"name": "BLEU", "effective_order": True, "definition": "sacrebleu"}
    evaluator = Evaluator([choice], "text", slices=["weather"])
    with pytest.raises(StateError):
        evaluator.resume(state)


def _without_parameter(metric: str, parameter: str, folder: Path) -> Path:
    """Copy of a saved state whose metric lacks one parameter."""
    with np.load(STATES / f"{metric}.npz") as archive:
        arrays = dict(archive)
    header = json.loads(arrays["header"].tobytes())
    for part in ("request", "identity"):
        del header[part]["metrics"][0][parameter]
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    path = folder / "state.npz"
    np.savez(path, **arrays)
    return path


def _raised_versions(state: Path) -> str | None:
    """Part of the error where the version of the metric was raised since the state was saved."""
    (saved,) = read_header(state)["request"]["metrics"]
    spec = Registry().metric(str(saved["name"]).partition("@")[0])
    return None if saved["name"] == spec.identity else spec.name


def _results(evaluator: Evaluator) -> list[dict[str, Any]]:
    report = json.loads(evaluator.compute().to_json())
    parts = [report, *report.get("slices", ())]
    return [result for part in parts for result in part["results"]]


def _compared(result: Mapping[str, Any], like: Mapping[str, Any]) -> dict[str, Any]:
    """Parts of a result that a later version may not change: parameters may be added."""
    parameters = {name: result["parameters"].get(name) for name in like["parameters"]}
    return {"type": result["type"], "value": result["value"], "parameters": parameters}
