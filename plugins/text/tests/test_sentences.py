"""Sentences and contractions."""

from __future__ import annotations

import pytest
from valor_text.normalisers.sentences import is_statement, sentences, without_contractions


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. Ames met J. Doe in the U.S. Army.", ["Dr. Ames met J. Doe in the U.S. Army."]),
        (
            'It costs 3.50. He said "no." Then he left',
            ["It costs 3.50.", 'He said "no."', "Then he left"],
        ),
        ("1. Boil it.\n2. Eat it.", ["Boil it.", "Eat it."]),
        ("- a; b", ["a", "b"]),
        (
            "No. 5 won. It was in 1911. No. Never.",
            ["No. 5 won.", "It was in 1911.", "No.", "Never."],
        ),
        ("他来了。你呢\uff1f", ["他来了。", "你呢\uff1f"]),
        ("...", []),
        ("", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_custom_abbreviations() -> None:
    assert sentences("See sect. 3 now.", {"sect"}) == ["See sect. 3 now."]


def test_question_is_not_a_statement() -> None:
    assert [is_statement(one) for one in ("It rains.", "Why?", "(Why?)")] == [True, False, False]


@pytest.mark.parametrize(
    ("word", "expected"),
    [("can't", "can not"), ("they'll", "they will"), ("who's", "who is"), ("dogs'", "dogs")],
)
def test_contractions(word: str, expected: str) -> None:
    assert without_contractions(word) == expected
