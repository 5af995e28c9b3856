"""Files in ``requirements/`` list all distributions of this project that they need."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.metadata import distribution, distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
CONSTRAINTS = ROOT / "requirements" / "constraints.txt"
FILES = sorted({*(ROOT / "requirements").glob("*.txt")} - {CONSTRAINTS})
RESOLVED = [
    file if file.stem == "all" else pytest.param(file, marks=pytest.mark.nightly) for file in FILES
]
"""Resolving takes seconds, and `all` resolves what the others do."""
WORKSPACE = {
    tomllib.loads(path.read_text(encoding="utf-8"))["project"]["name"]: path.parent
    for path in (ROOT / "pyproject.toml", *ROOT.glob("plugins/*/pyproject.toml"))
}


def editable(file: Path) -> Iterator[str]:
    """Yield the folders that a file installs, with extras in brackets."""
    for line in file.read_text(encoding="utf-8").splitlines():
        option, _, value = line.partition(" ")
        assert option in ("-e", "-r"), line
        yield from [value] if option == "-e" else editable(file.parent / value)


def make_wheel(folder: Path, name: str, version: str, metadata: str) -> None:
    """Write a wheel with metadata and no code."""
    stem = f"{name.replace('-', '_')}-{version}"
    with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{stem}.dist-info/METADATA", metadata)
        wheel.writestr(
            f"{stem}.dist-info/WHEEL",
            "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        wheel.writestr(f"{stem}.dist-info/RECORD", "")


@pytest.fixture(scope="module")
def pip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Python of a new environment with pip."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    return folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"


@pytest.fixture(scope="module")
def third_party(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with wheels, without code, of installed distributions of other projects."""
    folder = tmp_path_factory.mktemp("wheels")
    for each in distributions():
        if each.name not in WORKSPACE:
            make_wheel(folder, each.name, each.version, each.read_text("METADATA") or "")
    return folder


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_requirements_list_distributions_of_this_project_that_they_need(file: Path) -> None:
    names = {folder: name for name, folder in WORKSPACE.items()}
    listed, pairs = set(), set()
    for line in editable(file):
        path, _, extras = line.partition("[")
        name = names[(ROOT / path).resolve()]
        listed.add(name)
        pairs |= {(name, extra) for extra in ("", *filter(None, extras.rstrip("]").split(",")))}

    waiting = list(pairs)
    while waiting:
        name, extra = waiting.pop()
        for requirement in map(Requirement, distribution(name).requires or ()):
            is_asked = not requirement.marker or requirement.marker.evaluate({"extra": extra})
            if requirement.name in WORKSPACE and is_asked:
                found = {(requirement.name, one) for one in ("", *requirement.extras)} - pairs
                waiting += found
                pairs |= found

    assert {name for name, _ in pairs} == listed


@pytest.mark.parametrize("file", RESOLVED, ids=lambda file: file.stem)
def test_requirements_resolve_without_package_index(
    file: Path, pip: Path, third_party: Path, tmp_path: Path
) -> None:
    names = {folder: name for name, folder in WORKSPACE.items()}
    wanted = []
    for line in editable(file):
        path, bracket, extras = line.partition("[")
        name = names[(ROOT / path).resolve()]
        found = distribution(name)
        make_wheel(tmp_path, name, found.version, found.read_text("METADATA") or "")
        wanted.append(name + bracket + extras)

    command = [pip, "-m", "pip", "install", "--dry-run", "--quiet", "--no-index", *wanted]
    for links in (tmp_path, third_party):
        command += ["--find-links", links]
    done = subprocess.run(command, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr


def test_each_distribution_has_a_requirements_file() -> None:
    stems = {name.removeprefix("valor-") for name in WORKSPACE}

    assert {file.stem for file in FILES} == {*stems, "all"}
    listed = {line.partition("[")[0] for line in editable(ROOT / "requirements" / "all.txt")}
    assert {(ROOT / path).resolve() for path in listed} == set(WORKSPACE.values())


def pins() -> dict[str, list[Requirement]]:
    """Pinned versions by distribution; several have markers."""
    found: dict[str, list[Requirement]] = {}
    for line in CONSTRAINTS.read_text(encoding="utf-8").splitlines():
        if not line.lstrip().startswith("#"):
            found.setdefault(canonicalize_name(Requirement(line).name), []).append(
                Requirement(line)
            )
    return found


def wanted_by_development() -> Iterator[Requirement]:
    """Yield all requirements of other projects, also of extras and of the development tools."""
    for folder in WORKSPACE.values():
        settings = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
        groups = settings.get("dependency-groups", {})
        extras = settings["project"].get("optional-dependencies", {})
        lines = [*settings["project"]["dependencies"], *groups.get("plugins", ())]
        lines += [line for line in groups.get("dev", ()) if isinstance(line, str)]
        for line in (*lines, *(line for extra in extras.values() for line in extra)):
            if Requirement(line).name not in WORKSPACE:
                yield Requirement(line)


def test_constraints_satisfy_lower_bounds() -> None:
    found = pins()

    wrong = [
        f"{wanted}: {[str(pin) for pin in found.get(canonicalize_name(wanted.name), ())]}"
        for wanted in wanted_by_development()
        if not any(
            wanted.specifier.contains(next(iter(pin.specifier)).version)
            for pin in found.get(canonicalize_name(wanted.name), ())
        )
    ]

    assert wrong == [], "write requirements/constraints.txt again: see CONTRIBUTING.md"


def test_constraints_pin_one_version_and_name_no_index() -> None:
    assert "://" not in CONSTRAINTS.read_text(encoding="utf-8")
    for pin in (pin for each in pins().values() for pin in each):
        assert pin.name not in WORKSPACE
        assert [one.operator for one in pin.specifier] == ["=="], pin


def test_contributing_has_command_that_writes_constraints() -> None:
    header = CONSTRAINTS.read_text(encoding="utf-8").splitlines()[1]

    assert header.removeprefix("#").strip() in (ROOT / "CONTRIBUTING.md").read_text("utf-8")
