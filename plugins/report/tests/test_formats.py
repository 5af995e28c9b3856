from __future__ import annotations

from pathlib import Path
from typing import Any

from messages import refused

from valor_core import Failed, Report, Result, Undefined
from valor_core.errors import ReportError
from valor_core.results import ItemRow
from valor_core.results.report import ItemTable, Requirement, report_suffixes
from valor_core.results.results import Results


def result(type: str, value: Any, **parameters: Any) -> Result:
    return Result(type=type, metric=f"c.{type}@1", parameters=parameters, value=value)


RESULTS = [
    result("Accuracy", 0.5, label_key="class"),
    result("Recall", 0.25, label_key="class", label="cat", score_threshold=0.5),
    result("Recall", 1, label_key="class", label="dog", score_threshold=0.5),
    result("Recall", 0.625, label_key="class", average="macro", score_threshold=0.5),
    result("AUC", Undefined("no negatives"), label="cat"),
    result("Curve", {"x": [0, 1], "area": 0.5, "points": 2, "open": True}, bins=[1, 2]),
]
REPORT = Report(
    results=RESULTS,
    slices=tuple([RESULTS[0].in_slice({"weather": value})] for value in ("rain", None)),
    items=(
        ItemTable(
            "t.Score@1",
            {"weight": 1.0},
            (
                ItemRow("q1", 0.5, {"words": ["a"]}),
                ItemRow("q2", Undefined("why")),
                ItemRow("q3", Failed("no reply")),
            ),
        ),
    ),
    config={"metrics": ["Accuracy"], "data": {"reader": "csv"}},
    versions={"valor-core": "0.1.0"},
    counts={"read": 3, "skipped": 1, "failed": 1},
    requirements=(Requirement("Accuracy", ">= 0.5", 0.5, True),),
    warnings=("something",),
)


def test_suffix_selects_format(tmp_path: Path) -> None:
    for suffix in report_suffixes():
        REPORT.save(tmp_path / f"a{suffix}")

    assert {".json", ".csv", ".html", ".md", ".txt"} <= {*report_suffixes()}
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == REPORT.to_json()
    assert (tmp_path / "a.csv").read_text(encoding="utf-8") == REPORT.to_csv()
    assert (tmp_path / "a.md").read_text(encoding="utf-8") == REPORT.to_markdown()
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == str(REPORT)
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == REPORT.to_html()


def test_unsupported_suffix_is_rejected(tmp_path: Path) -> None:
    with refused(ReportError):
        REPORT.save(tmp_path / "a.docx")


def test_str_of_report_is_its_tables() -> None:
    report = Report(results=[Result(type="F1", metric="c.F1@1", value=0.5)])

    text = str(report)

    assert text.startswith("0 items")
    assert text.endswith("metric   value\n------  ------\nF1      0.5000\n")


def test_str_of_results_is_their_tables() -> None:
    results = [
        *(Result(type="Recall", parameters={"label": at}, value=0.5) for at in ("cat", "dog")),
        Result(type="F1", parameters={"average": "macro"}, value=0.75),
    ]

    assert str(Results(results)).startswith("Results by label\n\nlabel          Recall      F1\n")
    assert '<td style="text-align: left">cat</td>' in str(Results(results)._repr_html_())
    assert str(Results([])) == ""


def test_notebook_shows_report_as_tables() -> None:
    page = REPORT._repr_html_()

    assert "<p>3 items, 1 of them failed, 1 more excluded by the filter</p>" in page
    assert "<p>Warning: something</p>" in page
    assert "<b>Requirements</b>" in page
