from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np
import pytest

from valor_core import Failed, NotRun, Result, Undefined
from valor_core.errors import ReportError
from valor_core.results import LazyValue


def test_record_has_keys_in_order_of_report_format() -> None:
    result = Result(
        type="AP", metric="detection.AP@1", parameters={"label": "cat"}, value=0.5, left_out={}
    )

    assert json.dumps(result.to_dict()) == (
        '{"type": "AP", "metric": "detection.AP@1", "parameters": {"label": "cat"}, "value": 0.5}'
    )


def test_undefined_value_is_null_with_reason() -> None:
    result = Result(type="AP", value=Undefined("no ground truths"))

    assert result.to_dict()["value"] is None
    assert result.to_dict()["undefined"] == "no ground truths"
    assert (result.undefined, result.error, result.number) == ("no ground truths", None, None)


def test_failed_value_is_null_with_error() -> None:
    result = Result(type="AP", value=Failed("no reply"))

    assert result.to_dict()["value"] is None
    assert result.to_dict()["error"] == "no reply"
    assert (result.undefined, result.error, result.number) == (None, "no reply", None)


@pytest.mark.parametrize(
    "value",
    [0.5, 3, None, True, "text", {"a": [1, {"b": 0.5}]}, Undefined("why"), Failed("why")],
)
def test_result_is_restored_from_json(value: Any) -> None:
    result = Result(
        type="AP", metric="d.AP@1", parameters={"x": [1]}, value=value, left_out={"why": 2}
    )

    assert Result.from_dict(json.loads(json.dumps(result.to_dict()))) == result


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (3, "report: expected a result, found 3"),
        ({}, "report: expected a result, found {}"),
        ({"type": "AP"}, "report: expected a result, found {'type': 'AP'}"),
        ({"value": 1}, "report: expected a result, found {'value': 1}"),
    ],
)
def test_invalid_record_is_rejected(record: Any, message: str) -> None:
    with pytest.raises(ReportError, match=re.escape(message)):
        Result.from_dict(record)


def test_nested_numpy_values_become_builtin() -> None:
    result = Result(
        parameters={"threshold": np.float64(0.5)},
        value={"counts": np.array([1, 2]), "deep": [{"n": np.int64(3)}]},
    )

    assert result.value == {"counts": [1, 2], "deep": [{"n": 3}]}
    assert type(result.value["deep"][0]["n"]) is int
    assert type(result.parameters["threshold"]) is float
    assert type(Result(value=np.int64(3)).value) is int


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (math.nan, "value must be finite, got nan"),
        (np.float32(math.inf), "value must be finite, got inf"),
        ({"a": [1, math.nan]}, "value['a'][1] must be finite, got nan"),
        (np.array([math.nan]), "value[0] must be finite, got nan"),
    ],
)
def test_non_finite_number_is_rejected(value: Any, message: str) -> None:
    with pytest.raises(ReportError, match=re.escape(message)):
        Result(value=value)


def test_non_json_value_is_rejected_at_creation() -> None:
    with pytest.raises(
        ReportError, match=r"value\['cat'\] must be numbers, strings, lists and mappings, got"
    ):
        Result(value={"cat": Undefined("why")})


@pytest.mark.parametrize(("value", "number"), [(3, 3.0), (0.5, 0.5), (True, None), ([1], None)])
def test_only_single_number_is_a_number(value: Any, number: float | None) -> None:
    assert Result(value=value).number == number


def test_lazy_value_equals_computed_value() -> None:
    plain = {"cat": {"fpr": [0.0, 1.0], "thresholds": [None, 0.5]}, "note": None}

    result = Result(value=LazyValue(lambda: plain))

    assert result == Result(value=plain)
    assert result.named("Curve", "a.Curve@1").to_dict()["value"] == plain
    assert result.value == plain
    assert result.value is result.value
    assert (result.number, result.undefined, result.error) == (None, None, None)
    assert repr(result) == repr(Result(value=plain))


def test_lazy_value_is_computed_once_on_access() -> None:
    made = []
    result = Result(value=LazyValue(lambda: made.append(1) or {"cat": [0.5]}))
    assert made == []
    assert result.value == result.value == {"cat": [0.5]}
    assert made == [1]


def test_repr_truncates_long_value() -> None:
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


def test_result_shows_its_slice() -> None:
    whole = Result(type="F1", value=0.5, left_out={"why": 1})

    rain = whole.in_slice({"weather": "rain"})

    assert rain != whole
    assert rain.in_slice({}) == whole
    assert rain.to_dict() == whole.to_dict()
    assert repr(rain).endswith("value=0.5, left_out={'why': 1}, slice={'weather': 'rain'})")


def test_result_is_formatted_like_its_number():
    assert float(Result(value=0.123456)) == 0.123456
    assert f"{Result(value=0.123456):.3f} {Result(value=1234):,}" == "0.123 1,234"


@pytest.mark.parametrize("gap", [Undefined("no dogs"), Failed("no dogs\nat all")])
def test_format_of_result_without_number_raises_with_reason(gap):
    result = Result(type="F1", value=gap)

    with pytest.raises(ReportError, match="F1: expected a number, found none, no dogs"):
        float(result)
    with pytest.raises(ReportError, match="F1: expected a number, found none, no dogs"):
        f"{result:.3f}"
    with pytest.raises(ReportError, match="expected a number, found none, no dogs"):
        f"{result.value:.3f}"

    assert f"{result}" == str(result)
    assert f"{gap}" == str(gap)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"tp": 1}, "Counts: expected a number, found {'tp': 1}"),
        ([1], "Counts: expected a number, found [1]"),
        ("good", "Counts: expected a number, found 'good'"),
        (True, "Counts: expected a number, found True"),
        (None, "Counts: expected a number, found None"),
    ],
)
def test_float_of_table_raises(value, message: str):
    with pytest.raises(ReportError, match=re.escape(message)):
        float(Result(type="Counts", value=value))


@pytest.mark.parametrize("gap", [Undefined("no references"), Failed("no reply"), NotRun("budget")])
def test_bool_of_undefined_value_raises(gap: Any) -> None:
    with pytest.raises(ReportError, match=gap.reason):
        bool(gap)


def test_bool_of_an_undefined_value_names_reason_and_remedy() -> None:
    result = Result(type="TokenF1", value=Undefined("no references"))

    with pytest.raises(ReportError, match="expected a number, found none, no references"):
        assert result.value
