"""Plugins of one file, checked by path or module."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from valor_testing import ConformanceError, cases, check_plugin

from valor_core.errors import ConfigError, ManifestError, PluginConflictError
from valor_core.specs import Registry

METRICS = '''
import random
import valor_core


@valor_core.metric("filelab.Short", task="text", requires=("response",))
def short(item, *, limit: int = 5) -> float:
    """Return 1 if a response is short."""
    return float(len(item.response) < limit)
'''
BROKEN = '''

@valor_core.metric("filelab.Luck", task="text")
def luck(item) -> float:
    """Return a random number."""
    return random.random()
'''
HOOKS = '''
from valor_core.scoring import ItemMetricSpec
from valor_core.specs import Range, hookimpl


def score(item, parameters, resources):
    """Return a number outside of the range for items without a response."""
    return 1.0 if item.response else -1.0


@hookimpl
def valor_metrics():
    return [
        ItemMetricSpec(
            name="filelab.Answered",
            task="text",
            summary="Items with a response",
            implementation="file_of_lab:score",
            higher_is_better=True,
            range=Range(-1, 1),
        )
    ]
'''


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield tmp_path / "file_of_lab.py"
    sys.modules.pop("file_of_lab", None)
    importlib.invalidate_caches()


def test_decorated_metrics_of_a_file_are_checked(file: Path) -> None:
    file.write_text(METRICS)

    check_plugin("file_of_lab.py")
    check_plugin(file, parameters={"filelab.Short": [{}, {"limit": 2}]})


def test_broken_law_of_a_file_is_found(file: Path) -> None:
    file.write_text(METRICS + BROKEN)

    with pytest.raises(ConformanceError, match=r"filelab\.Luck breaks the law"):
        check_plugin(file)


def test_imported_module_is_checked_with_its_hooks_and_decorated_metrics(file: Path) -> None:
    file.write_text(METRICS + HOOKS)

    names = [name for name, _ in cases(importlib.import_module("file_of_lab"))]

    assert {"filelab", "filelab.Answered", "filelab.Short"} <= {*names}


def test_broken_hook_of_a_file_is_found(file: Path) -> None:
    file.write_text(HOOKS.replace("Range(-1, 1)", "Range(0, 1)"))

    with pytest.raises(ConformanceError, match=r"filelab\.Answered breaks the law"):
        check_plugin(file)


def test_file_is_registered_in_a_given_registry(file: Path) -> None:
    file.write_text(HOOKS)
    registry = Registry()

    check_plugin(file, registry)

    assert registry.metric("filelab.Answered").task == "text"
    with pytest.raises(PluginConflictError, match="filelab: the namespace is already in use"):
        check_plugin(file, registry)


def test_file_of_two_namespaces_is_rejected(file: Path) -> None:
    file.write_text(METRICS + BROKEN.replace("filelab", "otherlab"))

    with pytest.raises(ConformanceError, match="expected one namespace, found filelab and otherl"):
        check_plugin(file)


def test_file_with_report_formats_only_is_rejected(file: Path) -> None:
    file.write_text(
        "from valor_core.results import report_format\n\n\n"
        '@report_format(".filelab")\ndef lines(report):\n    return ""\n'
    )

    with pytest.raises(ConformanceError, match="expected one namespace, found none"):
        check_plugin(file)


def test_missing_or_empty_file_is_rejected(file: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.py: no such file"):
        check_plugin("nowhere.py")
    file.write_text("import valor_core\n")
    with pytest.raises(ManifestError, match="expected metrics or hooks, found none"):
        check_plugin(file)
