from __future__ import annotations

import re
from itertools import chain
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from valor_report.selection import select

from valor_core import Failed, Report, Result, Undefined
from valor_core.errors import ReportError
from valor_core.results.entries import flat_keys
from valor_core.results.results import Results


def of(type: str, value: Any, /, **parameters: Any) -> Result:
    return Result(type=type, metric=f"c.{type}@1", parameters=parameters, value=value)


RESULTS = [
    of("Accuracy", 0.5, label_key="class", hardmax=True),
    of("mAP", 0.25, iou_threshold=0.5),
    of("mAP", 0.125, iou_threshold=0.75),
    of("Recall", 0.1, label="cat", average=None),
    of("Recall", 0.2, label="n/a", average=None),
    of("Recall", Undefined("no dogs"), label="dog", average=None),
    of("Recall", 0.3, label=None, average="macro"),
    of("Summary", {"AP": 0.75, "AP_large": None, "curve": [1, 2]}),
    of("Counts", {"tp": 3, "fp": 1}, label="cat"),
    of("Counts", {"tp": 5, "fp": 0}, label="dog"),
    of("Curve", {"cat": {"x": [0, 1], "y": [1, 0]}}),
    of("Points", [1, 2]),
    of("Judge", Failed("no reply"), average=["none", "macro"]),
    of("AUC", Undefined("no cats"), label="cat"),
    of("AUC", Undefined("no dogs"), label="dog"),
    of("Empty", Undefined("no data to compute it from"), average=["none", "macro"], top_k=1),
    of("Empty", Undefined("no data to compute it from"), average=["none", "macro"], top_k=2),
]
SLICES = (
    Results([of("Accuracy", 0.4, label_key="class", hardmax=True)]).in_slice({"ink": "light"}),
    Results([of("Accuracy", 0.6, label_key="class", hardmax=True)]).in_slice({"ink": None}),
    Results(
        [
            of("Accuracy", Undefined("no data"), label_key="class", hardmax=[True]),
            of("Recall", 0.9, label="cat", average=None),
        ]
    ).in_slice({"ink": "light", "hand": "left"}),
)
REPORT = Report(results=RESULTS, slices=SLICES)


def selected(key: str, report: Report = REPORT) -> Any:
    return select(key, chain(report, *report.slices))


def refusal(match: str, key: str, report: Report = REPORT) -> str:
    with pytest.raises(ReportError, match=re.escape(match)) as caught:
        selected(key, report)
    return str(caught.value)


@pytest.mark.parametrize(
    ("key", "number"),
    [
        ("Accuracy", 0.5),
        ("c.accuracy@1", 0.5),
        ("Accuracy/hardmax:true/class", 0.5),
        ("mAP/iou_threshold:0.5", 0.25),
        ("Recall/cat", 0.1),
        ("Recall/label:cat/average:null", 0.1),
        ("Recall/n/a", 0.2),
        ("Recall/label:n/a", 0.2),
        ("Recall/n_x002F_a", 0.2),
        ("Recall/macro", 0.3),
        ("Summary/AP", 0.75),
        ("Counts/dog/tp", 5.0),
        ("Counts/fp/cat", 1.0),
        ("Accuracy/ink:light", 0.4),
        ("Accuracy ink:light", 0.4),
        ("Accuracy/hardmax:true/ink:null", 0.6),
        ("Accuracy/ink:(missing)", 0.6),
        ("Recall/hand:left/cat/ink:light", 0.9),
    ],
)
def test_key_accepts_parts_of_flat_key_in_any_order(key: str, number: float) -> None:
    assert selected(key) == number


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("Recall/dog", Undefined("no dogs")),
        ("Summary/AP_large", Undefined("null in its table")),
        ("AUC/dog", Undefined("no dogs")),
        ("Judge/macro", Failed("no reply")),
        ("Empty/macro/top_k:2", Undefined("no data to compute it from")),
        ("Accuracy/ink:light/hand:left/hardmax:true", Undefined("no data")),
    ],
)
def test_value_without_number_selects_reason(key: str, reason: Undefined | Failed) -> None:
    assert selected(key) == reason


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("F1", "no result of 'F1'"),
        ("mAP", "expected one number, found 2"),
        ("Counts/tp", "expected one number, found 2"),
        ("Summary", "expected one number, found 2"),
        ("Summary/curve", "no result of 'Summary' for 'curve'"),
        ("c.mAP/x", "no result of 'c.mAP' for 'x'"),
        ("mAP/iou_threshold:0.6", "no result of 'mAP' for 'iou_threshold:0.6'"),
        ("Recall/macra", "no result of 'Recall' for 'macra'"),
        ("Accuracy/class/ink:lihgt", "no result of 'Accuracy' for 'ink:lihgt'"),
        ("Accuracy/ink:blue", "no result of 'Accuracy' for 'ink:blue'"),
    ],
)
def test_key_without_unique_number_suggests_keys(key: str, message: str) -> None:
    refusal(message, key)


