from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from valor_core.packages import Distribution, rescan
from valor_core.specs.extensions import GROUP, claims


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


def test_new_distribution_is_found(site: Path) -> None:
    assert "gulls" not in names()

    announce(site, "seabirds", "gulls = seabirds.plugin")
    rescan()

    assert names()["gulls"] == "seabirds"


def test_removed_distribution_disappears(site: Path) -> None:
    facts = announce(site, "seabirds", "gulls = seabirds.plugin")
    os.utime(site, ns=(10**18, 10**18))
    assert "gulls" in names()

    remove(facts)
    rescan()

    assert "gulls" not in names()


def test_first_distribution_on_path_wins(
    site: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    announce(site, "seabirds", "gulls = seabirds.plugin")
    before = tmp_path_factory.mktemp("before")
    monkeypatch.syspath_prepend(before)

    announce(before, "seabirds", "terns = seabirds.plugin\n[valor.other]\nauks = seabirds.auks")
    assert {"gulls", "terns", "auks"} & set(names()) == {"terns"}


def test_changed_search_path_is_detected(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    announce(site, "seabirds", "gulls = seabirds.plugin")
    assert "gulls" in names()

    monkeypatch.setattr("sys.path", [path for path in sys.path if path != str(site)])

    assert "gulls" not in names()


def test_upgraded_distribution_is_read_again(site: Path) -> None:
    facts = announce(site, "seabirds", "gulls = seabirds.plugin")
    os.utime(site, ns=(10**18, 10**18))
    assert "gulls" in names()

    remove(facts)
    announce(site, "seabirds", "terns = seabirds.plugin")
    rescan()

    assert "terns" in names()
    assert "gulls" not in names()


def test_comments_and_other_sections_are_ignored(site: Path) -> None:
    announce(site, "seabirds", "# terns = a\n; skuas = b\n\ngulls=seabirds.plugin\n[x]\nauks = c")

    assert {"gulls", "terns", "skuas", "auks"} & set(names()) == {"gulls"}


def test_unchanged_distributions_are_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    before = claims()
    monkeypatch.setattr(Distribution, "announced", None)

    assert claims() is before
