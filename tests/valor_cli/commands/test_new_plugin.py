from __future__ import annotations

import json

import pytest

from valor_core.packages import install


@pytest.fixture
def scaffold(monkeypatch):
    """Replace the scaffold, which has separate tests."""

    def new_plugin(name, folder, kind):
        return folder / (f"{name}.py" if kind.name == "one_file" else f"valor-{name}-{kind.name}")

    monkeypatch.setattr("valor_cli.commands.new_plugin.new_plugin", new_plugin)


@pytest.mark.usefixtures("scaffold")
@pytest.mark.parametrize(
    ("option", "made"),
    [
        ((), "there/valor-mylab-metrics"),
        (("--task",), "there/valor-mylab-task"),
        (("--kernels",), "there/valor-mylab-kernels"),
    ],
)
def test_new_plugin_prints_its_folder(valor, option, made):
    result = valor("new-plugin", "mylab", "--folder", "there", *option)

    assert result.exit_code == 0
    assert result.stdout == f"{made}\n"
    assert result.stderr.splitlines() == [
        f"Install it with: {install('-e', made)}",
        f"Test it with: pytest {made}",
    ]


@pytest.mark.usefixtures("scaffold")
def test_new_file_prints_how_to_run_it(valor):
    result = valor("new-plugin", "mylab", "--one-file", "--folder", "there")

    assert result.stdout == "there/mylab.py\n"
    assert result.stderr.splitlines() == [
        "Run it with: valor run there/mylab.yaml",
        "Test it with: pytest there/test_mylab.py",
    ]


@pytest.mark.usefixtures("scaffold")
def test_new_plugin_prints_folder_or_file_as_json(valor):
    folder = valor("new-plugin", "mylab", "--json").stdout
    file = valor("new-plugin", "mylab", "--one-file", "--json").stdout

    assert json.loads(folder) == {"folder": "valor-mylab-metrics"}
    assert json.loads(file) == {"file": "mylab.py"}


@pytest.mark.usefixtures("scaffold")
def test_new_plugin_names_distributions_that_it_needs(valor, monkeypatch):
    monkeypatch.setattr("valor_cli.commands.new_plugin.version_of", lambda name: None)

    lines = valor("new-plugin", "mylab", "--judge").stderr.splitlines()

    assert lines[2].startswith("It needs valor-llm. Install it with: ")
    assert "Its tests need pytest and valor-testing. Install them with: " in "\n".join(lines)


@pytest.mark.usefixtures("scaffold")
def test_two_kinds_of_new_plugin_are_rejected(valor):
    result = valor("new-plugin", "mylab", "--task", "--one-file")

    assert result.exit_code == 2
    assert result.stderr == (
        "valor: new-plugin: expected one kind of plugin, got --one-file and --task\n"
        "See: valor new-plugin --help\n"
    )
