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
def test_it_says_where_the_plugin_is(valor):
    result = valor("new-plugin", "mylab", "--folder", "there")

    assert result.exit_code == 0
    assert result.stdout == "there/valor-mylab\n"
    assert result.stderr == f"Install it with: {install('-e', 'there/valor-mylab')}\n"


@pytest.mark.usefixtures("scaffold")
def test_json_has_the_folder(valor):
    assert json.loads(valor("new-plugin", "mylab", "--json").stdout) == {"folder": "valor-mylab"}
