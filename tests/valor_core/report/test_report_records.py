from __future__ import annotations

from typing import Any

import pytest
from messages import refused

from valor_core.errors import ReportError
from valor_core.results import Report

RESULT = {"type": "F1", "metric": "m.F1@1", "parameters": {}, "value": 0.5}
REPORT: dict[str, Any] = {"valor_report": 1, "results": [RESULT]}


@pytest.mark.parametrize(
    "change",
    [
        {"results": None},
        {"results": [[]]},
        {"results": [{"value": 1}]},
        {"results": [RESULT | {"type": {}}]},
        {"results": [RESULT | {"parameters": None}]},
        {"results": [RESULT | {"left_out": []}]},
        {"results": [RESULT | {"value": float("inf")}]},
        {"results": [RESULT | {"value": None, "error": 3}]},
        {"counts": {"read": "2"}},
        {"config": None},
        {"slices": [{"slice": [], "results": []}]},
        {"warnings": [3]},
        {"facts": {"judge": 3}},
        {"interrupted": "no"},
        {"results": [RESULT | {"value": 10**400}]},
    ],
)
def test_a_report_of_another_shape_is_told_where(change: dict[str, Any]) -> None:
    with refused(ReportError):
        Report.from_dict(REPORT | change, "r.json")
