"""Results as CSV."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from typing import Any

from valor_core.results.results import Results

_FORMULA = re.compile(r"(?![-+]?[0-9]+(\.[0-9]+)?$)[-=+@\t\r]")
"""Beginning of text that spreadsheets parse as a formula; signed numbers are excluded."""


def csv_text(found: Results) -> str:
    r"""Format results as CSV with one row per result; lists and mappings become JSON.

    Text that a spreadsheet would parse as a formula is prefixed with an apostrophe.

    Examples
    --------
    >>> from valor_core import Result
    >>> csv_text(Results([Result(type="Recall", parameters={"label": "=1+1"}, value=0.5)]))
    "type,metric,label,value,undefined,error\nRecall,,'=1+1,0.5,,\n"
    """
    rows = found.to_records()
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
