from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from valor_cli.commands.migration import migrated

OLD = """\
from valor_core import MetricSpec, Range, evaluate
from valor_core.plugin import Content, State, mean, nondefault, shown
from valor_core.plugin import found_at as located
from valor_core.testing import check_plugin


class Words(State):
    def dump(self) -> Content:
        return {"text": shown(self), "of": nondefault(self)}


def average(values, mean):
    with located("words"):
        return mean(values)


print(mean([1.0], 'words'), MetricSpec, Range, evaluate, check_plugin)
"""
NEW = """\
from valor_core import evaluate
from valor_core.specs import MetricSpec, Range
from valor_core.errors import short_repr
from valor_core.parameters import changed_parameters
from valor_core.results import mean_of_defined
from valor_core.states import State, StateContent
from valor_core.errors import error_at as located
from valor_testing import check_plugin


class Words(State):
    def dump(self) -> StateContent:
        return {"text": short_repr(self), "of": changed_parameters(self)}


def average(values, mean):
    with located("words"):
        return mean(values)


print(mean_of_defined([1.0], 'words'), MetricSpec, Range, evaluate, check_plugin)
"""


def test_imports_and_uses_of_moved_names_are_edited() -> None:
    new, remarks = migrated(OLD)

    assert new == NEW
    assert remarks == []
    exec(compile(new, "words.py", "exec"), {"__name__": "words"})


def test_current_imports_stay_unchanged() -> None:
    source = (
        "from valor_core.specs import MetricSpec\n\nfor shown in [MetricSpec]:\n    print(shown)\n"
    )

    assert migrated(source) == (source, [])


def test_removed_names_and_module_imports_are_remarked() -> None:
    source = "import valor_core.plugin\nfrom valor_core.plugin import by_slice\n"

    new, remarks = migrated(source)

    assert new == source
    assert remarks == [
        "line 1: names of valor_core.plugin have moved. Write: from valor_core.plugin import …, "
        "and run this command again",
        "line 2: valor_core.plugin.by_slice: not in this version. Use the option slices, or "
        "RowsOf(metadata=…) in a metric.",
    ]


def test_import_in_a_function_keeps_its_indentation() -> None:
    new, _ = migrated(
        "def f():\n    from valor_core.plugin import State, shown\n    return shown(State)\n"
    )

    assert new == (
        "def f():\n    from valor_core.errors import short_repr\n"
        "    from valor_core.states import State\n    return short_repr(State)\n"
    )


def test_doctor_prints_diff_that_patch_applies(
    tmp_path: Path, valor: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "words.py").write_text(OLD)

    result = valor("doctor", "--migrate", "pkg")

    assert result.exit_code == 0
    assert "-from valor_core.testing import check_plugin\n" in result.stdout
    if shutil.which("patch") is not None:
        subprocess.run(["patch", "-p0", "-s"], input=result.stdout, text=True, check=True)
        assert (tmp_path / "pkg" / "words.py").read_text() == NEW
        assert (
            valor("doctor", "--migrate", "pkg").stderr == "pkg: all imports are of this version\n"
        )


def test_doctor_prints_migrations_as_json(tmp_path: Path, valor: Callable[..., Result]) -> None:
    (tmp_path / "words.py").write_text("from valor_core.plugin import State, by_slice\n")

    (file,) = json.loads(valor("doctor", "--migrate", str(tmp_path), "--json").stdout)["files"]

    assert "+from valor_core.states import State\n" in file["diff"]
    assert len(file["remarks"]) == 1


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.py", None, "valor: doctor: --migrate: no such file or folder"),
        ("bad.py", "def", "expected a file of Python, invalid syntax"),
    ],
)
def test_unreadable_path_is_one_line(
    tmp_path: Path, valor: Callable[..., Result], name: str, content: str | None, message: str
) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)

    result = valor("doctor", "--migrate", str(tmp_path / name))

    assert result.exit_code == 2
    assert message in result.stderr.splitlines()[0]
