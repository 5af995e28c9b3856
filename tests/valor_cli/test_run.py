from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from messages import refused
from valor_cli.config.config_file import Request
from valor_cli.run import run_config

from valor_core import Report, ValorError
from valor_core.errors import ReportError, StateError

PLUGINS = Path(__file__).parents[1] / "plugins"
PARTS = [
    [{"uid": "q1", "response": "Paris", "metadata": {"city": "A"}}],
    [{"uid": "q2", "response": "no", "metadata": {"city": "B"}}],
]
CONFIG: dict[str, Any] = {
    "task": "text",
    "data": {"reader": "lab.Parts", "path": "parts.json"},
    "metrics": [{"name": "lab.LongShare", "threshold": 4}, "lab.LongShares"],
}

SECRETS: dict[str, Any] = {
    "metrics": [{"name": "court.Verdict", "token": "${env:VALOR_TEST_KEY}"}],
    "judge": {"key": "${env:VALOR_TEST_KEY}", "cache": "cache.sqlite"},
}

JUDGE = {
    "__init__.py": "",
    "plugin.py": """
from pathlib import Path
from valor_core.parameters import (parameter, parameters)
from valor_core.scoring import ItemMetricSpec
from valor_core.specs import (MetricSpec, Range, ResourceSpec, hookimpl)

@parameters
class Judge:
    key: str = parameter(default="", help="Key.")
    cache: Path | None = parameter(default=None, help="Cache.")

@parameters
class Verdict:
    token: str = parameter(default="", help="Token.")

@hookimpl
def valor_metrics():
    return [ItemMetricSpec(name="court.Verdict", task="text", summary="", parameters=Verdict,
        implementation="court.code:score", higher_is_better=None, range=Range(),
        resources=("judge",))]

@hookimpl
def valor_resources():
    return [ResourceSpec(name="court.judge", summary="", parameters=Judge,
        implementation="court.code:Open", identity=())]
""",
    "code.py": """
from valor_core import ItemScore

class Open:
    def __init__(self, parameters):
        self.parameters = parameters

def score(item, parameters, resources):
    judge = resources["judge"].parameters
    return ItemScore(len(judge.key) + len(parameters.token), {"cache": str(judge.cache)})
""",
}


