"""Facts of resources."""

from __future__ import annotations

import re

import pytest

from valor_core.errors import ResourceError
from valor_core.resources.bound import read_usage, sum_usage


def test_facts_sum_numbers_and_deduplicate_texts() -> None:
    openings = [
        {"judge": {"calls": 2, "model": "m1"}},
        {"judge": {"calls": 3, "model": "m2"}},
        {"judge": {"calls": 1, "model": "m1"}},
    ]

    assert sum_usage(openings) == {"judge": {"calls": 6, "model": ["m1", "m2"]}}


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        (["calls"], "judge: facts must be a table of numbers and texts, got ['calls']"),
        ({"calls": None}, "judge: facts must be a table of numbers and texts, got {'calls': None}"),
        (
            {"calls": {"a": 1}},
            "facts must be a table of numbers and texts, got {'calls': {'a': 1}}",
        ),
    ],
)
def test_invalid_facts_are_rejected(facts: object, message: str) -> None:
    with pytest.raises(ResourceError, match=re.escape(message)):
        read_usage("judge", lambda: facts)


def test_failing_facts_error_names_resource_and_cause() -> None:
    with pytest.raises(
        ResourceError, match=r"cannot read facts, test_facts\.py, line \d+: ZeroDivisionError"
    ):
        read_usage("judge", lambda: 1 / 0)
