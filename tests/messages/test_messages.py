"""The mechanism in runs of its own, and the tables of this repository."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import uuid4

import messages
import pytest

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
TABLE = "tests/lab/messages.txt"
CASE = "tests/lab/test_lab.py::test_two[b]"

pytest_plugins = ["pytester"]

TESTS = """
import pytest
from messages import refused


def test_one(tmp_path):
    with refused(ValueError):
        raise ValueError(f"{tmp_path}/a.json: expected a list\\nPass one.")


@pytest.mark.parametrize("name", ["b", "a"])
def test_two(name):
    for count in (1, 2):
        with refused(ValueError):
            raise ValueError(f"{name}: got {count}")
"""

WRITTEN = """\
test_lab.py

  test_one
    <tmp>/a.json: expected a list
    Pass one.

  test_two[a]
    a: got 1

  test_two[a] (2)
    a: got 2

  test_two[b]
    b: got 1

  test_two[b] (2)
    b: got 2
"""


class Repository:
    """A repository with one file of tests, and runs in processes of their own."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self._pytester = pytester
        self.table = pytester.path / TABLE
        self.module = self.table.with_name("test_lab.py")
        self.module.parent.mkdir(parents=True)
        pytester.makeconftest("pytest_plugins = ['messages']")
        pytester.makeini(f"[pytest]\npythonpath = {HERE}\naddopts = --import-mode=importlib")
        self.module.write_text(TESTS)

    def run(self, *arguments: str) -> pytest.RunResult:
        return self._pytester.runpytest_subprocess(*arguments)

    def edit(self, before: str, after: str) -> None:
        assert before in self.module.read_text()
        self.module.write_text(self.module.read_text().replace(before, after))


@pytest.fixture
def repository(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Repository:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # they take most of a run's time
    return Repository(pytester)


@pytest.fixture
def written(repository: Repository) -> Repository:
    repository.table.write_text(WRITTEN)
    return repository


def test_the_command_writes_every_message_sorted_by_test(repository: Repository) -> None:
    result = repository.run("--write-messages")

    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines([f"written: {TABLE}"])
    assert repository.table.read_text() == WRITTEN


def test_messages_like_those_of_the_table_pass(written: Repository) -> None:
    written.run().assert_outcomes(passed=3)


def test_a_table_that_is_right_is_left_as_it_is(written: Repository) -> None:
    result = written.run("--write-messages")

    result.stdout.no_fnmatch_line("written:*")
    assert written.table.read_text() == WRITTEN


def test_workers_write_and_compare_too(repository: Repository) -> None:
    pytest.importorskip("xdist")

    repository.run("-pxdist", "-n2", "--write-messages").assert_outcomes(passed=3)
    assert repository.table.read_text() == WRITTEN
    repository.run("-pxdist", "-n2").assert_outcomes(passed=3)


def test_a_message_that_is_not_in_the_table_fails_with_the_command(
    repository: Repository,
) -> None:
    result = repository.run("-k", "one")

    result.assert_outcomes(failed=1, deselected=2)
    result.stdout.fnmatch_lines(
        [
            f"*{TABLE} has no such message of this test",
            "*found:",
            "*<tmp>/a.json: expected a list",
            "*If that is meant, write it with: pytest --write-messages "
            "tests/lab/test_lab.py::test_one",
        ]
    )


def test_another_message_fails_with_both(written: Repository) -> None:
    written.edit("Pass one.", "Give one.")

    result = written.run()

    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*expected:", "*Pass one.", "*found:", "*Give one."])


def test_the_beginning_of_a_message_is_not_enough(written: Repository) -> None:
    written.edit("\\nPass one.", "")

    written.run().assert_outcomes(passed=2, failed=1)


def test_fewer_messages_than_in_the_table_fail(written: Repository) -> None:
    written.edit("(1, 2)", "(1,)")

    result = written.run(CASE)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"*{TABLE} has 2 messages of this test, which raised 1"])


def test_an_error_of_another_class_is_not_taken(written: Repository) -> None:
    written.edit("refused(ValueError)", "refused(LookupError)")

    result = written.run("--write-messages")

    result.assert_outcomes(failed=3)
    assert written.table.read_text() == WRITTEN


def test_a_block_that_raises_nothing_fails(written: Repository) -> None:
    written.edit("raise ValueError", "str")

    written.run("--write-messages").assert_outcomes(failed=3)


def test_the_cases_that_did_not_run_stay(written: Repository) -> None:
    written.edit("got {count}", "found {count}")

    written.run("--write-messages", CASE)

    assert written.table.read_text() == WRITTEN.replace("b: got", "b: found")


def test_cases_that_no_longer_exist_leave_the_table(written: Repository) -> None:
    written.edit('["b", "a"]', '["b"]')

    written.run("--write-messages")

    assert "[a]" not in written.table.read_text()
    assert "[b] (2)" in written.table.read_text()


