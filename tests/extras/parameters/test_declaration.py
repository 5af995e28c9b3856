from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import pytest
from messages import refused

from valor_core.errors import ParameterError
from valor_core.parameters import build, parameter, parameters
from valor_core.parameters.declaration import Within


@parameters
class Inner:
    depth: int = parameter(default=1, help="Depth.", check=Within(1, 9))
    cache: Path | None = parameter(default=None, help="Cache.")


@parameters
class Every:
    switch: bool = parameter(default=False, help="A switch.")
    count: int = parameter(default=1, help="A count.", check=Within(0))
    fraction: float = parameter(default=0.5, help="A fraction.", check=Within(0, 1, open_low=True))
    word: str = parameter(default="a", help="A word.", non_empty=True)
    rule: Literal["coco", "valor"] = parameter(default="coco", help="A rule.")
    maybe: float | None = parameter(default=None, help="A number or nothing.", check=Within(0))
    listed: tuple[float, ...] = parameter(default=(0.5,), help="Numbers.", check=Within(0, 1))
    names: tuple[str, ...] = parameter(
        default=(), help="Names.", distinct=True, aliases=("labels",)
    )
    table: Mapping[str, float] = parameter(default={}, help="Numbers by name.", check=Within(0))
    path: Path = parameter(default=Path("."), help="A path.")
    inner: Inner = parameter(default=Inner(), help="More parameters.")
    inners: tuple[Inner, ...] = parameter(default=(), help="More of them.")
    anything: Any = parameter(default=None, help="Anything.")
    bins: int | Literal["auto"] = parameter(default="auto", help="Bins.", check=Within(2))


def expect_refusal(
    values: Mapping[str, Any], cls: type = Every, place: str = "metrics[2]."
) -> None:
    with refused(ParameterError):
        build(cls, values, place)


@pytest.mark.parametrize(
    ("text", "remedy"),
    [("1e-3", "0.001"), ("1e-7", "1.0e-07"), ("2.5E20", "2.5e+20"), ("1e20", "1.0e+20")],
)
def test_a_number_that_yaml_takes_for_text_is_answered_with_one_that_it_does_not(
    text: str, remedy: str
) -> None:
    import yaml

    expect_refusal({"fraction": text})
    assert yaml.safe_load(remedy) == float(text)