def test_key_needs_all_fields_of_slice() -> None:
    refusal("no result of 'Accuracy' for 'hand:left'", "Accuracy/hand:left")


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("Curve", "'Curve' has no single number"),
        ("Curve/cat", "'Curve' has no single number"),
        ("Curve/a:b", "'Curve' has no single number"),
        ("Points", "'Points' has no single number"),
        ("c.Points/cat", "'c.Points' has no single number"),
    ],
)
def test_metric_of_curves_suggests_metrics_with_numbers(key: str, message: str) -> None:
    refusal(message, key)


def test_no_metric_is_suggested_without_numbers() -> None:
    report = Report(results=[of("Points", [1, 2]), of("Curve", {"cat": {"x": [0, 1]}})])

    refusal("'Points' has no single number", "Points", report)


def test_exact_flat_key_takes_precedence() -> None:
    results = [
        of("F1", 0.25, label="n/a"),
        of("F1", 0.5, label="n_x002F_a"),
        of("F1", 0.75, label="n/a", score_threshold=0.5),
    ]
    slices = ([of("F1", 1.0, label="n/a").in_slice({"label": "n/a"})],)
    report = Report(results=results, slices=slices)

    assert {key: selected(key, report) for key in report.flat()} == report.flat()
    assert selected("F1/label:n_x002F_a", report) == 0.25
    refusal("expected one number, found 3", "F1/n_x002F_a", report)


def test_ambiguous_keys_are_not_suggested() -> None:
    twice = [of("F1", 0.5, label="cat"), of("F1", 0.75, label="cat")]
    report = Report(results=[*twice, of("F1", 1.0, label="dog")])

    refusal("expected one number, found 2", "F1/cat", report)
    refusal("expected one number, found 3", "F1", report)


def test_long_list_of_keys_is_truncated() -> None:
    report = Report(results=[of("AP", 0.5, label=f"{number:02}") for number in range(15)])

    refusal("expected one number, found 15", "AP", report)


def test_suggested_keys_and_flat_keys_select_their_number() -> None:
    rng = np.random.default_rng(7)
    names = ["cat", "n/a", "猫", "a:b", "true", "", "n_x002F_a", "+", "a", "a/b", "tp"]
    results = [
        of(
            type,
            {"tp": rng.random(), "f/p": rng.random()} if type == "Counts" else rng.random(),
            label=label,
            score_threshold=at,
            hardmax=at is None,
        )
        for type in ("Recall", "Counts")
        for label in names
        for at in (None, 0.5, [0.5, 1])
    ]
    slices = tuple(
        [of("Recall", rng.random(), label="cat").in_slice(where)]
        for where in ({"ink": None}, {"ink": True}, {"ink": 1}, {"a/b": "x y", "ink": 1})
    )
    report = Report(results=results, slices=slices)
    flat = report.flat()

    assert len(flat) == 103
    assert {key: selected(key, report) for key in flat} == flat
    for key in ("Recall", "Recall/n/a", "Counts/a", "Counts/score_threshold:0.5/tp", "Counts/x"):
        listed = (
            refusal("Write one of", key, report)
            .partition("Write one of: ")[2]
            .partition(" (and ")[0]
        )
        assert all(
            selected(one, report) is not None for one in listed.removesuffix(".").split(", ")
        )


@pytest.mark.parametrize(
    ("key", "number"),
    [
        ("F1/a/b", 0.25),
        ("F1/label:a/b", 0.25),
        ("F1/a_x002F_b", 0.25),
        ("F1/a", 0.5),
        ("F1/a/b/c", 0.75),
        ("Counts/a/b/tp", 1.0),
        ("Counts/a/b/fp/all", 2.0),
        ("Counts/label:a/b", 4.0),
        ("F1/a/b/city:n/a", 1.0),
    ],
)
def test_name_with_slash_needs_no_escape(key: str, number: float) -> None:
    results = [
        of("F1", 0.25, label="a/b"),
        of("F1", 0.5, label="a"),
        of("F1", 0.75, label="a/b/c"),
        of("Counts", {"tp": 1, "fp/all": 2}, label="a/b"),
        of("Counts", {"tp": 3, "b": 4}, label="a"),
    ]
    slices = ([of("F1", 1.0, label="a/b").in_slice({"city": "n/a"})],)

    assert selected(key, Report(results=results, slices=slices)) == number


names = st.sampled_from(["cat", "class", "macro", "at:1", "n/a", "1"])
settings = st.fixed_dictionaries(
    {"label_key": st.sampled_from(["class", "cat"])},
    optional={"label": names, "average": names, "at": st.sampled_from([1, 2, None])},
)


@given(st.lists(settings, min_size=1, max_size=6, unique_by=lambda one: repr(sorted(one.items()))))
def test_short_key_selects_its_number(chosen: list[dict[str, Any]]) -> None:
    results = [of("F1", float(number), **own) for number, own in enumerate(chosen)]

    for key, value in flat_keys(results, short=True).items():
        assert select(key, results) == value, key
