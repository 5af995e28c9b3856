from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from registries import manifest, package, without

from valor_core import Registry, evaluate, metric
from valor_core.specs import Range, ReaderSpec

Install = Callable[..., Path]


@pytest.fixture
def birds(install: Install) -> Path:
    return install("birdlab", "birds", package("birds"))


def length(item: Any) -> float:
    return float(len(item.response))


class TestReadersAndResources:
    SOURCES = package("birds") | {
        "plugin.py": manifest("birds", "spec('birds.Accuracy')")
        + "@hookimpl\ndef valor_readers():\n    return [ReaderSpec(name='birds.Nests',"
        " summary='', implementation='birds.code:Metric', task='birds')]\n"
        "@hookimpl\ndef valor_resources():\n    return [ResourceSpec(name='birds.Judge',"
        " summary='', implementation='birds.code:Metric', aliases=('referee',))]\n"
    }

    def test_reader_of_task_takes_precedence_over_tables_reader(self, install: Install) -> None:
        files = {name: text.replace("Nests", "Table") for name, text in self.SOURCES.items()}
        install("birdlab", "birds", files)
        registry = Registry()

        assert registry.find(ReaderSpec, "table", task="birds").name == "birds.Table"
        assert registry.find(ReaderSpec, "csv", task="birds").name == "tables.table"
        assert registry.find(ReaderSpec, "table", task="text").name == "tables.table"


def test_decorated_metric_in_missing_namespace_does_not_hide_readers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.csv").write_text("uid,response\nq1,Paris\nq2,Rom\n")
    registry = without(monkeypatch, "text")
    size = metric("text.Length", task="text", range=Range(0))(length)

    report = evaluate(
        {"reader": "csv", "path": tmp_path / "a.csv"}, [size], task="text", registry=registry
    )
    registry.add(size)

    assert report["Length"].value == 4.0
    assert registry.find(ReaderSpec, "csv", "text").name == "tables.table"
    assert registry.failures() == {}
