from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import pytest
from valor_cli.scaffold import (
    METRICS,
    ONE_FILE,
    OPTIONAL_KINDS,
    TASK,
    PluginKind,
    _bounds,
    new_plugin,
)

from valor_core.errors import PluginConflictError, RegistryError

ROOT = Path(__file__).parents[2]
LONG = {"engine", "kernels"}
"""Kinds that start many processes, or that another test builds."""


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


def passes_its_tests(kind: PluginKind, folder: Path) -> str:
    """Create a plugin of a kind, run its tests in a new process, and return their output."""
    made = new_plugin("our_lab2", folder, kind)
    if kind is ONE_FILE:
        tests = run(folder, "pytest", "-q", "-p", "no:cacheprovider", "test_our_lab2.py")
    else:
        made_visible(made, "our_lab2")
        tests = run(made, "pytest", "-q", "-rs", "-p", "no:cacheprovider", "-c", "pyproject.toml")
    assert tests.returncode == 0, tests.stdout + tests.stderr
    return tests.stdout


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, id=kind.name, marks=pytest.mark.nightly if kind.name in LONG else ())
        for kind in OPTIONAL_KINDS
    ],
)
def test_new_plugin_of_each_kind_passes_its_tests(kind: PluginKind, tmp_path: Path) -> None:
    assert " passed" in passes_its_tests(kind, tmp_path)


@pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="no compiler")
def test_compiled_kernels_of_new_plugin_agree_with_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VALOR_KERNELS", raising=False)
    (kernels,) = (kind for kind in OPTIONAL_KINDS if kind.name == "kernels")
    made = new_plugin("our_lab2", tmp_path, kernels)
    built = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace"],
        cwd=made,
        capture_output=True,
        text=True,
        check=False,
    )
    assert list((made / "valor_our_lab2").glob("_kernels.*")), built.stderr
    made_visible(made, "our_lab2")

    tests = run(made, "pytest", "-q", "-p", "no:cacheprovider", "-c", "pyproject.toml")
    doctor = run(made, "valor_cli", "doctor")

    assert tests.returncode == 0, tests.stdout + tests.stderr
    assert "skipped" not in tests.stdout
    assert re.search(r"our_lab2 .*compiled", doctor.stdout), doctor.stdout


def test_build_of_new_kernels_is_that_of_our_packages() -> None:
    template = ROOT / "plugins/cli/valor_cli/scaffold/template/kernels"
    ours, example = ROOT / "plugins/text", ROOT / "docs/plugins/examples/pinball"

    def code_of(path: Path) -> str:
        return path.read_text().partition("#ifndef")[2]

    assert (template / "setup.py.template").read_text() == (ours / "setup.py").read_text()
    assert (example / "setup.py").read_text() == (ours / "setup.py").read_text()
    header = template / "{{package}}/kernels/export.h.template"
    assert code_of(header) == code_of(ours / "valor_text/kernels/export.h") != ""


def test_kernel_in_the_guide_is_that_of_new_plugins(tmp_path: Path) -> None:
    made = new_plugin("mylab", tmp_path, next(k for k in OPTIONAL_KINDS if k.name == "kernels"))
    guide = (ROOT / "docs/plugins/kernels.md").read_text(encoding="utf-8")

    (shown,) = re.findall(r"```c\n(.*?)```", guide, re.DOTALL)
    named = re.findall(r"`((?:valor_mylab|tests)/[\w/.]+)`", guide)

    assert (made / "valor_mylab/kernels/prefixes.c").read_text().endswith(shown)
    assert len(named) > 5
    assert not [path for path in named if not (made / path).is_file()]