@pytest.fixture
def folder(install: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    install("valor-lab", "lab", PLUGINS / "lab")
    folder = tmp_path / "configs"
    folder.mkdir()
    (folder / "parts.json").write_text(json.dumps(PARTS))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return folder


def write(folder: Path, **changes: Any) -> Path:
    path = folder / "config.json"
    path.write_text(json.dumps(CONFIG | changes))
    return path


def run(folder: Path, *settings: str, **changes: Any) -> Report:
    return run_config(Request.from_file(write(folder, **changes), settings))


def error_of(match: str, folder: Path, *settings: str, **changes: Any) -> str:
    with pytest.raises(ValorError, match=re.escape(match)) as caught:
        run(folder, *settings, **changes)
    return str(caught.value).removeprefix(f"{folder / 'config.json'}: ")


class TestErrors:
    @pytest.mark.parametrize(
        "changes",
        [
            {
                "metrics": [
                    "lab.LongShare",
                    "lab.Crash",
                    {"name": "lab.LongShare", "treshold": 1},
                ]
            },
            {"metrics": [{"name": "lab.LongShare", "threshold": -1}]},
            {"metrics": [{"name": "lab.LongShare", "threshold": "1e-3"}]},
            {"data": {"reader": "lab.Parts", "pth": "a"}},
            {"require": {"mAP": "high"}},
            {"require": {"F1/macro": 0.9}},
            {"require": {"mAP": "> 0"}},
            {"judge": {"key": "a"}},
            {"metrics": ["LongSahre"], "task": "lab"},
            {"metrics": ["lab.LongShare@7"]},
            {"task": "txet"},
            {"data": {"reader": "lab.Prats"}},
            {"filter": "city =="},
            {"label_map": [["a"]]},
            {"slices": [[]]},
            {"modules": "none.py"},
            {"engines": 3},
            {"data": {"reader": "lab.Parts", "path": "${env:VALOR_NONE}"}},
        ],
    )
    def test_error_names_file_and_path(self, folder: Path, changes: dict[str, Any]) -> None:
        with refused(ValorError):
            run(folder, **changes)

    def test_settings_are_validated_like_config(self, folder: Path) -> None:
        error_of("must be at least 0, got -1.0", folder, "metrics[0].threshold=-1")

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"output": "missing/report.json"}, "output: there is no folder"),
            ({"output": ["a.json", "a.docx"]}, "expected .json, .csv, .html"),
            ({"output": "."}, "expected .json, .csv, .html"),
            ({"output": "sub.json"}, "expected a file"),
            ({"items": "missing/rows.jsonl"}, "items: there is no folder"),
            ({"items": "rows.csv"}, "expected .jsonl or .parquet, got rows.csv"),
        ],
    )
    def test_unwritable_file_is_rejected_before_evaluation(
        self, folder: Path, changes: dict[str, Any], message: str
    ) -> None:
        (folder / "sub.json").mkdir()
        (folder / "log").mkdir()
        data = CONFIG["data"] | {"log": "log"}

        error_of(message, folder, data=data, **changes)
        assert not list((folder / "log").iterdir())

    def test_state_without_folder_is_rejected_before_evaluation(self, folder: Path) -> None:
        (folder / "log").mkdir()

        with pytest.raises(StateError, match="no such folder"):
            run(folder, data=CONFIG["data"] | {"log": "log"}, state="missing/state.npz")

        assert not list((folder / "log").iterdir())


class TestRuns:
    def test_relative_paths_are_relative_to_config(self, folder: Path) -> None:
        report = run(folder, output="report.json", state="state.npz")

        assert report["LongShare"].value == 0.5
        assert Report.load(folder / "report.json") == report
        assert (folder / "state.npz").exists()

    def test_settings_override_config_file(self, folder: Path) -> None:
        report = run(folder, "metrics[0].threshold=1")

        assert report["LongShare"].value == 1.0

    def test_same_config_gives_same_bytes(self, folder: Path) -> None:
        options: dict[str, Any] = {"output": "report.json", "slices": ["city"], "items": True}
        run(folder, **options)
        first = (folder / "report.json").read_bytes()

        run(folder, "engine.mode=threads", "engine.workers=2", **options)
        second = json.loads((folder / "report.json").read_bytes())
        run(folder, **options)

        assert (folder / "report.json").read_bytes() == first
        assert second["results"] == json.loads(first)["results"]

    def test_every_output_is_written(self, folder: Path) -> None:
        run(folder, output=["a.json", "b.csv"])

        assert (folder / "b.csv").read_text().startswith("type,metric,threshold,")

    def test_report_contains_requirements(self, folder: Path) -> None:
        report = run(folder, require={"LongShare": ">= 0.75"})

        assert [str(outcome) for outcome in report.requirements] == [
            "LongShare >= 0.75: 0.5, not met"
        ]
        assert not report.ok

    def test_ambiguous_requirement_keeps_report(self, folder: Path) -> None:
        report = run(folder, require={"LongShares": ">= 0.75", "LongShares/threshold:1.0": "> 0.5"})

        several, one = report.requirements
        assert not several.met
        assert several.is_wrong
        assert several.remedy.startswith("Write one of: LongShares/threshold:1.0, LongShares/thr")
        assert one.met

    def test_decorated_metrics_are_selected_by_name(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sys, "path", [*sys.path])
        (folder / "house_metrics.py").write_text(
            "from valor_core import metric\n"
            "@metric('house.Half', task='text')\n"
            "def half(item): return 0.5\n"
        )

        for _ in range(2):
            report = run(folder, modules="house_metrics.py", metrics=["house.Half"])
        processes = run(
            folder,
            modules=["house_metrics.py"],
            metrics=["house.Half"],
            engine={"mode": "processes", "workers": 2},
        )

        assert report["Half"].value == 0.5
        assert processes.results == report.results
        assert report.config["modules"] == "../configs/house_metrics.py"

    def test_metric_module_with_import_error_is_named(self, folder: Path) -> None:
        (folder / "broken_metrics.py").write_text("1 / 0\n")

        error_of("cannot be imported, ZeroDivisionError", folder, modules="broken_metrics.py")

        assert "broken_metrics" not in sys.modules
        error_of("missing_metrics.py: no such file", folder, modules="missing_metrics.py")

    def test_metric_module_cannot_replace_loaded_module(self, folder: Path) -> None:
        (folder / "json.py").write_text("")

        error_of("has the name of the loaded module 'json'", folder, modules="json.py")
        assert hasattr(sys.modules["json"], "dumps")

    def test_rows_are_written_to_separate_file(
        self, folder: Path, install: Callable[..., Path]
    ) -> None:
        install("courtlab", "court", JUDGE)

        report = run(folder, metrics=["court.Verdict"], items="rows.jsonl")

        rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]
        assert [row["uid"] for row in rows] == ["q1", "q2"]
        assert rows[0]["metric"] == "court.Verdict@1"
        assert report.items == ()

    def test_plugins_key_selects_distribution(
        self, folder: Path, install: Callable[..., Path]
    ) -> None:
        install("otherlab", "lab", {"plugin.py": ""}, manifest="lab.other")

        error_of("namespace 'lab': expected one plugin", folder)
        assert run(folder, plugins={"lab": "valor-lab"})["LongShare"].value == 0.5


