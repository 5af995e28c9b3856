from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from valor_core.plugins import entry_points as module
from valor_core.plugins.entry_points import entry_points

GROUP = "valor.plugins"


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


def long_ago(*paths: Path) -> None:
    """As if nobody had written to the paths for a while."""
    for path in paths:
        os.utime(path, ns=(10**18, 10**18 + len(path.name)))


def names() -> dict[str, str]:
    return {found.name: found.distribution for found in entry_points(GROUP, anew=True)}


def test_a_new_distribution_is_found(site: Path) -> None:
    assert "gulls" not in names()

    announce(site, "seabirds", "gulls = seabirds.plugin")

    assert names()["gulls"] == "seabirds"


def test_one_that_is_removed_is_forgotten(site: Path) -> None:
    facts = announce(site, "seabirds", "gulls = seabirds.plugin")
    assert "gulls" in names()

    for file in facts.iterdir():
        file.unlink()
    facts.rmdir()

    assert "gulls" not in names()


def test_of_two_of_one_name_the_first_on_the_path_counts(
    site: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    announce(site, "seabirds", "gulls = seabirds.plugin")
    before = tmp_path_factory.mktemp("before")
    monkeypatch.syspath_prepend(before)

    announce(before, "seabirds", "terns = seabirds.plugin\n[valor.other]\nauks = seabirds.auks")
    assert {"gulls", "terns", "auks"} & set(names()) == {"terns"}

    (before / "seabirds-1.dist-info" / "entry_points.txt").unlink()
    assert {"gulls", "terns"} & set(names()) == set()


def test_another_search_path_is_noticed(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    announce(site, "seabirds", "gulls = seabirds.plugin")
    assert "gulls" in names()

    monkeypatch.setattr("sys.path", [path for path in sys.path if path != str(site)])

    assert "gulls" not in names()


def test_a_file_that_is_written_anew_is_read_anew(site: Path) -> None:
    facts = announce(site, "seabirds", "gulls = seabirds.plugin")
    long_ago(facts / "entry_points.txt", facts, site)
    assert "gulls" in names()

    announce(site, "seabirds", "terns = seabirds.plugin")

    assert "terns" in names()
    assert "gulls" not in names()


def test_what_did_not_change_is_not_read_again(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = announce(site, "seabirds", "gulls = seabirds.plugin")
    long_ago(facts / "entry_points.txt", facts, site)
    before = entry_points(GROUP, anew=True)
    monkeypatch.setattr(module.metadata, "distributions", None)

    if max(os.stat(path).st_mtime for path in sys.path if os.path.exists(path)) < (time.time() - 1):
        assert entry_points(GROUP, anew=True) is before


def test_what_has_just_changed_is_read_until_it_settles(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    announce(site, "seabirds", "gulls = seabirds.plugin")
    before = entry_points(GROUP, anew=True)

    assert entry_points(GROUP, anew=True) is not before


def test_the_disk_is_not_looked_at_where_nobody_asks(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = entry_points(GROUP)
    monkeypatch.setattr(module.os, "stat", None)

    assert entry_points(GROUP) is before
