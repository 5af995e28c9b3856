"""Evaluations with a filter: counts, slices, states, errors, and a missing distribution."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from valor_core import Evaluator, Text, TextBatch, ValorError, evaluate, metric
from valor_core.errors import ConfigError, MissingExtraError, StateError


def item(uid: str, response: str = "Paris", **metadata: Any) -> Text:
    return Text(uid, response=response, metadata=metadata)


ITEMS = [
    item("q1", "Paris", weather="sun", city="A"),
    item("q2", "no", weather="rain", city="A"),
    item("q3", "Rom", weather="rain", city="B"),
    item("q4", "Stockholm", city="B"),
]


@metric("mylab.Length", task="text", higher_is_better=None)
def length(item: Text) -> float:
    return float(len(item.response or ""))


def evaluated(data: list[Text], **options: Any) -> Evaluator:
    evaluator = Evaluator([length], **options)
    evaluator.update(data)
    return evaluator


def test_filtered_items_are_not_counted() -> None:
    report = evaluated(ITEMS, filter="weather == 'rain'").compute()

    assert report.results == evaluated(ITEMS[1:3]).compute().results
    assert report.counts == {"read": 2, "skipped": 2, "failed": 0}


def test_fully_filtered_batch_keeps_uid_type() -> None:
    evaluator = Evaluator([length], filter="weather == 'rain'")
    evaluator.update([item("q1", weather="sun")])
    evaluator.update([item("q2", weather="rain")])

    assert evaluator.compute().counts == {"read": 1, "skipped": 1, "failed": 0}


def test_fully_filtered_batch_makes_no_slice() -> None:
    batches = [TextBatch.of(ITEMS[:2]), TextBatch.of(ITEMS[2:]), TextBatch.of([])]

    report = evaluate(batches, [length], slices=["city"], filter="city == 'A'")

    assert [dict(part[0].slice) for part in report.slices] == [{"city": "A"}]
    assert report.counts == {"read": 2, "skipped": 2, "failed": 0}


def test_slices_work_if_filter_excludes_everything() -> None:
    report = evaluated(ITEMS, slices=["weather"], filter="weather == 'snow'").compute()

    assert report.slices == ()
    assert report.warnings == ("no datums were counted, the filter excluded 4",)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.permutations(range(4)), st.integers(0, 4), st.integers(0, 4))
def test_filtered_report_is_independent_of_split_and_order(
    order: list[int], cut: int, other: int
) -> None:
    options: dict[str, Any] = {"slices": ["weather"], "filter": "not weather == 'sun'"}
    items = [ITEMS[place] for place in order]
    low, high = sorted((cut, other))

    merged = evaluated(items[:low], **options)
    for part in (items[low:high], items[high:]):
        merged.merge(evaluated(part, **options))

    assert merged.compute() == evaluated(ITEMS, **options).compute()


def test_evaluation_with_a_filter_can_be_pickled() -> None:
    evaluation = Evaluator([length], filter="uid != 'q9'").evaluation

    back = pickle.loads(pickle.dumps(evaluation))

    assert back.describe() == evaluation.describe()
    assert back.describe()["filter"] == "uid != 'q9'"
    assert [*back.taking_part(TextBatch.of([item("q9"), item("q1")]), 0).datums.uids] == ["q1"]


def test_resumed_state_applies_its_filter(tmp_path: Path) -> None:
    options: dict[str, Any] = {"filter": "city == 'A'"}
    evaluated(ITEMS[:1], **options).save(tmp_path / "state.npz")

    resumed = Evaluator([length], **options)
    resumed.resume(tmp_path / "state.npz")
    resumed.update(ITEMS[1:])

    assert resumed.compute() == evaluated(ITEMS, **options).compute()
    message = "made by another request, filter is \"city == 'A'\" there and None here"
    with pytest.raises(StateError, match=re.escape(message)):
        Evaluator([length]).resume(tmp_path / "state.npz")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n = 1", "filter 'n = 1': expected an operator"),
        ("n == '1'", "filter \"n == '1'\": field 'n' holds numbers and cannot"),
        ("m == 1", "filter: no item has the metadata field 'm'"),
    ],
)
def test_error_of_filter_has_its_position(text: str, message: str) -> None:
    with pytest.raises(ValorError) as caught:
        evaluated([item("q1", n=1)], filter=text, place="c.yaml: ").compute()

    assert str(caught.value).startswith(f"c.yaml: {message}")


def test_unknown_field_suggests_closest_match_or_lists_all() -> None:
    with pytest.raises(ConfigError, match="the metadata field 'wether'\nDid you mean 'weather'"):
        evaluated(ITEMS, filter="wether == 'sun'").compute()
    with pytest.raises(ConfigError, match="field 'zzz'\nAvailable fields: city, weather"):
        evaluated(ITEMS, filter="zzz == 1").compute()
    with pytest.raises(ConfigError, match="field 'zzz'\nAvailable fields: none"):
        evaluated([item("q1")], filter="zzz == 1").compute()


def test_filter_without_this_distribution_shows_install_command(
    hide: Callable[[str], None],
) -> None:
    hide("valor-files")

    with pytest.raises(
        MissingExtraError,
        match="filter: an expression needs valor-files, which is not installed\nInstall it with: ",
    ):
        Evaluator([length], filter="city == 'A'", place="")
