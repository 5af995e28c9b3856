from __future__ import annotations

import gc
import json
import re
from html import unescape
from typing import Any

import numpy as np
import pytest
from valor_report import MarkedPiece, MarkedTexts, Picture
from valor_report.gallery.drawn_items import _DRAWN, keep_drawn
from valor_report.gallery.gallery_page import GalleryItem
from valor_report.pages import item_section
from valor_report.pages.page import html

from valor_core.results import DetailColumns, ItemRow, ItemRows, Numbers, Report, Result
from valor_core.results.item_tables import ItemTable

HOSTILE = "<script>alert('x')</script></script>"
LABELS = ("cat", "dog", f"fox & {HOSTILE}")
ROWS = re.compile(r'<script type="application/json" class="rows">(.*?)</script>', re.DOTALL)


def of_items(count: int, **details: Any) -> ItemTable:
    """Rows of a classifier that predicts the next label for every fourth item."""
    at = np.arange(count)
    true, found = at % 3, (at + (at % 4 == 0)) % 3
    names = np.array(LABELS)
    is_right = true == found
    columns = {
        "truth": names[true],
        "prediction": names[found],
        "score": np.linspace(0.25, 0.75, count),
        "wrong": np.where(is_right, "", "predicted another"),
        "slices": np.array([{"light": ("day", "dusk")[each % 2]} for each in range(count)]),
        **details,
    }
    numbers = {"": Numbers(is_right.astype(np.float64), np.zeros(count, np.uint8))}
    uids = np.array([f"img_{each:06}" for each in range(count)])
    rows = ItemRows(uids, numbers, DetailColumns(columns, at))
    return ItemTable("classification.Accuracy@2", {}, rows)


def of_report(table: ItemTable) -> Report:
    matrix = {row: dict.fromkeys(LABELS, 2) for row in LABELS}
    f1 = [
        Result(type="F1", metric="classification.F1@2", parameters={"label": label}, value=0.5)
        for label in LABELS
    ]
    confusion = Result(
        type="ConfusionMatrix",
        metric="classification.ConfusionMatrix@2",
        value={"confusion_matrix": matrix},
    )
    accuracy = Result(type="Accuracy", metric="classification.Accuracy@2", value=0.75)
    results = [accuracy, *f1, confusion]
    slices = [Report(results=[accuracy]).in_slice({"light": light}) for light in ("day", "dusk")]
    count = len(table.rows)
    return Report(results=results, items=(table,), slices=tuple(slices), counts={"read": count})


def page_with(report: Report, drawn: list[GalleryItem], **legend: str) -> str:
    keep_drawn(report.items, drawn, legend)
    return html(report)


def rows_of(page: str) -> list[list[Any]]:
    match = ROWS.search(page)
    assert match is not None
    found: list[list[Any]] = json.loads(match[1])
    return found


def heads_of(page: str) -> list[str]:
    table = page[page.index('<section id="items"') :]
    return re.findall(r'<th scope="col"[^>]*>(.*?)</th>', table)


def test_items_have_truth_prediction_score_error_numbers_and_slices() -> None:
    page = html(of_report(of_items(8)))

    assert heads_of(page) == [
        "item",
        "truth",
        "prediction",
        "score",
        "wrong",
        "Accuracy",
        "light",
    ]
    assert rows_of(page)[0] == [
        "img_000004",
        "dog",
        LABELS[2],
        "0.5357",
        "predicted another",
        "0.0000",
        "day",
    ]


def test_surest_errors_are_first_and_least_sure_hits_follow() -> None:
    rows = rows_of(html(of_report(of_items(8))))

    assert [row[0] for row in rows[:4]] == ["img_000004", "img_000000", "img_000001", "img_000002"]


def test_label_slice_and_cell_of_matrix_lead_to_their_items() -> None:
    page = html(of_report(of_items(8)))

    links = {unescape(link) for link in re.findall(r'href="(#items\?.*?)"', page)}
    assert "#items?label=cat" in links
    assert "#items?light=dusk" in links
    assert "#items?truth=cat&prediction=dog" in links
    assert any(link.startswith("#items?truth=fox%20%26%20%3Cscript%3E") for link in links)


def test_largest_confusion_and_worst_item_lead_to_their_items() -> None:
    page = html(of_report(of_items(8)))

    found = page[page.index('<section id="look"') : page.index("</section>")]
    assert '<a href="#items?truth=cat&amp;prediction=dog">Most frequent confusion: cat' in found
    assert (
        '<a href="#items?item=img_000004">Worst item: img_000004, predicted another, score 0.5357'
    ) in found


