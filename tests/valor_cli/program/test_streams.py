from __future__ import annotations

import warnings

from valor_cli.program import streams

from valor_core.errors import ValorWarning


def test_valor_warning_is_printed_without_source_line(capsys):
    streams.warn(ValorWarning("mind the gap"), ValorWarning, "file.py", 3)
    streams.warn(UserWarning("odd"), UserWarning, "file.py", 3)

    assert capsys.readouterr().err == (
        "valor: warning: mind the gap\nvalor: warning: file.py:3: odd\n"
    )


def test_program_prints_warnings_and_restores_hook(valor, monkeypatch):
    def warn_and_stop():
        warnings.warn("mind the gap", ValorWarning, stacklevel=1)
        raise SystemExit(0)

    monkeypatch.setattr("valor_cli.commands.list.chosen_registry", warn_and_stop)
    before = warnings.showwarning
    with warnings.catch_warnings():
        warnings.simplefilter("always")

        result = valor("list")

    assert result.stderr == "valor: warning: mind the gap\n"
    assert warnings.showwarning is before


def test_show_without_tables_prints_nothing(capsys):
    streams.show([])

    assert capsys.readouterr().out == ""


def test_text_is_wrapped_to_terminal_without_splitting_words(monkeypatch):
    monkeypatch.setattr(streams, "on_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")

    text = streams.filled(
        "references  Metrics of 2024; an-unusually-long-name-that-has-no-room", 12
    )

    assert text.splitlines() == [
        "references  Metrics of 2024;",
        "            an-unusually-long-name-that-has-no-room",
    ]


def test_text_in_pipe_is_wrapped_only_to_explicit_width():
    text = "word " * 30

    assert streams.filled(text) == text.strip()
    assert max(map(len, streams.filled(text, most=60).splitlines())) <= 60
