from __future__ import annotations

import json
import math
import sys
from typing import Any

import numpy as np
import pytest

from valor_core import Failed, Result, Undefined
from valor_core.parameters.environment import FromEnvironment
from valor_core.plugin import (
    Deferred,
    NamedMatrix,
    Nullable,
    OnDemand,
    ReportError,
    as_json,
    mean,
    ratio,
)


def test_a_result_is_written_in_the_order_of_the_report_format() -> None:
    result = Result(
        type="AP", metric="detection.AP@1", parameters={"label": "cat"}, value=0.5, left_out={}
    )

    assert json.dumps(result.to_dict()) == (
        '{"type": "AP", "metric": "detection.AP@1", "parameters": {"label": "cat"}, "value": 0.5}'
    )


def test_an_undefined_value_is_null_with_its_reason() -> None:
    result = Result(type="AP", value=Undefined("no ground truths"))

    assert result.to_dict()["value"] is None
    assert result.to_dict()["undefined"] == "no ground truths"
    assert (result.undefined, result.error, result.number) == ("no ground truths", None, None)


def test_a_failed_value_is_null_with_its_error() -> None:
    result = Result(type="AP", value=Failed("no reply"))

    assert result.to_dict()["value"] is None
    assert result.to_dict()["error"] == "no reply"
    assert (result.undefined, result.error, result.number) == (None, "no reply", None)


@pytest.mark.parametrize(
    "value",
    [0.5, 3, None, True, "text", {"a": [1, {"b": 0.5}]}, Undefined("why"), Failed("why")],
)
def test_a_result_comes_back_from_json(value: Any) -> None:
    result = Result(
        type="AP", metric="d.AP@1", parameters={"x": [1]}, value=value, left_out={"why": 2}
    )

    assert Result.from_dict(json.loads(json.dumps(result.to_dict()))) == result


@pytest.mark.parametrize("record", [3, {}, {"type": "AP"}, {"value": 1}])
def test_something_else_is_no_result(record: Any) -> None:
    with pytest.raises(ReportError, match=r"^report: expected a result, found"):
        Result.from_dict(record)


def test_numpy_values_become_plain_ones_however_deep() -> None:
    result = Result(
        parameters={"threshold": np.float64(0.5)},
        value={"counts": np.array([1, 2]), "deep": [{"n": np.int64(3)}]},
    )

    assert result.value == {"counts": [1, 2], "deep": [{"n": 3}]}
    assert type(result.value["deep"][0]["n"]) is int
    assert type(result.parameters["threshold"]) is float
    assert type(Result(value=np.int64(3)).value) is int


@pytest.mark.parametrize(
    ("value", "place"),
    [
        (math.nan, "value must be finite, got nan"),
        (np.float32(math.inf), "value must be finite, got inf"),
        ({"a": [1, math.nan]}, "value['a'][1] must be finite, got nan"),
        (np.array([math.nan]), "value[0] must be finite, got nan"),
    ],
)
def test_a_number_that_is_not_finite_never_leaves(value: Any, place: str) -> None:
    with pytest.raises(ReportError) as caught:
        Result(value=value)

    assert str(caught.value) == f"{place}\nA metric answers 0/0 with Undefined and a reason."


def test_what_json_cannot_hold_is_refused_where_it_is_made() -> None:
    with pytest.raises(
        ReportError, match=r"^value\['cat'\] must be numbers, text, lists and tables, got Undefined"
    ):
        Result(value={"cat": Undefined("why")})


def test_text_from_the_environment_is_recorded_as_its_reference() -> None:
    assert as_json([FromEnvironment("s3cret", "${env:KEY}")], "x") == ["${env:KEY}"]


@pytest.mark.parametrize(("value", "number"), [(3, 3.0), (0.5, 0.5), (True, None), ([1], None)])
def test_only_a_single_number_is_a_number(value: Any, number: float | None) -> None:
    assert Result(value=value).number == number


def test_a_ratio_is_a_quotient() -> None:
    assert ratio(np.int64(1), np.int64(4), 0.0, "why") == 0.25
    assert type(ratio(np.int64(1), np.int64(4), 0.0, "why")) is float


