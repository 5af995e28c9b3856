from __future__ import annotations

import re

import pytest
from valor_report.pages.page import html

from valor_core.results import Report, Result


def report(labels: int) -> Report:
    names = [f"label {at}" for at in range(labels)]
    counts = {truth: {name: int(name == truth) for name in names} for truth in names}
    accuracy = Result(type="Accuracy", metric="lab.Accuracy@1", value=0.75)
    matrix = Result(type="ConfusionMatrix", metric="lab.ConfusionMatrix@1", value=counts)
    return Report(results=[accuracy, matrix], counts={"read": 4})


def places(page: str, *texts: str) -> list[int]:
    return [page.index(text) for text in texts]


@pytest.mark.parametrize("labels", [10, 1000], ids=["10 labels", "1,000 labels"])
def test_first_table_fills_the_column_left_of_a_tall_matrix_and_is_read_later(labels: int) -> None:
    page = html(report(labels))

    order = places(
        page, '<section id="confusionmatrix"', '<div class="beside">', '<section id="results"'
    )
    assert order == sorted(order)
    assert page.index('<section id="results"') < page.index('<div class="sections">')
    assert len(re.findall('<section id="results"', page)) == 1


def test_table_is_below_a_matrix_that_is_not_taller_than_the_cards() -> None:
    others = [Result(type=f"R{at}", metric=f"lab.R{at}@1", value=at / 10) for at in range(8)]
    page = html(Report(results=[*report(2), *others]))

    assert '<div class="beside">' not in page
    assert page.index('<div class="sections">') < page.index('<section id="results"')


def test_table_that_is_too_wide_for_the_left_column_is_below() -> None:
    long = Result(type="A" * 120, metric="lab.Long@1", value=0.25)

    assert '<div class="beside">' in html(report(10))
    assert '<div class="beside">' not in html(Report(results=[*report(10), long]))
