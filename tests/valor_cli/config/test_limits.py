from __future__ import annotations

from typing import Any

import pytest
from valor_cli.config.reading.limits import DEEPEST, MOST, check_depth

from valor_core.errors import ConfigError


def nested(levels: int) -> Any:
    value: Any = 1
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


def test_maximum_depth_is_accepted() -> None:
    check_depth(nested(DEEPEST), "c.yaml")

    with pytest.raises(ConfigError, match="expected at most 100 levels, found more"):
        check_depth(nested(DEEPEST + 1), "c.yaml")


def test_maximum_number_of_values_is_accepted() -> None:
    check_depth([0] * (MOST - 1), "c.yaml")

    with pytest.raises(ConfigError, match="expected at most 1,000,000 values"):
        check_depth([0] * MOST, "c.yaml")


def test_repeated_value_counts_each_time() -> None:
    value: Any = [0]
    for _ in range(9):
        value = [value] * 9

    with pytest.raises(ConfigError, match="expected at most 1,000,000 values"):
        check_depth(value, "c.yaml")
