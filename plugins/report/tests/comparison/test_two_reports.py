from __future__ import annotations

import json

import pytest
from valor_report.comparison import compare

from valor_core.errors import ReportError
from valor_core.results import Report, Result, Undefined
from valor_core.specs import MetricSpec, Range, Registry


@pytest.fixture
def registry():
    registry = Registry()
    for name, higher in {"Gain": True, "Loss": False, "Size": None}.items():
        registry.add(
            MetricSpec(
                name=f"lab.{name}",
                task="text",
                summary=name,
                implementation="lab:code",
                higher_is_better=higher,
                range=Range(),
            )
        )
    return registry


def of(type, value, version=1, **parameters):
    return Result(type=type, metric=f"lab.{type}@{version}", parameters=parameters, value=value)


def report(*results, **facts):
    return Report(results=results, **facts)


@pytest.mark.parametrize(
    ("type", "a", "b", "verdict"),
    [
        ("Gain", 0.5, 0.75, "better"),
        ("Gain", 0.75, 0.5, "worse"),
        ("Loss", 0.5, 0.75, "worse"),
        ("Loss", 0.75, 0.5, "better"),
        ("Size", 1, 2, "different"),
        ("Unknown", 1, 2, "different"),
        ("Gain", 0.5, 0.5, "same"),
        ("Gain", 0.5, 0.5625, "same"),
        ("Gain", Undefined("none"), 0.5, "appeared"),
        ("Gain", 0.5, Undefined("none"), "vanished"),
        ("Gain", Undefined("none"), Undefined("none"), "same"),
    ],
)
def test_verdict_depends_on_direction_of_metric(registry, type, a, b, verdict):
    found = compare(report(of(type, a)), report(of(type, b)), tolerance=0.0625, registry=registry)

    (change,) = found.changes
    assert change.verdict == verdict


def test_verdict_without_registry_is_different():
    (change,) = compare(report(of("Gain", 1.0)), report(of("Gain", 2.0))).changes

    assert change.verdict == "different"


def test_results_match_by_name_and_parameters():
    a = report(of("Gain", 0.1, label="cat"), of("Gain", 0.2, label="dog"))
    b = report(of("Gain", 0.3, label="dog", version=2), of("Gain", 0.4, label="fox", version=2))

    found = compare(a, b)

    (change,) = found.changes
    assert (change.a, change.b) == (0.2, 0.3)
    assert [one.parameters["label"] for one in found.only_a] == ["cat"]
    assert [one.parameters["label"] for one in found.only_b] == ["fox"]
    assert "not comparable: definition of lab.Gain: version 1, then 2" in found.remarks
    assert "not comparable: definition of lab.Gain: version 1, then 2" in found.failing("worse")
    assert not found.same


def test_named_numbers_are_compared_one_by_one():
    a, b = report(of("Counts", {"tp": 1, "fp": 2})), report(of("Counts", {"tp": 3, "fp": 2}))

    first, second = compare(a, b).changes

    assert (first.entry.part, first.difference, second.difference) == ("tp", 2, 0)


def test_reason_applies_to_all_named_numbers():
    a = report(of("Counts", {"tp": 1, "fp": 2}))
    b = report(of("Counts", Undefined("nothing")))

    found = compare(a, b)

    assert [change.verdict for change in found.changes] == ["vanished", "vanished"]
    assert found.changes[0].b_reason == "nothing"
    assert compare(b, a).count("appeared") == 2


def test_structures_are_compared():
    a = report(of("Curve", {"ece": 0.1, "bins": [1]}), of("Matrix", {"x": {"y": 1}}))
    b = report(of("Curve", {"ece": 0.1, "bins": [2]}), of("Matrix", {"x": {"y": 1}}))

    found = compare(a, b)

    assert [one.type for one in found.structures] == ["Curve"]
    assert found.count("same") == 1
    assert compare(a, a).same


def test_stopped_run_gives_remark():
    a = Report(results=[of("Gain", 0.5)], counts={"not_run": 35}, stopped="the budget is spent")

    found = compare(a, Report(results=[of("Gain", 0.25)]))

    assert found.remarks == ("first report: the budget is spent", "items not run: 35, then 0")


