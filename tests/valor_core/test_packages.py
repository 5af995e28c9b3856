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


def test_installed_package_is_imported() -> None:
    assert import_extra("json", "reports: writing one", "valor-core[json]") is json


def test_missing_package_suggests_install_command() -> None:
    with refused(MissingExtraError):
        import_extra("nowhere.inside", "art: drawing", "valor-art[paint]")


def test_distributions_match_standard_library() -> None:
    group = "console_scripts"
    found = [(one.name, one.version, [*one.announced(group)]) for one in installed().distributions]

    # A folder lists its files in another order after a change, and `metadata` caches its order.
    assert sorted(found) == sorted(
        (
            one.metadata["Name"],
            one.version,
            [(entry.name, entry.value) for entry in one.entry_points if entry.group == group],
        )
        for one in metadata.distributions()
    )


@pytest.mark.parametrize(
    ("folder", "file"),
    [("sea_birds-1.5.dist-info", "METADATA"), ("Sea.birds-1.5-py3.11.egg-info", "PKG-INFO")],
)
def test_metadata_header_has_name_and_version(site: Path, folder: str, file: str) -> None:
    (site / folder).mkdir()
    (site / folder / file).write_text(FACTS)

    assert version_of("sea-birds") == "1.5"
    assert installed().distributions[0].name == "Sea.birds"


def test_distribution_in_archive_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_missing_distribution_has_no_version() -> None:
    assert version_of("no-such-birds") is None


def test_missing_folder_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend("/no/such/folder")

    assert version_of("valor-core") is not None


def test_importlib_metadata_is_not_loaded_for_folders() -> None:
    code = (
        "import sys; from valor_core.packages import version_of;"
        "print(version_of('valor-core') is not None, 'importlib.metadata' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["True", "False"]
