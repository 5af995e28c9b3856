"""The face of core for plugins: what it publishes, and when that is imported."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys

import pytest

from valor_core import plugin


def test_every_published_class_and_function_has_a_docstring() -> None:
    published = {name: getattr(plugin, name) for name in plugin.__all__}
    code = {
        n: one for n, one in published.items() if inspect.isclass(one) or inspect.isroutine(one)
    }

    assert [name for name, one in code.items() if not inspect.getdoc(one)] == []


def test_every_name_stands_under_one_subject_and_is_listed() -> None:
    assert plugin.__all__ == sorted(set(plugin.__all__))
    assert set(plugin.__all__) <= set(dir(plugin))


def test_type_checkers_are_told_the_same_names_from_the_same_places() -> None:
    source = ast.parse(inspect.getsource(plugin))
    told = {
        (one.module, name.name)
        for block in source.body
        if isinstance(block, ast.If) and isinstance(block.test, ast.Name)
        for one in block.body
        if isinstance(one, ast.ImportFrom)
        for name in one.names
    }

    published = plugin._LATER.items()
    assert told == {(f"valor_core.{home}", name) for home, names in published for name in names}


def test_a_name_that_is_not_published_is_refused() -> None:
    with pytest.raises(AttributeError, match=r"^module 'valor_core.plugin' has no attribute 'No'$"):
        plugin.No  # noqa: B018


def test_a_manifest_loads_specs_and_nothing_that_counts() -> None:
    code = (
        "import sys\n"
        "from valor_core.plugin import MetricSpec, hookimpl, parameter, parameters\n"
        "print(*(name for name in sys.modules if name.startswith('valor_core.')))"
    )

    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    rooms = {name.split(".")[1] for name in run.stdout.split()}
    assert rooms == {"errors", "parameters", "plugin", "plugins"}
