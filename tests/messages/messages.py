"""Messages: the texts of refusals, which stand in one table for each folder of tests.

A test says which error it expects, ``with refused(SchemaError):``, and the table says the text::

    schemas/test_columns.py

      test_a_column_of_another_length_is_refused
        labels: expected 3 rows, got 2

``pytest --write-messages`` writes the tables. The root ``conftest.py`` loads this module as a
plugin of pytest.
"""

from __future__ import annotations

import ast
import linecache
import platform
import re
import shlex
import sysconfig
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

TABLE = "messages.txt"
"""The name of a table."""

Messages = dict[str, tuple[str, ...]]
"""The messages of each test, by its node id in pytest, in the order they are raised in."""


@contextmanager
def refused(
    kind: type[BaseException] | tuple[type[BaseException], ...],
) -> Iterator[pytest.ExceptionInfo[BaseException]]:
    """A block that raises an error of a class, with the message that stands in the table.

    Parameters
    ----------
    kind : type or tuple of types
        What is raised.

    Yields
    ------
    pytest.ExceptionInfo
        As `pytest.raises` does, for what else a test says about the error.
    """
    __tracebackhide__ = True
    test = _running.test
    if test is None:
        raise pytest.UsageError("refused: expected a running test; a fixture uses pytest.raises")
    if getattr(getattr(test, "obj", None), "is_hypothesis_test", False):
        raise pytest.UsageError(
            "refused: expected a test that runs once, found one of Hypothesis, "
            "which uses pytest.raises with match"
        )
    with pytest.raises(kind) as caught:
        yield caught
    _running.compare(placed(caught.value, _running.places))


class _Running:
    """The test that runs, and what it has raised so far."""

    def __init__(self) -> None:
        self.test: pytest.Item | None = None
        self.is_written = False
        self.places: dict[str, str] = {}
        self.found: list[str] = []

    def begin(self, test: pytest.Item) -> None:
        self.test, self.found = test, []

    def compare(self, message: str) -> None:
        __tracebackhide__ = True
        assert self.test is not None
        place = len(self.found)
        self.found.append(message)
        expected = self._expected()
        if not self.is_written and expected[place : place + 1] != (message,):
            pytest.fail(self._difference(expected[place] if place < len(expected) else None))

    def end(self) -> None:
        """Compare the number of messages, once the test has passed."""
        assert self.test is not None
        expected = self._expected()
        if self.is_written:
            self.test.user_properties += [("message", message) for message in self.found]
        elif len(expected) > len(self.found):
            pytest.fail(
                f"{self._table()} has {len(expected)} messages of this test, which raised "
                f"{len(self.found)}\n{self._command()}",
                pytrace=False,
            )

    def _table(self) -> str:
        assert self.test is not None
        return table_of(self.test.nodeid)

    def _expected(self) -> tuple[str, ...]:
        assert self.test is not None
        root = self.test.config.rootpath
        return _read_once(root / self._table(), root).get(self.test.nodeid, ())

    def _difference(self, expected: str | None) -> str:
        begin = "has no such message" if expected is None else "has another message"
        lines = [f"{self._table()} {begin} of this test"]
        if expected is not None:
            lines += ["expected:", _indented(expected)]
        return "\n".join([*lines, "found:", _indented(self.found[-1]), self._command()])

    def _command(self) -> str:
        assert self.test is not None
        test = shlex.quote(self.test.nodeid)
        return f"If that is meant, write it with: pytest --write-messages {test}"


_running = _Running()


_CHANCE = {
    r"\b0x[0-9a-f]{6,}\b": "<address>",
    r"\b[0-9a-f]{32}\b": "<id>",
    r"(?<=\b127\.0\.0\.1:)\d+": "<port>",
}
"""Placeholders of what every run has its own of, by regular expressions."""


