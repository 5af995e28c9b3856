from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from valor_core.parameters import Within, parameter, parameters
from valor_core.parameters.declaration import json_schema


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


def test_schema_contains_help_and_defaults() -> None:
    properties = json_schema(Every)["properties"]

    assert properties["listed"]["description"] == "Numbers."
    assert properties["listed"]["default"] == [0.5]
    assert properties["path"]["default"] == "a"
    assert properties["inner"]["default"] == {"depth": 1}
    assert "default" not in properties["needed"]
