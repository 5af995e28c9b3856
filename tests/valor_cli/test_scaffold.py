from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import pytest
from valor_cli.scaffold import _bounds, new_plugin

from valor_core.errors import PluginConflictError, RegistryError


def run(
    folder: Path, *command: str, beside: Sequence[Path] = ()
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (folder, *beside)))},
        capture_output=True,
        text=True,
        check=False,
    )


def made_visible(folder: Path, namespace: str) -> None:
    """Write the metadata that ``pip install -e`` writes."""
    info = folder / f"{folder.name.replace('-', '_')}-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {folder.name}\nVersion: 0.1.0\n")
    entry = f"[valor.plugins]\n{namespace} = valor_{namespace}.plugin\n"
    (info / "entry_points.txt").write_text(entry)


def test_tests_of_two_new_plugins_pass_unchanged(tmp_path: Path) -> None:
    names = ("ourlab", "our_lab2", "x")
    first, *others = folders = [new_plugin(name, tmp_path) for name in names]
    for folder, name in zip(folders, names, strict=True):
        made_visible(folder, name)

    chosen = ("-q", "-p", "no:cacheprovider", "-c", "pyproject.toml")
    tests = run(first, "pytest", *chosen, *map(str, folders), beside=others)

    assert tests.returncode == 0, tests.stdout + tests.stderr
    assert "24 passed" in tests.stdout


def test_new_plugin_passes_linter_and_type_checker(tmp_path: Path) -> None:
    kept = str(tmp_path / "kept")  # shares mypy's cache of dependencies

    for name in ("ourlab", "our_lab2"):
        folder = new_plugin(name, tmp_path)
        for command in (
            ("ruff", "check", "--no-cache", "."),
            ("ruff", "format", "--no-cache", "--check", "."),
            ("mypy", "--cache-dir", kept),
        ):
            checked = run(folder, *command)
            assert checked.returncode == 0, checked.stdout + checked.stderr


def test_new_plugin_has_no_placeholders(tmp_path: Path) -> None:
    folder = new_plugin("our_lab2", tmp_path)

    files = [path for path in folder.rglob("*") if path.is_file()]

    assert folder.name == "valor-our-lab2"
    assert {path.relative_to(folder).as_posix() for path in files} == {
        ".gitignore",
        "README.md",
        "pyproject.toml",
        "tests/test_our_lab2.py",
        "valor_our_lab2/__init__.py",
        "valor_our_lab2/confidence.py",
        "valor_our_lab2/overlap.py",
        "valor_our_lab2/parameters.py",
        "valor_our_lab2/plugin.py",
        "valor_our_lab2/py.typed",
    }
    assert not [path for path in files if "{{" in path.read_text()]


@pytest.mark.parametrize(
    ("core", "bounds"),
    [("0.1.0", ">=0.1,<0.2"), ("0.12.3.dev4+g1a2b", ">=0.12,<0.13"), ("2.5.1", ">=2.5,<3")],
)
def test_new_plugin_excludes_core_that_may_remove_names(core: str, bounds: str) -> None:
    assert _bounds(core) == bounds


def test_new_plugin_bounds_distributions_of_this_project(tmp_path: Path) -> None:
    text = (new_plugin("ourlab", tmp_path) / "pyproject.toml").read_text()
    expected = _bounds(version("valor-core"))

    assert re.findall(r"(valor-(?:core|testing))([^\"]*)\"", text) == [
        ("valor-core", expected),
        ("valor-testing", expected),
    ]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "first a letter, got ''"),
        ("MyLab", "first a letter, got 'MyLab'"),
        ("my-lab", "first a letter, got 'my-lab'"),
        ("2nd", "first a letter, got '2nd'"),
        ("_lab", "first a letter, got '_lab'"),
        ("lab_", "first a letter, got 'lab_'"),
        ("my lab", "first a letter, got 'my lab'"),
        ("labé", "first a letter, got 'labé'"),
    ],
)
def test_invalid_plugin_name_is_rejected(name: str, tmp_path: Path, message: str) -> None:
    with pytest.raises(RegistryError, match=re.escape(message)):
        new_plugin(name, tmp_path)

    assert not list(tmp_path.iterdir())


def test_existing_folder_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "valor-ourlab").mkdir()

    with pytest.raises(RegistryError, match="expected a new folder"):
        new_plugin("ourlab", tmp_path)

    assert not list((tmp_path / "valor-ourlab").iterdir())


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("core", "expected a free namespace, 'core'"),
        ("llm", "expected a free namespace, 'llm' belongs"),
        ("segmentation", "expected a free namespace, 'segmentation'"),
    ],
)
def test_namespace_of_this_project_is_rejected(name: str, tmp_path: Path, message: str) -> None:
    with pytest.raises(PluginConflictError, match=re.escape(message)):
        new_plugin(name, tmp_path)


def test_installed_namespace_is_rejected(mylab: Path, tmp_path: Path) -> None:
    with pytest.raises(PluginConflictError, match="expected a free namespace, 'mylab'"):
        new_plugin("mylab", tmp_path)


def test_plugin_name_of_300_letters_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(RegistryError, match="expected at most 40 characters, got 300"):
        new_plugin("a" * 300, tmp_path)

    assert not list(tmp_path.iterdir())
