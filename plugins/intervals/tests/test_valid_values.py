"""Errors of intervals, slices and comparisons suggest a valid value."""

from __future__ import annotations

from typing import Any

import pytest
from valor_intervals import compare, leaderboard, mcnemar
from valor_intervals.confidence import groups
from valor_intervals.slices.table_slices import slices

from valor_core import Report
from valor_core.errors import ConfigError


@pytest.mark.parametrize(
    ("section", "remedy"),
    [
        (95, "Write it as: 0.95"),
        ({"level": 90}, "Write it as: 0.9"),
        (0, "Write a valid value, such as: level: 0.95"),
        ({"groups": 1}, "Write a valid value, such as: groups: 100"),
        ({"resamples": "many"}, "Write a valid value, such as: resamples: 1000"),
        ({"tables": "yes"}, "Write it as: true"),
        ({"levl": 0.9}, "Did you mean 'level'?"),
    ],
)
def test_invalid_confidence(section: Any, remedy: str) -> None:
    with pytest.raises(ConfigError, match="confidence: ") as raised:
        groups(section)

    assert raised.value.remedy == remedy


@pytest.mark.parametrize(
    ("choice", "message", "remedy"),
    [
        (
            [{"of": "size", "quantiles": 0}],
            "a.yaml: slices[0].quantiles must lie in [2, 100], got 0",
            "Write a valid value, such as: quantiles: 4",
        ),
        (
            [["day", {"of": "size", "edges": ["a"]}]],
            "a.yaml: slices[0].edges[0] must be a number, got 'a'",
            "Write a valid value, such as: edges: [32, 96]",
        ),
        (
            [{"by": ["day", 3]}],
            "a.yaml: slices.by[1] must be a field, a range or a list of these, got 3",
            "Name a metadata field: weather",
        ),
        (
            [{"by": ["day"], "min_items": 0}],
            "a.yaml: slices.min_items must be at least 1, got 0",
            "Write a valid value, such as: min_items: 10",
        ),
    ],
)
def test_invalid_slices(choice: Any, message: str, remedy: str) -> None:
    with pytest.raises(ConfigError) as raised:
        slices(choice, None, "a.yaml: ")

    assert (raised.value.message, raised.value.remedy) == (message, remedy)


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        ({"level": 95}, "Write it as: level=0.95"),
        ({"seed": -1}, "Write it as: seed=12345"),
        ({"test": "guess"}, "Write it as: test='auto'"),
        ({"correction": "mine"}, "Write it as: correction='holm'"),
        ({"a": "a.json"}, "Load it: Report.load('a.json')"),
    ],
)
def test_invalid_arguments_of_compare(arguments: Any, remedy: str) -> None:
    reports = {"a": Report(results=()), "b": Report(results=())}
    with pytest.raises(ConfigError) as raised:
        compare(**{**reports, **arguments})

    assert raised.value.remedy == remedy


def test_leaderboard_of_one_report() -> None:
    with pytest.raises(ConfigError, match="two reports or more") as raised:
        leaderboard({"only": Report(results=())})

    assert raised.value.remedy is not None


@pytest.mark.parametrize("arguments", [(-1, 2), (1, 2, "exactly")])
def test_invalid_arguments_of_mcnemar(arguments: Any) -> None:
    with pytest.raises(ConfigError, match="mcnemar: ") as raised:
        mcnemar(*arguments)

    assert raised.value.remedy == "Write it as: mcnemar(3, 8, 'exact')"