class TestSecrets:
    @pytest.fixture(autouse=True)
    def court(self, install: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
        install("courtlab", "court", JUDGE)
        monkeypatch.setenv("VALOR_TEST_KEY", "s3cret-of-mine")

    @pytest.mark.parametrize("variable", ["${env:VALOR_TEST_KEY}", "${env:VALOR_TEST_KEY:-none}"])
    def test_environment_values_are_used_but_not_recorded(
        self, folder: Path, variable: str
    ) -> None:
        secrets = json.loads(json.dumps(SECRETS).replace("${env:VALOR_TEST_KEY}", variable))
        report = run(folder, output="report.json", items=True, state="state.npz", **secrets)

        assert report["Verdict"].value == 2 * len("s3cret-of-mine")
        text = (folder / "report.json").read_text()
        assert "s3cret" not in text
        assert "s3cret" not in repr(report.config)
        assert text.count(variable) >= 2
        assert b"s3cret" not in (folder / "state.npz").read_bytes()

    def test_run_resumes_with_other_secret_of_resource(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        own = {**SECRETS, "metrics": ["court.Verdict"]}
        run(folder, state="state.npz", **own)
        monkeypatch.setenv("VALOR_TEST_KEY", "another")

        assert run(folder, state="state.npz", **own).counts["read"] == 2

    def test_run_does_not_resume_with_other_environment_value_of_metric(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run(folder, state="state.npz", **SECRETS)
        monkeypatch.setenv("VALOR_TEST_KEY", "another")

        error = error_of(
            "made by another request, metrics[0].token", folder, state="state.npz", **SECRETS
        )

        assert "s3cret-of-mine" not in error

    def test_paths_of_resources_are_relative_to_config(self, folder: Path) -> None:
        report = run(folder, items=True, **SECRETS)

        assert report.items[0].rows[0].details["cache"] == str(folder / "cache.sqlite")


class TestReruns:
    def test_rerun_report_is_identical(self, folder: Path) -> None:
        options: dict[str, Any] = {
            "slices": ["city", ["city"]],
            "filter": "city in ['A', 'B']",
            "require": {"LongShare": ">= 0.5"},
        }
        report = run(folder, output="report.json", **options)

        again = run_config(Request.from_report(folder / "report.json", ["output=again.json"]))

        assert again == report
        assert (folder / "again.json").read_bytes() == (folder / "report.json").read_bytes()

    def test_report_in_other_folder_finds_its_data(
        self, folder: Path, install: Callable[..., Path]
    ) -> None:
        install("courtlab", "court", JUDGE)
        report = run(
            folder,
            output="../elsewhere/report.json",
            metrics=["court.Verdict"],
            judge={"cache": "cache.sqlite"},
        )

        again = run_config(Request.from_report("report.json", ["output=again.json"]))

        assert report.config["data"]["path"] == "../configs/parts.json"
        assert report.config["judge"] == {"cache": "../configs/cache.sqlite"}
        assert again == report

    def test_metric_versions_are_pinned(self, folder: Path) -> None:
        report = run(folder)

        assert [choice["name"] for choice in report.config["metrics"]] == [
            "lab.LongShare@2",
            "lab.LongShares@1",
        ]

    def test_documented_alias_of_metrics_is_resolved(self, folder: Path) -> None:
        path = write(folder)
        config = json.loads(path.read_text())
        config["metrics_to_return"] = config.pop("metrics")
        path.write_text(json.dumps(config))

        report = run_config(Request.from_file(path))

        assert "metrics_to_return" not in report.config
        assert len(report.config["metrics"]) == 2

    def test_string_equal_to_file_name_is_not_moved(self, folder: Path) -> None:
        (folder / "lab.Parts").touch()
        (folder / "none").touch()

        report = run(folder, data=CONFIG["data"] | {"trouble": "none"})

        assert report.config["data"]["trouble"] == "none"
        assert report.config["data"]["reader"] == "lab.Parts"

    def test_report_of_python_call_cannot_be_rerun(self, folder: Path) -> None:
        Report(results=[]).save("report.json")

        with pytest.raises(ReportError, match="has no data section to run again"):
            Request.from_report("report.json")


def test_config_without_task_uses_task_of_reader(folder: Path) -> None:
    values = {key: value for key, value in CONFIG.items() if key != "task"}
    path = folder / "c.json"
    for data in (CONFIG["data"], CONFIG["data"] | {"reader": "parts"}):
        path.write_text(json.dumps(values | {"data": data, "metrics": ["LongShares"]}))

        assert run_config(Request.from_file(path)).config["task"] == "text"


def test_error_in_engine_section_names_config(folder: Path) -> None:
    with pytest.raises(ValorError, match="must be a whole number, got 'two'"):
        run(folder, engine={"workers": "two"})


def test_unwritable_output_is_rejected_before_evaluation(folder: Path) -> None:
    (folder / "out.json").mkdir()

    error_of("expected a file", folder, output="out.json")
    assert not (folder / "new.json").exists()


def test_state_resumes_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "w"
    folder.mkdir()
    (folder / "rows.csv").write_text("uid,response\na,x\nb,yy\n")
    (folder / "length.py").write_text(
        "from valor_core import metric\n"
        "@metric('house.Length', task='text')\n"
        "def length(item): return len(item.response)\n"
    )
    config = {
        "task": "text",
        "data": {"reader": "core.table", "path": "rows.csv"},
        "metrics": ["house.Length"],
        "modules": ["length.py"],
        "state": "state.npz",
    }
    (folder / "c.json").write_text(json.dumps(config))

    reports = []
    for place, path in ((folder, "c.json"), (tmp_path, "w/c.json"), (folder, "../w/c.json")):
        monkeypatch.chdir(place)
        reports.append(run_config(Request.from_file(path)))

    assert [report.counts["read"] for report in reports] == [2, 2, 2]
    os.utime(folder / "rows.csv", (0, 0))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StateError, match="bytes 0 to 22 has changed"):
        run_config(Request.from_file("w/c.json"))
