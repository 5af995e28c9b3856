from __future__ import annotations

from typing import Any

import pytest
from valor_cli.config import override

from valor_core.plugin import ConfigError


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


def test_the_config_that_was_given_stays_as_it_is() -> None:
    config: dict[str, Any] = {"metrics": [{"name": "AP"}]}

    override(config, ["metrics[0].threshold=0.5", "task=detection"])

    assert config == {"metrics": [{"name": "AP"}]}


def test_later_settings_see_earlier_ones() -> None:
    assert override({}, ["a.b=1", "a.c=2", "a.b=3"]) == {"a": {"b": 3, "c": 2}}


@pytest.mark.parametrize("setting", ["task", "=1", "a..b=1", "[0]=1", "a[x]=1", "a.=1", ""])
def test_a_setting_without_a_path_is_refused(setting: str) -> None:
    with pytest.raises(ConfigError) as caught:
        override({}, [setting])

    assert str(caught.value) == (
        f"--set {setting}: expected path=value\nWrite it as: --set engine.workers=2"
    )


@pytest.mark.parametrize(
    ("setting", "error"),
    [
        ("task.name=1", "--set task.name: expected a table with 'name', found 'text'"),
        ("task[0]=1", "--set task[0]: expected a list with entry 0, found 'text'"),
        ("metrics[5]=1", "--set metrics[5]: expected a list with entry 5, found ['AP']"),
        ("metrics[5].a=1", "--set metrics[5].a: expected a list with entry 5, found ['AP']"),
        ("metrics.a=1", "--set metrics.a: expected a table with 'a', found ['AP']"),
        ("task.a.b=1", "--set task.a.b: expected a table with 'a', found 'text'"),
    ],
)
def test_a_path_that_has_no_place_is_refused(setting: str, error: str) -> None:
    with pytest.raises(ConfigError) as caught:
        override({"task": "text", "metrics": ["AP"]}, [setting])

    assert caught.value.message == error
    assert caught.value.remedy is not None


def test_an_engine_by_its_name_takes_a_setting_as_a_metric_does() -> None:
    settings = ["engine.workers=2", "engine.mode=threads"]

    assert override({"engine": "local"}, settings) == {
        "engine": {"name": "local", "workers": 2, "mode": "threads"}
    }


@pytest.mark.parametrize(
    ("setting", "error"),
    [
        ("a=" + "[" * 20_000 + "]" * 20_000, "--set a: expected at most 100 levels, found more"),
        ("a=" + "[" * 200 + "]" * 200, "--set a: expected at most 100 levels, found more"),
        ("a=" + "1" * 5000, "--set a: expected numbers, found an integer with too many digits"),
        ("a[" + "1" * 5000 + "]=1", f"--set a[{'1' * 78}: expected path=value"),
    ],
)
def test_a_setting_that_no_config_needs_is_one_line_and_a_remedy(setting: str, error: str) -> None:
    with pytest.raises(ConfigError) as caught:
        override({}, [setting])

    assert caught.value.message == error
    assert caught.value.remedy is not None


@pytest.mark.parametrize("text", ["[weather]", "{a: 1}", '["F1"'])
def test_a_bracket_that_begins_no_json_is_refused_and_not_taken_for_text(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        override({}, [f"slices={text}"])

    assert str(caught.value) == (
        f"--set slices: expected JSON after a bracket, found {text!r}\n"
        "Put double quotes around texts: --set 'metrics=[\"F1\"]'"
    )
