"""ChrF of items and corpora: computed by hand, and compared with sacrebleu."""

from __future__ import annotations

from typing import Any

import pytest
from sacrebleu.metrics import CHRF
from valor_text.metrics.overlap.chrf import score
from valor_text.parameters.overlap import ChrFParameters

from valor_core import evaluate
from valor_core.schemas.text import Text

from .generated import ODD, Items, batch_of, several

CHOICES: list[dict[str, Any]] = [
    {},
    {"word_order": 2},
    {"word_order": 1, "beta": 1},
    {"whitespace": True},
    {"char_order": 3, "beta": 3},
    {"eps_smoothing": True},
    {"eps_smoothing": True, "word_order": 2},
]


def of_items(items: Items, **chosen: Any) -> list[float]:
    return score(batch_of(items), ChrFParameters(**chosen), {}).tolist()


def of_corpus(items: Items, **chosen: Any) -> Any:
    report = evaluate(batch_of(items), [{"name": "CorpusChrF", **chosen}])
    return report["CorpusChrF"].only.value


def program_corpus(items: Items, **chosen: Any) -> float:
    most = max(len(references) for _, references in items)
    streams = [
        [references[k] if k < len(references) else None for _, references in items]
        for k in range(most)
    ]
    responses = [response for response, _ in items]
    return float(CHRF(**chosen).corpus_score(responses, streams).score) / 100


def test_by_hand() -> None:
    # response abab, reference abba, n-grams of 1 and 2 characters
    # characters: a a b b in both: 4 of 4 and 4 of 4
    # pairs: ab ba ab and ab bb ba: ab, ba: 2 of 3 and 2 of 3
    # precision = recall = (1 + 2/3) / 2 = 5/6, and also the F-score, for any beta
    assert of_items([("abab", ["abba"])], char_order=2) == [pytest.approx(5 / 6, abs=1e-15)]


def test_recall_weighs_more_by_hand() -> None:
    # response ab, reference abcd, characters alone: precision 2/2, recall 2/4
    # beta 2: (1 + 4) * 1 * 0.5 / (4 * 1 + 0.5) = 2.5 / 4.5
    assert of_items([("ab", ["abcd"])], char_order=1) == [pytest.approx(2.5 / 4.5, abs=1e-15)]


def test_words_by_hand() -> None:
    # words: "yes" and "!" against "yes": precision 1/2, recall 1; no pair in the reference
    # characters: y e s of 4 and of 3: precision 3/4, recall 1
    # means over the two lengths: precision 5/8, recall 1: 5 * 5/8 / (4 * 5/8 + 1) = 25/28
    found = of_items([("yes!", ["yes"])], char_order=1, word_order=2)

    assert found == [pytest.approx(25 / 28, abs=1e-15)]


def test_corpus_by_hand() -> None:
    # characters: 2 of 2 and of 4; 1 of 2 and of 1: precision 3/4, recall 3/5
    # beta 1: 2 * 0.75 * 0.6 / (0.75 + 0.6) = 2/3
    items = [("ab", ["abcd"]), ("ax", ["a"])]

    assert of_corpus(items, char_order=1, beta=1) == pytest.approx(2 / 3, abs=1e-15)


@pytest.mark.parametrize("chosen", CHOICES, ids=str)
def test_equal_to_sacrebleu_for_items(chosen: dict[str, Any]) -> None:
    items = several(140)
    program = CHRF(**chosen)
    expected = [program.sentence_score(*item).score for item in items]

    found = [100 * value for value in of_items(items, **chosen)]

    if chosen.get("eps_smoothing"):  # sacrebleu divides 100 times the value
        assert found == pytest.approx(expected, rel=1e-14)
    else:
        assert found == expected


@pytest.mark.parametrize("chosen", CHOICES, ids=str)
def test_equal_to_sacrebleu_for_corpora(chosen: dict[str, Any]) -> None:
    for items in (several(40, seed=1), [("a", ["b"])], [("", [""])]):
        expected = program_corpus(items, **chosen)

        assert of_corpus(items, **chosen) == pytest.approx(expected, rel=1e-14)


def test_equal_to_sacrebleu_in_lower_case() -> None:
    texts = [(one, [other]) for one, other in zip(ODD, ODD[::-1], strict=True)]
    program = CHRF(lowercase=True, whitespace=True)
    expected = [program.sentence_score(*item).score for item in texts]

    found = of_items(texts, whitespace=True, normaliser="lowercase")

    assert [100 * value for value in found] == expected


def test_perfect_response_is_exactly_one_and_empty_one_zero() -> None:
    assert of_items([("abcdefg", ["abcdefg"]), ("", ["a"]), ("", [""])]) == [1.0, 0.0, 0.0]


def test_item_without_response_is_excluded_from_corpus() -> None:
    items = [Text("q1", response="abc", references="abc"), Text("q2", references="a")]

    result = evaluate(items, ["CorpusChrF"])["CorpusChrF"].only

    assert result.value == 1.0
    assert dict(result.left_out) == {"undefined: no response": 1}


def test_corpus_without_items_is_undefined() -> None:
    result = evaluate([Text("q1")], ["CorpusChrF"])["CorpusChrF"].only

    assert result.undefined == "no items with a response and references"
