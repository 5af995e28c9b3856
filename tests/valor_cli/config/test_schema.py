from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from messages import refused
from valor_cli.config import check

from valor_core.errors import ConfigError

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


@pytest.mark.parametrize("key", [None, 3, True])
def test_key_that_is_no_text_is_unknown(key: Any) -> None:
    with pytest.raises(ConfigError, match=f"{key}: unknown key"):
        check({"data": {"reader": "csv"}, "metrics": ["F1"], key: "x"}, "config.yaml: ")


def test_data_given_as_overlong_name_is_rejected() -> None:
    with pytest.raises(ConfigError, match="data must be a table"):
        check({"data": "(" * 300, "metrics": ["F1"]}, "config.yaml: ")


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


@pytest.mark.parametrize(
    ("key", "value", "remedy"),
    [
        ("items", "yes", "Write it as: items: true"),
        ("items", "off", "Write it as: items: false"),
        ("gallery", "pictures", "Write it as: gallery: {folder: gallery}"),
        ("sample_weights", "w", "Did you mean 'weights'?"),
    ],
)
def test_value_of_another_form_shows_correction(key: str, value: Any, remedy: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(remedy)):
        check({"data": {"reader": "csv"}, "metrics": ["F1"], key: value}, "config.yaml: ")
