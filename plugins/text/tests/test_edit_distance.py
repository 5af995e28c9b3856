"""EditDistance: computed by hand, and compared with rapidfuzz and nltk."""

from __future__ import annotations

import pytest
from nltk.metrics.distance import edit_distance
from rapidfuzz.distance import Levenshtein
from valor_text.metrics.edits import edit_distance as metric
from valor_text.parameters.edits import EditDistanceParameters

from valor_core import evaluate
from valor_core.schemas.text import Text, TextBatch

from .generated import arrays_only, pairs

score = arrays_only(metric.score)


def batch_of(*items: tuple[str, str | list[str]]) -> TextBatch:
    return TextBatch.of(
        Text(f"q{i}", response=response, references=references)
        for i, (response, references) in enumerate(items)
    )


def test_by_hand() -> None:
    # kitten -> sitten -> sittin -> sitting: 3 edits, the longer word has 7 letters
    items = batch_of(("sitting", "kitten"))

    assert score(items, EditDistanceParameters(), {}).tolist() == [3]
    assert score(items, EditDistanceParameters(relative=True), {}).tolist() == [3 / 7]


def test_words_by_hand() -> None:
    # "the cat sat" -> "a cat": the first word replaced, the last deleted: 2 of 3
    items = batch_of(("a cat", "the cat sat"))
    chosen = EditDistanceParameters(tokeniser="words", relative=True)

    assert score(items, chosen, {}).tolist() == [2 / 3]


def test_nearest_reference_counts() -> None:
    # "abc" has distance 2 to "a", 3 to "abcdef"; relative to the longer text 2/3 and 3/6.
    items = batch_of(("abc", ["abcdef", "a"]))

    assert score(items, EditDistanceParameters(), {}).tolist() == [2]
    assert score(items, EditDistanceParameters(relative=True), {}).tolist() == [3 / 6]


def test_empty_texts() -> None:
    items = batch_of(("", ""), ("", "ab"), ("ab", ""))

    assert score(items, EditDistanceParameters(), {}).tolist() == [0, 2, 2]
    assert score(items, EditDistanceParameters(relative=True), {}).tolist() == [0, 1, 1]


@pytest.mark.parametrize("tokeniser", ["characters", "words"])
def test_equal_to_rapidfuzz(tokeniser: str) -> None:
    texts = pairs(600, seed=1)
    items, chosen = batch_of(*texts), {"tokeniser": tokeniser}

    found = score(items, EditDistanceParameters(**chosen), {})
    relative = score(items, EditDistanceParameters(**chosen, relative=True), {})

    cut = list if tokeniser == "characters" else str.split
    sides = [(cut(b), cut(a)) for a, b in texts]
    assert found.tolist() == [Levenshtein.distance(b, a) for b, a in sides]
    assert relative.tolist() == [Levenshtein.normalized_distance(b, a) for b, a in sides]


def test_equal_to_nltk() -> None:
    texts = pairs(60, seed=2, longest=6)

    found = score(batch_of(*texts), EditDistanceParameters(), {})

    assert found.tolist() == [edit_distance(b, a) for a, b in texts]


def test_report_has_mean() -> None:
    items = batch_of(("sitting", "kitten"), ("a", "a"))

    assert evaluate(items, ["levenshtein"])["EditDistance"].value == 3 / 2