def placed(error: BaseException, places: Mapping[str, str]) -> str:
    """The message of an error, with placeholders for what differs between runs.

    Parameters
    ----------
    error : BaseException
        What was raised. The words of its cause are ``<cause>`` if Python or a library wrote them.
    places : mapping
        Placeholders by regular expressions, of folders for example.

    Examples
    --------
    >>> placed(ValueError("see /data/a/b.json"), {"/data/a": "<tmp>"})
    'see <tmp>/b.json'
    """
    text = str(error)
    cause = error.__cause__
    said = "" if cause is None or _is_ours(cause) else str(cause)
    for words in (said, " ".join(said.split())):
        if " " in words:
            text = text.replace(words, "<cause>")
    commands = _commands() if "install " in text else {}
    for pattern, placeholder in {**commands, **places}.items():
        text = re.sub(pattern, placeholder, text)
    for pattern, placeholder in _CHANCE.items():
        text = re.sub(pattern, placeholder, text)
    return text.replace(platform.python_version(), "<python>").rstrip("\n")


def _is_ours(cause: BaseException) -> bool:
    """Whether a line of this repository or of a test raises it, and not Python or a library."""
    calls = list(traceback.walk_tb(cause.__traceback__))
    if not calls:
        return False
    frame, line = calls[-1]
    file = frame.f_code.co_filename
    is_installed = any(file.startswith(sysconfig.get_path(name)) for name in ("stdlib", "purelib"))
    statement = linecache.getline(file, line, frame.f_globals)
    return not is_installed and statement.lstrip().startswith("raise ")


def _commands() -> dict[str, str]:
    """What installs and removes packages in this environment."""
    from valor_core.extras import install, uninstall

    commands = {"<install>": install().rstrip(), "<uninstall>": uninstall("").rstrip()}
    return {re.escape(command) + r"(?= )": name for name, command in commands.items()}


def table_of(test: str) -> str:
    """The table of a test: of its folder below ``tests``, or of its plugin.

    Examples
    --------
    >>> table_of("tests/valor_core/schemas/test_datum.py::test_a")
    'tests/valor_core/messages.txt'
    >>> table_of("plugins/text/tests/test_bleu.py::test_a")
    'plugins/text/tests/messages.txt'
    """
    folders = test.partition("::")[0].split("/")[:-1]
    depth = 3 if folders[:1] == ["plugins"] else 2
    return "/".join([*folders[:depth], TABLE])


def tables(root: Path) -> list[Path]:
    """All tables of a repository."""
    return sorted([*root.glob(f"tests/**/{TABLE}"), *root.glob(f"plugins/*/tests/{TABLE}")])


def read(table: Path, root: Path) -> Messages:
    """The messages of a table, which may not be there yet."""
    if not table.exists():
        return {}
    folder = table.parent.relative_to(root).as_posix()
    with table.open(encoding="utf-8", newline="\n") as file:
        return _parsed(file.read().split("\n"), folder)


def _parsed(lines: list[str], folder: str) -> Messages:
    found: dict[str, list[list[str]]] = {}
    module, messages = "", [[""]]
    for line in lines:
        if line.startswith("    ") or not line:
            messages[-1].append(line[4:])
        elif line.startswith("  "):
            test = re.sub(r" \(\d+\)$", "", line[2:])
            messages = found.setdefault(f"{folder}/{module}::{test}", [])
            messages.append([])
        else:
            module, messages = line, [[]]
    return {
        test: tuple("\n".join(message).rstrip("\n") for message in messages)
        for test, messages in found.items()
    }


_read_once = cache(read)


def write(table: Path, root: Path, messages: Messages) -> None:
    """Write a table sorted by files and tests, or remove one without messages."""
    folder = table.parent.relative_to(root).as_posix()
    lines, module = [], ""
    for test in sorted(messages):
        file, _, name = test.removeprefix(f"{folder}/").partition("::")
        if file != module:
            lines += [file, ""]
            module = file
        for place, message in enumerate(messages[test], 1):
            ordinal = f" ({place})" if place > 1 else ""
            lines += [f"  {name}{ordinal}", _indented(message), ""]
    if lines:
        table.write_text("\n".join(lines), encoding="utf-8", newline="\n")
    else:
        table.unlink(missing_ok=True)


