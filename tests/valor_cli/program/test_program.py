from __future__ import annotations

import operator
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import click
import pytest
from valor_cli.program.program import COMMANDS, program

from valor_core import Registry


def test_program_without_arguments_prints_help(valor):
    result = valor()

    assert result.exit_code == 0
    assert "Usage: valor" in result.stdout
    for commands in COMMANDS.values():
        for name, summary in commands.items():
            assert name in result.stdout
            assert summary in result.stdout


def test_help_summary_matches_command():
    context = click.Context(program)

    for commands in COMMANDS.values():
        for name, summary in commands.items():
            command = program.get_command(context, name)
            assert command is not None
            assert command.help.partition("\n")[0] == summary
            assert command.name == name
            options = [option for parameter in command.params for option in parameter.opts]
            assert "--json" in options
            assert "--traceback" in options


def test_package_runs_as_module():
    result = subprocess.run(
        [sys.executable, "-m", "valor_cli", "--version"], capture_output=True, text=True
    )

    assert result.stdout.startswith("valor ")


def test_version_is_that_of_distribution(valor):
    from importlib.metadata import version

    assert valor("--version").stdout == f"valor {version('valor-core')}\n"


def test_version_imports_neither_plugins_nor_numpy():
    code = (
        "import atexit, sys; from valor_cli import main; sys.argv[1:] = ['--version'];"
        "slow = ('numpy', 'yaml', 'importlib.metadata', 'valor_core.specs.registry');"
        "atexit.register(lambda: print(*[name for name in slow if name in sys.modules]));"
        "main()"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert result.stdout.splitlines()[1:] == [""]


def test_misspelt_command_suggests_closest_name(valor):
    result = valor("lsit")

    assert result.exit_code == 2
    assert result.stderr == "valor: unknown command 'lsit'\nDid you mean 'list'?\n"
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("cook", "unknown command 'cook'\nSee: valor --help"),
        ("--nonsense", "unknown option '--nonsense'\nSee: valor --help"),
        ("--version=3", "--version: expected no value, got one\nSee: valor --help"),
        ("list --reader", "list: unknown option '--reader'\nDid you mean '--readers'?"),
        ("list -z", "list: unknown option '-z'\nSee: valor list --help"),
        ("merge", "merge: expected STATES, got nothing\nSee: valor merge --help"),
        ("compare a", "compare: expected SECOND, got nothing\nSee: valor compare --help"),
        ("show a b c", "show: expected only NAME, got also 'b', 'c'\nSee: valor show --help"),
        ("doctor x", "doctor: expected no arguments, got also 'x'\nSee: valor doctor --help"),
        ("run a --set", "run: --set: expected a value, got nothing\nSee: valor run --help"),
        ("run a --json=1", "run: --json: expected no value, got one\nSee: valor run --help"),
        (
            "run a --workers x",
            "run: --workers: expected a whole number of at least 1, got 'x'\nSee: valor run --help",
        ),
        ("run a -o .", "run: --output: file '.' is a directory\nSee: valor run --help"),
    ],
)
def test_usage_errors_state_expected_command_line(valor, line, error):
    result = valor(*line.split())

    assert result.exit_code == 2
    assert result.stderr == f"valor: {error}\n"
    assert result.stdout == ""


def test_error_prints_message_and_remedy(valor):
    result = valor("show", "classifcation.F1")

    assert result.exit_code == 2
    assert result.stderr.startswith("valor: ")
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


@pytest.fixture
def falling_over(monkeypatch):
    # without code of this file, which would be blamed
    monkeypatch.setattr("valor_cli.commands.list.chosen_registry", partial(operator.truediv, 1, 0))


@pytest.mark.usefixtures("falling_over")
def test_bug_prints_one_line_and_traceback_hint(valor):
    result = valor("list")

    assert result.exit_code == 2
    assert result.stderr == (
        "valor: ZeroDivisionError: division by zero; this is a bug in valor or a plugin\n"
        "Show the traceback with: VALOR_TRACEBACK=1 valor …\n"
    )


