"""Leaderboards of several reports."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from valor_report.comparison import rank_reports

from valor_core import Registry, Report, Result, Text, evaluate

REGISTRY = Registry()


def classifier(right: int, count: int = 60, **options: Any) -> Report:
    """Evaluate a classifier that has the first items right."""
    truth = ["cat", "dog"] * (count // 2)
    other = {"cat": "dog", "dog": "cat"}
    found = [one if at < right else other[one] for at, one in enumerate(truth)]
    return evaluate(truth, found, ["Accuracy"], items=True, **options)


def test_difference_to_the_best_has_an_interval_and_a_p_value_of_all_pairs() -> None:
    reports = {"small": classifier(20), "large": classifier(52), "medium": classifier(50)}

    (board,) = rank_reports(reports, registry=REGISTRY).boards

    rows = {row.name: row for row in board.rows}
    assert [row.name for row in board.rows] == ["large", "medium", "small"]
    assert rows["small"].difference == pytest.approx(-32 / 60)
    # 32 items are right in one report only: McNemar's p is 2 / 2**32, times 3 pairs.
    assert rows["small"].p == pytest.approx(3 * 2 / 2**32)
    low, high = rows["small"].difference_interval or (0, 0)
    assert low < -32 / 60 < high < 0
    # 2 such items: p is 0.5, and that of the third pair is smaller.
    assert rows["medium"].p == pytest.approx(0.5)
    assert [row.verdict for row in board.rows] == ["may be best", "may be best", "worse"]
    assert [row.ranks for row in board.rows] == [(1, 2), (1, 2), (3, 3)]
    assert not board.is_clear


def test_answer_names_the_best_report_and_whether_that_may_be_chance() -> None:
    clear = rank_reports({"a.json": classifier(20), "b.json": classifier(52)}, registry=REGISTRY)
    noise = rank_reports({"a.json": classifier(51), "b.json": classifier(52)}, registry=REGISTRY)
    even = rank_reports({"a.json": classifier(51), "b.json": classifier(51)}, registry=REGISTRY)

    assert str(clear.answer) == "b is best in 1 of 1 main number, in 1 beyond chance."
    assert str(noise.answer) == "b is best in 1 of 1 main number, in none beyond chance."
    assert str(even.answer) == "All reports have the same 1 main number."


def test_lowest_loss_is_best() -> None:
    def loss(value: float) -> Report:
        return Report(
            results=[Result(type="LogLoss", metric="classification.LogLoss@2", value=value)]
        )

    found = rank_reports({"a": loss(0.5), "b": loss(0.25), "c": loss(0.75)}, registry=REGISTRY)

    (board,) = found.boards
    assert [(row.name, row.rank, row.difference) for row in board.rows] == [
        ("b", 1, 0.0),
        ("a", 2, 0.25),
        ("c", 3, 0.5),
    ]
    assert "no test says whether that is chance" in str(found.answer)
    assert "valor rerun REPORT --confidence 0.95" in found.remarks[0]


def test_reports_of_other_items_are_ranked_without_tests() -> None:
    found = rank_reports({"a": classifier(20), "b": classifier(52, 80)}, registry=REGISTRY)

    assert found.items == "60, 80 items; each number is of all items of its report"
    assert found.remarks[0] == "not comparable: a, then b: data: 60 items, then 80"
    assert str(found.answer).endswith(", but not comparable: a, then b: data: 60 items, then 80.")
    assert not found.boards[0].is_tested


def test_reports_with_intervals_have_intervals_of_values_and_differences() -> None:
    reports = {name: classifier(right, confidence=0.95) for name, right in (("a", 30), ("b", 55))}

    (board,) = rank_reports(reports, registry=REGISTRY).boards

    for row in board.rows:
        low, high = row.interval or (0, 0)
        assert low < row.value < high


@pytest.mark.parametrize("count", [2, 3, 10])
def test_leaderboard_is_saved_in_all_formats(count: int, tmp_path: Path) -> None:
    reports = {f"<model> {at}": classifier(20 + 4 * at) for at in range(count)}
    found = rank_reports(reports, registry=REGISTRY)
    for suffix in ("html", "md", "json", "csv"):
        found.save(tmp_path / f"board.{suffix}")

    page, text, record, table = (
        (tmp_path / f"board.{suffix}").read_text(encoding="utf-8")
        for suffix in ("html", "md", "json", "csv")
    )
    assert "<model>" not in page
    assert len(re.findall(r'<th scope="row">&lt;model&gt; \d', page)) == 2 * count
    assert f"Leaderboard of {count} reports" in text
    best = f"<model> {count - 1}"
    assert json.loads(record)["boards"][0]["rows"][0]["report"] == best
    rows = list(csv.DictReader(io.StringIO(table)))
    assert (len(rows), rows[0]["report"], rows[0]["rank"]) == (count, best, "1")
    assert "<model>" not in text.replace("&lt;", "<").replace("<model>", "", text.count("&lt;"))


def test_number_that_a_report_lacks_is_not_ranked() -> None:
    full = evaluate(["a", "b"] * 9, ["a", "a"] * 9, ["Accuracy", "F1"], items=True)
    less = evaluate(["a", "b"] * 9, ["a", "b"] * 9, ["Accuracy"], items=True)

    found = rank_reports({"full": full, "less": less}, registry=REGISTRY)

    assert [board.title for board in found.boards] == ["Accuracy"]


def test_items_on_which_reports_differ_have_the_answer_of_each() -> None:
    reports = {"small": classifier(1, 4), "medium": classifier(2, 4), "large": classifier(3, 4)}

    found = rank_reports(reports, registry=REGISTRY).differing

    assert found is not None
    # Item 0 is right in all, item 3 wrong in all.
    assert [(row.uid, row.outcome) for row in found.rows] == [
        (2, "wrong in 2 of 3"),
        (1, "wrong in 1 of 3"),
    ]
    assert (found.differing, found.items, found.title) == (2, 4, "Accuracy")


def test_reports_of_other_items_have_no_items_in_common() -> None:
    reports = {"a": classifier(20), "b": classifier(52, 80)}

    assert rank_reports(reports, registry=REGISTRY).differing is None


def test_items_of_graded_numbers_begin_with_the_largest_difference() -> None:
    def texts(*responses: str) -> Report:
        items = [Text(at, response=one, references="p q r s") for at, one in enumerate(responses)]
        return evaluate(items, ["text.TokenF1"], items=True)

    reports = {
        "a": texts("p q r s", "p q r s", "x"),
        "b": texts("p q", "p q r s", "x"),
        "c": texts("p q r s", "x", "x"),
    }
    found = rank_reports(reports, registry=REGISTRY).differing

    assert found is not None
    assert [(row.uid, row.outcome) for row in found.rows] == [(1, "1.0000"), (0, "0.3333")]