def test_functions_that_no_longer_exist_leave_the_table(written: Repository) -> None:
    written.edit("test_one", "test_first")

    written.run("--write-messages", CASE)

    assert "test_one" not in written.table.read_text()
    assert "test_two[a]" in written.table.read_text()


def test_a_skipped_test_keeps_its_messages(written: Repository) -> None:
    written.edit("def test_one", "@pytest.mark.skip\ndef test_one")

    written.run("--write-messages").assert_outcomes(passed=2, skipped=1)

    assert written.table.read_text() == WRITTEN


def test_a_table_without_messages_is_removed(written: Repository) -> None:
    written.module.write_text("def test_nothing(): pass\n")

    written.run("--write-messages").assert_outcomes(passed=1)

    assert not written.table.exists()


def test_a_test_of_hypothesis_cannot_use_the_table(repository: Repository) -> None:
    repository.module.write_text(
        "from hypothesis import given, strategies\n"
        "from messages import refused\n"
        "@given(strategies.integers())\n"
        "def test_any(number):\n"
        "    with refused(ValueError):\n"
        "        raise ValueError(number)\n"
    )

    result = repository.run("--write-messages")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*found one of Hypothesis, which uses pytest.raises with match*"])


def test_a_fixture_cannot_use_the_table(repository: Repository) -> None:
    repository.edit("def test_one(tmp_path)", "@pytest.fixture(autouse=True)\ndef one(tmp_path)")

    result = repository.run("--write-messages")

    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["*refused: expected a running test*"])


def test_what_differs_between_runs_has_a_placeholder() -> None:
    from valor_core.plugin import install

    try:
        raise RuntimeError(f"a: no module, use: {install('valor-a')}") from OSError("no such file")
    except RuntimeError as error:
        text = messages.placed(error, {})
    located = messages.placed(ValueError(f"{object()!r} in {ROOT}/a"), {str(ROOT): "<root>"})

    served = messages.placed(ValueError(f"tcp://127.0.0.1:4711 is gone, {uuid4().hex}.npz"), {})

    assert text == "a: no module, use: <install> valor-a"
    assert served == "tcp://127.0.0.1:<port> is gone, <id>.npz"
    assert located == "<object object at <address>> in <root>/a"


def quoting(cause: Exception) -> str:
    error = RuntimeError(f"a.json: expected JSON, found: {cause}")
    error.__cause__ = cause
    return messages.placed(error, {})


def test_what_a_library_says_has_a_placeholder_where_it_is_the_cause() -> None:
    with pytest.raises(ValueError, match="Expecting value") as library:
        json.loads("")
    with pytest.raises(TypeError, match="positional argument") as python:
        quoting()

    assert quoting(library.value) == "a.json: expected JSON, found: <cause>"
    assert quoting(python.value) == "a.json: expected JSON, found: <cause>"


def test_what_a_test_or_valor_says_as_the_cause_is_kept() -> None:
    with pytest.raises(ValueError, match="no braces") as ours:
        raise ValueError("no braces")

    assert quoting(ours.value) == "a.json: expected JSON, found: no braces"


def test_a_message_with_an_empty_line_comes_back_from_the_table(tmp_path: Path) -> None:
    table = tmp_path / "tests" / "lab" / "messages.txt"
    table.parent.mkdir(parents=True)
    said = {"tests/lab/test_a.py::TestA::test_b[x (2)]": ("one\n\n  two", "", "three")}

    messages.write(table, tmp_path, said)

    assert messages.read(table, tmp_path) == said


def test_a_message_of_a_test_that_is_gone_is_found(tmp_path: Path) -> None:
    table = tmp_path / TABLE
    table.parent.mkdir(parents=True)
    table.write_text(WRITTEN)
    module = table.with_name("test_lab.py")
    module.write_text(TESTS.replace("test_one", "test_first"))
    case = "tests/lab/test_lab.py::test_two[a]"

    assert messages.orphans(table, tmp_path) == ["tests/lab/test_lab.py::test_one"]
    assert messages.orphans(table, tmp_path, [case]) == [
        "tests/lab/test_lab.py::test_one",
        "tests/lab/test_lab.py::test_two[b]",
    ]
    module.unlink()
    assert len(messages.orphans(table, tmp_path)) == 3


@pytest.mark.parametrize(
    "table", messages.tables(ROOT), ids=lambda table: table.relative_to(ROOT).parent.as_posix()
)
def test_every_message_in_a_table_belongs_to_a_test(
    table: Path, request: pytest.FixtureRequest
) -> None:
    collected = request.config.stash.get(messages.COLLECTED, [])

    assert messages.orphans(table, ROOT, collected) == []