def test_page_without_items_has_no_links_to_items() -> None:
    report = of_report(of_items(8))

    page = html(Report(results=report.results, slices=report.slices))

    assert 'href="#items?' not in page
    assert 'id="items"' not in page


def test_hostile_labels_do_not_end_the_rows() -> None:
    page = html(of_report(of_items(8)))

    assert HOSTILE not in page
    assert any(HOSTILE in cell for row in rows_of(page) for cell in row)


def test_pictures_and_texts_of_gallery_are_inside_page() -> None:
    picture = Picture(b"", b"\xff\xd8", {"missed": 2}, ["photo of <a>"])
    pieces = {"response": [MarkedPiece("a "), MarkedPiece("<b>", "missing")]}
    drawn = [
        GalleryItem("001.png", "img_000001", picture),
        GalleryItem(None, "img_000002", MarkedTexts(pieces, {"missing": 1})),
    ]

    page = page_with(of_report(of_items(8)), drawn, missing="gold")

    assert '<img alt="img_000001" src="data:image/jpeg;base64,/9g=">' in page
    assert "photo of &lt;a&gt;" in page
    assert '<mark title="missing" style="background: gold">&lt;b&gt;</mark>' in page
    assert page.count("<template data-item=") == 2


def test_pictures_are_removed_with_their_report() -> None:
    report = of_report(of_items(8))
    gc.collect()
    before = len(_DRAWN)
    keep_drawn(report.items, [], {})
    during = len(_DRAWN)

    del report
    gc.collect()

    assert (during, len(_DRAWN)) == (before + 1, before)


def test_verdicts_and_long_reasons_open_below_their_item() -> None:
    verdicts = [{"text": "It closes at 8.", "verdict": "no", "analysis": "It closes at 20:00."}]
    rows = [ItemRow("q1", 0.5, {"verdicts": verdicts, "reason": "x" * 100, "steps": [{"a": 1}]})]
    table = ItemTable("llm.Faithfulness@2", {}, ItemRows.of(rows))

    page = html(Report(results=(), items=(table,)))

    (panel,) = re.findall(r"<template.*?</template>", page, re.DOTALL)
    assert "Faithfulness verdicts" in panel
    assert "<td>It closes at 20:00.</td>" in panel
    assert f"<dt>Faithfulness reason</dt><dd>{'x' * 100}</dd>" in panel
    assert "steps" not in panel


def test_page_keeps_below_its_size_and_says_how_to_see_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    report = of_report(of_items(3000))
    drawn = [
        GalleryItem(f"{at}.png", f"img_{at:06}", Picture(b"", bytes(4000), {}))
        for at in range(0, 400, 4)
    ]
    monkeypatch.setattr("valor_report.pages.page.MOST_BYTES", 300_000)

    page = page_with(report, drawn)

    assert 250_000 < len(page.encode()) <= 300_000
    kept, pictures = len(rows_of(page)), page.count("<template data-item=")
    assert 0 < kept < 3000
    assert 0 < pictures < 100
    assert f"{kept:,} of them on this page; show all with: valor view report.json" in page


def test_page_of_many_short_reasons_keeps_below_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [ItemRow(at, 0.5, {"reason": "because " * 10}) for at in range(3000)]
    table = ItemTable("llm.Faithfulness@2", {}, ItemRows.of(rows))
    monkeypatch.setattr("valor_report.pages.page.MOST_BYTES", 300_000)

    page = html(Report(results=(), items=(table,)))

    assert 250_000 < len(page.encode()) <= 300_000


def test_page_without_room_has_its_first_items(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("valor_report.pages.page.MOST_BYTES", 10)

    assert len(rows_of(html(of_report(of_items(300))))) == 100


def test_drawn_item_is_listed_even_if_it_is_not_among_the_worst(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(item_section, "_MOST_ROWS", 2)
    drawn = [GalleryItem("1.png", "img_000007", Picture(b"", b"\xff\xd8", {}))]

    rows = rows_of(page_with(of_report(of_items(8)), drawn))

    assert [row[0] for row in rows] == ["img_000004", "img_000000", "img_000007"]


def test_first_rows_are_shown_without_script() -> None:
    page = html(of_report(of_items(300)))

    static = page[page.index('<section id="items"') : page.index('class="rows"')]
    assert static.count('<th scope="row">img_') == 100
    assert len(rows_of(page)) == 300