def test_different_versions_and_counts_give_remarks():
    a = report(versions={"valor-core": "1"}, counts={"read": 10})
    b = report(versions={"valor-core": "2", "numpy": "2"}, counts={"read": 1200})

    assert compare(a, b).remarks == (
        "version of valor-core: 1, then 2",
        "version of numpy: none, then 2",
        "not comparable: data: 10 items, then 1,200",
    )


def test_comparison_converts_to_tables_and_json(registry):
    shared = {"label_key": "class", "score_threshold": 0.5}
    a = report(
        of("Gain", 0.5, label="cat", **shared),
        of("Gain", Undefined("none"), average="macro", **shared),
        of("Curve", [1], **shared),
    )
    b = report(
        of("Gain", 0.25, label="cat", **shared),
        of("Gain", 0.5, average="macro", **shared),
        of("Curve", [2], **shared),
        of("Size", 3),
    )

    found = compare(a, b, registry=registry)
    numbers, others = found.tables()

    assert numbers.caption == "score_threshold 0.5"
    assert [[cell.text for cell in row] for row in numbers.rows] == [
        ["Gain", "cat", "0.5000", "0.2500", "-0.2500", "worse, no test"],
        ["Gain", "macro average", "–", "0.5000", "", "appeared"],  # noqa: RUF001
    ]
    assert [[cell.text for cell in row] for row in others.rows] == [
        ["Curve", "score_threshold 0.5", "differs"],
        ["Size", "", "only in the second"],
    ]
    assert found.summary == (
        "2 numbers compared, 1 worse, 1 appeared, 1 of other values different, 1 only in the second"
    )
    record = json.loads(json.dumps(found.to_dict()))
    assert record["changes"][1]["a_reason"] == "none"
    assert record["only_b"] == [{"type": "Size", "metric": "lab.Size", "parameters": {}}]
    assert record["same"] is False


def test_change_in_single_slice_is_found(registry):
    whole = of("Gain", 0.5, label_key="class")
    a, b = (
        report(
            whole,
            slices=(
                [of("Gain", light, label_key="class").in_slice({"ink": "light"})],
                [whole.in_slice({"ink": "heavy"})],
            ),
        )
        for light in (0.75, 0.25)
    )

    found = compare(a, b, registry=registry)

    assert [change.verdict for change in found.changes] == ["same", "worse", "same"]
    assert not found.same
    (table,) = found.tables()
    assert [cell.text for cell in table.rows[1]] == [
        *("Gain", "ink:light", "0.7500", "0.2500", "-0.5000", "worse, no test")
    ]
    changes = found.to_dict()["changes"]
    assert [change.get("slice") for change in changes] == [None, {"ink": "light"}, {"ink": "heavy"}]


def test_slices_of_one_report_only_are_listed():
    curve, matrix = of("Curve", [1]), of("Curve", [2])
    a = report(slices=([curve.in_slice({"ink": 1})], [curve.in_slice({"ink": 2})]))
    b = report(slices=([matrix.in_slice({"ink": 1})], [curve.in_slice({"ink": True})]))

    found = compare(a, b)

    (others,) = found.tables()
    assert [[cell.text for cell in row] for row in others.rows] == [
        ["Curve", "ink:1", "differs"],
        ["Curve", "ink:2", "only in the first"],
        ["Curve", "ink:true", "only in the second"],
    ]
    assert found.to_dict()["only_a"] == [
        {"type": "Curve", "metric": "lab.Curve", "slice": {"ink": 2}, "parameters": {}}
    ]


def test_json_has_part_and_second_reason():
    a = report(of("Counts", {"tp": 1}))
    b = report(of("Counts", Undefined("nothing")))

    (record,) = compare(a, b).to_dict()["changes"]

    assert (record["part"], record["b_reason"]) == ("tp", "nothing")


@pytest.mark.parametrize("name", ["tolerance", "relative_tolerance"])
@pytest.mark.parametrize("value", [-1, float("nan")])
def test_negative_tolerance_is_rejected(name, value):
    with pytest.raises(ReportError, match="tolerance must be at least 0"):
        compare(report(), report(), **{name: value})


@pytest.mark.parametrize(
    ("b", "verdict"), [(8.0, "same"), (7.875, "worse"), (12.0, "same"), (12.125, "better")]
)
def test_relative_tolerance_is_relative_to_first_value(registry, b, verdict):
    first, second = report(of("Gain", 10.0)), report(of("Gain", b))

    found = compare(first, second, relative_tolerance=0.2, registry=registry)

    assert found.changes[0].verdict == verdict


