from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from valor_core.plugins import entry_points as module
from valor_core.plugins.entry_points import GROUP, claims, distributions, version_of

FACTS = "Metadata-Version: 2.1\nName: Sea.birds\nVersion: 1.5\n\nName: of the text below\n"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def announce(site: Path, distribution: str, text: str) -> Path:
    facts = site / f"{distribution}-1.dist-info"
    facts.mkdir(exist_ok=True)
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1\n")
    (facts / "entry_points.txt").write_text(f"[{GROUP}]\n{text}\n")
    return facts


def remove(facts: Path) -> None:
    for file in facts.iterdir():
        file.unlink()
    facts.rmdir()


@pytest.fixture(autouse=True)
def long_ago(site: Path) -> None:
    """As if the folder had been there for a while: its clock may tick coarsely."""
    os.utime(site, ns=(10**18, 10**18))


def names() -> dict[str, str]:
    return {found.namespace: found.distribution for found in claims()}


def test_a_new_distribution_is_found(site: Path) -> None:
    assert "gulls" not in names()

    announce(site, "seabirds", "gulls = seabirds.plugin")

    assert names()["gulls"] == "seabirds"


def test_one_that_is_removed_is_forgotten(site: Path) -> None:
    facts = announce(site, "seabirds", "gulls = seabirds.plugin")
    os.utime(site, ns=(10**18, 10**18))
    assert "gulls" in names()

    remove(facts)

    assert "gulls" not in names()


def test_of_two_of_one_name_the_first_on_the_path_counts(
    site: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    announce(site, "seabirds", "gulls = seabirds.plugin")
    before = tmp_path_factory.mktemp("before")
    monkeypatch.syspath_prepend(before)

    announce(before, "seabirds", "terns = seabirds.plugin\n[valor.other]\nauks = seabirds.auks")
    assert {"gulls", "terns", "auks"} & set(names()) == {"terns"}


def test_another_search_path_is_noticed(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    announce(site, "seabirds", "gulls = seabirds.plugin")
    assert "gulls" in names()

    monkeypatch.setattr("sys.path", [path for path in sys.path if path != str(site)])

    assert "gulls" not in names()


def test_what_is_installed_over_another_version_is_read_anew(site: Path) -> None:
    facts = announce(site, "seabirds", "gulls = seabirds.plugin")
    os.utime(site, ns=(10**18, 10**18))
    assert "gulls" in names()

    remove(facts)
    announce(site, "seabirds", "terns = seabirds.plugin")

    assert "terns" in names()
    assert "gulls" not in names()


def test_comments_and_other_sections_announce_nothing(site: Path) -> None:
    announce(site, "seabirds", "# terns = a\n; skuas = b\n\ngulls=seabirds.plugin\n[x]\nauks = c")

    assert {"gulls", "terns", "skuas", "auks"} & set(names()) == {"gulls"}


def test_while_nothing_changes_nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    before = claims()
    monkeypatch.setattr(module, "distributions", None)

    assert claims() is before


def test_all_that_the_standard_library_finds_is_found_in_the_same_order() -> None:
    found = [(one.name, one.version, one.entry_points) for one in distributions()]

    assert found == [
        (one.metadata["Name"], one.version, one.read_text("entry_points.txt") or "")
        for one in metadata.distributions()
    ]


@pytest.mark.parametrize(
    ("folder", "file"),
    [("sea_birds-1.5.dist-info", "METADATA"), ("Sea.birds-1.5-py3.11.egg-info", "PKG-INFO")],
)
def test_the_header_names_a_distribution_and_its_version(
    site: Path, folder: str, file: str
) -> None:
    (site / folder).mkdir()
    (site / folder / file).write_text(FACTS)

    assert version_of("sea-birds") == "1.5"
    assert next(iter(distributions())).name == "Sea.birds"


def test_a_distribution_in_an_archive_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "birds.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("sea_birds-1.5.dist-info/METADATA", FACTS)
    monkeypatch.syspath_prepend(archive)

    assert version_of("Sea.Birds") == "1.5"


def test_what_is_not_installed_has_no_version() -> None:
    assert version_of("no-such-birds") is None


def test_a_folder_that_is_not_there_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend("/no/such/folder")

    assert version_of("valor-core") is not None


def test_the_standard_library_is_not_loaded_where_folders_hold_everything() -> None:
    code = (
        "import sys; from valor_core.plugins.entry_points import version_of;"
        "print(version_of('valor-core') is not None, 'importlib.metadata' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["True", "False"]
