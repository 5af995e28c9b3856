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
def test_a_value_is_put_at_its_path(setting: str, expected: dict[str, Any]) -> None:
    config: dict[str, Any] = {"metrics": [{"name": "AP"}, "F1"], "state": None}

    assert override(config, [setting]) == config | expected


def test_kind_of_a_resource_takes_parameters_after_its_name() -> None:
    settings = ["judge.client=openai", "judge.client.model=m", "data=wide", "data.path=a.csv"]

    assert override({}, settings) == {
        "judge": {"client": {"name": "openai", "model": "m"}},
        "data": {"reader": "wide", "path": "a.csv"},
    }


def test_the_config_that_was_given_stays_as_it_is() -> None:
    config: dict[str, Any] = {"metrics": [{"name": "AP"}]}

    override(config, ["metrics[0].threshold=0.5", "task=detection"])

    assert config == {"metrics": [{"name": "AP"}]}


def test_later_settings_see_earlier_ones() -> None:
    assert override({}, ["a.b=1", "a.c=2", "a.b=3"]) == {"a": {"b": 3, "c": 2}}


@pytest.mark.parametrize("setting", ["task", "=1", "a..b=1", "[0]=1", "a[x]=1", "a.=1", ""])
def test_a_setting_without_a_path_is_refused(setting: str) -> None:
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
def test_a_path_that_has_no_place_is_refused(setting: str) -> None:
    with refused(ConfigError) as caught:
        override({"task": "text", "metrics": ["AP"]}, [setting])

    assert caught.value.remedy is not None


def test_an_engine_by_its_name_takes_a_setting_as_a_metric_does() -> None:
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
def test_a_setting_that_no_config_needs_is_one_line_and_a_remedy(setting: str) -> None:
    with refused(ConfigError) as caught:
        override({}, [setting])

    assert caught.value.remedy is not None


@pytest.mark.parametrize("text", ["[weather]", "{a: 1}", '["F1"'])
def test_a_bracket_that_begins_no_json_is_refused_and_not_taken_for_text(text: str) -> None:
    with refused(ConfigError):
        override({}, [f"slices={text}"])
