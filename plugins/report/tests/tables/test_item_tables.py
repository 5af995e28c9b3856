from __future__ import annotations

from typing import Any

from valor_report.tables.item_tables import ListedItems, listed_items

from valor_core.results import Failed, ItemRow, Report, Undefined
from valor_core.results.entries import NO_VALUE
from valor_core.results.item_rows import ItemRows
from valor_core.results.item_tables import ItemTable


def scored(metric: str, values: dict[str, Any], **details: Any) -> ItemTable:
    rows = [ItemRow(uid, value, dict(details)) for uid, value in values.items()]
    return ItemTable(metric, {}, ItemRows.of(rows))


def listed(report: Report, most: int = 100) -> ListedItems:
    found = listed_items(report, most)
    assert found is not None
    return found


def texts(report: Report) -> list[tuple[str, ...]]:
    table = listed(report).table
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

    table = listed(report).table

    assert [row[1].text for row in table.rows] == ["0.5000", "–¹", "failed²"]  # noqa: RUF001
    assert table.notes == ("no references", "no reply")


def test_long_list_of_items_is_cut() -> None:
    values = {f"item {number}": number / 8 for number in range(8)}
    report = Report(results=(), items=(scored("classification.Accuracy@2", values),))

    found = listed(report, 2)

    assert [row[0].text for row in found.table.rows] == ["item 0", "item 1"]
    assert (found.uids, found.count) == (("item 0", "item 1"), 8)


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
    assert listed_items(Report(results=()), 100) is None


def test_metric_of_many_numbers_leaves_columns_for_others() -> None:
    many = ItemTable("text.CorpusBLEU@1", {}, ItemRows.of([ItemRow("a", counts(9))]))
    tables = (many, scored("text.ChrF@1", {"a": 0.5}))

    titles, *_ = texts(Report(results=(), items=tables))

    assert titles == ("item", *(f"CorpusBLEU n{at}" for at in range(4)), "ChrF")


def counts(many: int) -> dict[str, float]:
    return {f"n{at}": float(at) for at in range(many)}


def test_missing_metadata_value_is_named_as_in_tables_of_slices() -> None:
    table = scored("classification.Accuracy@2", {"a": 1.0}, slices={"light": None})

    assert texts(Report(results=(), items=(table,)))[1] == ("a", "1.0000", NO_VALUE)
