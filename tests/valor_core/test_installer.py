from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from valor_core import packages
from valor_core.packages import OWNERS, PUBLISHED, REPOSITORY, install, uninstall, ways

Set = Callable[..., None]


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Set:
    """An environment in a folder, with some packages in it and some programs on the path."""

    def here(modules: tuple[str, ...] = (), programs: tuple[str, ...] = ()) -> None:
        (tmp_path / "path").mkdir()
        (tmp_path / "bin").mkdir()
        for name in (*(f"path/{program}" for program in programs), "bin/python"):
            (tmp_path / name).touch(mode=0o755)
        monkeypatch.setenv("PATH", str(tmp_path / "path"))
        monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
        monkeypatch.setattr(packages, "find_spec", lambda name: name in modules or None)
        monkeypatch.setattr(packages, "_CLONE", tmp_path / "clone")
        monkeypatch.chdir(tmp_path)

    return here


def test_pip_is_used_if_installed(here: Set, tmp_path: Path) -> None:
    here(modules=("pip",), programs=("uv",))

    assert install("valor-text") == f"{tmp_path}/bin/python -m pip install valor-text"
    assert uninstall("valor-text") == f"{tmp_path}/bin/python -m pip uninstall valor-text"


def test_uv_is_used_without_pip(here: Set, tmp_path: Path) -> None:
    here(programs=("uv",))

    assert install("valor-text") == f"uv pip install --python {tmp_path}/bin/python valor-text"
    assert uninstall("valor-text") == f"uv pip uninstall --python {tmp_path}/bin/python valor-text"


def test_uv_of_clone_is_used_without_another(here: Set, tmp_path: Path) -> None:
    here()
    folder = tmp_path / "clone" / ".boot" / "bin"
    folder.mkdir(parents=True)
    (folder / "uv").touch(mode=0o755)

    assert install("valor-text") == (
        f"{tmp_path}/clone/.boot/bin/uv pip install --python {tmp_path}/bin/python valor-text"
    )


def test_pip_is_suggested_without_pip_and_uv(here: Set, tmp_path: Path) -> None:
    here()

    assert install("valor-text") == f"{tmp_path}/bin/python -m pip install valor-text"


def test_suggested_command_exists() -> None:
    program, *_ = shlex.split(install("valor-core"))

    assert shutil.which(program)


def test_extra_is_quoted_for_shell() -> None:
    assert install("valor-core[cli]").endswith(" 'valor-core[cli]'")
    assert install("-e", "my plugin").endswith(" -e 'my plugin'")


CLONE = Path(packages.__file__).parents[1]


def folders(command: str) -> list[Path]:
    """Folders that a command installs, without their extras."""
    words = shlex.split(command)
    places = [word for before, word in pairwise(words) if before == "-e"]
    return [Path(place.partition("[")[0]) for place in places]


@pytest.mark.parametrize("name", ["valor-core[tables]", "valor-cli", *OWNERS.values()])
def test_unpublished_packages_are_installed_from_the_clone(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "PUBLISHED", False)

    command = ways(name)

    assert "valor-" not in command.partition(" install ")[2].replace(str(CLONE), "")
    assert folders(command)
    assert all((folder / "pyproject.toml").is_file() for folder in folders(command))


def test_requirements_of_missing_package_are_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(packages, "PUBLISHED", False)
    monkeypatch.setattr(packages, "version_of", lambda name: None if name == "valor-text" else "1")

    assert folders(ways("valor-rgb")) == [CLONE / "plugins/text", CLONE / "plugins/rgb"]


def test_missing_clone_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(packages, "_CLONE", tmp_path)
    monkeypatch.setattr(packages, "PUBLISHED", False)
    monkeypatch.setattr(packages, "REPOSITORY", "")

    command, note = ways("valor-detection[plot]").splitlines()

    assert command.endswith(" -e 'plugins/detection[plot]'")
    assert note.startswith("Run it in a clone of Valor's repository")


ADDRESS = "https://example.org/valor"


def test_package_is_installed_from_repository_without_clone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(packages, "_CLONE", tmp_path)
    monkeypatch.setattr(packages, "PUBLISHED", False)
    monkeypatch.setattr(packages, "REPOSITORY", ADDRESS)
    monkeypatch.setattr(packages, "version_of", lambda name: None)

    text = f"valor-text @ git+{ADDRESS}#subdirectory=plugins/text"
    files = f"valor-files @ git+{ADDRESS}#subdirectory=plugins/files"
    assert ways("valor-core") == install(f"valor-core @ git+{ADDRESS}")
    assert ways("valor-text[nltk]", "scipy") == install(
        files, text.replace("text @", "text[nltk] @"), "scipy"
    )
    assert ways("scipy") == install("scipy")


def test_clone_is_preferred_to_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "PUBLISHED", False)
    before = ways("valor-text[nltk]")

    monkeypatch.setattr(packages, "REPOSITORY", ADDRESS)

    assert ways("valor-text[nltk]") == before


def test_published_project_has_address_of_repository() -> None:
    assert REPOSITORY or not PUBLISHED


@pytest.mark.parametrize("repository", ["", ADDRESS])
def test_published_packages_are_installed_from_index(
    repository: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "REPOSITORY", repository)
    monkeypatch.setattr(packages, "PUBLISHED", True)

    assert ways("valor-detection[plot]") == install("valor-detection[plot]")


def test_no_page_installs_unpublished_package_from_index() -> None:
    names = "|".join({"valor-core", "valor-cli", *OWNERS.values()})
    pages = [*CLONE.glob("*.md"), *CLONE.glob("docs/**/*.md"), *CLONE.glob("plugins/*/*.md")]
    wrong = re.compile(rf"pip install [^\n]*(?<![\w/.-])({names})(?![\w.-])")

    found = {page.name: wrong.findall(page.read_text(encoding="utf-8")) for page in pages}

    assert PUBLISHED or {name: lines for name, lines in found.items() if lines} == {}
