from __future__ import annotations

import numpy as np
from valor_report.viewer.item_columns import ItemColumns
from valor_report.viewer.item_query import ItemQuery

from valor_core.results import Failed, ItemRow, ItemRows, Numbers, Undefined
from valor_core.results.report import ItemTable


def table(metric: str, *rows: ItemRow, **parameters: object) -> ItemTable:
    return ItemTable(metric, parameters, rows)


def test_rows_of_metrics_are_joined_by_uid() -> None:
    items = ItemColumns.of(
        [
            table("lab.A@1", ItemRow("x", 0.5), ItemRow("z", Failed("timeout"))),
            table(
                "lab.B@1",
                ItemRow("z", {"p": 1.0, "q": 0.0}),
                ItemRow("y", Undefined("empty")),
                ItemRow("x", {"p": 0.25, "q": 0.5}),
            ),
        ]
    )

    assert items.uids.tolist() == ["z", "y", "x"]
    assert [items.columns["A"].at(at) for at in range(3)] == [
        Failed("timeout"),
        Undefined("no number of this name"),
        0.5,
    ]
    assert [items.columns["B q"].at(at) for at in range(3)] == [0.0, Undefined("empty"), 0.5]


def test_details_come_first_and_slices_have_a_column_each() -> None:
    details = {
        "note": "ok",
        "verdicts": [{"text": "a"}],
        "truth": "cat",
        "tp": 2,
        "score": 0.5,
        "slices": {"light": "day", "score": 3},
    }
    items = ItemColumns.of([table("lab.A@1", ItemRow("x", 1.0, details), ItemRow("y", 0.0))])

    assert list(items.columns) == ["truth", "score", "A", "note", "tp", "light", "score (slice)"]
    assert [one.at(0) for one in items.columns.values()] == ["cat", 0.5, 1.0, "ok", 2, "day", 3]
    assert items.columns["truth"].at(1) is None


def test_same_metric_with_other_parameters_has_its_own_column() -> None:
    rows = ItemRow("x", 1.0)
    items = ItemColumns.of(
        [table("lab.A@1", rows, top_k=1, safe=True), table("lab.A@1", rows, top_k=2, safe=True)]
    )

    assert list(items.columns) == ["A (top_k 1)", "A (top_k 2)"]


def test_whole_uids_are_found_as_texts() -> None:
    items = ItemColumns.of([table("lab.A@1", ItemRow(7, 1.0), ItemRow(70, 0.0))])

    assert (items.position("70"), items.position("7"), items.position("07")) == (1, 0, None)


def test_200_000_rows_of_a_file_become_columns() -> None:
    count = 200_000
    rows = ItemRows(
        np.arange(count),
        {"": Numbers(np.ones(count), np.zeros(count, np.uint8))},
        {at: {"truth": f"label {at % 7}", "slices": {"light": at % 2}} for at in range(count)},
    )

    items = ItemColumns.of([ItemTable("lab.A@1", {}, rows)])

    assert items.columns["truth"].at(count - 1) == f"label {(count - 1) % 7}"
    assert items.columns["light"].at(count - 1) == 1


def test_report_without_rows_has_no_items() -> None:
    assert len(ItemColumns.of(())) == 0


def test_worst_items_come_first_the_surest_errors_before_others() -> None:
    rows = [
        ItemRow("right", 1.0, {"score": 0.9, "wrong": ""}),
        ItemRow("unsure error", 0.0, {"score": 0.4, "wrong": "predicted dog"}),
        ItemRow("unsure", 1.0, {"score": 0.5, "wrong": ""}),
        ItemRow("sure error", 0.0, {"score": 0.8, "wrong": "predicted dog"}),
    ]
    items = ItemColumns.of([table("classification.Accuracy@2", *rows)])

    assert items.uids[items.worst_first].tolist() == [
        "sure error",
        "unsure error",
        "unsure",
        "right",
    ]
    for text, uids in {
        "wrong=*": ["sure error", "unsure error"],
        "wrong=*&sort=item": ["unsure error", "sure error"],
        "sort=-item": ["sure error", "unsure", "unsure error", "right"],
    }.items():
        assert items.uids[ItemQuery.parse(text).positions(items)].tolist() == uids


def test_missing_detail_is_empty_and_missing_number_has_its_reason() -> None:
    rows = [ItemRow("x", 1.0, {"score": 0.9}), ItemRow("y", Undefined("no label"))]
    items = ItemColumns.of([table("lab.A@1", *rows)])

    assert items.columns["score"].at(1) is None
    assert items.columns["A"].at(1) == Undefined("no label")
