from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

from valor_report import MarkedPiece, MarkedTexts, Picture
from valor_report.gallery.gallery_page import GalleryItem, html, is_gallery_page, pictures

ENTRIES = [
    GalleryItem("001-a_b.png", "a<b", Picture(b"", b"\xff\xd8", {"missed": 1200}, ["no <image>"])),
    GalleryItem("002-7.png", 7, Picture(b"", b"\x89PNG", {"missed": 2, "false positives": 3})),
]
LEGEND = {"found": "#0a0", "missed & gone": "gold"}


class Elements(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_page_shows_pictures_with_counts_and_notes() -> None:
    page = html(ENTRIES, LEGEND, "detection")

    assert "The 2 items with the most errors, the worst first" in page
    assert (
        "<b>a&lt;b</b><div><span>missed 1,200</span></div><small>no &lt;image&gt;</small>" in page
    )
    assert "<b>7</b><div><span>missed 2</span> <span>false positives 3</span></div>" in page
    assert '<i style="background: gold"></i>missed &amp; gone' in page


def test_page_has_no_scripts_or_external_resources() -> None:
    elements = Elements(html(ENTRIES, LEGEND, "detection")).found

    assert not [tag for tag, _ in elements if tag in ("script", "link", "iframe")]
    sources = [held["src"] or "" for _, held in elements if "src" in held]
    assert [source.partition(",")[0] for source in sources] == [
        "data:image/jpeg;base64",
        "data:image/png;base64",
    ]
    assert [held["href"] for tag, held in elements if tag == "a"] == ["001-a_b.png", "002-7.png"]


def test_thumbnails_have_alternative_text() -> None:
    page = html(ENTRIES, LEGEND, "detection")

    assert re.findall(r'alt="(.*?)"', page) == ["a&lt;b", "7"]


def test_page_and_its_pictures_are_recognized(tmp_path: Path) -> None:
    mine, other = tmp_path / "mine.html", tmp_path / "other.html"
    mine.write_text(html(ENTRIES, LEGEND, "detection"), encoding="utf-8")
    other.write_text('<a href="001-a.png">', encoding="utf-8")

    assert (is_gallery_page(mine), is_gallery_page(other)) == (True, False)
    assert pictures(mine) == ["001-a_b.png", "002-7.png"]


def test_header_handles_one_item_and_no_items() -> None:
    assert "The 1 item with the most errors" in html(ENTRIES[:1], {}, "text")
    assert "No item has an error" in html([], {}, "text")


def test_texts_are_side_by_side_with_marks() -> None:
    pieces = {
        "response": [MarkedPiece("a "), MarkedPiece("<b>", "missed & gone"), MarkedPiece('\n"c"')],
        "reference": [MarkedPiece("a")],
    }
    shown = GalleryItem(None, "q<1", MarkedTexts(pieces, {"missed": 1}, ["TokenF1 < 1"]))

    page = html([shown], LEGEND, "text")

    assert (
        "<div><h2>response</h2><p>a "
        '<mark title="missed &amp; gone" style="background: gold">&lt;b&gt;</mark>'
        "\n&#34;c&#34;</p></div><div><h2>reference</h2><p>a</p></div>"
    ) in page
    assert "<b>q&lt;1</b><div><span>missed 1</span></div><small>TokenF1 &lt; 1</small>" in page
    assert not [tag for tag, _ in Elements(page).found if tag in ("img", "a", "script")]


def test_page_of_texts_is_recognized_without_pictures(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    text = MarkedTexts({"response": [MarkedPiece('<a href="001-a.png">')]}, {})
    page.write_text(html([GalleryItem(None, "a", text)], LEGEND, "text"), encoding="utf-8")

    assert is_gallery_page(page)
    assert pictures(page) == []


def test_tables_below_texts_have_colors_and_titles() -> None:
    rows = [
        {"text": MarkedPiece("a<b"), "verdict": MarkedPiece("yes", "found")},
        {"text": MarkedPiece("c")},
    ]
    shown = MarkedTexts({"response": [MarkedPiece("x")]}, {}, (), {"verdicts": rows})

    page = html([GalleryItem(None, "q1", shown)], LEGEND, "text")

    assert '<th scope="col">text</th><th scope="col">verdict</th>' in page
    assert (
        '<tr><td>a&lt;b</td><td><mark title="found" style="background: #0a0">yes</mark></td></tr>'
        "<tr><td>c</td><td></td></tr>"
    ) in page


def test_groups_can_be_filtered_without_script() -> None:
    shown = [
        GalleryItem(None, uid, MarkedTexts({}, {}, group=group))
        for uid, group in (("a", "failed"), ("b", "scored"), ("c", "scored"))
    ]

    page = html(shown, LEGEND, "text")

    assert re.findall(r'id="g(\d)"( checked)?> (.*?)<', page) == [
        ("0", " checked", "all"),
        ("1", "", "failed (1)"),
        ("2", "", "scored (2)"),
    ]
    assert re.findall(r'<figure class="(g\d)">', page) == ["g1", "g2", "g2"]
    assert "main:has(#g2:checked) figure:not(.g2) { display: none; }" in page
    assert 'type="radio"' not in html(shown[1:], LEGEND, "text")


def test_wide_pictures_fill_row_and_label_colors_are_in_legend() -> None:
    picture = Picture(b"", b"", {}, colors={"sky": "#4363d8"}, wide=True)
    entries = [GalleryItem("001-a.png", "a", picture), GalleryItem("002-b.png", "b", picture)]

    page = html(entries, {"missed": "gold"}, "segmentation")

    assert page.count('<figure class="wide">') == 2
    assert page.count('<i style="background: #4363d8"></i>sky') == 1
