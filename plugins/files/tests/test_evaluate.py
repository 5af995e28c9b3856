from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bird_tasks import Birds

from valor_core import Registry, evaluate, metric
from valor_core.errors import ConfigError, SchemaError, StateError
from valor_core.readers import reader_of
from valor_core.results import Report
from valor_core.schemas.text import Text
from valor_core.specs import MetricSpec

ITEMS = [Text(f"q{n}", response="x" * n) for n in range(8)]

METRICS = ["lab.LongShare"]


@metric("mylab.Length", task="text")
def length(item: Any) -> float:
    return len(item.response) / 10


class TestReaders:
    @pytest.mark.parametrize(
        ("reader", "message"),
        [
            ("lab.Parts", "expected a reader for birds, got 'lab.Parts'"),
            ("core.table", "expected a reader for birds, got 'tables.table'"),
        ],
    )
    def test_reader_of_another_task_suggests_readers_of_task(
        self, lab: Path, reader: str, message: str
    ) -> None:
        registry = Registry()
        registry.register("birds", Birds())

        with pytest.raises(ConfigError, match=re.escape(message)):
            reader_of({"reader": reader, "path": "a.csv"}, "birds", registry, place="c.yaml: ")


class TestStateFiles:
    @pytest.mark.usefixtures("lab")
    @pytest.mark.parametrize(
        ("response", "message"),
        [("no", "bytes 0 to 32 is missing"), ("oui", "bytes 0 to 32 has changed")],
    )
    def test_state_of_changed_file_is_rejected(
        self, tmp_path: Path, response: str, message: str
    ) -> None:
        path, state = tmp_path / "answers.jsonl", tmp_path / "state.npz"
        path.write_text('{"uid": "a", "response": "yes"}\n', encoding="utf-8")
        data = {"reader": "csv", "path": str(path)}
        evaluate(data, METRICS, "text", state=state)
        path.write_text(f'{{"uid": "a", "response": "{response}"}}\n', encoding="utf-8")
        os.utime(path, ns=(0, 0))

        with pytest.raises(StateError, match=re.escape(message)):
            evaluate(data, METRICS, "text", state=state)


class TestForms:
    """Positional and keyword arguments of `evaluate`."""

    @pytest.fixture
    def length(self) -> MetricSpec:
        @metric("mylab.Length", task="text")
        def length(item: Any) -> float:
            return float(len(item.response))

        return length

    @pytest.mark.parametrize(
        "call",
        [
            lambda metrics: evaluate(["a b"], ["a"], metrics),
            lambda metrics: evaluate(["a b"], ["a"], metrics, "text"),
            lambda metrics: evaluate(["a b"], ["a"], metrics, task="text"),
            lambda metrics: evaluate(["a b"], ["a"], metrics=metrics),
            lambda metrics: evaluate([{"response": "a"}], metrics),
            lambda metrics: evaluate([{"response": "a"}], metrics, "text"),
            lambda metrics: evaluate(data={"response": ["a"]}, metrics=metrics, task="text"),
            lambda metrics: evaluate({"reader": "table", "path": [{"response": "a"}]}, metrics),
        ],
    )
    def test_evaluate_accepts_data_or_two_sides(
        self, call: Callable[[Any], Report], length: MetricSpec
    ) -> None:
        for metrics in ([length], length):
            assert call(metrics)["Length"].value == 1.0

    def test_saved_state_is_reused_for_equal_table(
        self, length: MetricSpec, tmp_path: Path
    ) -> None:
        state = tmp_path / "state.npz"
        evaluate([{"response": "a"}], [length], state=state)

        assert evaluate([{"response": "a"}], [length], state=state)["Length"].value == 1.0
        with pytest.raises(StateError, match="batch 0 has changed"):
            evaluate([{"response": "abc"}], [length], state=state)


@pytest.mark.usefixtures("lab")
class TestWrongData:
    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (5, "data: expected Text items or a batch, got 5"),
            ("items.csv", "data: no such file: 'items.csv'"),
            (None, "data: expected Text items or a batch, got None"),
        ],
    )
    def test_invalid_data_are_rejected(self, data: Any, message: str) -> None:
        with pytest.raises((SchemaError, ConfigError), match=re.escape(message)):
            evaluate(data, METRICS, "text")
