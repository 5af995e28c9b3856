from __future__ import annotations

import json

import pytest

from valor_core.packages import install


@pytest.fixture
def scaffold(monkeypatch):
    """Replace the scaffold, which has separate tests."""
    made = "valor_cli.commands.new_plugin.new_plugin"
    monkeypatch.setattr(made, lambda name, folder: folder / f"valor-{name}")


@pytest.mark.usefixtures("scaffold")
def test_new_plugin_prints_its_folder(valor):
    result = valor("new-plugin", "mylab", "--folder", "there")

    assert result.exit_code == 0
    assert result.stdout == "there/valor-mylab\n"
    assert result.stderr == f"Install it with: {install('-e', 'there/valor-mylab')}\n"


@pytest.mark.usefixtures("scaffold")
def test_new_plugin_prints_folder_as_json(valor):
    assert json.loads(valor("new-plugin", "mylab", "--json").stdout) == {"folder": "valor-mylab"}