def _indented(message: str) -> str:
    return "\n".join(f"    {line}" if line else "" for line in message.split("\n"))


def orphans(table: Path, root: Path, collected: Iterable[str] = ()) -> list[str]:
    """The tests in a table that do not exist any more.

    Parameters
    ----------
    table : Path
        A table.
    root : Path
        The folder of the repository.
    collected : iterable of str
        Node ids of tests; a test that has parameters must be one of them where others of its
        function are.
    """
    known = set(collected)
    functions = {_function(test) for test in known}
    return [
        test
        for test in read(table, root)
        if not _is_written_down(test, root) or (_function(test) in functions and test not in known)
    ]


def _function(test: str) -> str:
    """The node id of a test without its parameters."""
    return test.partition("[")[0]


def _is_written_down(test: str, root: Path) -> bool:
    file, *_, name = _function(test).split("::")
    return (root / file).exists() and name in _functions_in(root / file)


@cache
def _functions_in(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


class MessageWriter:
    """What ``--write-messages`` does: the messages of the tests that passed replace those before.

    Tests that no longer exist leave their table. Of a function with parameters, the cases that
    did not run stay where tests were picked or failed.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._root = config.rootpath
        self._found: Messages = {}
        self._skipped: set[str] = set()
        self._written: list[str] = []
        options = ("keyword", "markexpr", "deselect", "lf", "stepwise")
        self._is_picked = any(config.getoption(name, None) for name in options) or any(
            "[" in argument for argument in config.args
        )

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what a test has raised, here or in a worker."""
        if report.skipped:
            self._skipped.add(report.nodeid)
        elif report.when == "call" and report.passed:
            self._found[report.nodeid] = tuple(
                str(text) for name, text in report.user_properties if name == "message"
            )

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Write the tables of the tests that ran."""
        is_whole = exitstatus == pytest.ExitCode.OK and not self._is_picked
        ran = {_function(test) for test in self._found} if is_whole else set()
        for table in sorted({self._root / table_of(test) for test in self._found}):
            before = read(table, self._root)
            after = self._stays(table, before, ran) | self._raised(table)
            if before != after:
                write(table, self._root, after)
                self._written.append(table.relative_to(self._root).as_posix())

    def _stays(self, table: Path, before: Messages, ran: set[str]) -> Messages:
        gone = {*orphans(table, self._root), *self._found}
        return {
            test: messages
            for test, messages in before.items()
            if test not in gone and (test in self._skipped or _function(test) not in ran)
        }

    def _raised(self, table: Path) -> Messages:
        return {
            test: messages
            for test, messages in self._found.items()
            if messages and self._root / table_of(test) == table
        }

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say which tables have changed."""
        for table in self._written:
            terminalreporter.write_line(f"written: {table}")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that writes the tables."""
    parser.addoption(
        "--write-messages",
        action="store_true",
        help=f"write the messages of refusals into {TABLE} in place of comparing them",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Write in the process that hears of all tests: this one, or xdist's controller."""
    _running.is_written = config.getoption("--write-messages")
    if _running.is_written and not hasattr(config, "workerinput"):
        config.pluginmanager.register(MessageWriter(config))


@pytest.fixture(scope="session", autouse=True)
def _placeholders(request: pytest.FixtureRequest, tmp_path_factory: Any) -> None:
    """The folders that differ between runs and machines."""
    temporary = re.escape(tmp_path_factory.getbasetemp().as_posix())
    _running.places = {
        temporary + r"/[\w.-]+": "<tmp>",
        re.escape(request.config.rootpath.as_posix()): "<root>",
    }


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Keep which tests there are, before some are left out."""
    if not any("::" in argument for argument in session.config.args):
        session.config.stash[COLLECTED] = [item.nodeid for item in items]


COLLECTED = pytest.StashKey[list[str]]()
"""The node ids of all tests of the files that are run, unless tests were picked by name."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Collect what a test raises."""
    _running.begin(item)
    try:
        yield
        _running.end()
    finally:
        _running.test = None