@pytest.mark.nightly  # type checkers take long
def test_new_plugins_pass_linter_and_type_checker(tmp_path: Path) -> None:
    sources: list[str] = []
    for name, kind in (
        ("ourlab", METRICS),
        ("our_lab2", METRICS),
        *((f"our_{kind.name}", kind) for kind in OPTIONAL_KINDS if kind is not ONE_FILE),
    ):
        folder = new_plugin(name, tmp_path, kind)
        sources += [str(folder / f"valor_{name}"), str(folder / "tests")]
    module = new_plugin("our_file", tmp_path, ONE_FILE)
    sources += [str(module), str(module.with_name("test_our_file.py"))]

    config = str(tmp_path / "valor-ourlab" / "pyproject.toml")
    for command in (
        ("ruff", "check", "--no-cache", *(each for each in sources if not each.endswith(".py"))),
        ("ruff", "check", "--no-cache", "--isolated", "--line-length=100", *sources[-2:]),
        ("ruff", "format", "--no-cache", "--isolated", "--check", "--line-length=100", *sources),
        ("mypy", f"--cache-dir={tmp_path / 'kept'}", f"--config-file={config}", *sources),
    ):
        checked = run(tmp_path, *command, beside=sorted(tmp_path.glob("valor-*")))
        assert checked.returncode == 0, checked.stdout + checked.stderr


def test_config_of_new_file_runs(tmp_path: Path) -> None:
    made = new_plugin("our_file", tmp_path, ONE_FILE)

    ran = run(tmp_path, "valor_cli", "run", "our_file.yaml", "--quiet", "-o", "report.json")
    named = run(
        tmp_path,
        *("valor_cli", "run", "our_file.csv", "--module", "our_file.py", "--json"),
        *("--metrics", "our_file.WordOverlap"),
    )

    assert made == tmp_path / "our_file.py"
    assert ran.returncode == 0, ran.stderr
    assert '"value": 0.16666666666666666' in (tmp_path / "report.json").read_text()
    assert '"value": 0.16666666666666666' in named.stdout, named.stderr


@pytest.mark.parametrize("kind", [METRICS, *OPTIONAL_KINDS], ids=lambda kind: kind.name)
def test_new_plugin_has_no_placeholders_and_marks_lines_to_change(
    kind: PluginKind, tmp_path: Path
) -> None:
    new_plugin("our_lab2", tmp_path, kind)

    texts = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]

    assert not [text for text in texts if "{{" in text.replace("{{}}", "") or ".template" in text]
    assert any("Yours" in text for text in texts if "README" not in text)


def test_new_plugin_has_these_files(tmp_path: Path) -> None:
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


@pytest.mark.parametrize(
    ("name", "example"), [("My-Lab", "my_lab"), ("valor-sharp", "sharp"), ("2nd", "mylab")]
)
def test_invalid_plugin_name_suggests_a_valid_one(name: str, example: str, tmp_path: Path) -> None:
    with pytest.raises(RegistryError, match=f"for instance: {example}$"):
        new_plugin(name, tmp_path)


@pytest.mark.parametrize("name", ["hosts", "testing", "report"])
def test_name_of_a_package_of_this_project_is_rejected(name: str, tmp_path: Path) -> None:
    with pytest.raises(PluginConflictError, match=f"valor-{name} is a package of Valor"):
        new_plugin(name, tmp_path)

    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", [METRICS, ONE_FILE], ids=lambda kind: kind.name)
def test_plugin_below_a_file_suggests_another_folder(kind: PluginKind, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()

    with pytest.raises(RegistryError, match=r"cannot be written, .*\n.*--folder"):
        new_plugin("ourlab", tmp_path / "notes.txt", kind)


def test_existing_folder_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "valor-ourlab").mkdir()

    with pytest.raises(RegistryError, match="expected a new folder"):
        new_plugin("ourlab", tmp_path)

    assert not list((tmp_path / "valor-ourlab").iterdir())


@pytest.mark.parametrize("name", ["our_file.py", "test_our_file.py", "our_file.csv"])
def test_existing_file_is_not_overwritten(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("kept")

    with pytest.raises(RegistryError, match=f"{name}: expected a new file, it exists already"):
        new_plugin("our_file", tmp_path, ONE_FILE)

    assert [path.read_text() for path in tmp_path.iterdir()] == ["kept"]


@pytest.mark.parametrize("name", ["json", "yaml", "class"])
def test_name_of_another_module_is_rejected_for_one_file(name: str, tmp_path: Path) -> None:
    with pytest.raises(RegistryError, match=f"expected the name of a new Python module, '{name}'"):
        new_plugin(name, tmp_path, ONE_FILE)

    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("rankings")
def test_name_of_a_task_is_rejected_for_new_task(tmp_path: Path) -> None:
    with pytest.raises(PluginConflictError, match=r"expected a new task, ranklab\.retrieval has"):
        new_plugin("retrieval", tmp_path, TASK)


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
