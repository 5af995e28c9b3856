from __future__ import annotations

import json
from pathlib import Path

import pytest

from valor_core import Report, Result
from valor_core.errors import ReportError
from valor_core.rendering import rendered

REPORT = Report(results=[Result(type="F1", metric="c.F1@1", value=0.5)])


def test_the_suffix_says_how_a_report_is_rendered() -> None:
    assert json.loads(rendered(REPORT, Path("r.json"))) == REPORT.to_dict()
    assert rendered(REPORT, Path("r.csv")).splitlines()[0] == "type,metric,value,undefined,error"
    assert "| F1 | 0.5000 |" in rendered(REPORT, Path("r.md"))
    assert rendered(REPORT, Path("r.html")).startswith("<!doctype html>")


def test_another_suffix_is_refused() -> None:
    with pytest.raises(ReportError, match=r"^r.txt: expected a name in .json, .csv, .md or .html$"):
        rendered(REPORT, Path("r.txt"))
