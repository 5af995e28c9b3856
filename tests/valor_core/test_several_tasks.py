"""Metrics that serve several tasks, take names of their namespace and read files by a config."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from valor_core import Classification, Registry, Text, evaluate
from valor_core.errors import ConfigError, ManifestError, ParameterError
from valor_core.evaluation.bound_metric import bind_metrics

pytestmark = pytest.mark.usefixtures("wide")


TEXTS = [Text("a", response="x", references="x"), Text("b", response="y", references="x")]
CLASSES = [Classification("a", "dog", {"dog": 1.0}), Classification("c", "cat", {"dog": 1.0})]


class TestTasks:
    @pytest.mark.parametrize(("items", "task"), [(TEXTS, "text"), (CLASSES, "classification")])
    def test_metric_reads_batches_of_each_task(self, items: list[Any], task: str) -> None:
        report = evaluate(items, [{"name": "wide.Listed", "file": "a"}])

        assert report["Listed"].value == 1
        assert report.config["task"] == task

    def test_spec_has_requested_task(self) -> None:
        spec = Registry().metric("wide.Listed", "classification")

        assert (spec.task, spec.other_tasks) == ("classification", ("text",))


class TestNames:
    def test_unknown_name_becomes_parameter(self) -> None:
        (one,) = bind_metrics("wide.b", Registry(), "text")

        assert (one.spec.name, one.parameters.file) == ("wide.Listed", Path("b"))
        assert one.describe()["name"] == "wide.Listed@1"

    def test_version_suffix_is_that_of_metric(self) -> None:
        (one,) = bind_metrics("wide.b@1", Registry(), "text")

        assert one.parameters.file == Path("b")

    @pytest.mark.parametrize("name", ["wide.Listed", "wide.in-file"])
    def test_metric_names_are_not_parameters(self, name: str) -> None:
        with pytest.raises(ParameterError, match="expected a path, found none"):
            bind_metrics(name, Registry(), "text")

    def test_parameter_given_twice_is_rejected(self) -> None:
        with pytest.raises(ConfigError, match=r"metrics\[0\]: file is given twice"):
            bind_metrics({"name": "wide.b", "file": "c"}, Registry(), "text", "c.yaml: ")

    def test_name_parameter_must_be_a_parameter(self) -> None:
        spec = Registry().metric("wide.Listed")

        with pytest.raises(ManifestError, match="must be one of its parameters, got 'folder'"):
            type(spec)(
                name="wide.Other",
                task="text",
                summary="",
                parameters=spec.parameter_class,
                implementation="wide.listed:Listed",
                higher_is_better=None,
                range=spec.range,
                name_parameter="folder",
            )
