"""Records: results as the rows of a data frame or of a CSV file."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from valor_core.metrics.result import Result
from valor_core.report.keys import pairs

Record = dict[str, Any]

_FORMULA = re.compile(r"(?![-+]?[0-9]+(\.[0-9]+)?$)[-=+@\t\r]")
"""What a spreadsheet takes for a formula; a number with its sign is none."""


def records(found: Iterable[Result]) -> list[Record]:
    """One flat record per result: type, metric, slice, parameters, value and reason.

    Where nothing is sliced, there is no ``slice``; where something is, it is empty for the whole.

    Examples
    --------
    >>> f1 = Result(type="F1", value=0.5)
    >>> [row["slice"] for row in records([f1, f1.in_slice({"ink": 1})])]
    ['', 'ink:1']
    """
    found = list(found)
    is_sliced = any(one.slice for one in found)
    names = dict.fromkeys(name for one in found for name in one.parameters)
    return [
        {"type": one.type, "metric": one.metric}
        | ({"slice": "/".join(pairs(one.slice))} if is_sliced else {})
        | {name: one.parameters.get(name) for name in names}
        | {
            "value": one.to_dict()["value"],
            "undefined": one.undefined,
            "error": one.error,
        }
        for one in found
    ]


def csv_text(rows: Sequence[Record]) -> str:
    r"""Records as CSV; values that are not numbers as JSON.

    Text that a spreadsheet would take for a formula gets an apostrophe in front.

    Examples
    --------
    >>> csv_text([{"type": "Accuracy", "value": 0.5}])
    'type,value\nAccuracy,0.5\n'
    >>> csv_text([{"label": "=1+1"}, {"label": "-1"}])
    "label\n'=1+1\n-1\n"
    """
    text = io.StringIO()
    if rows:
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writerow({name: _cell(name) for name in rows[0]})
        writer.writerows({k: _cell(v) for k, v in row.items()} for row in rows)
    return text.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, str) and _FORMULA.match(value):
        return f"'{value}"
    return json.dumps(value) if isinstance(value, (Mapping, list, tuple)) else value
