from __future__ import annotations

from typing import Any

from valor_report.pages.page import html
from valor_report.text import aligned_text, markdown

from valor_core import Report, Result


def result(type: str, value: Any, **details: Any) -> Result:
    return Result(type=type, metric=f"lab.{type}@1", value=value, details=details)


def test_all_report_formats_show_details() -> None:
    report = Report(results=[result("A", 0.5, judged_items={"scored": 12345})])

    for text in (aligned_text(report), markdown(report), html(report)):
        assert "Judged items" in text
        assert "12,345" in text
