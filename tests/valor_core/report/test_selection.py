from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
import pytest

from valor_core import Failed, Report, Result, Undefined
from valor_core.plugin import ReportError
from valor_core.report.results import Results
from valor_core.report.selection import select


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


def everything(report: Report) -> list[Result]:
    return [*report, *chain(*report.slices)]


def selected(key: str) -> Any:
    return select(key, everything(REPORT))


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
        ("Recall/n_x002F_a", 0.2),
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
            "Write one of: Recall/cat, Recall/n/a, Recall/dog, Recall/macro.",
        ),
        ("Counts/tp", "expected one number, found 2\nWrite one of: Counts/tp/cat, Counts/tp/dog."),
        (
            "Summary",
            "expected one number, found a table\nWrite one of: Summary/AP, Summary/AP_large.",
        ),
        ("Matrix/cat", "found a table\nWrite one of: Matrix/cat/cat, Matrix/cat/dog."),
        ("Matrix", "Write one of: Matrix/cat/cat, Matrix/cat/dog, Matrix/dog/cat, Matrix/dog/dog."),
        ("Counts", "Write one of: Counts/cat/tp, Counts/cat/fp, Counts/dog/tp, Counts/dog/fp."),
        ("Summary/curve", "expected a number, found another value\nName a single number of"),
        ("F1", "no result of 'F1'\nName a single number of the report."),
        ("Recall/cta", "no result of 'Recall' for 'cta'\nDid you mean 'cat'?"),
        ("mAP/iou_threshold:0.6", "for 'iou_threshold:0.6'\nDid you mean 'iou_threshold:0.5' or "),
        ("Counts/dog/no", "no result of 'Counts/dog' for 'no'\nThere are: dog, tp, fp, label:dog."),
        (
            "Counts/cow/tp",
            "no result of 'Counts' for 'cow'\nThere are: cat, dog, tp, fp, label:cat",
        ),
        ("Accuracy/ink:blue", "for 'ink:blue'\nThere are: ink:light, ink:null."),
        ("Accuracy/class/ink:blue", "for 'ink:blue'\nThere are: ink:light, ink:null."),
        ("Accuracy/class/light", "for 'light'\nDid you mean 'ink:light'?"),
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


@pytest.mark.parametrize("key", ["Curve", "Curve/cat", "Curve/a:b", "Points", "c.Points/cat"])
def test_a_metric_of_curves_cannot_be_required_and_others_are_named(key: str) -> None:
    with pytest.raises(ReportError) as caught:
        selected(key)

    assert str(caught.value) == (
        f"{key.split('/')[0]!r} has no single number\nChoose another metric, one that has: "
        "Accuracy, mAP, Recall, Summary, Counts, Matrix, Judge, AUC, Empty."
    )


def test_where_no_metric_has_a_number_none_is_named() -> None:
    results = [of("Points", [1, 2]), of("Curve", {"cat": {"x": [0, 1]}})]

    with pytest.raises(ReportError, match=r"\nChoose another metric, one whose results are num"):
        select("Points", everything(Report(results=results)))


@pytest.mark.parametrize("key", ["Accuracy/ink:(missing)", "Accuracy/class/ink:(missing)"])
def test_items_without_a_value_are_a_slice_as_tables_call_it_too(key: str) -> None:
    assert selected(key) == selected("Accuracy/ink:null") == 0.6


def test_a_slice_whose_value_reads_like_none_is_itself() -> None:
    slices = (
        Results([of("F1", 0.25)]).in_slice({"ink": "(missing)"}),
        Results([of("F1", 0.75)]).in_slice({"ink": None}),
    )
    report = Report(results=[of("F1", 0.5)], slices=slices)

    assert select("F1/ink:(missing)", everything(report)) == 0.25
    assert select("F1/ink:null", everything(report)) == 0.75


def offered(key: str, report: Report) -> list[str]:
    with pytest.raises(ReportError) as caught:
        select(key, everything(report))
    return (caught.value.remedy or "").removeprefix("Write one of: ").removesuffix(".").split(", ")


def test_every_key_that_is_offered_names_a_number() -> None:
    labels = ["white/rosé", "n_x002F_a", "n/a", "a", "a/b", "class", "日本", "a:b", "tp", ""]
    results = [
        of("F1", number, label_key="class", label=label, score_threshold=at)
        for number, label in enumerate(labels)
        for at in (0.25, 0.5)
    ]
    results += [of("F1", 0.5, label_key="class", average="macro", score_threshold=0.25)]
    results += [of("Counts", {"tp": 1, "b": 2, "c/d": 3}, label=label) for label in labels]
    report = Report(results=results)

    for key in ("F1", "F1/score_threshold:0.25", "F1/white/rosé", "Counts", "Counts/a", "Counts/b"):
        keys = [each.partition(" (and ")[0] for each in offered(key, report)]
        assert len(keys) > 1, key
        for each in keys:
            assert isinstance(select(each, everything(report)), float), each
    assert offered("F1/white/rosé", report)[0] == "F1/white/rosé/score_threshold:0.25"


