from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from valor_core.installed import Announced, entry_points

Install = Callable[..., Path]
GROUP = "valor.plugins"


def names() -> set[str]:
    return {announced.name for announced in entry_points(GROUP)}


def test_an_entry_point_is_announced_with_its_distribution(install: Install) -> None:
    install("birdlab", "birds", {"__init__.py": ""}, version="1.5")

    assert Announced(GROUP, "birds", "birds.plugin", "birdlab", "1.5") in entry_points(GROUP)


def test_a_distribution_installed_later_is_seen(install: Install) -> None:
    before = names()

    install("birdlab", "birds", {"__init__.py": ""})

    assert names() == before | {"birds"}


def test_a_distribution_that_is_gone_is_not_seen(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = install("birdlab", "birds", {"__init__.py": ""})
    assert "birds" in names()

    monkeypatch.setattr(sys, "path", [path for path in sys.path if path != str(site)])

    assert "birds" not in names()


def test_an_entry_point_that_changed_is_read_again(install: Install) -> None:
    site = install("birdlab", "birds", {"__init__.py": ""})
    assert "birds" in names()

    (site / "birdlab-1.0.dist-info" / "entry_points.txt").write_text(
        "[valor.plugins]\nparrots = birds.plugin\n"
    )

    assert {"parrots"} <= names()
    assert "birds" not in names()


def test_what_is_announced_can_be_loaded() -> None:
    announced = Announced(GROUP, "json", "json:dumps", "none", "0")

    assert announced.load()([1]) == "[1]"
