"""Comparison of reports with intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attrs import evolve
from valor_report import compare

from valor_core import Registry, Report, Text, evaluate


def answers(rights: Any, **options: Any) -> Report:
    items = [
        Text(f"q{i}", response="yes" if right else "no", references="yes")
        for i, right in enumerate(rights)
    ]
    return evaluate(items, ["text.ExactMatch"], **options)


@pytest.fixture(scope="module")
def rights() -> dict[str, Any]:
    random = np.random.default_rng(1)
    hard = random.random(300)
    return {
        "first": hard < 0.6,
        "noise": np.where(random.random(300) < 0.05, hard >= 0.6, hard < 0.61),
        "better": hard < 0.75,
    }


def verdict(first: Report, second: Report) -> Any:
    (change,) = compare(first, second, registry=Registry()).changes
    return change


def test_noise_is_unclear_and_does_not_fail_a_build(rights: dict[str, Any]) -> None:
    first, second = (answers(rights[name], confidence=0.95) for name in ("first", "noise"))
    found = compare(first, second, registry=Registry())

    assert [change.verdict for change in found.changes] == ["unclear"]
    assert found.failing("worse") == ()
    assert found.summary == "1 number compared, 1 unclear"


def test_clear_difference_is_better(rights: dict[str, Any]) -> None:
    change = verdict(*(answers(rights[name], confidence=0.95) for name in ("first", "better")))

    assert change.verdict == "better"
    assert change.interval[0] > 0
    assert change.p < 0.001


def test_paired_interval_is_narrower_than_for_other_items(rights: dict[str, Any]) -> None:
    first, second = (answers(rights[name], confidence=0.95) for name in ("first", "better"))
    paired = verdict(first, second)
    rows = [report["ExactMatch"].only.details["confidence"] for report in (first, second)]

    independent = np.hypot(*(row["interval"][1] - row["interval"][0] for row in rows))
    assert paired.interval[1] - paired.interval[0] < 0.8 * independent


def test_reports_of_other_groups_have_no_interval(rights: dict[str, Any]) -> None:
    first = answers(rights["first"], confidence=0.95)
    second = answers(rights["better"], confidence={"level": 0.95, "seed": 1})

    assert verdict(first, second).interval is None
    assert verdict(first, answers(rights["better"])).verdict == "better"


def test_table_and_json_show_interval_and_probability(rights: dict[str, Any]) -> None:
    found = compare(
        *(answers(rights[name], confidence=0.95) for name in ("first", "better")),
        registry=Registry(),
    )
    (record,) = found.to_dict()["changes"]

    assert record["interval"][0] < record["difference"] < record["interval"][1]
    assert " ± " in found.markdown("a, then b")
    assert "< 0.0001" in found.tables()[0].plain()


def test_table_without_a_level_has_the_default_level(rights: dict[str, Any]) -> None:
    first, second = (
        answers(rights[name], confidence={"groups": 50}) for name in ("first", "better")
    )
    first = evolve(first, config={**first.config, "confidence": {"groups": 50}})
    second = evolve(second, config={**second.config, "confidence": {"groups": 50}})

    assert verdict(first, second).interval is not None
