from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from messages import refused
from valor_cli.config import check, json_schema

from valor_core import Registry
from valor_core.errors import ConfigError
from valor_core.specs import ResourceKindSpec, ResourceSpec, hookimpl

PLUGINS = Path(__file__).parents[2] / "plugins"
LEAST: dict[str, Any] = {"data": {"reader": "csv"}, "metrics": ["F1"]}


def expect_refusal(**changes: Any) -> None:
    with refused(ConfigError):
        check(LEAST | changes, "config.yaml: ")


def test_minimal_config_has_data_and_metrics() -> None:
    run = check(LEAST, "").run

    assert (run.data, run.metrics) == ({"reader": "csv"}, ("F1",))
    assert (run.task, run.slices, run.engine, run.output, run.items) == (None, (), None, (), False)


@pytest.mark.parametrize(
    "changes",
    [
        {"sclices": 1},
        {"engin": {"workers": 2}},
        {"metrics": []},
        {"metrics_to_return": ["F1"]},
        {"data": "a.csv"},
        {"engine": 3},
        {"slices": [["a"], 3]},
        {"require": ["mAP"]},
        {"items": 3},
        {"output": 3},
        {"filter": 3},
        {"task": ["text"]},
        {"metrics": None},
    ],
)
def test_invalid_key_or_value_is_named_with_its_path(changes: dict[str, Any]) -> None:
    expect_refusal(**changes)


@pytest.mark.parametrize("key", ["data", "metrics"])
def test_missing_key_is_named(key: str) -> None:
    with refused(ConfigError):
        check({k: v for k, v in LEAST.items() if k != key}, "config.yaml: ")


@pytest.mark.parametrize(
    "metrics",
    [["LongShare"], ["lab.Nothing", 3, {"name": "lab.LongShare", "comment": "x"}], "LongShare"],
)
def test_misplaced_metric_parameter_shows_correction(
    install: Callable[..., Path], metrics: Any
) -> None:
    install("valor-lab", "lab", PLUGINS / "lab")

    expect_refusal(metrics=metrics, task="lab", threshold=[date(2026, 1, 1)])


@pytest.mark.parametrize("key", ["llm_api_params", "metric_params", "datum_uid"])
def test_python_argument_in_config_shows_equivalent_key(key: str) -> None:
    expect_refusal(**{key: {}})


@pytest.mark.parametrize("key", ["iou_thresholds_to_compute", "pr_curve_max_examples", "label"])
def test_misplaced_reader_parameter_shows_correction(key: str) -> None:
    expect_refusal(
        task="detection", data={"reader": "predicted", "path": "a"}, metrics=["mAP"], **{key: "a"}
    )


def test_data_given_as_file_name_suggests_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("preds.csv").write_text("id,y_true,y_pred\na,cat,dog\n")

    expect_refusal(data="preds.csv")
    expect_refusal(data="absent.csv")


def test_single_values_become_lists() -> None:
    run = check(LEAST | {"metrics": "F1", "slices": "city", "output": "a.json"}, "").run

    assert (run.metrics, run.slices, run.output) == (("F1",), ("city",), (Path("a.json"),))


def test_documented_alias_of_metrics_is_accepted() -> None:
    run = check({"data": {}, "metrics_to_return": ["F1"]}, "").run

    assert run.metrics == ("F1",)


def test_table_under_other_key_is_resource_section() -> None:
    checked = check(LEAST | {"judge": {"model": "m"}, "model": {"name": "n"}}, "")

    assert checked.resources == {"judge": {"model": "m"}, "model": {"name": "n"}}


class Song:
    """Plugin with a resource that accepts several kinds."""

    @staticmethod
    @hookimpl
    def valor_resources() -> list[ResourceSpec]:
        return [
            ResourceSpec(
                name="song.choir",
                summary="",
                implementation="m:f",
                kinds="voice",
                several_kinds=True,
            )
        ]

    @staticmethod
    @hookimpl
    def valor_resource_kinds() -> list[ResourceKindSpec]:
        return [
            ResourceKindSpec(
                name="song.low", resource="song.choir", summary="", implementation="m:f"
            )
        ]


@pytest.fixture(scope="class")
def validator(install_for_class: Callable[..., Path]) -> jsonschema.Draft202012Validator:
    for name in ("lab", "artlab", "ranklab"):
        install_for_class(f"valor-{name}", name, PLUGINS / name)
    schema = json_schema(Registry())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


