from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from messages import refused

from valor_core.errors import MissingExtraError
from valor_core.packages import import_extra, installed, rescan, version_of

FACTS = "Metadata-Version: 2.1\nName: Sea.birds\nVersion: 1.5\n\nName: of the text below\n"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_a_package_that_is_there_is_imported() -> None:
    assert import_extra("json", "reports: writing one", "valor-core[json]") is json


def test_a_package_that_is_missing_is_named_with_what_installs_it() -> None:
    with refused(MissingExtraError):
        import_extra("nowhere.inside", "art: drawing", "valor-art[paint]")


def test_all_that_the_standard_library_finds_is_found_in_the_same_order() -> None:
    group = "console_scripts"
    found = [(one.name, one.version, [*one.announced(group)]) for one in installed().distributions]

    assert found == [
        (
            one.metadata["Name"],
            one.version,
            [(entry.name, entry.value) for entry in one.entry_points if entry.group == group],
        )
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
    assert installed().distributions[0].name == "Sea.birds"


def test_a_distribution_in_an_archive_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "birds.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("sea_birds-1.5.dist-info/METADATA", FACTS)
    monkeypatch.syspath_prepend(archive)

    assert version_of("Sea.Birds") == "1.5"


def test_rescan_finds_newly_installed_distribution(site: Path) -> None:
    os.utime(site, ns=(10**18, 10**18))  # its clock may tick coarsely
    assert version_of("sea-birds") is None
    (site / "sea_birds-1.5.dist-info").mkdir()
    (site / "sea_birds-1.5.dist-info" / "METADATA").write_text(FACTS)

    assert [rescan(), rescan()] == [True, False]
    assert version_of("sea-birds") == "1.5"


def test_what_is_not_installed_has_no_version() -> None:
    assert version_of("no-such-birds") is None


def test_a_folder_that_is_not_there_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend("/no/such/folder")

    assert version_of("valor-core") is not None


def test_the_standard_library_is_not_loaded_where_folders_hold_everything() -> None:
    code = (
        "import sys; from valor_core.packages import version_of;"
        "print(version_of('valor-core') is not None, 'importlib.metadata' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["True", "False"]
