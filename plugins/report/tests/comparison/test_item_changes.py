"""Items that are broken, fixed or wrong in both reports, better or worse, with their answers."""

from __future__ import annotations

from typing import Any

from valor_report import compare
from valor_report.comparison.item_changes import MOST_LISTED, Prediction
from valor_report.comparison.side_by_side import changed_words, item_pairs

from valor_core import Registry, Report, Result
from valor_core.results import ItemRow
from valor_core.results.report import ItemTable

ACCURACY, LOSS = "classification.Accuracy@2", "classification.LogLoss@2"
REGISTRY = Registry()


def report(values: dict[Any, float], details: Any = None, metric: str = ACCURACY) -> Report:
    rows = [
        ItemRow(uid, value, {} if details is None else details(uid, value))
        for uid, value in values.items()
    ]
    name = metric.partition("@")[0]
    mean = sum(values.values()) / len(values)
    result = Result(type=name.rpartition(".")[2], metric=metric, value=mean)
    table = ItemTable(metric, {}, rows)
    return Report(results=[result], items=(table,), counts={"read": len(values)})


def changes(first: Report, second: Report) -> Any:
    found = compare(first, second, registry=REGISTRY)
    assert found.items is not None
    return found.items


def outcomes(found: Any) -> list[tuple[Any, str]]:
    return [(row.uid, row.outcome) for row in found.rows]


def test_items_are_broken_fixed_or_wrong_in_both_by_right_and_wrong_values() -> None:
    found = changes(
        report({"a": 1, "b": 1, "c": 0, "d": 0, "e": 1}),
        report({"a": 1, "b": 0, "c": 1, "d": 0, "e": 0}),
    )

    assert outcomes(found) == [
        ("b", "broken"),
        ("e", "broken"),
        ("c", "fixed"),
        ("d", "wrong in both"),
    ]
    assert found.counts == {"broken": 2, "fixed": 1, "wrong in both": 1}
    assert (found.title, found.items) == ("Accuracy", 5)


def test_graded_items_are_better_or_worse_by_largest_change() -> None:
    found = changes(
        report({"a": 0.5, "b": 0.5, "c": 0.5, "d": 0.5}),
        report({"a": 0.25, "b": 0.0, "c": 0.75, "d": 0.5}),
    )

    assert outcomes(found) == [("b", "worse"), ("a", "worse"), ("c", "better")]
    assert found.rows[0].first.value == 0.5
    assert found.rows[0].second.value == 0.0


def test_lower_loss_of_an_item_is_better() -> None:
    found = changes(
        report({"a": 0.5, "b": 2.0}, metric=LOSS), report({"a": 1.5, "b": 1.5}, metric=LOSS)
    )

    assert outcomes(found) == [("a", "worse"), ("b", "better")]


def test_rows_have_truth_predictions_scores_errors_and_slices() -> None:
    def details(label: str) -> Any:
        return lambda uid, value: {
            "truth": "cat",
            "prediction": label,
            "score": 0.75,
            "wrong": "" if label == "cat" else f"predicted {label}, true cat",
            "slices": {"light": "dusk"},
        }

    found = changes(report({"x": 1.0}, details("cat")), report({"x": 0.0}, details("dog")))

    (row,) = found.rows
    assert (row.uid, row.outcome, row.truth, row.slices) == ("x", "broken", "cat", "light dusk")
    assert row.first == Prediction(1.0, "cat", 0.75, "")
    assert row.second == Prediction(0.0, "dog", 0.75, "predicted dog, true cat")
    assert found.to_dict()["rows"][0]["second"]["text"] == "dog"


def test_details_of_other_metrics_complete_those_of_the_first() -> None:
    def with_truth(value: float, label: str) -> Report:
        plain = report({"x": value})
        other = report({"x": value}, lambda *_: {"truth": "cat", "prediction": label}, LOSS)
        return Report(
            results=[*plain.results, *other.results],
            items=(*plain.items, *other.items),
            counts={"read": 1},
        )

    (row,) = changes(with_truth(1.0, "cat"), with_truth(0.0, "dog")).rows

    assert (row.truth, row.first.text, row.second.text) == ("cat", "cat", "dog")


def test_numbers_of_objects_are_listed_with_their_labels() -> None:
    def objects(count: int) -> Any:
        return lambda *_: {"truth": {"car": 2, "bus": 1}, "prediction": {"car": count}}

    (row,) = changes(report({1: 0.5}, objects(1)), report({1: 0.75}, objects(2))).rows

    assert (row.truth, row.second.text) == ("2 car, 1 bus", "2 car")


def test_shares_of_an_image_are_in_percent() -> None:
    def shares(share: float) -> Any:
        return lambda *_: {"truth": {"sky": 0.25}, "prediction": {"sky": share, "tree": 0.000233}}

    (row,) = changes(report({1: 0.5}, shares(0.125)), report({1: 0.75}, shares(0.25))).rows

    assert (row.truth, row.first.text) == ("25 % sky", "12.5 % sky, 0.0233 % tree")


def test_truths_that_differ_are_both_named() -> None:
    def true(label: str) -> Any:
        return lambda *_: {"truth": label, "prediction": "8"}

    (row,) = changes(report({1: 0.0}, true("9")), report({1: 1.0}, true("8"))).rows

    assert row.truth == "9, then 8"


def test_long_lists_keep_the_counts_of_all_items() -> None:
    count = MOST_LISTED + 50
    found = changes(report(dict.fromkeys(range(count), 1)), report(dict.fromkeys(range(count), 0)))

    assert len(found.rows) == MOST_LISTED
    assert found.counts["broken"] == count


def test_items_to_look_at_are_two_losses_for_each_gain() -> None:
    values = {uid: uid % 2 for uid in range(60)}
    found = changes(report(values), report({uid: 1 - value for uid, value in values.items()}))

    shown = [row.outcome for row in found.most_changed(12)]
    assert (shown.count("broken"), shown.count("fixed")) == (8, 4)
    few = changes(report({"a": 1, **dict.fromkeys("bcd", 0)}), report(dict.fromkeys("abcd", 0)))
    assert [row.outcome for row in few.most_changed(3)] == ["broken", *["wrong in both"] * 2]


def test_long_texts_are_side_by_side_with_changed_words() -> None:
    def said(text: str) -> Any:
        return lambda *_: {"truth": "The bridge is closed.", "prediction": text}

    before = "The council voted to close the harbour bridge for eleven weeks."
    after = "The council voted to open the harbour bridge for eleven days."
    found = compare(
        report({"x": 0.75}, said(before)), report({"x": 0.5}, said(after)), registry=REGISTRY
    )

    (pair,) = item_pairs(found, ["a", "b"])
    marked = [[piece.text for piece in side.pieces if piece.meaning] for side in pair.sides]
    assert marked == [["close", "weeks"], ["open", "days"]]
    assert "".join(piece.text for piece in pair.sides[1].pieces) == after
    assert pair.sides[0].about == "0.7500"


def test_short_answers_are_only_in_the_table() -> None:
    found = compare(
        report({"x": 1.0}, lambda *_: {"prediction": "cat"}),
        report({"x": 0.0}, lambda *_: {"prediction": "dog"}),
        registry=REGISTRY,
    )

    assert item_pairs(found, ["a", "b"]) == []


def test_very_long_texts_are_not_marked() -> None:
    text = "word " * 4_000

    before, after = changed_words(text, f"{text}more")

    assert [piece.meaning for piece in (*before, *after)] == [None, None]
