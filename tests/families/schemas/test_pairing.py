from __future__ import annotations

from pathlib import Path

from valor_core import Evaluator, evaluate
from valor_core.schemas.classification.batch import Classification


def test_a_report_warns_of_labels_written_otherwise() -> None:
    items = [Classification("a", "dog", {"Dog": 1.0}), Classification("b", "cat", {"Cat": 1.0})]

    report = evaluate(items, ["Accuracy"])

    assert report["Accuracy"].value == 0
    assert [warning for warning in report.warnings if "written alike" in warning] == [
        "no label is both true and predicted, true are 'cat', 'dog', predicted 'Cat', 'Dog'; "
        "are the labels of both sides written alike?"
    ]


def test_labels_that_a_map_brings_together_are_no_warning() -> None:
    items = [Classification("a", "dog", {"Dog": 1.0})]

    assert evaluate(items, ["Accuracy"], label_map={"Dog": "dog"}).warnings == ()


def test_a_model_that_is_always_wrong_is_no_warning() -> None:
    evaluator = Evaluator(["Accuracy"], task="classification")
    evaluator.update([Classification("a", "dog", {"cat": 1.0})])
    evaluator.update([Classification("b", "cat", {"dog": 1.0})])

    assert evaluator.compute().warnings == ()


def test_a_saved_state_knows_which_labels_it_has_seen(tmp_path: Path) -> None:
    first = Evaluator(["Accuracy"], task="classification")
    first.update([Classification("a", "dog", {"cat": 1.0})])
    first.save(tmp_path / "first.npz")
    second = Evaluator(["Accuracy"], task="classification")
    second.update([Classification("b", "cat", {"bee": 1.0})])

    second.resume(tmp_path / "first.npz")

    assert second.compute().warnings == ()
