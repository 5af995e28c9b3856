from __future__ import annotations

from valor_report.pages.page_tables import PageTable
from valor_report.tables.text_table import Cell, TextColumn, TextTable

F1 = TextColumn("F1", numeric=True, metric="classification.F1")


def table(foot: int = 0) -> TextTable:
    values = {"ant": 0.75, "bee": 0.25, "cat": 0.5, "macro average": 0.5}
    rows = [[name, Cell(f"{value:.4f}", value)] for name, value in values.items()]
    rows.insert(2, ["dog", Cell("–")])  # noqa: RUF001
    return TextTable("Results by label", ["label", F1], rows, foot=foot)


def names(found: PageTable) -> list[str]:
    return [row[0].text for row in found.body]


def test_worst_rows_are_first_and_averages_last() -> None:
    found = PageTable.of(table(foot=1), {"classification.F1": True})

    assert names(found) == ["bee", "cat", "ant", "dog"]
    assert [row[0].text for row in found.foot] == ["macro average"]
    assert [head.attributes.get("aria-sort") for head in found.heads] == [None, "ascending"]


def test_highest_errors_are_first_if_lower_is_better() -> None:
    found = PageTable.of(table(foot=1), {"classification.F1": False})

    assert names(found) == ["ant", "cat", "bee", "dog"]


def test_rows_of_unknown_direction_keep_their_order() -> None:
    found = PageTable.of(table(foot=1), {})

    assert names(found) == ["ant", "bee", "dog", "cat"]


def test_name_of_the_metric_follows_that_of_the_request_in_small_letters() -> None:
    column = TextColumn("mAP50 (mAP) mean", numeric=True, metric="detection.mAP")
    rows = [["mAP50-95 (mAP)", Cell("0.5000", 0.5)], ["F1 (macro)", Cell("0.2500", 0.25)]]
    found = PageTable.of(TextTable("Results", ["metric", column], rows), {"detection.mAP": None})

    assert [(one.text, one.metric) for one in found.heads] == [
        ("metric", ""),
        ("mAP50 mean", "mAP"),
    ]
    assert [(row[0].text, row[0].metric) for row in found.body] == [
        ("mAP50-95", "mAP"),
        ("F1 (macro)", ""),
    ]


def test_cells_of_stacked_rows_have_the_titles_of_their_columns() -> None:
    found = PageTable.of(table(), is_stacked=True)

    assert {row[1].attributes["data-name"] for row in found.body} == {"F1"}
    assert all("data-name" not in row[0].attributes for row in found.body)
