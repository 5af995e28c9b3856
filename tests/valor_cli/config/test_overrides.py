from __future__ import annotations

from typing import Any

import pytest
from messages import refused
from valor_cli.config import override

from valor_core.errors import ConfigError


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("task=detection", {"task": "detection"}),
        ("engine.workers=2", {"engine": {"workers": 2}}),
        ("metrics[0].threshold=0.5", {"metrics": [{"name": "AP", "threshold": 0.5}, "F1"]}),
        ("metrics[1].beta=2", {"metrics": [{"name": "AP"}, {"name": "F1", "beta": 2}]}),
        ("metrics[1]=Recall", {"metrics": [{"name": "AP"}, "Recall"]}),
        ("metrics[2]=Recall", {"metrics": [{"name": "AP"}, "F1", "Recall"]}),
        ("slices[0]=weather", {"slices": ["weather"]}),
        ("state.path=a", {"state": {"path": "a"}}),
        ('metrics=["F1"]', {"metrics": ["F1"]}),
        ("items=true", {"items": True}),
        ("filter=", {"filter": ""}),
        ("filter=a == 'b'", {"filter": "a == 'b'"}),
    ],
)
def test_value_is_set_at_its_path(setting: str, expected: dict[str, Any]) -> None:
    config: dict[str, Any] = {"metrics": [{"name": "AP"}, "F1"], "state": None}

    assert override(config, [setting]) == config | expected


def test_setting_adds_parameters_to_kind_of_resource() -> None:
    settings = ["judge.client=openai", "judge.client.model=m", "data=wide", "data.path=a.csv"]

    assert override({}, settings) == {
        "judge": {"client": {"name": "openai", "model": "m"}},
        "data": {"reader": "wide", "path": "a.csv"},
    }


def test_override_does_not_modify_its_input() -> None:
    config: dict[str, Any] = {"metrics": [{"name": "AP"}]}

    override(config, ["metrics[0].threshold=0.5", "task=detection"])

    assert config == {"metrics": [{"name": "AP"}]}


def test_later_settings_see_earlier_settings() -> None:
    assert override({}, ["a.b=1", "a.c=2", "a.b=3"]) == {"a": {"b": 3, "c": 2}}


@pytest.mark.parametrize("setting", ["task", "=1", "a..b=1", "[0]=1", "a[x]=1", "a.=1", ""])
def test_setting_without_path_is_rejected(setting: str) -> None:
    with refused(ConfigError):
        override({}, [setting])


@pytest.mark.parametrize(
    "setting",
    [
        "task.name=1",
        "task[0]=1",
        "metrics[5]=1",
        "metrics[5].a=1",
        "metrics.a=1",
        "task.a.b=1",
    ],
)
def test_path_that_does_not_fit_config_is_rejected(setting: str) -> None:
    with refused(ConfigError) as caught:
        override({"task": "text", "metrics": ["AP"]}, [setting])

    assert caught.value.remedy is not None


def test_setting_adds_parameters_to_named_engine_or_metric() -> None:
    settings = ["engine.workers=2", "engine.mode=threads"]

    assert override({"engine": "local"}, settings) == {
        "engine": {"name": "local", "workers": 2, "mode": "threads"}
    }


@pytest.mark.parametrize(
    "setting",
    [
        "a=" + "[" * 20_000 + "]" * 20_000,
        "a=" + "[" * 200 + "]" * 200,
        "a=" + "1" * 5000,
        "a[" + "1" * 5000 + "]=1",
    ],
)
def test_setting_beyond_limits_is_rejected(setting: str) -> None:
    with refused(ConfigError) as caught:
        override({}, [setting])

    assert caught.value.remedy is not None


@pytest.mark.parametrize("text", ["[weather]", "{a: 1}", '["F1"'])
def test_invalid_json_in_brackets_is_rejected(text: str) -> None:
    with refused(ConfigError):
        override({}, [f"slices={text}"])
