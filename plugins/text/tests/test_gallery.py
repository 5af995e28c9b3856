"""The gallery: worst items, and marked differences."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from valor_report import MarkedPiece
from valor_text.gallery.texts import EXTRA, MISSING, Differences, TextGallery
from valor_text.parameters.gallery import GalleryParameters

from valor_core import evaluate
from valor_core.errors import ParameterError
from valor_core.schemas.text import Text, TextBatch

ITEMS = [
    Text("q1", response="The red car.", references="the red car"),
    Text("q2", "What colour?", "red <b>car</b>", ["a blue bus", "a red car"]),
    Text("q3", response="no", references="yes"),
    Text("q4", response="no"),
]


def marked(left: str, right: str, **chosen: Any) -> tuple[str, str]:
    found = Differences.of(left, right, ("+", "-"), **chosen)

    def described(pieces: tuple[MarkedPiece, ...]) -> str:
        return "".join(f"[{one.text}]" if one.meaning else one.text for one in pieces)

    return described(found.left), described(found.right)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("a b c", "a c", ("a [b] c", "a c")),
        ("a c", "a b  d c", ("a c", "a [b  d] c")),
        ("red car", "blue car", ("[red] car", "[blue] car")),
        ("a, b", "a b", ("a[,] b", "a b")),
        ("", "a", ("", "[a]")),
        ("a", "", ("[a]", "")),
        (" a\nb ", "a b", (" a\nb ", "a b")),
        ("The", "the", ("[The]", "[the]")),
        ("x y", "y x", ("x [y]", "[y] x")),
    ],
)
def test_marked_differences(left: str, right: str, expected: tuple[str, str]) -> None:
    assert marked(left, right) == expected


def test_case_can_be_kept() -> None:
    assert marked("The Cat", "the cat", ignore_case=True) == ("The Cat", "the cat")


@given(st.text(max_size=60), st.text(max_size=60))
def test_pieces_join_to_the_text(left: str, right: str) -> None:
    found = Differences.of(left, right, ("+", "-"))

    assert "".join(piece.text for piece in found.left) == left
    assert "".join(piece.text for piece in found.right) == right


def test_errors_of_items() -> None:
    batch = TextBatch.of(ITEMS)

    # F1: 1, then red bcarb | red car 2 * 1 / 4, then 0; undefined without references
    assert TextGallery(GalleryParameters()).errors(batch).tolist() == [0, 1 / 2, 1, 0]
    # Edits for each word: none, red bcarb | red car 1 of 2, and no | yes 1 of 1
    by_edits = GalleryParameters(by="MeanWER", settings={"normaliser": "squad"})
    assert TextGallery(by_edits).errors(batch).tolist() == [0, 1 / 2, 1, 0]
    by_rouge = GalleryParameters(by="ROUGE", number="rouge1")
    assert TextGallery(by_rouge).errors(batch)[[0, 2, 3]].tolist() == [0, 1, 0]


def test_most_similar_reference_is_shown() -> None:
    shown = TextGallery(GalleryParameters()).draw(TextBatch.of(ITEMS[1:2]))

    assert list(shown.texts) == ["query", "response", "reference"]
    assert [piece.text for piece in shown.texts["reference"]] == ["a", " red car"]
    assert shown.counts == {EXTRA: 2, MISSING: 1}
    assert shown.notes == ["TokenF1 0.5000", "reference 2 of 2"]


def test_reason_of_undefined_value_is_shown() -> None:
    shown = TextGallery(GalleryParameters()).draw(TextBatch.of(ITEMS[3:]))

    assert shown.notes == ["TokenF1 no references"]


def test_long_texts_are_cut() -> None:
    batch = TextBatch.of([Text("q1", response="abcdef", references="ab")])

    shown = TextGallery(GalleryParameters(characters=3)).draw(batch)

    assert "".join(piece.text for piece in shown.texts["response"]) == "abc…"


def test_page_shows_worst_items(tmp_path: Path) -> None:
    evaluate(ITEMS, ["TokenF1"], gallery=tmp_path / "worst")

    page = (tmp_path / "worst" / "index.html").read_text("utf-8")
    assert page.index("<b>q3</b>") < page.index("<b>q2</b>")
    assert "<b>q1</b>" not in page
    assert f'<mark title="{EXTRA}" style="background: #ffa8a8">no</mark>' in page
    assert "<b>car" not in page  # texts are escaped
    assert "&lt;b" in page


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"by": "Examples"}, "expected a metric of items with a best value, got text.Examples"),
        ({"by": "ROUGE"}, "expected one of rouge1, rouge2, rougeL, rougeLsum, got none"),
        ({"by": "TokenF1", "number": "f1"}, "gallery.number: expected no number, got 'f1'"),
    ],
)
def test_metric_without_best_value_is_rejected(chosen: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        TextGallery(GalleryParameters(**chosen)).errors(TextBatch.of(ITEMS))
