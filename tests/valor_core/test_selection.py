from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from valor_core import Failed, Report, Result, Undefined
from valor_core.errors import ReportError
from valor_core.report import SliceReport
from valor_core.selection import select


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
    of("Matrix", {"cat": {"cat": 7, "dog": 2}, "dog": {"cat": 0, "dog": 4}}),
    of("Curve", {"cat": {"x": [0, 1], "y": [1, 0]}}),
    of("Points", [1, 2]),
    of("Judge", Failed("no reply"), average=["none", "macro"]),
    of("AUC", Undefined("no cats"), label="cat"),
    of("AUC", Undefined("no dogs"), label="dog"),
    of("Empty", Undefined("no data to compute it from"), average=["none", "macro"], top_k=1),
    of("Empty", Undefined("no data to compute it from"), average=["none", "macro"], top_k=2),
]
SLICES = (
    SliceReport({"ink": "light"}, [of("Accuracy", 0.4, label_key="class", hardmax=True)]),
    SliceReport({"ink": None}, [of("Accuracy", 0.6, label_key="class", hardmax=True)]),
    SliceReport(
        {"ink": "light", "hand": "left"},
        [
            of("Accuracy", Undefined("no data"), label_key="class", hardmax=[True]),
            of("Recall", 0.9, label="cat", average=None),
        ],
    ),
)
REPORT = Report(results=RESULTS, slices=SLICES)


def selected(key: str) -> Any:
    return select(key, REPORT.everything())


@pytest.mark.parametrize(
    ("key", "number"),
    [
        ("Accuracy", 0.5),
        ("c.accuracy@1", 0.5),
        ("Accuracy/hardmax:true/class", 0.5),
        ("mAP/iou_threshold:0.5", 0.25),
        ("Recall/cat", 0.1),
        ("Recall/label:cat/average:null", 0.1),
        ("Recall/n_a", 0.2),
        ("Recall/macro", 0.3),
        ("Summary/AP", 0.75),
        ("Counts/dog/tp", 5.0),
        ("Counts/fp/cat", 1.0),
        ("Matrix/cat/dog", 2.0),
        ("Accuracy/ink:light", 0.4),
        ("Accuracy/hardmax:true/ink:null", 0.6),
        ("Recall/hand:left/cat/ink:light", 0.9),
    ],
)
def test_a_key_names_a_number(key: str, number: float) -> None:
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
def test_where_there_is_no_number_it_is_the_reason(key: str, reason: Undefined | Failed) -> None:
    assert selected(key) == reason


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (
            "mAP",
            "expected one number, found 2\n"
            "Write one of: mAP/iou_threshold:0.5, mAP/iou_threshold:0.75.",
        ),
        (
            "Recall",
            "expected one number, found 4\n"
            "Write one of: Recall/cat, Recall/n_a, Recall/dog, Recall/macro.",
        ),
        ("Counts/tp", "expected one number, found 2\nWrite one of: Counts/tp/cat, Counts/tp/dog."),
        (
            "Summary",
            "expected one number, found a table\nWrite one of: Summary/AP, Summary/AP_large.",
        ),
        ("Matrix/cat", "found a table\nWrite one of: Matrix/cat/cat, Matrix/cat/dog."),
        ("Curve/cat", "expected one number, found a table\nName a single number of the report."),
        ("Points", "expected a number, found another value\nName a single number of the report."),
        ("F1", "no result of 'F1'\nName a single number of the report."),
        ("Recall/cta", "no result of 'Recall' for 'cta'\nDid you mean 'cat'?"),
        ("mAP/iou_threshold:0.6", "for 'iou_threshold:0.6'\nDid you mean 'iou_threshold:0.5' or "),
        ("Counts/dog/no", "no result of 'Counts/dog' for 'no'\nThere are: dog, tp, fp, label:dog."),
        (
            "Counts/cow/tp",
            "no result of 'Counts' for 'cow'\nThere are: cat, dog, tp, fp, label:cat",
        ),
        ("Accuracy/ink:blue", "for 'ink:blue'\nThere are: ink:light, ink:null."),
        ("Accuracy/ink:lihgt", "for 'ink:lihgt'\nDid you mean 'ink:light'?"),
        (
            "Accuracy/hand:left",
            "no slice hand:left\nThere are: ink:light, ink:null, ink:light/hand",
        ),
    ],
)
def test_a_key_of_no_number_or_of_several_is_answered_with_those_there_are(
    key: str, message: str
) -> None:
    with pytest.raises(ReportError) as caught:
        selected(key)

    assert message in str(caught.value)


def test_a_parameter_comes_before_a_slice_of_its_name() -> None:
    slices = (SliceReport({"label": "cat"}, [of("F1", 0.25, label="cat")]),)
    report = Report(results=[of("F1", 0.5, label="cat"), of("F1", 1.0, label="dog")], slices=slices)

    assert select("F1/label:cat", report.everything()) == 0.5


def test_a_label_comes_before_another_one_that_a_flat_key_writes_like_it() -> None:
    results = [of("F1", 0.25, label="n/a"), of("F1", 0.5, label="n_a"), of("F1", 1.0, label="a/b")]

    assert select("F1/n_a", Report(results=results).everything()) == 0.5
    assert select("F1/label:a_b", Report(results=results).everything()) == 1.0


def test_a_long_list_of_keys_is_cut() -> None:
    results = [of("AP", 0.5, label=f"{number:02}") for number in range(15)]

    with pytest.raises(ReportError, match=r"AP/10, AP/11 \(and 3 more\)\.$"):
        select("AP", Report(results=results).everything())


def test_every_flat_key_names_its_number() -> None:
    rng = np.random.default_rng(7)
    names = ["cat", "n/a", "猫", "a:b", "true", ""]
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
        SliceReport(where, [of("Recall", rng.random(), label="cat")])
        for where in ({"ink": None}, {"ink": True}, {"ink": 1}, {"a/b": "x y", "ink": 1})
    )
    report = Report(results=results, slices=slices)

    flat = report.flat()

    assert len(flat) == 58
    assert {key: select(key, report.everything()) for key in flat} == flat


class TestSlashes:
    RESULTS = (
        of("F1", 0.25, label="a/b"),
        of("F1", 0.5, label="a"),
        of("F1", 0.75, label="a/b/c"),
        of("Counts", {"tp": 1, "fp/all": 2}, label="a/b"),
        of("Counts", {"tp": 3, "b": 4}, label="a"),
    )

    @pytest.mark.parametrize(
        ("key", "number"),
        [
            ("F1/a/b", 0.25),
            ("F1/label:a/b", 0.25),
            ("F1/a_b", 0.25),
            ("F1/a", 0.5),
            ("F1/a/b/c", 0.75),
            ("Counts/a/b/tp", 1.0),
            ("Counts/a/b/fp/all", 2.0),
            ("Counts/a/b", 4.0),
            ("F1/a/b/city:n/a", 1.0),
        ],
    )
    def test_a_name_with_a_slash_is_found_as_it_is_written(self, key: str, number: float) -> None:
        sliced = SliceReport({"city": "n/a"}, [of("F1", 1.0, label="a/b")])

        assert select(key, Report(results=self.RESULTS, slices=(sliced,)).everything()) == number

    def test_one_that_is_not_there_is_named_as_it_was_written(self) -> None:
        with pytest.raises(ReportError, match=r"^no result of 'F1/a' for 'd'"):
            select("F1/a/d", Report(results=self.RESULTS).everything())
