"""Metrics that serve several tasks, take names of their namespace and read files by a config."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner
from valor_cli.config.editor.json_schema import json_schema
from valor_cli.program.program import program
from valor_report.comparison import compare

from valor_core import Registry, Report, Text, evaluate
from valor_core.errors import ConfigError, UnknownNameError
from valor_core.evaluation.bound_metric import bind_metrics, task_of

pytestmark = pytest.mark.usefixtures("wide")


TEXTS = [Text("a", response="x", references="x"), Text("b", response="y", references="x")]


class TestTasks:
    def test_task_is_inferred_from_other_metrics(self) -> None:
        chosen = [{"name": "wide.Listed", "file": "a"}, "classification.Accuracy"]

        assert task_of(bind_metrics(chosen, Registry(), None), None) == "classification"

    def test_unsupported_task_is_rejected(self) -> None:
        chosen = [{"name": "wide.Listed", "file": "a"}, "segmentation.mIOU"]

        with pytest.raises(
            ConfigError,
            match=r"metrics: expected one task, found text \(wide\.Listed\), segmentation",
        ):
            task_of(bind_metrics(chosen, Registry(), None), None)

    def test_short_name_in_other_task_lists_tasks(self) -> None:
        with pytest.raises(
            UnknownNameError, match="metric 'Listed': unknown in the task 'detection'"
        ):
            Registry().metric("Listed", "detection")

    def test_metric_is_listed_with_all_tasks(self) -> None:
        listed = CliRunner().invoke(program, ["list", "wide"], env={"COLUMNS": "200"})
        shown = CliRunner().invoke(program, ["show", "wide.Listed", "--json"])

        assert "text, classification" in listed.output
        record = json.loads(shown.stdout)
        assert (record["task"], record["other_tasks"]) == ("text", ["classification"])


class TestNames:
    def test_json_schema_accepts_names_without_parameter(self) -> None:
        schema = json_schema(Registry())
        config = {"task": "text", "data": {"reader": "csv", "path": "a.csv"}}

        def is_valid(metric: dict[str, Any]) -> bool:
            found = jsonschema.Draft202012Validator(schema).is_valid(config | {"metrics": [metric]})
            return bool(found)

        assert is_valid({"name": "wide.b"})
        assert is_valid({"name": "wide.Listed", "file": "b"})
        assert not is_valid({"name": "wide.Listed"})
        assert not is_valid({"name": "wide.b", "fiel": "b"})


class TestPaths:
    def test_existing_path_is_relative_to_config(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = tmp_path / "of the config"
        (folder / "out").mkdir(parents=True)
        (folder / "known.txt").write_text("a b")
        (folder / "items.csv").write_text("uid,response\na,x\nb,y\n")
        config = {
            "task": "text",
            "data": {"reader": "csv", "path": "items.csv"},
            "metrics": [{"name": "wide.Listed", "file": "known.txt"}, "wide.b"],
            "output": "out/report.json",
        }
        (folder / "config.json").write_text(json.dumps(config))
        monkeypatch.chdir(tmp_path)

        done = CliRunner().invoke(program, ["run", str(folder / "config.json")])

        assert done.exit_code == 0, done.output
        (path,) = tmp_path.rglob("report.json")
        report = Report.load(path)
        assert [result.value for result in report] == [2, 1]
        again = path.parent / report.config["metrics"][0]["file"]
        assert again.resolve() == (folder / "known.txt").resolve()
        assert report.config["metrics"][1]["file"] == "b"


def test_result_can_set_direction() -> None:
    def report(items: list[Text]) -> Report:
        chosen = {"name": "wide.Listed", "file": "a", "higher_is_better": False}
        return evaluate(items, [chosen, {"name": "wide.Listed", "file": "b"}])

    changes = compare(report(TEXTS[1:]), report(TEXTS), registry=Registry()).changes

    assert [(one.a, one.b, one.verdict) for one in changes] == [
        (0, 1, "worse"),
        (1, 1, "same"),
    ]
