"""Preparation of a release: addresses in READMEs and metadata, and reasons not to release."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from cases import for_each

from valor_core import packages

ROOT = Path(__file__).parent.parent
ADDRESS = "https://example.org/valor"


@pytest.fixture(scope="module")
def release() -> ModuleType:
    spec = importlib.util.spec_from_file_location("release", ROOT / ".ci" / "release.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["release"] = module  # dataclasses look it up
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Checkout with one plugin, without an address of the repository."""
    for path in ("README.md", "docs/index.md", "docs/pictures/report.png", "CHANGELOG.md"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("## [0.1.0] - unreleased\n", encoding="utf-8")
    for folder, name in (("", "valor-core"), ("plugins/text", "valor-text")):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        text = f'[project]\nname = "{name}"\nversion = "0.1.0"\ndependencies = []\n'
        (tmp_path / folder / "pyproject.toml").write_text(text, encoding="utf-8")
        (tmp_path / folder / "README.md").write_text("", encoding="utf-8")
        (tmp_path / folder / "CHANGELOG.md").write_text("## [0.1.0] - 2026-12-01\n", "utf-8")
    write_settings(tmp_path, published=False, repository="")
    return tmp_path


def write_settings(root: Path, *, published: bool, repository: str) -> None:
    path = root / "valor_core" / "packages.py"
    path.parent.mkdir(exist_ok=True)
    text = f'PUBLISHED: Final[bool] = {published}\nREPOSITORY: Final[str] = "{repository}"\n'
    path.write_text(text, encoding="utf-8")


def test_settings_are_those_of_core(release: ModuleType) -> None:
    assert release.settings(ROOT) == (packages.PUBLISHED, packages.REPOSITORY)


def test_release_stops_without_address_of_repository(release: ModuleType, copy: Path) -> None:
    (sentence,) = release.obstacles(copy)

    assert sentence.startswith("valor_core/packages.py: REPOSITORY is empty")
    assert sentence.endswith("or rehearse with: .ci/release --rehearse")


def test_release_stops_unless_packages_are_published_and_dated(
    release: ModuleType, copy: Path
) -> None:
    write_settings(copy, published=False, repository=ADDRESS)
    (copy / "plugins/text/CHANGELOG.md").write_text("## [0.1.0] - unreleased\n", encoding="utf-8")

    first, second = release.obstacles(copy)

    assert first.startswith("valor_core/packages.py: PUBLISHED is False")
    assert second.startswith("plugins/text/CHANGELOG.md: 0.1.0 is unreleased")


def test_release_starts_with_both_values_and_dates(release: ModuleType, copy: Path) -> None:
    write_settings(copy, published=True, repository=ADDRESS)

    assert list(release.obstacles(copy)) == []


@pytest.mark.skipif(bool(packages.REPOSITORY), reason="the repository has an address")
@pytest.mark.skipif(sys.platform == "win32", reason="a shell script")
def test_command_prints_why_it_stops(release: ModuleType, tmp_path: Path) -> None:
    done = subprocess.run([ROOT / ".ci/release", tmp_path / "out"], capture_output=True, text=True)

    assert done.returncode == 2
    assert done.stderr == "".join(f"{sentence}\n" for sentence in release.obstacles(ROOT))
    assert not (tmp_path / "out").exists()


def test_folder_of_an_earlier_release_is_not_overwritten(
    release: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "old.whl").touch()

    assert release.main(["--rehearse", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"{tmp_path}: expected an empty folder\n"


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script")
def test_folder_is_relative_to_the_current_folder(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "old.whl").touch()

    done = subprocess.run(
        [ROOT / ".ci/release", "--rehearse", "out"], cwd=tmp_path, capture_output=True, text=True
    )

    assert (done.returncode, done.stderr) == (2, "out: expected an empty folder\n")


@for_each(
    "written, expected",
    [
        ("[a](../../docs/index.md)", f"[a]({ADDRESS}/blob/v1/docs/index.md)"),
        ("[a](../../docs/index.md#b)", f"[a]({ADDRESS}/blob/v1/docs/index.md#b)"),
        ("[a](../../docs)", f"[a]({ADDRESS}/tree/v1/docs)"),
        ("[a](#b)", f"[a]({ADDRESS}/blob/v1/plugins/text/README.md#b)"),
        (
            "![a](../../docs/pictures/report.png)",
            f"![a]({ADDRESS}/raw/v1/docs/pictures/report.png)",
        ),
        ("[a](https://b.example/c)", "[a](https://b.example/c)"),
        ("```python\na[0](b)\n```", "```python\na[0](b)\n```"),
    ],
)
def check_link(written: str, expected: str, absolute: ModuleType, root: Path) -> None:
    assert absolute.absolute(written, "plugins/text/README.md", root, ADDRESS, "v1") == expected


def test_links_and_pictures_become_absolute(release: ModuleType, copy: Path) -> None:
    check_link(absolute=release, root=copy)


def test_broken_link_stops_release(release: ModuleType, copy: Path) -> None:
    with pytest.raises(SystemExit, match="no such file: docs/missing"):
        release.absolute("[a](docs/missing.md)", "README.md", copy, ADDRESS, "v1")


def test_no_link_of_a_readme_stays_relative(release: ModuleType) -> None:
    relative = re.compile(r"\]\((?!https?://)")
    for project in release.projects(ROOT):
        readme = project.folder / "README.md"
        name = readme.relative_to(ROOT).as_posix()
        text = release.absolute(readme.read_text(encoding="utf-8"), name, ROOT, ADDRESS, "v1")

        assert relative.findall(re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)) == [], name


def test_project_files_get_addresses(release: ModuleType, copy: Path) -> None:
    release.prepare(copy, ADDRESS)

    urls = tomllib.loads((copy / "plugins/text/pyproject.toml").read_text("utf-8"))["project"][
        "urls"
    ]
    assert urls == {
        "Homepage": ADDRESS,
        "Documentation": f"{ADDRESS}/blob/v0.1.0/docs/index.md",
        "Changelog": f"{ADDRESS}/blob/v0.1.0/plugins/text/CHANGELOG.md",
        "Source": f"{ADDRESS}/tree/v0.1.0/plugins/text",
        "Issues": f"{ADDRESS}/issues",
    }


def test_every_distribution_has_a_trial(release: ModuleType) -> None:
    projects = {project.name: project for project in release.projects(ROOT)}

    assert release.TRIALS.keys() == projects.keys()
    for name, trial in release.TRIALS.items():
        assert name in release.closure([name, *trial.also], projects)


def test_wheels_of_required_distributions_are_installed_with_extras(release: ModuleType) -> None:
    projects = {project.name: project for project in release.projects(ROOT)}

    assert release.closure(["valor-cli"], projects) == {
        "valor-cli": set(),
        "valor-core": set(),
        "valor-files": set(),
        "valor-report": {"terminal"},
    }


def test_table_has_aligned_columns(release: ModuleType) -> None:
    row = ["valor-core", "249", "323", "py3-none-any", "passed", "60", "0", "same"]

    title, line = release.table([row]).splitlines()

    assert title.split("  ")[0] == "distribution"
    assert line.index("py3-none-any") == title.index("tag")
