from __future__ import annotations

import re
from typing import Any

import pytest

from valor_core.errors import ReportError
from valor_core.results import Report

RESULT = {"type": "F1", "metric": "m.F1@1", "parameters": {}, "value": 0.5}
REPORT: dict[str, Any] = {"valor_report": 1, "results": [RESULT]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"results": None}, "expected a list, found None"),
        ({"results": [[]]}, "results[0]: expected a table, found []"),
        ({"results": [{"value": 1}]}, "results[0].type: the key is missing"),
        ({"results": [RESULT | {"type": {}}]}, "results[0].type: expected text, found {}"),
        (
            {"results": [RESULT | {"parameters": None}]},
            "results[0].parameters: expected a table, found None",
        ),
        (
            {"results": [RESULT | {"left_out": []}]},
            "results[0].left_out: expected a table, found []",
        ),
        (
            {"results": [RESULT | {"value": float("inf")}]},
            "results[0].value: expected a finite number, found inf",
        ),
        (
            {"results": [RESULT | {"value": None, "error": 3}]},
            "results[0].error: expected text, found 3",
        ),
        ({"counts": {"read": "2"}}, "expected a whole number of 0 or more, found '2'"),
        ({"config": None}, "config: expected a table, found None"),
        ({"slices": [{"slice": [], "results": []}]}, "slices[0].slice: expected a table, found []"),
        ({"warnings": [3]}, "warnings[0]: expected text, found 3"),
        ({"facts": {"judge": 3}}, "expected a table, found 3"),
        ({"interrupted": "no"}, "expected true or false, found 'no'"),
        ({"results": [RESULT | {"value": 10**400}]}, "results[0].value: expected a finite number"),
    ],
)
def test_report_of_another_shape_is_rejected_with_path(
    change: dict[str, Any], message: str
) -> None:
    with pytest.raises(ReportError, match=re.escape(message)):
        Report.from_dict(REPORT | change, "r.json")
