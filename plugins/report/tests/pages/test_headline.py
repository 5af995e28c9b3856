from __future__ import annotations

from valor_report.pages.headline import Card, cards_of
from valor_report.pages.page import html

from valor_core.results import Report, Result
from valor_core.results.report import Requirement


def of(name: str, value: float) -> Result:
    return Result(type=name, metric=f"classification.{name}@2", value=value)


def test_card_says_whether_higher_is_better() -> None:
    cards = cards_of(Report(results=[of("Accuracy", 0.75), of("LogLoss", 0.25)]))

    assert cards == [
        Card("Accuracy", "0.7500", "", "higher is better"),
        Card("LogLoss", "0.2500", "", "lower is better"),
    ]


def test_required_number_is_the_first_card() -> None:
    report = Report(
        results=[of("Accuracy", 0.75), of("LogLoss", 0.25)],
        requirements=(Requirement("LogLoss", "<= 0.5", 0.25, True),),
    )

    assert [card.name for card in cards_of(report)] == ["LogLoss", "Accuracy"]


def test_requirement_of_a_slice_adds_no_card() -> None:
    report = Report(
        results=[of("Accuracy", 0.75)],
        requirements=(Requirement("Accuracy light:dusk", ">= 0.5", 0.6, True),),
    )

    assert [card.name for card in cards_of(report)] == ["Accuracy"]


def test_cards_are_in_the_order_of_the_metrics() -> None:
    macro = Result(
        type="F1", metric="classification.F1@2", parameters={"average": "macro"}, value=0.5
    )

    report = Report(results=[macro, of("Accuracy", 0.75)])

    assert [card.name for card in cards_of(report)] == ["F1", "Accuracy"]


def test_card_has_requested_name_and_name_of_metric() -> None:
    half = Result(type="mAP", metric="detection.mAP@2", asked="mAP50", value=0.5)

    page = html(Report(results=[half]))

    assert "<dt>mAP50 <small>mAP</small></dt><dd>0.5000</dd>" in page
