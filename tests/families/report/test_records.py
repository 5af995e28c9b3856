from __future__ import annotations

from valor_core import Result
from valor_core.report.records import csv_text, records

COUNTS = Result(type="Counts", metric="c.Counts@1", parameters={"at": 0.5}, value={"tp": 1})


def test_csv_has_tables_as_json() -> None:
    rows = records([COUNTS.in_slice({"a": 1})])

    assert csv_text(rows) == (
        'type,metric,slice,at,value,undefined,error\nCounts,c.Counts@1,a:1,0.5,"{""tp"": 1}",,\n'
    )