def test_a_label_is_offered_as_it_is_written_unless_that_is_something_else() -> None:
    results = [of("F1", value, label_key="class", label=label) for value, label in enumerate("ab")]
    results += [
        of("F1", 0.5, label_key="class", label="class"),
        of("F1", 0.25, label_key="class", label="a/b"),
        of("Counts", {"tp": 1, "b": 2}, label="a"),
        of("Counts", {"tp": 3}, label="a/b"),
    ]
    report = Report(results=results)

    assert offered("F1", report) == ["F1/a", "F1/b", "F1/label:class", "F1/a/b"]
    assert offered("Counts", report) == ["Counts/a/tp", "Counts/a/b", "Counts/a/b/tp"]


def test_a_parameter_comes_before_a_slice_of_its_name() -> None:
    slices = (Results([of("F1", 0.25, label="cat")]).in_slice({"label": "cat"}),)
    report = Report(results=[of("F1", 0.5, label="cat"), of("F1", 1.0, label="dog")], slices=slices)

    assert select("F1/label:cat", everything(report)) == 0.5


def test_a_flat_key_comes_before_a_label_that_reads_like_it() -> None:
    results = [of("F1", 0.25, label="n/a"), of("F1", 0.5, label="n_x002F_a")]
    report = Report(results=results)

    assert select("F1/n_x002F_a", everything(report)) == 0.25
    assert select("F1/n_x005F_x002F_a", everything(report)) == 0.5
    assert {key: select(key, everything(report)) for key in report.flat()} == report.flat()
    assert select("F1/n_x002F_a", everything(Report(results=results[1:]))) == 0.5


def test_results_that_nothing_tells_apart_are_not_offered() -> None:
    twice = [of("F1", 0.5, label="cat"), of("F1", 0.75, label="cat")]

    assert offered("F1", Report(results=twice)) == ["Name a single number of the report"]
    assert offered("F1", Report(results=[*twice, of("F1", 1.0, label="dog")])) == ["F1/dog"]


def test_a_default_tells_a_number_from_that_of_another_setting() -> None:
    settings = ({}, {"zero_division": None}, {"zero_division": 1.0})
    results = [
        Result(type="F1", metric="classification.F1@1", parameters={"label": "cat"} | own, value=at)
        for at, own in enumerate(settings)
    ]
    report = Report(results=results)

    keys = offered("F1", report)
    assert keys == [f"F1/zero_division:{value}" for value in ("0.0", "null", "1.0")]
    assert [select(key, everything(report)) for key in keys] == [0, 1, 2]
    assert {key: select(key, everything(report)) for key in report.flat()} == report.flat()
    with pytest.raises(ReportError, match="expected one number, found 3"):
        select("F1/cat", everything(report))


def test_what_a_result_says_goes_before_the_default_of_another() -> None:
    parameters = ({"hardmax": True}, {"top_k": 2})
    results = [
        Result(type="Accuracy", metric="classification.Accuracy@1", parameters=own, value=at)
        for at, own in enumerate(parameters)
    ]
    report = Report(results=results)

    assert select("Accuracy/hardmax:true", everything(report)) == 0
    assert select("Accuracy/top_k:1", everything(report)) == 0
    assert report.find("Accuracy", hardmax=True).value == 0


def test_the_numbers_of_a_large_table_are_counted_and_the_first_are_named() -> None:
    table = {f"l{row}": {f"l{column}": 1 for column in range(50)} for row in range(50)}

    with pytest.raises(ReportError, match=r"Matrix/l0/l11 \(and 2,488 more\)\.$"):
        select("Matrix", everything(Report(results=[of("Matrix", table)])))


def test_a_long_list_of_keys_is_cut() -> None:
    results = [of("AP", 0.5, label=f"{number:02}") for number in range(15)]

    with pytest.raises(ReportError, match=r"AP/10, AP/11 \(and 3 more\)\.$"):
        select("AP", everything(Report(results=results)))


def test_every_flat_key_names_its_number() -> None:
    rng = np.random.default_rng(7)
    names = ["cat", "n/a", "猫", "a:b", "true", "", "n_x002F_a", "+"]
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
        Results([of("Recall", rng.random(), label="cat")]).in_slice(where)
        for where in ({"ink": None}, {"ink": True}, {"ink": 1}, {"a/b": "x y", "ink": 1})
    )
    report = Report(results=results, slices=slices)

    flat = report.flat()

    assert len(flat) == 76
    assert {key: select(key, everything(report)) for key in flat} == flat


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
            ("F1/a_x002F_b", 0.25),
            ("F1/a", 0.5),
            ("F1/a/b/c", 0.75),
            ("Counts/a/b/tp", 1.0),
            ("Counts/a/b/fp/all", 2.0),
            ("Counts/a/b", 4.0),
            ("F1/a/b/city:n/a", 1.0),
        ],
    )
    def test_a_name_with_a_slash_is_found_as_it_is_written(self, key: str, number: float) -> None:
        sliced = Results([of("F1", 1.0, label="a/b")]).in_slice({"city": "n/a"})

        assert select(key, everything(Report(results=self.RESULTS, slices=(sliced,)))) == number

    def test_one_that_is_not_there_is_named_as_it_was_written(self) -> None:
        with pytest.raises(ReportError, match=r"^no result of 'F1/a' for 'd'"):
            select("F1/a/d", everything(Report(results=self.RESULTS)))