@pytest.mark.usefixtures("falling_over")
@pytest.mark.parametrize("how", ["option", "variable"])
def test_traceback_is_shown_on_request(valor, how):
    arguments = ["list", "--traceback"] if how == "option" else ["list"]

    result = valor(*arguments, env={"VALOR_TRACEBACK": "1"} if how == "variable" else {})

    assert result.exit_code == 2
    assert "Traceback (most recent call last)" in result.stderr
    assert "ZeroDivisionError: division by zero" in result.stderr


def test_keyboard_interrupt_exits_with_130(valor, monkeypatch):
    def stop():
        raise KeyboardInterrupt

    monkeypatch.setattr("valor_cli.commands.list.chosen_registry", stop)

    result = valor("list")

    assert result.exit_code == 130
    assert "valor: stopped" in result.stderr


@pytest.mark.parametrize(
    "module", ["click", "valor_cli.program.program", "valor_cli.commands.list"]
)
def test_interrupt_during_import_prints_no_traceback(process, module):
    code = f"""
import sys

class Stop:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Stop())
"""

    result = process("list", code=code)

    assert result.returncode == 130
    assert result.stderr.strip() == "valor: stopped"  # click first ends the line that has the ^C
    assert result.stdout == ""


def test_interrupt_after_output_prints_no_traceback(process):
    code = """
from valor_cli.program import streams

def stop():
    raise KeyboardInterrupt

streams.finish = stop
"""

    result = process("--version", code=code)

    assert result.returncode == 130
    assert result.stderr == "valor: stopped\n"


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_sigterm_and_sighup_exit_with_130(valor, monkeypatch, name):
    number = getattr(signal, name, None)
    if number is None:
        pytest.skip("this system has no such signal")
    before = signal.getsignal(number)
    monkeypatch.setattr(
        "valor_cli.commands.list.chosen_registry", lambda: signal.raise_signal(number)
    )

    result = valor("list")

    assert result.exit_code == 130
    assert "valor: stopped" in result.stderr
    assert signal.getsignal(number) is before


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="this system has no SIGHUP")
def test_sighup_is_ignored_under_nohup(valor, monkeypatch):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        monkeypatch.setattr(
            "valor_cli.commands.list.chosen_registry",
            lambda: signal.raise_signal(signal.SIGHUP) or Registry(),
        )
        assert valor("list").exit_code == 0
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("arguments", [(), ("--help",), ("list",), ("show", "core.nothing")])
def test_rich_and_yaml_are_imported_lazily(process, arguments):
    code = (
        "import atexit, sys; atexit.register(lambda: print("
        "'loaded', [m for m in ('rich', 'yaml', 'pandas', 'pyarrow') if m in sys.modules], "
        "file=sys.stderr))"
    )

    assert "loaded []" in process(*arguments, code=code).stderr


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
def test_closed_pipe_is_no_error(lab):
    start = "from valor_cli import main; main()"
    program = subprocess.Popen(
        [sys.executable, "-c", start, "schema"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert program.stdout is not None
    program.stdout.close()

    errors = program.stderr.read() if program.stderr else b""

    assert program.wait(60) == 0
    assert errors == b""
    if program.stderr:
        program.stderr.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no such device")
@pytest.mark.parametrize(
    "arguments", [("run", "config.yaml"), ("run", "config.yaml", "--json"), ("run", "--help"), ()]
)
def test_full_disk_is_reported_as_write_error(lab, arguments):
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            [sys.executable, "-m", "valor_cli", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )

    assert result.returncode == 2
    assert result.stderr == ("valor: standard output: cannot be written, No space left on device\n")


def test_closed_standard_streams_are_no_error(process):
    assert process("list", code="import sys; sys.stdout = None").returncode == 0
