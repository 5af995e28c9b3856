"""Metadata and contents of the wheel of each distribution."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable, Mapping
from importlib.metadata import distribution, version
from pathlib import Path
from typing import Any

import pytest
from cases import for_each
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

from valor_core import packages
from valor_core.kernels.compiled import VARIABLE
from valor_core.packages import OWNERS
from valor_core.specs import Registry

ROOT = Path(__file__).parent.parent
PLUGINS = [path.parent for path in sorted((ROOT / "plugins").glob("*/pyproject.toml"))]


COMPILERS = ("cc", "gcc", "clang", "cl")


def name_of(folder: Path) -> str:
    return "core" if folder == ROOT else folder.name


def project(folder: Path) -> Mapping[str, Any]:
    text = (folder / "pyproject.toml").read_text(encoding="utf-8")
    found: Mapping[str, Any] = tomllib.loads(text)["project"]
    return found


def namespaces(folder: Path) -> Mapping[str, str]:
    """Manifests of a project by namespace; empty for `valor-cli`."""
    found: Mapping[str, str] = project(folder).get("entry-points", {}).get("valor.plugins", {})
    return found


def requirements(folder: Path) -> list[str]:
    metadata = project(folder)
    extras = metadata.get("optional-dependencies", {}).values()
    return [*metadata["dependencies"], *(line for lines in extras for line in lines)]


@pytest.fixture(scope="module", params=[ROOT, *PLUGINS], ids=name_of)
def folder(request: pytest.FixtureRequest) -> Path:
    found: Path = request.param
    return found


def is_compiled(folder: Path) -> bool:
    return "ext-modules" in (folder / "pyproject.toml").read_text(encoding="utf-8")


COMPILED = [folder for folder in PLUGINS if is_compiled(folder)]


def built(folder: Path, target: Path, **environment: str) -> zipfile.ZipFile:
    """Build a wheel with the build backend of the project."""
    if not is_compiled(folder):
        (path,) = WheelBuilder(str(folder)).build(directory=str(target), versions=["standard"])
        return zipfile.ZipFile(path)
    copy = target / folder.name
    shutil.copytree(
        folder, copy, ignore=shutil.ignore_patterns("*.so", "*.dll", "build", "*.egg-info")
    )
    code = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, str(target)],
        cwd=copy,
        env=os.environ | environment,
        check=True,
        capture_output=True,
    )
    (path,) = target.glob("*.whl")
    return zipfile.ZipFile(path)


def libraries(wheel: zipfile.ZipFile) -> list[str]:
    return [name for name in wheel.namelist() if re.search(r"/_kernels\.(so|dll)$", name)]


def holds_its_package_with_types_and_no_tests(folder: Path, wheel: zipfile.ZipFile) -> None:
    package = project(folder)["name"].replace("-", "_")
    names = wheel.namelist()

    tops = {name.partition("/")[0] for name in names}
    assert tops == {package, f"{package}-{project(folder)['version']}.dist-info"}
    assert f"{package}/py.typed" in names
    modules = [name for name in names if "/scaffold/template/" not in name]
    assert not [name for name in modules if re.search(r"/(tests/|test_|conftest)", name)]
    assert [name for name in names if name.endswith("licenses/LICENSE")]


def holds_every_module(folder: Path, wheel: zipfile.ZipFile) -> None:
    package = folder / project(folder)["name"].replace("-", "_")

    modules = {path.relative_to(folder).as_posix() for path in package.rglob("*.py")}

    assert modules <= set(wheel.namelist())


def holds_the_entry_points(folder: Path, wheel: zipfile.ZipFile) -> None:
    paths = [name for name in wheel.namelist() if name.endswith(".dist-info/entry_points.txt")]

    text = "".join(wheel.read(path).decode() for path in paths)

    groups = project(folder).get("entry-points", {}).values()
    declared = dict(pair for group in groups for pair in group.items())
    declared |= project(folder).get("scripts", {})
    assert bool(declared) == (name_of(folder) not in ("labels", "testing"))
    for name, value in declared.items():
        assert f"{name} = {value}" in text


def holds_compiled_kernels_where_a_compiler_is(folder: Path, wheel: zipfile.ZipFile) -> None:
    has_compiler = any(map(shutil.which, COMPILERS))

    assert bool(libraries(wheel)) == (is_compiled(folder) and has_compiler)
    assert not [name for name in wheel.namelist() if name.endswith((".c", ".h"))]
    assert str(wheel.filename).endswith("-py3-none-any.whl") != is_compiled(folder)
    assert "-py3-none-" in str(wheel.filename)


def describes_itself(folder: Path, wheel: zipfile.ZipFile) -> None:
    (path,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))

    text = wheel.read(path).decode()

    assert "Requires-Python: >=3.11" in text
    assert "License-Expression: MIT" in text
    assert (folder / "README.md").read_text(encoding="utf-8").strip() in text


@for_each(
    "holds",
    [
        holds_its_package_with_types_and_no_tests,
        holds_every_module,
        holds_the_entry_points,
        holds_compiled_kernels_where_a_compiler_is,
        describes_itself,
    ],
    ids=lambda holds: holds.__name__,
)
def check_wheel(holds: Callable[[Path, zipfile.ZipFile], None], folder: Path, wheel: Any) -> None:
    holds(folder, wheel)


def test_wheel_has_metadata_and_files_of_project(folder: Path, tmp_path: Path) -> None:
    check_wheel(folder=folder, wheel=built(folder, tmp_path))


def test_all_kernels_have_same_build_script() -> None:
    assert len({(folder / "setup.py").read_text(encoding="utf-8") for folder in COMPILED}) == 1


def test_wheels_of_kernels_are_built_and_tested_alike() -> None:
    def settings(folder: Path) -> str:
        text = (folder / "pyproject.toml").read_text(encoding="utf-8")
        found = tomllib.loads(text)["tool"]["cibuildwheel"]
        return str(found).replace(f"valor_{folder.name}", "package")

    first, *others = map(settings, COMPILED)

    assert set(others) == {first}
    assert "from package.kernels import KERNELS" in first


def test_source_distribution_has_no_tests(folder: Path) -> None:
    if is_compiled(folder):
        assert (folder / "MANIFEST.in").read_text(encoding="utf-8") == "prune tests\n"
        return

    packed = [
        Path(file.distribution_path) for file in SdistBuilder(str(folder)).recurse_included_files()
    ]

    assert [path for path in packed if "tests" in path.parts and "template" not in path.parts] == []
    assert Path("README.md") in packed


@pytest.mark.skipif(sys.platform == "win32", reason="CC does not set the compiler on Windows")
@pytest.mark.parametrize("folder", COMPILED[:1], ids=name_of)
def test_wheel_without_compiler_omits_kernels(folder: Path, tmp_path: Path) -> None:
    wheel = built(folder, tmp_path, CC="surely-not-a-compiler")

    assert not libraries(wheel)
    package = project(folder)["name"].replace("-", "_")
    assert f"{package}/kernels/__init__.py" in wheel.namelist()


@pytest.mark.skipif(not any(map(shutil.which, COMPILERS)), reason="no compiler")
@pytest.mark.parametrize("folder", COMPILED, ids=name_of)
def test_compiled_kernels_are_used(folder: Path) -> None:
    for namespace in namespaces(folder):
        for place in Registry().manifest(namespace).kernels:
            environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
            module, _, name = place.partition(":")
            code = f"from {module} import {name}; print({name}.path, {name}.reason)"
            done = subprocess.run(
                [sys.executable, "-c", code],
                env=environment,
                check=True,
                capture_output=True,
                text=True,
            )
            assert done.stdout.split() == ["compiled"]


def test_wheel_of_valor_cli_has_plugin_template() -> None:
    folder = ROOT / "plugins" / "cli"
    template = folder / "valor_cli" / "scaffold" / "template"
    files = [path for path in template.rglob("*") if path.is_file()]
    expected = {path.relative_to(folder).as_posix() for path in files}
    builder = WheelBuilder(str(folder))

    packed = {Path(file.distribution_path).as_posix() for file in builder.recurse_included_files()}

    assert expected
    assert expected <= packed


def test_dependencies_have_lower_bounds(folder: Path) -> None:
    for line in requirements(folder):
        assert re.fullmatch(r"[A-Za-z0-9_.-]+(\[[a-z,]+\])?>=[0-9][0-9.]*(,<[0-9.]+)?", line), line


def test_distributions_of_this_project_bound_each_other(folder: Path) -> None:
    major, minor, *_ = version("valor-core").split(".")
    lines = [line for line in requirements(folder) if line.startswith("valor-")]

    assert folder == ROOT or lines
    bounds = f">={major}.{minor},<{major}.{int(minor) + 1}"
    assert [line for line in lines if not line.endswith(bounds)] == []


SHARED = ("version", "license", "license-files", "readme", "requires-python", "authors", "urls")


def test_project_files_agree(folder: Path) -> None:
    def shared(folder: Path) -> dict[str, Any]:
        settings = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
        found = {key: settings["project"].get(key) for key in SHARED}
        names = settings["project"]["classifiers"]
        found["classifiers"] = [name for name in names if not name.startswith("Framework :: ")]
        found["build"] = settings["build-system"] | {"compiled": is_compiled(folder)}
        return found

    like = COMPILED[0] if is_compiled(folder) else ROOT
    assert shared(folder) == shared(like)
    assert shared(folder) | {"build": None} == shared(ROOT) | {"build": None}


def test_only_pytest_plugins_are_classified_as_such(folder: Path) -> None:
    has_plugin = "pytest11" in project(folder).get("entry-points", {})

    assert ("Framework :: Pytest" in project(folder)["classifiers"]) == has_plugin


@pytest.mark.parametrize("plugin", PLUGINS, ids=name_of)
def test_core_version_satisfies_plugins(plugin: Path) -> None:
    (line,) = (line for line in requirements(plugin) if line.startswith("valor-core>="))

    bound = line.partition(">=")[2].partition(",")[0]

    assert tuple(map(int, bound.split("."))) <= tuple(map(int, version("valor-core").split(".")))


def test_installed_metadata_matches_project_file(folder: Path) -> None:
    metadata = project(folder)

    installed = distribution(metadata["name"])

    assert installed.version == metadata["version"]
    found = {(entry.group, entry.name): entry.value for entry in installed.entry_points}
    expected = {
        (group, name): value
        for group, entries in metadata.get("entry-points", {}).items()
        for name, value in entries.items()
    }
    scripts = {("console_scripts", name): to for name, to in metadata.get("scripts", {}).items()}
    assert found == expected | scripts


def test_install_command_has_requirements_of_project_files() -> None:
    found = {}
    for folder in (ROOT, *PLUGINS):
        metadata = project(folder)
        extras = metadata.get("optional-dependencies", {})
        lines = {"": metadata["dependencies"]} | {f"[{name}]": extras[name] for name in extras}
        for extra, each in lines.items():
            names = [re.split(r"[\[>]", line)[0] for line in sorted(each)]
            required = [one for one in names if one.startswith("valor-") and one != "valor-core"]
            if required or not extra:
                found[metadata["name"] + extra] = required

    assert found == packages.project_requirements()


@pytest.mark.parametrize("plugin", PLUGINS, ids=name_of)
def test_hint_for_missing_namespace_names_plugin(plugin: Path) -> None:
    for namespace in namespaces(plugin):
        assert OWNERS[namespace] == f"valor-{plugin.name}"


def test_extras_of_specs_exist(folder: Path) -> None:
    metadata = project(folder)
    for namespace in namespaces(folder):
        manifest = Registry().manifest(namespace)
        for spec in manifest.all():
            assert spec.extra is None or spec.extra in metadata["optional-dependencies"], spec.name


def test_plugins_are_in_workspace_and_test_examples(folder: Path) -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    settings = tomllib.loads(text)
    name = project(folder)["name"]

    assert settings["tool"]["uv"]["sources"][name] == {"workspace": True}
    group = settings["dependency-groups"]["plugins"]
    assert any(line.partition("[")[0] == name for line in group)


def test_changelogs_have_current_version(folder: Path) -> None:
    text = (folder / "CHANGELOG.md").read_text(encoding="utf-8")

    assert f"## [{project(folder)['version']}]" in text


# Wheels of all distributions, installed without a compiler and without an index

EXAMPLES = sorted(path.parent for path in (ROOT / "examples").glob("*/config.yaml"))


def run(*command: str | Path, **options: Any) -> str:
    done = subprocess.run(
        list(map(str, command)), check=False, capture_output=True, text=True, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def required() -> list[str]:
    """Distributions of this project, with the extras of the requirement files."""
    found = set()
    for file in (ROOT / "requirements").glob("*.txt"):
        for line in file.read_text(encoding="utf-8").splitlines():
            option, _, value = line.partition(" ")
            if option == "-e":
                folder, bracket, extras = value.partition("[")
                found.add(project((ROOT / folder).resolve())["name"] + bracket + extras)
    return sorted(found)


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Python of an environment that has only the wheels."""
    work = tmp_path_factory.mktemp("wheels")
    wheels = work / "wheels"
    wheels.mkdir()
    for folder in (ROOT, *PLUGINS):
        target = work / "built" / name_of(folder)
        target.mkdir(parents=True)
        wheel = built(folder, target, CFLAGS="", LDFLAGS="")  # without sanitizers
        shutil.copy(str(wheel.filename), wheels)
    environment = work / "environment"
    run(sys.executable, "-m", "venv", environment)
    found = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = (found, "-m", "pip", "--quiet", "--disable-pip-version-check")
    run(
        *pip,
        "download",
        "--dest",
        wheels,
        "--find-links",
        wheels,
        "--only-binary",
        ":all:",
        *required(),
    )
    run(
        *(*pip, "install", "--no-index", "--find-links", wheels, *required()),
        env=os.environ | {"CC": "surely-not-a-compiler"},
    )
    return found


@pytest.mark.nightly
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda folder: folder.name)
def test_example_runs_from_wheels(example: Path, python: Path, tmp_path: Path) -> None:
    copy = tmp_path / example.name
    shutil.copytree(example, copy)

    output = run(python.with_name("valor"), "run", "config.yaml", cwd=copy)

    assert output.strip()


@pytest.mark.nightly
@pytest.mark.parametrize("folder", COMPILED, ids=name_of)
def test_wheel_uses_compiled_kernels(folder: Path, python: Path, tmp_path: Path) -> None:
    package = project(folder)["name"].replace("-", "_")
    code = f"from {package}.kernels import KERNELS; print(KERNELS.path, KERNELS.library._name)"
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}

    path, library = run(python, "-c", code, cwd=tmp_path, env=environment).split()

    assert path == "compiled"
    assert Path(library).is_relative_to(python.parents[1])
