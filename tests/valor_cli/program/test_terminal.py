from __future__ import annotations

import io

import pytest
from rich.console import Console
from valor_cli.program import streams
from valor_cli.program.outcome import print_report
from valor_report import Cell, TextColumn, TextTable, terminal

from valor_core.results import Report, Result


@pytest.fixture
def console():
    return Console(file=io.StringIO(), width=60, highlight=False)


def test_table_is_drawn_with_title_and_notes(console):
    table = TextTable(
        "Title [b]",
        ["label", TextColumn("F1", numeric=True)],
        [["cat [red]", Cell("0.5¹", 0.5, "bad")], ["mean", "0.5"]],
        caption="caption",
        notes=("why",),
        foot=1,
    )

    terminal.draw([table], console)

    text = console.file.getvalue()
    assert "Title [b]\ncaption\n" in text
    assert "cat [red]" in text
    assert text.count("──") >= 2
    assert "¹ why" in text


def test_terminal_shows_worst_rows_of_long_table(monkeypatch, capsys):
    monkeypatch.setattr(streams, "on_terminal", lambda: True)
    results = [
        Result(type="F1", metric="lab.F1@1", parameters={"label": f"l{i}"}, value=i / 100)
        for i in range(60)
    ]

    code = print_report(Report(results=results, warnings=("odd",)), as_json=False, quiet=False)

    shown = capsys.readouterr()
    assert code == 0
    assert "the first 20 of 60" in shown.out
    assert "40 more rows in the JSON report" in shown.out
    assert "l19" in shown.out
    assert "l20" not in shown.out
    assert shown.err == "valor: warning: odd\n"


def test_progress_is_shown_in_one_line(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(
        terminal, "Console", lambda stderr: Console(file=stream, force_terminal=True, width=100)
    )

    with terminal.progress() as show:
        show("reading", None)
        show("16 of 52 items, 36 to go", 16 / 52)

    assert "16 of 52 items, 36 to go" in stream.getvalue()


NAMES = ("AveragePrecision", "MatthewsCorrelation", "CalibrationError", "F1")
WIDE = TextTable(
    "Results by ink",
    ["ink", *(TextColumn(f"{name} (hardmax true)", numeric=True) for name in NAMES)],
    [["heavy", *["0.9523"] * 4], ["all", *["0.9399"] * 4]],
    foot=1,
)
LIST = TextTable(
    "classification",
    ["metric", "better", "what it is"],
    [
        [f"classification.{name}", "higher", "Share of the ground truths that are predicted"]
        for name in NAMES
    ],
)


def drawn(table: TextTable, width: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width, highlight=False)
    terminal.draw([table], console)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("table", [WIDE, LIST], ids=["numbers", "texts"])
def test_lines_fit_terminal_without_splitting_names(table: TextTable, width: int) -> None:
    lines = drawn(table, width)

    assert max(map(len, lines)) <= width
    words = " ".join(lines).split()
    for row in table.rows:
        for cell in row:
            assert set(cell.text.split()) <= set(words)
    for column in table.columns[1:]:
        assert set(column.title.split()) <= set(words)


def test_wide_table_continues_below_with_labels_repeated() -> None:
    assert [" ".join(line.split()) for line in drawn(WIDE, 30)][:9] == [
        "Results by ink",
        "AveragePrecision",
        "ink (hardmax true)",
        "─" * 30,
        "heavy 0.9523",
        "",
        "all 0.9399",
        "",
        "MatthewsCorrelation",
    ]
    assert sum(line.startswith("heavy") for line in drawn(WIDE, 30)) == 4
    assert sum(line.startswith("heavy") for line in drawn(WIDE, 120)) == 1


def test_empty_rows_of_block_are_omitted() -> None:
    columns = ["label", TextColumn("Precision", numeric=True), TextColumn("mROCAUC", numeric=True)]
    table = TextTable("T", columns, [["a rather long label", "0.5", ""], ["macro", "0.5", "0.75"]])

    assert drawn(table, 32)[5:] == [
        "",
        "label                mROCAUC",
        "─" * 28,
        "macro" + " " * 19 + "0.75",
        "",
    ]


def test_wide_text_table_is_transposed() -> None:
    assert drawn(LIST, 40)[:5] == [
        "classification",
        "classification.AveragePrecision",
        "  better higher",
        "  what it is Share of the ground truths",
        "  that are predicted",
    ]


def test_all_label_columns_are_repeated() -> None:
    numbers = [TextColumn(name, numeric=True) for name in ("Precision", "Recall", "Specificity")]
    table = TextTable("T", ["label", "at", *numbers], [["cat", "0.5", "1", "2", "3"]], keys=2)

    assert [line for line in drawn(table, 30) if "cat" in line] == [
        "cat    0.5          1       2",
        "cat    0.5            3",
    ]
