"""The normalisers squad and unicode, and the tokeniser unicode_words."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest
from cases import for_each
from hypothesis import given
from hypothesis import strategies as st
from valor_text.normalisers import normalise, tokenise
from valor_text.parameters.fields import NORMALISERS, TOKENISERS

from .generated import ODD, pairs

MARKS = "\x00\x01\x02\ufdd0\ufdd1\ufdd2"
"""Separator of joined columns that do not contain it."""

TEXTS = [text for pair in pairs(300, seed=3) for text in pair] + ODD


def squad_one_by_one(text: str) -> str:
    """Steps of SQuAD's paper and scripts: lowercase, punctuation, articles, blanks."""
    bare = "".join(letter for letter in text.lower() if letter not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", bare).split())


@for_each(
    ("text", "expected"),
    [
        ("The Cat", "cat"),
        ("  a\tcat\nand an  apple ", "cat and apple"),
        ("a.m.", "am"),
        ("the-end", "theend"),
        ("An.", ""),
        ("U.S.A.'s", "usas"),
        ("another theme, atlas", "another theme atlas"),
        ("$1,000.50", "100050"),
        (
            "the\u2013cat",
            "\u2013cat",
        ),  # a dash outside of ASCII is kept, the article before it is removed
        ("d\u2019an", "d\u2019"),
        ("THE\u00a0A\u2003cat", "cat"),
        ("_the_", ""),
        ("\u00e0 a\u0301", "\u00e0 \u0301"),  # a combining accent is not a word character
    ],
)
def test_squad(text: str, expected: str) -> None:
    assert normalise([text], "squad") == [expected] == [squad_one_by_one(text)]


def test_squad_of_column_equals_single_texts() -> None:
    expected = list(map(squad_one_by_one, TEXTS))

    assert normalise(TEXTS, "squad") == expected
    assert normalise([*TEXTS, MARKS], "squad") == [*expected, squad_one_by_one(MARKS)]


@for_each(
    ("text", "expected"),
    [
        ("Stra\u00dfe", "strasse"),
        ("\u212bngstr\u00f6m", "\u00e5ngstr\u00f6m"),  # the unit sign becomes the letter
        ("e\u0301te\u0301", "\u00e9t\u00e9"),
        ("\uff11\uff12\uff13", "123"),
        ("\u00bfQu\u00e9?", "qu\u00e9"),
        ("\u201cdon\u2019t\u201d \u2014 'don't'", "dont dont"),
        ("\u6771\u4eac\u3001\u65e5\u672c\u3002", "\u6771\u4eac\u65e5\u672c"),
        ("\u039f\u0394\u039f\u03a3", "\u03bf\u03b4\u03bf\u03c3"),
        ("a\u00a0\u2003b\u3000c", "a b c"),
        ("5 \u20ac + $3 = ?", "5 \u20ac + $3 ="),
        ("\ufb01ne", "fine"),
        *((f"Pa{unseen}ris", "paris") for unseen in "\u00ad\u200b\u200e\u2060\ufeff\ufe0f"),
        (
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0645",
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0645",
        ),
        ("e\u2060\u0301", "\u00e9"),  # the accent is now adjacent to its letter
    ],
)
def test_unicode(text: str, expected: str) -> None:
    assert normalise([text], "unicode") == [expected]


def test_unicode_of_column_equals_single_texts() -> None:
    alone = [normalise([text], "unicode")[0] for text in TEXTS]

    assert normalise(TEXTS, "unicode") == alone
    assert normalise([*TEXTS, MARKS], "unicode")[:-1] == alone


ODD_LETTERS = "aE\u00ad\u200b\u0301'-\u00c5\u0345\u037a\u0130\u03a3\ufb01\u2024 "


@given(st.text(st.sampled_from(ODD_LETTERS), max_size=9))
def test_unicode_is_idempotent(text: str) -> None:
    once = normalise([text, *ODD], "unicode")

    assert normalise(once, "unicode") == once


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it's 5 o'clock", ["it", "s", "5", "o", "clock"]),
        ("na\u00efve re\u0301sume\u0301", ["na\u00efve", "re\u0301sume\u0301"]),
        ("\u6771\u4eac tower", ["\u6771", "\u4eac", "tower"]),
        ("\u30c6\u30ec\u30d3", ["\u30c6", "\u30ec", "\u30d3"]),
        ("\u0434\u043e\u043c-2", ["\u0434\u043e\u043c", "2"]),
        ("\u0928\u092e\u0938\u094d\u0924\u0947", ["\u0928\u092e\u0938\u094d\u0924\u0947"]),
        ("a_b $5 \u20ac", ["a", "b", "5"]),
        ("co\u00adoperate \ufeffnow a\u200bb", ["cooperate", "now", "a", "b"]),
        ("", []),
    ],
)
def test_unicode_words(text: str, expected: list[str]) -> None:
    assert tokenise([text], "unicode_words").of(0) == expected


def test_docs_list_every_normaliser_and_tokeniser() -> None:
    page = Path(__file__).parents[3] / "docs" / "text" / "data.md"
    rows = re.findall(r"^\| (`.*?) \|", page.read_text("utf-8"), re.MULTILINE)
    told = {name for row in rows for name in re.findall(r"`([^`]+)`", row)}

    assert {*NORMALISERS, *TOKENISERS} <= told
