from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import jsonschema
import pytest

from valor_core.errors import ParameterError
from valor_core.parameters import parameter, parameters, parameters_from
from valor_core.parameters.declaration import Within, json_schema


@parameters
class Inner:
    depth: int = parameter(default=1, help="Depth.", check=Within(1, 9))


@parameters
class Every:
    needed: float = parameter(help="Needed.", check=Within(0, 1, open_low=True))
    named: str = parameter(help="Named.", aliases=("called",))
    switch: bool = parameter(default=False, help="A switch.")
    rule: Literal["coco", "valor"] = parameter(default="coco", help="A rule.")
    maybe: int | None = parameter(default=None, help="A number or nothing.", check=Within(high=5))
    listed: tuple[float, ...] = parameter(default=(0.5,), help="Numbers.", check=Within(0, 1))
    table: Mapping[str, float] = parameter(default={}, help="Numbers by name.")
    path: Path = parameter(default=Path("a"), help="A path.")
    inner: Inner = parameter(default=Inner(), help="More parameters.")
    anything: Any = parameter(default=None, help="Anything.")


GOOD: list[dict[str, Any]] = [
    {"needed": 1, "named": "a"},
    {"needed": 0.5, "called": "a"},
    {"needed": 0.5, "named": "a", "listed": 0.5, "maybe": None, "inner": {"depth": 9}},
    {"needed": 0.5, "named": "a", "listed": [0, 1], "maybe": 5, "table": {"a": 1}, "path": "b"},
    {"needed": 0.5, "named": "a", "switch": True, "rule": "valor", "anything": [{}]},
]
BAD: list[dict[str, Any]] = [
    {"named": "a"},
    {"needed": 0.5},
    {"needed": 0, "named": "a"},
    {"needed": 0.5, "named": 3},
    {"needed": 0.5, "named": "a", "switch": 1},
    {"needed": 0.5, "named": "a", "rule": "other"},
    {"needed": 0.5, "named": "a", "maybe": 6},
    {"needed": 0.5, "named": "a", "listed": [0.5, 2]},
    {"needed": 0.5, "named": "a", "table": {"a": "x"}},
    {"needed": 0.5, "named": "a", "inner": {"depth": 0}},
    {"needed": 0.5, "named": "a", "inner": {"width": 1}},
    {"needed": 0.5, "named": "a", "unknown": 1},
]


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(json_schema(Every))


@pytest.mark.parametrize("values", GOOD)
def test_what_can_be_built_is_valid(values: dict[str, Any]) -> None:
    parameters_from(Every, values, "")

    jsonschema.validate(values, json_schema(Every))


@pytest.mark.parametrize("values", BAD)
def test_what_cannot_be_built_is_not_valid(values: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        parameters_from(Every, values, "")

    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(values, json_schema(Every))