def test_larger_tolerance_applies():
    a, b = report(of("Gain", 0.0), of("Size", 64.0)), report(of("Gain", 0.25), of("Size", 72.0))

    def verdicts(**tolerances):
        return [change.verdict for change in compare(a, b, **tolerances).changes]

    assert verdicts(tolerance=0.25) == ["same", "different"]
    assert verdicts(relative_tolerance=0.125) == ["different", "same"]
    assert verdicts(tolerance=0.25, relative_tolerance=0.125) == ["same", "same"]


def test_tolerances_apply_to_curves_and_matrices():
    a = report(of("Curve", {"cat": {"x": [0, 0.5], "name": "a"}}))
    near = report(of("Curve", {"cat": {"x": [0, 0.5625], "name": "a"}}))

    assert compare(a, near, tolerance=0.0625).same
    assert not compare(a, near, tolerance=0.03125).same
    for other in (
        {"cat": {"x": [0], "name": "a"}},
        {"dog": {"x": [0, 0.5], "name": "a"}},
        {"cat": {"x": [0, 0.5], "name": "b"}},
    ):
        assert not compare(a, report(of("Curve", other)), tolerance=9).same


@pytest.mark.parametrize(
    ("a", "b", "worse", "differ"),
    [
        ([of("Gain", 0.5)], [of("Gain", 0.5)], (), ()),
        ([of("Gain", 0.5)], [of("Gain", 0.75)], (), ("1 better",)),
        ([of("Gain", 0.5)], [of("Gain", 0.25)], ("1 worse without a test",), ("1 worse",)),
        ([of("Size", 1)], [of("Size", 2)], (), ("1 different",)),
        ([of("Gain", 1)], [of("Gain", Undefined("x"))], ("1 vanished",), ("1 vanished",)),
        ([of("Gain", Undefined("x"))], [of("Gain", 1)], (), ("1 appeared",)),
        ([of("Curve", [1])], [of("Curve", [2])], (), ("1 of other values different",)),
        (
            [of("Gain", 1, label="cat"), of("Gain", 1, label="dog")],
            [of("Gain", 1, label="cat")],
            (),
            ("1 only in the first",),
        ),
        (
            [of("Gain", 1, label="cat"), of("Loss", Undefined("x"), label="cat")],
            [of("Gain", 1, label="dog")],
            ("no number of lab.Gain to compare",),
            ("2 only in the first", "1 only in the second"),
        ),
    ],
)
def test_gate_returns_reasons(registry, a, b, worse, differ):
    found = compare(report(*a), report(*b), registry=registry)

    assert found.failing("worse") == worse
    assert found.failing("differ") == differ
    assert found.same == (not differ)


def test_equal_numbers_can_be_counted_only():
    shared = {"label_key": "class", "iou_threshold": 0.5}
    a = report(*(of("Gain", i, label=f"l{i}", **shared) for i in range(5)))
    b = report(*(of("Gain", max(i, 2), label=f"l{i}", **shared) for i in range(5)))

    (table,) = compare(a, b).tables(whole=False)

    assert [row[1].text for row in table.rows] == ["l0", "l1"]
    assert table.caption == "iou_threshold 0.5; 3 more are the same"
    assert compare(a, a).tables(whole=False) == ()


def test_zero_difference_is_printed_as_zero():
    (table,) = compare(report(of("Gain", 1.5)), report(of("Gain", 1.5))).tables()

    assert table.rows[0][4].text == "0"


def test_parameter_that_only_one_result_has_is_in_its_row():
    first = report(of("Gain", 0.5), of("Gain", 0.75, top_k=2), of("Size", 1, top_k=2))
    second = report(of("Gain", 0.25), of("Gain", 0.5, top_k=2), of("Size", 2, top_k=2))

    table, *_ = compare(first, second).tables()

    assert [row[1].text for row in table.rows] == ["", "top_k 2", "top_k 2"]


def test_numbers_have_their_requested_name():
    half, more = (
        report(of("mAP", value, label_key="class").named("mAP", "detection.mAP@2", asked="mAP50"))
        for value in (0.5, 0.75)
    )

    (table,) = compare(half, more).tables()

    assert table.rows[0][0].text == "mAP50 (mAP)"
