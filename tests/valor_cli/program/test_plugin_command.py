"""Tests of plugins' commands."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PLUGINS = Path(__file__).parents[2] / "plugins"


@pytest.fixture
def ranklab(install):
    return install("ranklab", "ranklab", PLUGINS / "ranklab")


def test_command_of_plugin_is_listed_under_its_plugin(ranklab, valor):
    result = valor("--help")

    assert result.exit_code == 0
    section = result.stdout.partition("From ranklab 1.0:\n")[2]
    assert [line.split() for line in section.splitlines()[:2]] == [
        ["count-words", "Count", "words."],
        ["rank", "Rank", "some", "words."],
    ]


def test_help_does_not_import_plugin_code(ranklab, valor):
    valor("--help")

    assert "ranklab.commands" not in sys.modules


def test_click_command_runs_with_options_and_exit_code(ranklab, valor):
    assert valor("rank", "b", "a", "--last").stdout == "b a\n"
    assert valor("ranklab.rank", "b", "a").stdout == "a b\n"
    assert valor("rank").exit_code == 1
    assert valor("rank", "--lst").exit_code == 2


@pytest.mark.parametrize("name", ["count-words", "count_words", "CountWords"])
def test_function_command_receives_raw_arguments(ranklab, valor, name):
    result = valor(name, "a", "--b", "c d")

    assert (result.exit_code, result.stdout) == (0, "3\n")


def test_function_command_prints_its_own_help(ranklab, valor):
    assert valor("count-words", "--help").stdout == "counts words\n"


def test_misspelt_plugin_command_suggests_closest_name(ranklab, valor):
    result = valor("rnak")

    assert result.exit_code == 2
    assert result.stderr == "valor: unknown command 'rnak'\nDid you mean 'rank'?\n"


def test_broken_plugin_does_not_break_help(ranklab, install, valor):
    install("brokenlab", "broken", {"__init__.py": "", "plugin.py": "1 / 0"})

    result = valor("--help")

    assert result.exit_code == 0
    assert "rank" in result.stdout
    assert result.stderr == ""


def test_command_with_import_error_prints_no_traceback(ranklab, valor):
    (ranklab / "ranklab" / "commands.py").write_text("import surely_not_there")

    result = valor("rank")

    assert result.exit_code == 2
    assert result.stderr == (
        "valor: ranklab.rank: its code ranklab.commands:rank cannot be imported, "
        "commands.py, line 1: ModuleNotFoundError: No module named 'surely_not_there'\n"
    )


def test_error_inside_a_command_names_its_plugin(ranklab, valor):
    (ranklab / "ranklab" / "commands.py").write_text("def rank(words): {}['points']")

    result = valor("rank")

    assert result.exit_code == 2
    assert result.stderr == (
        "valor: KeyError: 'points'; this is a bug in ranklab\n"
        "Show the traceback with: VALOR_TRACEBACK=1 valor …\n"
    )


def test_function_without_argument_is_rejected(ranklab, valor):
    (ranklab / "ranklab" / "commands.py").write_text("def rank(): pass")

    assert valor("rank").stderr == (
        "valor: ranklab.rank: expected a function of a list of arguments, too many positional "
        "arguments\nWrite it as: def rank(arguments)\n"
    )


def test_partial_function_without_argument_is_rejected(ranklab, valor):
    code = "from functools import partial\ndef made(): pass\nrank = partial(made)"
    (ranklab / "ranklab" / "commands.py").write_text(code)

    assert valor("rank").stderr == (
        "valor: ranklab.rank: expected a function of a list of arguments, too many positional "
        "arguments\nWrite it as: def rank(arguments)\n"
    )


def test_function_without_a_signature_receives_its_arguments(ranklab, valor):
    (ranklab / "ranklab" / "commands.py").write_text("rank = max")

    assert valor("rank", "b").exit_code == 0


def test_implementation_that_is_no_command_is_rejected(ranklab, valor):
    (ranklab / "ranklab" / "commands.py").write_text("rank = 3")

    result = valor("rank")

    assert result.exit_code == 2
    assert "ranklab.rank: expected a click command or a function, got 3\n" in result.stderr


def test_plugin_command_cannot_hide_built_in_command(ranklab, valor):
    manifest = ranklab / "ranklab" / "plugin.py"
    manifest.write_text(manifest.read_text().replace('"ranklab.rank"', '"ranklab.run"'))

    told, ran, called = valor("doctor", "--json"), valor("run", "--help"), valor("ranklab.run", "a")

    errors = [error for each in json.loads(told.stdout)["plugins"] for error in each["broken"]]
    assert errors == [
        "ranklab.run: expected another name, 'run' is a built-in command\n"
        "Rename it, or call: valor ranklab.run"
    ]
    assert told.exit_code == 1
    assert "Run the evaluation of a config, or metrics" in ran.stdout
    assert called.stdout == "a\n"
    assert "From ranklab" in valor("--help").stdout


def test_return_value_that_is_no_exit_code_is_success(ranklab, valor):
    (ranklab / "ranklab" / "commands.py").write_text("def rank(words): return 'done'")

    assert valor("rank").exit_code == 0


def test_plugin_command_runs_in_new_process(ranklab):
    code = "import sys; from valor_cli import main; sys.argv[:] = ['valor', 'rank', 'x']; main()"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ranklab)!r}); {code}"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "x\n", "")
