from __future__ import annotations

import csv
import io
import json

import pytest
from valor_report.csv_rows import csv_text

from valor_core import Report, Result, Undefined
from valor_core.results.results import Results

COUNTS = Result(type="Counts", metric="c.Counts@1", parameters={"at": 0.5}, value={"tp": 1})


@pytest.mark.parametrize("label", ["=1+1", "+cmd|x", "@SUM(A1)", "-2+3", "\t=1", "-"])
def test_csv_escapes_formulas(label: str) -> None:
    f1 = Result(type="F1", parameters={"label": label}, value=Undefined(label))
    results = Results([f1.in_slice({label: label})])

    header, row = csv.reader(csv_text(results).splitlines())

    assert row[header.index("label")] == row[header.index("undefined")] == f"'{label}"
    assert not [cell for cell in (*header, *row) if cell[:1] in ("=", "+", "@", "-", "\t")]


@pytest.mark.parametrize("label", ["-1", "+1", "-0.5", "cat", "1-2", "a=b"])
def test_csv_does_not_escape_signed_numbers(label: str) -> None:
    results = Results([Result(type="F1", parameters={"label": label}, value=-0.5)])

    assert csv_text(results).splitlines()[1] == f"F1,,{label},-0.5,,"


def test_csv_writes_mappings_as_json() -> None:
    assert csv_text(Results([COUNTS.in_slice({"a": 1})])) == (
        'type,metric,slice,at,value,undefined,error\nCounts,c.Counts@1,a:1,0.5,"{""tp"": 1}",,\n'
    )


def test_csv_has_one_row_per_result() -> None:
    results = [
        Result(type="Accuracy", value=0.5),
        Result(type="Recall", parameters={"label": "cat"}, value=0.25),
        Result(type="AUC", parameters={"label": "cat"}, value=Undefined("no negatives")),
        Result(type="Curve", value={"x": [0, 1], "area": 0.5}),
    ]
    slices = tuple([results[0].in_slice({"weather": value})] for value in ("rain", None))

    rows = list(csv.DictReader(io.StringIO(Report(results=results, slices=slices).to_csv())))

    assert [row["slice"] for row in rows] == ["", "", "", "", "weather:rain", "weather:null"]
    assert rows[1]["label"] == "cat"
    assert rows[1]["value"] == "0.25"
    assert rows[2]["undefined"] == "no negatives"
    assert json.loads(rows[3]["value"])["area"] == 0.5


def test_csv_without_results_is_empty() -> None:
    assert Results([]).to_csv() == Report(results=[]).to_csv() == ""
