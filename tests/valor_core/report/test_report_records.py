from __future__ import annotations

from typing import Any

import pytest

from valor_core.plugin import Report, ReportError

RESULT = {"type": "F1", "metric": "m.F1@1", "parameters": {}, "value": 0.5}
REPORT: dict[str, Any] = {"valor_report": 1, "results": [RESULT]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"results": None}, "results: expected a list, found None"),
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
        ({"results": [RESULT | {"value": None, "error": 3}]}, "results[0].error: expected text"),
        ({"counts": {"read": "2"}}, "counts.read: expected a whole number of 0 or more, found"),
        ({"config": None}, "config: expected a table, found None"),
        ({"slices": [{"slice": [], "results": []}]}, "slices[0].slice: expected a table, found []"),
        ({"warnings": [3]}, "warnings[0]: expected text, found 3"),
        ({"facts": {"judge": 3}}, "facts.judge: expected a table, found 3"),
        ({"interrupted": "no"}, "interrupted: expected true or false, found"),
        ({"results": [RESULT | {"value": 10**400}]}, "results[0].value: expected a finite number"),
    ],
)
def test_a_report_of_another_shape_is_told_where(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ReportError) as caught:
        Report.from_dict(REPORT | change, "r.json")

    assert str(caught.value).startswith(
        f"r.json: expected a report, its content is damaged, {message}"
    )
