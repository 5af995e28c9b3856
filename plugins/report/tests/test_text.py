from __future__ import annotations

from valor_report.text import aligned_text, failures, items_line, markdown

from valor_core import Failed, Report, Result

F1 = [
    Result(type="F1", metric="c.F1@1", parameters={"label": f"l{number}"}, value=number / 100)
    for number in range(50)
]


def test_a_text_for_a_pipe_is_whole() -> None:
    assert "l49" in aligned_text(Report(results=F1))


def test_metrics_that_failed_for_one_reason_share_a_line_with_the_first_of_it() -> None:
    reasons = {"F1": "no reply\n  in line 3", "Recall": "no reply", "Judge": "no key"}
    report = Report(results=[Result(type=name, value=Failed(why)) for name, why in reasons.items()])

    assert failures(report) == ["F1, Recall failed: no reply", "Judge failed: no key"]


def test_counts_are_a_line() -> None:
    counts = {"read": 1, "skipped": 3, "failed": 0}

    assert items_line(Report(results=(), counts=counts)) == "1 item, 3 more left out by the filter"


def test_markdown_has_warnings_and_versions() -> None:
    report = Report(results=(), warnings=("odd *thing*",), versions={"valor-core": "1"})

    assert report.to_markdown() == markdown(report)
    assert markdown(report) == (
        "# Evaluation report\n\n0 items\n\n**Warning:** odd \\*thing\\*\n\n"
        "Made with valor-core 1.\n"
    )


def test_a_report_read_back_gives_the_same_text() -> None:
    report = Report(results=F1, slices=([F1[0].in_slice({"weather": "rain"})],))

    assert aligned_text(Report.from_dict(report.to_dict())) == aligned_text(report)
