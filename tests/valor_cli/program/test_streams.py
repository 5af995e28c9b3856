from __future__ import annotations

import warnings

from valor_cli.program import streams

from valor_core.errors import ValorWarning


def test_a_warning_of_ours_is_told_without_its_place(capsys):
    streams.warn(ValorWarning("mind the gap"), ValorWarning, "file.py", 3)
    streams.warn(UserWarning("odd"), UserWarning, "file.py", 3)

    assert capsys.readouterr().err == (
        "valor: warning: mind the gap\nvalor: warning: file.py:3: odd\n"
    )


def test_the_program_tells_warnings_and_leaves_the_hook_alone(valor, monkeypatch):
    def warn_and_stop():
        warnings.warn("mind the gap", ValorWarning, stacklevel=1)
        raise SystemExit(0)

    monkeypatch.setattr("valor_cli.commands.list.Registry", warn_and_stop)
    before = warnings.showwarning
    with warnings.catch_warnings():
        warnings.simplefilter("always")

        result = valor("list")

    assert result.stderr == "valor: warning: mind the gap\n"
    assert warnings.showwarning is before


def test_no_tables_are_no_line(capsys):
    streams.show([])

    assert capsys.readouterr().out == ""


def test_a_text_fits_the_terminal_and_splits_no_word(monkeypatch):
    monkeypatch.setattr(streams, "on_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")

    text = streams.filled(
        "references  Metrics of 2024; an-unusually-long-name-that-has-no-room", 12
    )

    assert text.splitlines() == [
        "references  Metrics of 2024;",
        "            an-unusually-long-name-that-has-no-room",
    ]


def test_a_text_in_a_pipe_is_one_line_unless_it_is_told_how_long_lines_are():
    text = "word " * 30

    assert streams.filled(text) == text.strip()
    assert max(map(len, streams.filled(text, most=60).splitlines())) <= 60
