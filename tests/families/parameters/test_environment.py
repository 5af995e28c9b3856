from __future__ import annotations

import re

import pytest
from valor_cli.config import fill_in

from valor_core.errors import ConfigError
from valor_core.parameters import FromEnvironment

VARIABLES = {"ROOT": "/data", "KEY": "s3cret"}


def test_only_marked_variables_are_filled_in() -> None:
    config = {
        "path": "${env:ROOT}/a.csv",
        "plain": "$ROOT ${ROOT} {env:ROOT}",
        "list": ["${env:KEY}-${env:KEY}", 3, None],
        "deep": {"er": ("${env:KEY}",)},
    }

    assert fill_in(config, variables=VARIABLES) == {
        "path": "/data/a.csv",
        "plain": "$ROOT ${ROOT} {env:ROOT}",
        "list": ["s3cret-s3cret", 3, None],
        "deep": {"er": ["s3cret"]},
    }
    assert config["path"] == "${env:ROOT}/a.csv"


def test_environment_defaults_to_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VALOR_TEST_ROOT", "/here")

    assert fill_in("${env:VALOR_TEST_ROOT}") == "/here"


def test_filled_in_value_keeps_reference() -> None:
    filled = fill_in({"key": "Bearer ${env:KEY}"}, variables=VARIABLES)["key"]

    assert isinstance(filled, FromEnvironment)
    assert (str(filled), filled.reference) == ("Bearer s3cret", "Bearer ${env:KEY}")


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("", "judge.keys[1]: the environment variable NONE is not set"),
        (
            "config.yaml: ",
            "judge.keys[1]: the environment variable NONE is not set",
        ),
        (
            "report.json: config.",
            "report.json: config.judge.keys[1]: the environment variable",
        ),
    ],
)
def test_unset_variable_is_reported_with_position(place: str, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        fill_in({"judge": {"keys": ["a", "${env:NONE}"]}}, place, VARIABLES)


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("${env:NONE:-/data/a b}", "/data/a b"),
        ("${env:NONE:-}", ""),
        ("a${env:NONE:-}b", "ab"),
        ("${env:KEY:-other}", "s3cret"),
        ("${env:EMPTY:-other}", "other"),
        ("${env:EMPTY}", ""),
        ("${env:NONE:-${env:ROOT}/x}", "/data/x"),
        ("${env:NONE:-${env:ALSO:-c}}", "c"),
        ("${env:NONE:-a:-b}", "a:-b"),
    ],
)
def test_default_replaces_unset_or_empty_variable(text: str, filled: str) -> None:
    found = fill_in({"key": text}, variables={**VARIABLES, "EMPTY": ""})["key"]

    assert found == filled
    assert getattr(found, "reference", text) == text


def test_value_of_a_variable_is_not_filled_in_again() -> None:
    assert fill_in("${env:A:-x}", variables={"A": "${env:KEY}", "KEY": "s3cret"}) == "${env:KEY}"


def test_unset_variable_in_a_default_is_reported() -> None:
    with pytest.raises(ConfigError, match="the environment variable NONE is not set"):
        fill_in("${env:ALSO:-${env:NONE}}", variables=VARIABLES)


@pytest.mark.parametrize(
    "reference",
    [
        "${env:KEY",
        "${env:KEY-x}",
        "${env KEY:-x}",
        "${ENV:KEY}",
        "${oc.env:KEY,x}",
        "a/${ env:KEY}",
    ],
)
def test_malformed_reference_shows_correct_form(reference: str) -> None:
    with pytest.raises(ConfigError, match=r"path: expected \$\{env:NAME\}") as caught:
        fill_in({"path": reference}, variables=VARIABLES)

    assert caught.value.remedy == "Write it as: ${env:KEY:-default}"


def test_value_of_a_variable_may_look_like_a_reference() -> None:
    assert fill_in("${env:KEY}", variables={"KEY": "${env:"}) == "${env:"
