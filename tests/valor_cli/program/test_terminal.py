from __future__ import annotations

import io

import pytest
from rich.console import Console
from valor_cli.program import streams, terminal
from valor_cli.program.outcome import tell

from valor_core.plugin import Cell, Report, Result, TextColumn, TextTable


@pytest.fixture
def console():
    return Console(file=io.StringIO(), width=60, highlight=False)


def test_a_table_is_drawn_with_its_rule_and_notes(console):
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


def test_a_terminal_gets_the_worst_rows_of_a_long_table(monkeypatch, capsys):
    monkeypatch.setattr(streams, "on_terminal", lambda: True)
    results = [
        Result(type="F1", metric="lab.F1@1", parameters={"label": f"l{i}"}, value=i / 100)
        for i in range(60)
    ]

    code = tell(Report(results=results, warnings=("odd",)), as_json=False, quiet=False)

    shown = capsys.readouterr()
    assert code == 0
    assert "the first 20 of 60" in shown.out
    assert "40 more rows in the JSON report" in shown.out
    assert "l19" in shown.out
    assert "l20" not in shown.out
    assert shown.err == "valor: warning: odd\n"


def test_progress_tells_how_far_the_work_is():
    with terminal.progress() as advance:
        advance(1, 4, 1000)
        advance(4, 4, 4000)
