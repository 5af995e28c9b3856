from __future__ import annotations

import ast
import json
from itertools import permutations
from pathlib import Path

import pytest
import yaml

from valor_core import Evaluator, evaluate
from valor_core.schemas.classification import Classification


def test_labels_with_different_spelling_give_warning() -> None:
    items = [Classification("a", "dog", {"Dog": 1.0}), Classification("b", "cat", {"Cat": 1.0})]

    report = evaluate(items, ["Accuracy"])

    assert report["Accuracy"].value == 0
    assert report.warnings == (
        "no label has both ground truths and predictions; similar labels are counted as different: "
        "'Cat' (predicted) and 'cat' (true), 'Dog' (predicted) and 'dog' (true); "
        'if they are the same, set label_map: {"Cat": "cat", "Dog": "dog"}',
    )
    renamed = evaluate(items, ["Accuracy"], label_map={"Cat": "cat", "Dog": "dog"})
    assert (renamed["Accuracy"].value, renamed.warnings) == (1.0, ())


def accuracy(pairs: list[tuple[str, str]]) -> tuple[float, tuple[str, ...]]:
    report = evaluate([one for one, _ in pairs], [other for _, other in pairs], ["Accuracy"])
    return report["Accuracy"].value, report.warnings


def test_blank_and_capital_in_labels_give_warning() -> None:
    value, (warning,) = accuracy([("cat", "cat"), ("dog", "Dog"), ("cat ", "cat")])

    assert value == 1 / 3
    assert warning == (
        "similar labels are counted as different: 'Dog' (predicted) and 'dog' (true), "
        "'cat ' (true) and 'cat' (true, predicted); "
        'if they are the same, set label_map: {"Dog": "dog", "cat ": "cat"}'
    )


@pytest.mark.parametrize(
    ("true", "predicted", "renames"),
    [
        ("1", "1.0", {"1.0": "1"}),
        ("01", "1", {"01": "1"}),
        ("caf\u00e9", "cafe\u0301", {"cafe\u0301": "caf\u00e9"}),
        ("cat", "cat\u200b", {"cat\u200b": "cat"}),
        ("hot dog", "hot\u00a0dog", {"hot\u00a0dog": "hot dog"}),
        ("hot dog", "hot_dog", {"hot_dog": "hot dog"}),
        ("True", "true", {"true": "True"}),
        ("Gr\u00f6\u00dfe", "GR\u00d6SSE", {"GR\u00d6SSE": "Gr\u00f6\u00dfe"}),
    ],
)
def test_suggested_label_map_merges_spellings(
    true: str, predicted: str, renames: dict[str, str]
) -> None:
    pairs = [(true, predicted), ("x", "x")]

    value, (warning,) = accuracy(pairs)

    assert value == 1 / 2
    named = warning.partition("set label_map: ")[2]
    assert json.loads(named) == ast.literal_eval(named) == yaml.safe_load(named) == renames
    sides = ([one for one, _ in pairs], [other for _, other in pairs])
    report = evaluate(*sides, ["Accuracy"], label_map=renames)
    assert (report["Accuracy"].value, report.warnings) == (1.0, ())


@pytest.mark.parametrize(
    "pairs",
    [
        [("a", "A"), ("A", "a")],
        [("a", "A"), ("A", "a"), ("q", "Q")],
        [("a", "a"), ("A", "a"), ("b", "a")],
        [("1", "-1"), ("-1", "-1")],
        [("1.0", "1.1"), ("1.1", "1.0")],
        [("c", "c++"), ("c++", "c")],
        [("Cat", "dog"), ("cat", "dog"), ("dog", "dog")],
    ],
)
def test_distinct_labels_give_no_warning(pairs: list[tuple[str, str]]) -> None:
    assert accuracy(pairs)[1] == ()


def test_blanks_in_labels_give_warning() -> None:
    _, (warning,) = accuracy([("cat", "cat "), ("cat ", "cat")])

    assert "'cat ' (true, predicted) and 'cat' (true, predicted)" in warning


def test_labels_with_other_keys_suggest_list_of_pairs() -> None:
    items = [Classification("a", [("color", "Red")], {("color", "red"): 1.0})]

    (warning,) = evaluate(items, ["Accuracy"]).warnings

    renames = json.loads(warning.partition("set label_map: ")[2])
    assert renames == [[["color", "red"], ["color", "Red"]]]
    report = evaluate(items, ["Accuracy"], label_map=renames)
    assert (report["Accuracy"].value, report.warnings) == (1.0, ())


def test_label_warning_is_independent_of_split(tmp_path: Path) -> None:
    pairs = [("cat", "cat"), ("dog", "Dog"), ("cat ", "cat"), ("dog", "dog")]
    expected = accuracy(pairs)[1]
    for order in permutations(range(4)):
        first, second = Evaluator(["Accuracy"]), Evaluator(["Accuracy"])
        for place, row in enumerate(order):
            one, other = pairs[row]
            (first if place < 2 else second).update([one], [other])
        first.save(tmp_path / "first.npz")
        second.resume(tmp_path / "first.npz")
        assert second.compute().warnings == expected
    assert len(expected) == 1


def test_mapped_labels_give_no_warning() -> None:
    items = [Classification("a", "dog", {"Dog": 1.0})]

    assert evaluate(items, ["Accuracy"], label_map={"Dog": "dog"}).warnings == ()


def test_model_that_is_always_wrong_gives_no_warning() -> None:
    evaluator = Evaluator(["Accuracy"], task="classification")
    evaluator.update([Classification("a", "dog", {"cat": 1.0})])
    evaluator.update([Classification("b", "cat", {"dog": 1.0})])

    assert evaluator.compute().warnings == ()


def test_saved_state_keeps_labels(tmp_path: Path) -> None:
    first = Evaluator(["Accuracy"], task="classification")
    first.update([Classification("a", "dog", {"cat": 1.0})])
    first.save(tmp_path / "first.npz")
    second = Evaluator(["Accuracy"], task="classification")
    second.update([Classification("b", "cat", {"bee": 1.0})])

    second.resume(tmp_path / "first.npz")

    assert second.compute().warnings == ()