@pytest.mark.parametrize(
    ("zero_division", "expected"), [(0.0, 0.0), (1, 1.0), (None, Undefined("no predictions"))]
)
def test_nothing_over_nothing_is_what_was_asked_for(
    zero_division: float | None, expected: Any
) -> None:
    assert ratio(0, 0, zero_division, "no predictions") == expected


def test_a_mean_says_what_it_left_out_and_why() -> None:
    values = [0.25, Undefined("no truths"), 0.75, Undefined("no truths"), Failed("no reply")]

    assert mean(values, "labels") == (0.5, {"no truths": 2, "no reply": 1})


def test_a_mean_of_nothing_is_undefined() -> None:
    assert mean([Undefined("why")], "labels") == (Undefined("no labels with a value"), {"why": 1})


@pytest.mark.parametrize("count", [2, 3, 6, 7])
def test_a_mean_of_numbers_whose_sum_is_beyond_all_numbers_is_one_of_them(count: int) -> None:
    assert mean([sys.float_info.max] * count, "labels") == (sys.float_info.max, {})
    assert mean([-sys.float_info.max] * count, "labels") == (-sys.float_info.max, {})


def test_a_mean_does_not_depend_on_the_order() -> None:
    values = [1e16, 1.0, -1e16, 0.1]

    assert mean(values, "labels") == mean(values[::-1], "labels")


def test_a_deferred_value_is_read_as_json_types() -> None:
    content = {
        "cat": {"fpr": np.array([0.0, 1.0]), "thresholds": Nullable(np.array([np.inf, 0.5]))},
        "table": NamedMatrix(["cat"], ["cat", "dog"], np.array([[3, 1]])),
        "note": None,
    }
    plain = {
        "cat": {"fpr": [0.0, 1.0], "thresholds": [None, 0.5]},
        "table": {"cat": {"cat": 3, "dog": 1}},
        "note": None,
    }

    result = Result(value=Deferred(content))

    assert result == Result(value=plain)
    assert result.named("Curve", "a.Curve@1").to_dict()["value"] == plain
    assert result.value == plain
    assert result.value is result.value
    assert (result.number, result.undefined, result.error) == (None, None, None)
    assert repr(result) == repr(Result(value=plain))


@pytest.mark.parametrize(
    "content",
    [
        {"fpr": np.array([0.0, np.nan])},
        {"table": NamedMatrix(["a"], ["b"], np.array([[np.inf]]))},
        {"note": math.nan},
    ],
)
def test_a_deferred_value_is_checked_at_once(content: Any) -> None:
    with pytest.raises(ReportError, match=r"value\['\w+'\].* must be finite"):
        Result(value=Deferred(content))


def test_what_is_made_on_demand_is_made_once_and_only_when_it_is_read() -> None:
    made = []
    result = Result(value=Deferred({"cat": OnDemand(lambda: made.append(1) or [0.5])}))
    assert made == []
    assert result.value == result.value == {"cat": [0.5]}
    assert made == [1]


def test_a_long_value_is_cut_where_a_result_is_shown() -> None:
    curve = Result(type="Curve", parameters={"label": "cat"}, value=list(range(1000)))

    text = repr(curve)

    assert text.startswith(
        "Result(type='Curve', metric='', parameters={'label': 'cat'}, value=[0, 1"
    )
    assert text.endswith("…, left_out={})")
    assert len(text) < 300
    assert repr(Result(value=0.5)) == (
        "Result(type='', metric='', parameters={}, value=0.5, left_out={})"
    )


def test_a_result_knows_its_slice_and_says_so() -> None:
    whole = Result(type="F1", value=0.5, left_out={"why": 1})

    rain = whole.in_slice({"weather": "rain"})

    assert rain != whole
    assert rain.in_slice({}) == whole
    assert rain.to_dict() == whole.to_dict()
    assert repr(rain).endswith("value=0.5, left_out={'why': 1}, slice={'weather': 'rain'})")
