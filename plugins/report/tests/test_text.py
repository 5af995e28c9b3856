from __future__ import annotations

from valor_report.text import aligned_text, failures, items_line, markdown

from valor_core import Failed, Report, Result

F1 = [
    Result(type="F1", metric="c.F1@1", parameters={"label": f"l{number}"}, value=number / 100)
    for number in range(50)
]


def test_aligned_text_has_all_parts() -> None:
    assert "l49" in aligned_text(Report(results=F1))


def test_failures_with_same_reason_share_a_line() -> None:
    reasons = {"F1": "no reply\n  in line 3", "Recall": "no reply", "Judge": "no key"}
    report = Report(results=[Result(type=name, value=Failed(why)) for name, why in reasons.items()])

    assert failures(report) == ["F1, Recall failed: no reply", "Judge failed: no key"]


def test_items_line_shows_counts() -> None:
    counts = {"read": 1, "skipped": 3, "failed": 0}

    assert items_line(Report(results=(), counts=counts)) == "1 item, 3 more excluded by the filter"


def test_markdown_has_warnings_and_versions() -> None:
    report = Report(results=(), warnings=("odd *thing*",), versions={"valor-core": "1"})

    assert report.to_markdown() == markdown(report)
    assert markdown(report) == (
        "# Evaluation report\n\n0 items\n\n**Warning:** odd \\*thing\\*\n\n"
        "Made with valor-core 1.\n"
    )


def test_loaded_report_gives_same_text() -> None:
    report = Report(results=F1, slices=([F1[0].in_slice({"weather": "rain"})],))

    assert aligned_text(Report.from_dict(report.to_dict())) == aligned_text(report)
