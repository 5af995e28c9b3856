from __future__ import annotations

import json
import sys
from types import ModuleType

import pytest


@pytest.fixture
def scaffold(monkeypatch):
    """Stands in for the scaffold, which has tests of its own."""
    module = ModuleType("valor_core.scaffold")
    module.new_plugin = lambda name, folder: folder / f"valor-{name}"
    monkeypatch.setitem(sys.modules, "valor_core.scaffold", module)


@pytest.mark.usefixtures("scaffold")
def test_it_says_where_the_plugin_is(valor):
    result = valor("new-plugin", "mylab", "--folder", "there")

    assert result.exit_code == 0
    assert result.stdout == "there/valor-mylab\n"
    assert result.stderr == "Install it with: python -m pip install -e there/valor-mylab\n"


@pytest.mark.usefixtures("scaffold")
def test_json_has_the_folder(valor):
    assert json.loads(valor("new-plugin", "mylab", "--json").stdout) == {"folder": "valor-mylab"}
