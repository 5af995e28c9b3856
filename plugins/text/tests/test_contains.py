"""Contains: computed by hand."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from cases import for_each
from valor_text.metrics.answers.matching import contains
from valor_text.parameters.answers import ContainsParameters

from valor_core import Undefined, evaluate
from valor_core.errors import ParameterError
from valor_core.schemas.text import Text, TextBatch

SOUP = "The pea soup, hot."


def found(response: str, references: Any, **parameters: Any) -> Any:
    batch = TextBatch.of([Text("q1", response=response, references=references)])
    return contains(batch, ContainsParameters(**parameters), {}).at(0)


@for_each(
    ("references", "parameters", "expected"),
    [
        ("pea soup", {}, 1),
        ("Pea soup", {}, 0),
        ("Pea soup", {"normaliser": "lower"}, 1),
        ("peasoup", {}, 0),
        ("soup hot", {"normaliser": "squad"}, 1),
        (["tea", "soup"], {}, 1),
        (["tea", "soup"], {"require": "all"}, 0),
        (["hot", "soup"], {"require": "all"}, 1),
        ("ea", {}, 1),
        ("ea", {"whole_words": True}, 0),
        ("hot", {"whole_words": True}, 1),
        ("hot.", {"whole_words": True}, 1),
        ("t.", {"whole_words": True}, 0),
        ("", {}, Undefined("no reference with text")),
        ("...", {"normaliser": "squad"}, Undefined("no reference with text")),
        (["", "tea"], {}, 0),  # every response contains an empty text
        (["", "soup"], {"require": "all"}, 1),
        ([], {}, Undefined("no references")),
        ([], {"substrings": "soup"}, 1),
        ("tea", {"substrings": ["soup", "tea"]}, 1),
        ("tea", {"substrings": ["soup", "tea"], "require": "all"}, 0),
    ],
)
def test_by_hand(references: Any, parameters: dict[str, Any], expected: float | Undefined) -> None:
    assert found(SOUP, references, **parameters) == expected


def test_word_is_found_after_longer_word_that_contains_it() -> None:
    assert found("concatenate the cat", "cat", whole_words=True) == 1
    assert found("concatenate_cat", "cat", whole_words=True) == 0


def test_special_characters_match_literally() -> None:
    assert found("a+b (c)", "(c)", whole_words=True) == 1
    assert found("aab", "a+b", whole_words=True) == 0


def test_items_with_several_references_keep_their_order() -> None:
    batch = TextBatch.of(
        [
            Text("q1", response="a b", references=["x", "b"]),
            Text("q2", response="a b"),
            Text("q3", response="a b", references=["x", "y", "z"]),
            Text("q4", response="a b", references=[""]),
            Text("q5", response="a b", references=["a"]),
        ]
    )

    numbers = contains(batch, ContainsParameters(), {})

    expected = [1, Undefined("no references"), 0, Undefined("no reference with text"), 1]
    assert [numbers.at(index) for index in range(5)] == expected


def test_empty_substring_is_rejected() -> None:
    with pytest.raises(ParameterError, match=r"substrings must not be empty, got \['a', ''\]"):
        ContainsParameters(substrings=["a", ""])


def test_report_has_share() -> None:
    items = [Text(f"q{i}", response=text) for i, text in enumerate(["yes", "no", "yes!", "oh"])]

    report = evaluate(items, [{"name": "Contains", "substrings": ["yes"]}])

    assert report["Contains"].value == 2 / 4


@for_each(
    ("response", "wanted", "expected"),
    [
        ("\u0915\u093f", "\u0915", 0),  # a vowel sign belongs to its letter
        ("\u0915 \u093f", "\u0915", 1),
        ("cafe\u0301", "cafe", 0),
        ("caf\u00e9", "cafe", 0),
        ("le cafe\u0301.", "cafe\u0301", 1),
        ("le caf\u00e9.", "caf\u00e9", 1),
        ("e\u0301cat", "cat", 0),
        ("\u00e9cat", "cat", 0),
        ("a cat\u0301 and a cat", "cat", 1),
        # Thai, after a letter with and without a mark
        (
            "\u0e17\u0e35\u0e48\u0e01\u0e23\u0e38\u0e07\u0e40\u0e17\u0e1e",
            "\u0e01\u0e23\u0e38\u0e07\u0e40\u0e17\u0e1e",
            0,
        ),
        (
            "\u0e02\u0e2d\u0e07\u0e01\u0e23\u0e38\u0e07\u0e40\u0e17\u0e1e",
            "\u0e01\u0e23\u0e38\u0e07\u0e40\u0e17\u0e1e",
            0,
        ),
        # invisible characters do not end a word
        ("cat\u00adfish", "cat", 0),
        ("a cat\u200e!", "cat", 1),
        ("cat\u200bfish", "cat", 1),  # a zero-width space does
        # clusters of emoji
        ("\U0001f469\u200d\U0001f4bb", "\U0001f469", 0),
        ("\U0001f469\u200d\U0001f4bb", "\U0001f4bb", 0),
        ("\U0001f44d\U0001f3fd", "\U0001f44d", 0),
        ("\U0001f44d!", "\U0001f44d", 1),
        ("x\u0301", "\u0301", 0),
    ],
)
def test_whole_words_include_combining_marks(response: str, wanted: str, expected: int) -> None:
    assert found(response, wanted, whole_words=True) == expected


def test_whole_words_equal_word_boundaries_of_re() -> None:
    letters = "ab_1 -.\u00e9\u4eac"
    texts = ["".join(random.Random(seed).choices(letters, k=9)) for seed in range(500)]
    for text, word in zip(texts, (text[3:5] for text in texts[1:] + texts[:1]), strict=True):
        pattern = rf"(?<!\w){re.escape(word)}(?!\w)"

        assert found(text, word, whole_words=True) == bool(re.search(pattern, text))
