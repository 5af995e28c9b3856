from __future__ import annotations

import csv

import pytest

from valor_core import Failed, Result, Undefined
from valor_core.report.records import csv_text, records

F1 = Result(type="F1", metric="c.F1@1", parameters={"label": "cat"}, value=0.5)
COUNTS = Result(type="Counts", metric="c.Counts@1", parameters={"at": 0.5}, value={"tp": 1})


def test_a_record_has_every_parameter_of_any_result() -> None:
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


def test_a_missing_value_of_a_slice_is_told_from_the_whole() -> None:
    rows = records([F1.in_slice(where) for where in ({}, {"a": None}, {"a": 1, "b": True})])

    assert [row["slice"] for row in rows] == ["", "a:null", "a:1/b:true"]
    assert list(rows[0])[:3] == ["type", "metric", "slice"]


def test_a_reason_stands_in_a_column_of_its_own() -> None:
    gaps = [Result(type="F1", value=value) for value in (Undefined("none"), Failed("no reply"))]

    first, second = records(gaps)

    assert (first["value"], first["undefined"], first["error"]) == (None, "none", None)
    assert (second["value"], second["undefined"], second["error"]) == (None, None, "no reply")


@pytest.mark.parametrize("label", ["=1+1", "+cmd|x", "@SUM(A1)", "-2+3", "\t=1", "-"])
def test_a_spreadsheet_takes_no_label_for_a_formula(label: str) -> None:
    f1 = Result(type="F1", parameters={"label": label}, value=Undefined(label))
    rows = records([f1.in_slice({label: label})])

    header, row = csv.reader(csv_text(rows).splitlines())

    assert row[header.index("label")] == row[header.index("undefined")] == f"'{label}"
    assert not [cell for cell in (*header, *row) if cell[:1] in ("=", "+", "@", "-", "\t")]


@pytest.mark.parametrize("label", ["-1", "+1", "-0.5", "cat", "1-2", "a=b"])
def test_a_label_that_is_a_number_with_its_sign_stays_as_it_is_in_csv(label: str) -> None:
    rows = records([Result(type="F1", parameters={"label": label}, value=-0.5)])

    assert csv_text(rows).splitlines()[1] == f"F1,,{label},-0.5,,"
