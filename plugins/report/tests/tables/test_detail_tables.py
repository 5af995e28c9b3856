from __future__ import annotations

from typing import Any

from valor_report.tables.detail_tables import detail_tables

from valor_core import Failed, Result, Undefined


def result(type: str, value: Any, **details: Any) -> Result:
    return Result(type=type, metric=f"lab.{type}@1", value=value, details=details)


def test_each_detail_name_is_table_with_row_per_metric() -> None:
    (table,) = detail_tables(
        [
            result("A", 0.5, judged_items={"interval": [0.25, 0.75], "scored": 1200}),
            result("B", Undefined("no items"), judged_items={"scored": 0, "method": "exact"}),
            result("C", Failed("no reply"), judged_items={"interval": None, "scored": 0}),
        ]
    )

    assert table.plain().splitlines() == [
        "Judged items",
        "",
        "metric   value          interval  scored  method",
        "------  ------  ----------------  ------  ------",
        "A       0.5000  0.2500 to 0.7500   1,200",
        "B            –                         0  exact",  # noqa: RUF001
        "C       failed                 –       0",  # noqa: RUF001
    ]


def test_detail_list_gives_one_row_per_entry() -> None:
    (table,) = detail_tables(
        [result("A", 0.5, judges=[{"judge": "x", "mean": 0.25}, {"judge": "y"}])]
    )

    assert [[cell.text for cell in row] for row in table.rows] == [
        ["A", "x", "0.2500"],
        ["A", "y", ""],
    ]


def test_text_shared_by_all_metrics_is_in_caption() -> None:
    one, two = result("A", 0.5, t={"by": "t", "n": 3}), result("B", 0.5, t={"by": "t", "n": 3})

    (table,) = detail_tables([one, two])

    assert table.caption == "by t"
    assert [column.title for column in table.columns] == ["metric", "value", "n"]


def test_count_of_zero_in_all_metrics_is_in_caption() -> None:
    one, two = ({"failed": 0, "flips": 0.0, "sure": False, "seen": n} for n in (0, 1))

    (table,) = detail_tables([result("A", 0.5, t=one), result("B", 0.5, t=two)])

    assert table.caption == "failed 0"
    titles = [column.title for column in table.columns]
    assert titles == ["metric", "value", "flips", "sure", "seen"]


def test_settings_of_same_metric_are_distinguished() -> None:
    one, two = (
        Result(type="A", metric="lab.A@1", value=0.5, parameters={"k": k}, details={"t": {"n": k}})
        for k in (1, 2)
    )

    (table,) = detail_tables([one, two])

    assert [row[0].text for row in table.rows] == ["A, k 1", "A, k 2"]


def test_detail_cells_format_numbers_intervals_and_text() -> None:
    (table,) = detail_tables([result("A", 0.5, t={"a": True, "b": None, "c": "x", "d": 0.125})])

    assert [cell.text for cell in table.rows[0][2:]] == ["true", "–", "0.1250"]  # noqa: RUF001
    assert [column.numeric for column in table.columns[2:]] == [False, True, True]
    assert table.caption == "c x"
