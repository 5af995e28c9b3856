from __future__ import annotations

from valor_core import Failed, Result, Undefined
from valor_core.results.results import records

F1 = Result(type="F1", metric="c.F1@1", parameters={"label": "cat"}, value=0.5)
COUNTS = Result(type="Counts", metric="c.Counts@1", parameters={"at": 0.5}, value={"tp": 1})


def test_record_has_parameters_of_all_results() -> None:
    first, second = records([F1, COUNTS])

    assert first == {
        "type": "F1",
        "metric": "c.F1@1",
        "label": "cat",
        "at": None,
        "value": 0.5,
        "undefined": None,
        "error": None,
    }
    assert (second["label"], second["at"], second["value"]) == (None, 0.5, {"tp": 1})


def test_slice_of_missing_value_differs_from_all_datums() -> None:
    rows = records([F1.in_slice(where) for where in ({}, {"a": None}, {"a": 1, "b": True})])

    assert [row["slice"] for row in rows] == ["", "a:null", "a:1/b:true"]
    assert list(rows[0])[:3] == ["type", "metric", "slice"]


def test_reasons_have_separate_columns() -> None:
    gaps = [Result(type="F1", value=value) for value in (Undefined("none"), Failed("no reply"))]

    first, second = records(gaps)

    assert (first["value"], first["undefined"], first["error"]) == (None, "none", None)
    assert (second["value"], second["undefined"], second["error"]) == (None, None, "no reply")
