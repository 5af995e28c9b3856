from __future__ import annotations

from typing import Any

from valor_report.tables.item_tables import item_tables

from valor_core.results import Failed, ItemRow, Report, Undefined
from valor_core.results.item_rows import ItemRows
from valor_core.results.report import ItemTable


def scored(metric: str, values: dict[str, Any], **details: Any) -> ItemTable:
    rows = [ItemRow(uid, value, dict(details)) for uid, value in values.items()]
    return ItemTable(metric, {}, ItemRows.of(rows))


def texts(report: Report, **parameters: Any) -> list[tuple[str, ...]]:
    (table,) = item_tables(report, **parameters)
    return [tuple(column.title for column in table.columns)] + [
        tuple(cell.text for cell in row) for row in table.rows
    ]


def test_worst_items_are_first() -> None:
    accuracy = scored("classification.Accuracy@2", {"a": 1.0, "b": 0.0, "c": 0.5})

    assert texts(Report(results=(), items=(accuracy,))) == [
        ("item", "Accuracy"),
        ("b", "0.0000"),
        ("c", "0.5000"),
        ("a", "1.0000"),
    ]


def test_items_with_the_highest_loss_are_first() -> None:
    loss = scored("classification.LogLoss@2", {"a": 1.0, "b": 0.0, "c": 0.5})

    assert [row[0] for row in texts(Report(results=(), items=(loss,)))[1:]] == ["a", "c", "b"]


def test_metrics_share_the_row_of_an_item() -> None:
    accuracy = scored("classification.Accuracy@2", {"a": 1.0, "b": 0.0}, prediction="cat")
    loss = scored("classification.LogLoss@2", {"b": 2.0, "x": 9.0})

    assert texts(Report(results=(), items=(accuracy, loss))) == [
        ("item", "prediction", "Accuracy", "LogLoss"),
        ("b", "cat", "0.0000", "2.0000"),
        ("a", "cat", "1.0000", ""),
    ]


def test_items_without_a_number_are_last_with_the_reason() -> None:
    values = {"a": Undefined("no references"), "b": Failed("no reply"), "c": 0.5}
    report = Report(results=(), items=(scored("text.ROUGE@1", values),))

    (table,) = item_tables(report)

    assert [row[1].text for row in table.rows] == ["0.5000", "–¹", "failed²"]  # noqa: RUF001
    assert table.notes == ("no references", "no reply")


def test_long_list_of_items_is_cut() -> None:
    values = {f"item {number}": number / 8 for number in range(8)}
    report = Report(results=(), items=(scored("classification.Accuracy@2", values),))

    (table,) = item_tables(report, 2)

    assert [row[0].text for row in table.rows] == ["item 0", "item 1"]
    assert table.caption == "the 2 worst by Accuracy; 6 more in the JSON report"


def test_named_numbers_and_settings_are_in_the_titles() -> None:
    rows = ItemRows.of([ItemRow("a", {"rouge1": 0.5, "rougeL": 0.25})])
    tables = [ItemTable("text.ROUGE@1", {"stem": stem}, rows) for stem in (True, False)]

    titles, *_ = texts(Report(results=(), items=tuple(tables)))

    assert titles == (
        "item",
        "ROUGE (stem true) rouge1",
        "ROUGE (stem true) rougeL",
        "ROUGE (stem false) rouge1",
        "ROUGE (stem false) rougeL",
    )


def test_long_texts_and_lists_are_not_columns() -> None:
    table = scored("classification.Accuracy@2", {"a": 1.0}, steps=[1, 2], answer="x" * 100, tp=3)

    titles, *_ = texts(Report(results=(), items=(table,)))

    assert titles == ("item", "Accuracy", "tp")


def test_report_without_item_rows_has_no_table() -> None:
    assert item_tables(Report(results=())) == []