class TestJsonSchema:
    @pytest.mark.parametrize(
        "changes",
        [
            {},
            {"metrics": "lab.LongShare"},
            {"metrics": ["LongShare", {"name": "lab.LongShares", "thresholds": [1, 2]}]},
            {"metrics": [{"name": "share_of_long@2", "threshold": 3}]},
            {"slices": ["a", ["b", "c"]], "items": "rows.jsonl", "require": {"LongShare": "> 0"}},
            {"engine": {"name": "local", "workers": 2}, "output": ["a.json", "b.md"]},
            {"gallery": {"name": "artlab.Wall", "folder": "worst", "most": 3, "refused": "no"}},
            {"gallery": None},
            {"engine": {"workers": 2}},
            {"engine": "local", "task": "retrieval"},
            {"metrics": [{"name": "HitRate", "first": 3}], "judge": {"client": "echo"}},
            {"judge": {"client": {"name": "ranklab.echo"}, "budget": 3, "model": "large"}},
            {"judge": {"one": {"client": "echo"}, "other": {"model": "large"}}},
            {"engine": "local"},
            {"engine": None},
            {"modules": ["mine.py"], "metrics": [{"name": "mine.Exact", "ignore_case": True}]},
            {"modules": ["mine.py"], "metrics": {"name": "mine.Exact@1"}},
        ],
    )
    def test_valid_config_matches_schema(
        self, validator: jsonschema.Draft202012Validator, changes: dict[str, Any]
    ) -> None:
        config = {"data": {"reader": "Parts", "path": "a"}, "metrics": ["lab.LongShare"]}

        validator.validate(config | changes)

    @pytest.mark.parametrize(
        "changes",
        [
            {"metrics": [{"name": "lab.LongShare", "treshold": 3}]},
            {"metrics": [{"name": "lab.LongShare", "threshold": -3}]},
            {"metrics": [{"name": "lab.Nothing"}]},
            {"data": {"reader": "lab.Parts"}},
            {"data": {"path": "a"}},
            {"slices": [3]},
            {"gallery": {"name": "artlab.Wall"}},
            {"gallery": {"name": "artlab.Wall", "folder": "worst", "refuse": "no"}},
            {"unknown": 3},
            {"engine": {"name": "local", "wokers": 2}},
            {"engine": {"name": "nowhere"}},
            {"judge": {"client": {"name": "ranklab.echo", "model": "small"}}},
            {"judge": {"bugdet": 3}},
            {"judge": {"client": ["echo"]}},
            {"engine": "lokal"},
            {"engine": {"name": "local", "wrokers": 2}},
            {"engine": {"name": "lokal"}},
            {"metrics": [{"ignore_case": True}]},
        ],
    )
    def test_invalid_config_does_not_match_schema(
        self, validator: jsonschema.Draft202012Validator, changes: dict[str, Any]
    ) -> None:
        config = {"data": {"reader": "lab.Parts", "path": "a"}, "metrics": ["lab.LongShare"]}

        with pytest.raises(jsonschema.ValidationError):
            validator.validate(config | changes)

    @pytest.mark.parametrize(
        ("voice", "is_valid"),
        [
            ("song.low", True),
            ({"name": "low"}, True),
            (["low", {"name": "song.low"}], True),
            ([], False),
            ([3], False),
            ([{"name": "low", "loud": 3}], False),
        ],
    )
    def test_resource_accepts_list_of_kinds(self, voice: Any, is_valid: bool) -> None:
        registry = Registry()
        registry.register("song", Song)
        validator = jsonschema.Draft202012Validator(json_schema(registry))
        chosen = validator.evolve(schema=validator.schema["properties"]["choir"])

        assert chosen.is_valid({"voice": voice}) is is_valid

    def test_schema_describes_metrics_for_editors(
        self, validator: jsonschema.Draft202012Validator
    ) -> None:
        metrics = validator.schema["properties"]["metrics"]["anyOf"][0]["items"]["anyOf"]

        assert "lab.LongShare" in metrics[0]["examples"]
        by_title = {entry.get("title"): entry for entry in metrics}
        assert by_title["lab.LongShare"]["description"] == "Share of responses of a least length"
