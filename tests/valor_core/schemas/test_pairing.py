from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from valor_core import Evaluator, evaluate
from valor_core.schemas.classification.batch import Classification, ClassificationBatch
from valor_core.schemas.label import Label
from valor_core.schemas.pairing import LabelSides

DOG, CAT, COW, BEE = (Label("class", name) for name in ("dog", "cat", "cow", "bee"))


def sides(true: set[Label], predicted: set[Label]) -> LabelSides:
    return LabelSides(true, predicted)


def test_a_label_far_behind_is_found() -> None:
    # the labels of the first hundred entries differ
    true, predicted = np.array([0] * 100 + [2]), np.array([1] * 100 + [2])

    found = LabelSides.of([DOG, CAT, COW], true, predicted)

    assert found == sides({COW}, {COW})


def test_sides_of_several_batches_meet_over_all() -> None:
    found = sides({DOG}, {CAT})
    assert not found.meet

    found.join(sides({CAT}, {BEE}))

    assert found == sides({CAT}, {CAT})
    assert found.warning is None


@pytest.mark.parametrize(("true", "predicted"), [(set(), {DOG}), ({DOG}, set()), (set(), set())])
def test_one_side_alone_is_nothing_to_warn_of(true: set[Label], predicted: set[Label]) -> None:
    assert sides(true, predicted).warning is None


def test_the_warning_names_a_few_labels_of_each_side() -> None:
    assert sides({DOG, CAT, COW, BEE}, {Label("class", "Dog")}).warning == (
        "no label is both true and predicted, true are 'bee', 'cat', 'cow' (and 1 more), "
        "predicted 'Dog'; are the labels of both sides written alike?"
    )


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


def test_a_column_for_a_label_is_a_prediction_of_it() -> None:
    batch = ClassificationBatch.from_arrays([2], [[0.5, 0.5, 0.0]])

    assert batch.label_sides.meet


def test_a_saved_state_knows_which_labels_it_has_seen(tmp_path: Path) -> None:
    first = Evaluator(["Accuracy"], task="classification")
    first.update([Classification("a", "dog", {"cat": 1.0})])
    first.save(tmp_path / "first.npz")
    second = Evaluator(["Accuracy"], task="classification")
    second.update([Classification("b", "cat", {"bee": 1.0})])

    second.resume(tmp_path / "first.npz")

    assert second.compute().warnings == ()
