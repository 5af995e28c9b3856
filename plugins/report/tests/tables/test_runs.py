from __future__ import annotations

from typing import Any

from attrs import evolve
from valor_intervals import ComparedNumber, Leaderboard
from valor_intervals.comparison.leaderboard import Ranked, Ranking
from valor_report.tables.runs import rank_table, run_table

from valor_core import Report, Result, Undefined


def of(type: str, value: Any, **parameters: Any) -> Result:
    return Result(type=type, metric=f"classification.{type}@1", parameters=parameters, value=value)


def test_runs_are_rows_and_headline_numbers_are_columns() -> None:
    small = [of("Accuracy", 0.5), of("F1", 0.25, label="cat"), of("F1", 0.5, average="macro")]
    large = [of("Accuracy", 0.75), of("F1", 0.5, label="cat"), of("F1", 0.25, average="micro")]

    table = run_table({"small": Report(results=small), "large": Report(results=large)})

    assert table.plain() == (
        "Runs\n\n"
        "run    Accuracy  F1 (macro)  F1 (micro)\n"
        "-----  --------  ----------  ----------\n"
        "small    0.5000      0.5000           \N{EN DASH}\n"
        "large    0.7500           \N{EN DASH}      0.2500"
    )


def test_best_number_of_each_column_is_marked() -> None:
    reports = {
        name: Report(results=[of("Accuracy", up), of("LogLoss", down), of("F1", 0.5)])
        for name, up, down in (("a", 0.5, 0.1), ("b", 0.75, 0.2), ("c", 0.75, 0.3))
    }

    rows = run_table(reports).rows

    assert [[cell.tone for cell in row[1:]] for row in rows] == [
        ["", "good", ""],
        ["good", "", ""],
        ["good", "", ""],
    ]


def test_settings_of_runs_share_a_column_and_are_not_ranked() -> None:
    reports = {
        name: Report(results=[of("AP", at, iou=at), of("Accuracy", at)])
        for name, at in (("loose", 0.5), ("strict", 0.75))
    }

    table = run_table(reports)

    assert [column.title for column in table.columns] == ["run", "AP", "Accuracy"]
    assert table.caption == "iou varies by run"
    assert [[cell.tone for cell in row] for row in table.rows] == [["", "", ""], ["", "", "good"]]


def test_settings_of_one_run_have_a_column_each() -> None:
    results = [of("AP", 0.5, iou=0.5), of("AP", 0.25, iou=0.75)]

    table = run_table({"a": Report(results=results)})

    assert [column.title for column in table.columns] == ["run", "AP (iou 0.5)", "AP (iou 0.75)"]


def test_failed_runs_and_undefined_numbers_have_notes() -> None:
    results = [of("ROCAUC", Undefined("no negatives")), of("Accuracy", 1.0)]

    table = run_table({"a": Report(results=results), "b": "data.csv: no such file\nmore"})

    assert table.notes == ("no negatives", "data.csv: no such file")
    assert [cell.text for cell in table.rows[1]] == ["b", "failed²", "\N{EN DASH}"]


def test_numbers_beyond_eight_columns_are_counted() -> None:
    table = run_table({"a": Report(results=[of(f"M{i}", 0.5) for i in range(10)])})

    assert len(table.columns) == 9
    assert table.caption == "2 more columns in the reports"


def test_ranks_are_in_the_columns_of_their_numbers() -> None:
    macro = Result(type="F1", metric="F1", parameters={"average": "macro"}, value=0.5)
    single = Result(type="Accuracy", metric="Accuracy", value=0.5)
    numbers = [ComparedNumber(one, "", 0.5, 0.5) for one in (macro, single)]
    first, second = (Ranked(name, 0.5, rank, rank, rank) for name, rank in (("a", 1), ("b", 2)))
    rankings = (
        Ranking(numbers[0], True, (first, second)),
        Ranking(numbers[1], True, (evolve(second, rank=1), evolve(first, rank=2))),
    )

    table = rank_table(Leaderboard(rankings, (), 0.95, ("a", "b")))

    assert table is not None
    titles = [column.title for column in table.columns]
    assert titles == ["report", "Accuracy", "F1 (macro)"]
    assert [[cell.text[:1] for cell in row] for row in table.rows] == [
        ["a", "2", "1"],
        ["b", "1", "2"],
    ]
