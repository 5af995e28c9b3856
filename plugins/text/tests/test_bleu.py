"""BLEU of items and corpora: computed by hand, and compared with nltk and sacrebleu."""

from __future__ import annotations

import math
import re
import warnings
from typing import Any

import nltk.translate.bleu_score as nltk_bleu
import pytest
import sacrebleu
from cases import for_each
from valor_text.metrics.overlap import bleu
from valor_text.parameters.overlap import BLEUParameters

from valor_core import evaluate
from valor_core.errors import ParameterError
from valor_core.schemas.text import Text

from .generated import Items, batch_of, numbers_only, several

score = numbers_only(bleu.score)

METHODS = ["none", *(f"method{number}" for number in range(1, 6)), "method7"]


def words(text: str) -> list[str]:
    return re.findall(r"\w+|\$[\d]+|[^\s\.]+", text)


def of_items(items: Items, **chosen: Any) -> list[float]:
    return score(batch_of(items), BLEUParameters(**chosen), {}).values.tolist()


def of_corpus(items: Items, **chosen: Any) -> Any:
    report = evaluate(batch_of(items), [{"name": "CorpusBLEU", **chosen}])
    return report["CorpusBLEU"].only.value


def nltk_function(method: str) -> Any:
    return None if method == "none" else getattr(nltk_bleu.SmoothingFunction(), method)


def nltk_sentence(items: Items, method: str, **chosen: Any) -> list[float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [
            nltk_bleu.sentence_bleu(
                [words(one) for one in references],
                words(response),
                smoothing_function=nltk_function(method),
                **chosen,
            )
            for response, references in items
        ]
    return [value if value >= 1e-9 else 0.0 for value in found]


def nltk_corpus(items: Items, method: str, **chosen: Any) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(
            nltk_bleu.corpus_bleu(
                [[words(one) for one in references] for _, references in items],
                [words(response) for response, _ in items],
                smoothing_function=nltk_function(method),
                **chosen,
            )
        )


def test_by_hand() -> None:
    # response:  the the the cat   (4 words, 3 bigrams)
    # reference: the cat the mat   (4 words); second: a the the dog barks (5 words)
    # words: "the" counts as often as in a reference, 2 of 3; "cat" 1: 3/4
    # bigrams: "the the" is in the second once, of 2; "the cat" 1: 2/3
    # nearest reference in length: 4 words, no brevity penalty; sqrt(3/4 * 2/3) = sqrt(1/2)
    items = [("the the the cat", ["the cat the mat", "a the the dog barks"])]

    assert of_items(items, weights=[0.5, 0.5]) == [pytest.approx(math.sqrt(1 / 2), abs=1e-15)]


def test_brevity_penalty_by_hand() -> None:
    # 2 words, all correct; references of 3 and 1 words are equally near: the shorter one counts, 1.
    # Against 5 words alone: exp(1 - 5/2).
    items = [("a b", ["a b c", "a"]), ("a b", ["a b c d e"])]

    assert of_items(items, weights=[1]) == [1.0, math.exp(1 - 5 / 2)]


def test_corpus_by_hand() -> None:
    # words in common 2 of 2 and 1 of 4, together 3/6; 6 words against 3 + 4 = 7: exp(1 - 7/6).
    # The mean over items is (exp(1 - 3/2) + 1/4) / 2.
    items = [("a b", ["a b c"]), ("a x y z", ["a b c d"])]

    assert of_corpus(items, weights=[1]) == pytest.approx(0.5 * math.exp(1 - 7 / 6), abs=1e-15)
    assert of_items(items, weights=[1]) == [math.exp(1 - 3 / 2), 0.25]


def test_smoothing_by_hand() -> None:
    # 2 words and 1 bigram in common of 4 and 3, no 3-gram of 2, no 4-gram of 1
    items = [("a b x y", ["a b c d"])]
    first = (2 / 4) * (1 / 3)

    def mean(third: float, fourth: float) -> Any:
        return [pytest.approx((first * third * fourth) ** 0.25, abs=1e-15)]

    assert of_items(items) == [0.0]
    assert of_items(items, smoothing="method1") == mean(0.1 / 2, 0.1 / 1)
    assert of_items(items, smoothing="method3") == mean(1 / 2 / 2, 1 / 4 / 1)
    exp = of_items(items, definition="sacrebleu")
    assert exp == mean(1 / 2 / 2, 1 / 4 / 1)
    floor = of_items(items, definition="sacrebleu", smoothing="floor", smoothing_value=0.2)
    assert floor == mean(0.2 / 2, 0.2 / 1)


@pytest.mark.parametrize("method", METHODS)
def test_equal_to_nltk_for_items(method: str) -> None:
    items = several(350)

    found = of_items(items, smoothing=method)

    expected = nltk_sentence(items, method)
    if method in ("method5", "method7"):  # nltk averages fractions, which it rounds once
        assert found == pytest.approx(expected, rel=1e-14, abs=1e-15)
    else:
        assert found == expected


@pytest.mark.parametrize(
    "weights", [[1.0], [0.0, 1.0], [0.5, 0.25, 0.25, 0.0], [0.1] * 10, [0.3, 0.7]]
)
def test_equal_to_nltk_with_weights(weights: list[float]) -> None:
    items = several(150, seed=1)

    assert of_items(items, weights=weights) == nltk_sentence(items, "none", weights=weights)
    found = of_items(items, weights=weights, smoothing="method5")
    expected = nltk_sentence(items, "method5", weights=weights)
    assert found == pytest.approx(expected, rel=1e-14, abs=1e-15)


@pytest.mark.parametrize("method", ["none", "method1", "method2", "method3", "method4"])
def test_equal_to_nltk_for_corpora(method: str) -> None:
    for items in (several(300, seed=2), [("a b", ["a c"]), ("", ["a"])], several(7)):
        expected = nltk_corpus(items, method)
        assert of_corpus(items, smoothing=method) == (expected if expected >= 1e-9 else 0.0)


@pytest.mark.parametrize("method", ["method5", "method7"])
def test_equal_to_nltk_for_corpora_with_5_grams_of_all(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = several(200, seed=3)
    tokens = [(words(response), list(map(words, references))) for response, references in items]
    plain = nltk_bleu.modified_precision
    each = [plain(references, response, 5) for response, references in tokens]
    whole = nltk_bleu.Fraction(
        sum(one.numerator for one in each), sum(one.denominator for one in each)
    )
    # nltk uses the 5-grams of its last text; here it gets those of all texts.
    monkeypatch.setattr(
        nltk_bleu, "modified_precision", lambda *given: whole if given[2] == 5 else plain(*given)
    )

    expected = nltk_corpus(items, method)

    assert of_corpus(items, smoothing=method) == pytest.approx(expected, rel=1e-14)


def test_method5_of_corpus_does_not_depend_on_order_unlike_nltk() -> None:
    items = [("a b c d e f", ["a b c d e f"]), ("a b", ["a c"])]

    assert nltk_corpus(items, "method5") != nltk_corpus(items[::-1], "method5")
    assert of_corpus(items, smoothing="method5") == of_corpus(items[::-1], smoothing="method5")


def test_equal_to_nltk_if_method6_is_applicable() -> None:
    items = several(300, seed=5)
    report = evaluate(batch_of(items), [{"name": "BLEU", "smoothing": "method6"}])

    found = score(batch_of(items), BLEUParameters(smoothing="method6"), {})

    answered = 0
    for index, item in enumerate(items):
        try:
            (expected,) = nltk_sentence([item], "method6")
        except AssertionError:
            assert found.at(index).reason == "smoothing method6 needs a 3-gram in common"
        else:
            assert found.at(index) == pytest.approx(expected, rel=1e-14, abs=1e-15)
            answered += 1
    assert 50 < answered < len(items) - 20
    assert report["BLEU"].only.left_out == {
        "undefined: smoothing method6 needs a 3-gram in common": len(items) - answered
    }


def test_method6_of_a_corpus_of_one() -> None:
    item = several(40, seed=6)[0]

    assert of_corpus([item], smoothing="method6") == pytest.approx(
        nltk_corpus([item], "method6"), rel=1e-14
    )


@pytest.mark.parametrize("order", [True, False])
@pytest.mark.parametrize("smoothing", ["exp", "floor", "add-k", "none"])
def test_equal_to_sacrebleu_for_items(smoothing: str, order: bool) -> None:
    items = several(250, seed=7)
    program = sacrebleu.BLEU(smooth_method=smoothing, effective_order=order)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = [program.sentence_score(*item).score / 100 for item in items]

    found = of_items(items, definition="sacrebleu", smoothing=smoothing, effective_order=order)

    assert found == pytest.approx(expected, rel=1e-13, abs=1e-15)


def test_equal_to_sacrebleu_by_default() -> None:
    items = several(100, seed=8)
    expected = [sacrebleu.sentence_bleu(*item).score / 100 for item in items]

    assert of_items(items, definition="sacrebleu") == pytest.approx(expected, rel=1e-13, abs=1e-15)


@for_each("tokeniser", ["13a", "intl", "zh", "char", "words"])
@for_each("smoothing", ["exp", "floor", "add-k", "none"])
def test_equal_to_sacrebleu_for_corpora(smoothing: str, tokeniser: str) -> None:
    name = "none" if tokeniser == "words" else tokeniser
    program = sacrebleu.BLEU(smooth_method=smoothing, tokenize=name, force=True)
    for items in (several(60, seed=9), [("a b", ["a c"]), ("", ["a"])]):
        most = max(len(references) for _, references in items)
        streams = [
            [references[k] if k < len(references) else None for _, references in items]
            for k in range(most)
        ]
        expected = program.corpus_score([response for response, _ in items], streams).score / 100

        found = of_corpus(items, definition="sacrebleu", smoothing=smoothing, tokeniser=tokeniser)

        assert found == pytest.approx(expected, rel=1e-13, abs=1e-15)


def test_lowercase_equals_sacrebleu() -> None:
    items = [("THE Cat- \nsat on IT", ["the cat- \nSat on it."])]
    expected = sacrebleu.BLEU(lowercase=True, effective_order=True).sentence_score(*items[0]).score

    found = of_items(items, definition="sacrebleu", normaliser="lowercase")

    assert found == [pytest.approx(expected / 100, rel=1e-14)]


def test_perfect_response_is_exactly_one() -> None:
    # sacrebleu returns 100.00000000000004 here.
    items = [("one two three four five", ["one two three four five"])]

    assert of_items(items, definition="sacrebleu") == of_items(items) == [1.0]
    assert of_corpus(items, definition="sacrebleu") == of_corpus(items) == 1.0


def test_item_without_references_is_excluded_from_corpus() -> None:
    items = [Text("q1", response="a b c d", references="a b c d"), Text("q2", response="a")]

    result = evaluate(items, ["CorpusBLEU"])["CorpusBLEU"].only

    assert result.value == 1.0
    assert dict(result.left_out) == {"undefined: no references": 1}


def test_corpus_without_items_is_undefined() -> None:
    result = evaluate([Text("q1")], ["CorpusBLEU"])["CorpusBLEU"].only

    assert result.undefined == "no items with a response and references"


@pytest.mark.parametrize("name", ["BLEU", "CorpusBLEU"])
def test_report_contains_defaults(name: str) -> None:
    report = evaluate(batch_of([("a", ["a"])]), [{"name": name, "definition": "sacrebleu"}])

    assert report[name].only.parameters == {
        "definition": "sacrebleu",
        "weights": [0.25, 0.25, 0.25, 0.25],
        "smoothing": "exp",
        "smoothing_value": None,
        "effective_order": None,
        "normaliser": "none@1",
        "tokeniser": "13a@1",
    }


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"weights": []}, "BLEUParameters: weights must not be empty"),
        ({"weights": [0.5, 0.4]}, "weights must add up to 1, got [0.5, 0.4] with sum 0.9"),
        ({"weights": [1.5, -0.5]}, "BLEUParameters: weights must be at least 0, got -0.5"),
        ({"weights": [1 - 2e-9]}, "weights must add up to 1, got [0.999999998] with sum 1"),
        ({"weights": [0.005] * 200}, "weights must be 100 at the most, got 200"),
        (
            {"smoothing": "exp"},
            "smoothing must be one of none, method1, method2, method3, method4,",
        ),
        (
            {"smoothing": "method1", "definition": "sacrebleu"},
            "smoothing must be one of none, exp, floor, add-k where the definition",
        ),
        (
            {"smoothing_value": 1},
            "smoothing_value is for the smoothings method1, method4, method6,",
        ),
        (
            {"smoothing": "method6", "weights": [0.5, 0.5]},
            "smoothing method6 needs at least 3 weights, got [0.5, 0.5]",
        ),
        (
            {"effective_order": True},
            "effective_order is only for the definition sacrebleu, got nltk",
        ),
        (
            {"definition": "sacrebleu", "weights": [0.6, 0.4]},
            "weights must be the same for all lengths where the definition is",
        ),
        (
            {"tokeniser": "13b"},
            "tokeniser must be one of words, characters, rouge, valor, 13a, intl,",
        ),
        ({"tokeniser": "13a@7"}, "tokeniser must be 13a or 13a@1, got '13a@7'"),
    ],
)
def test_invalid_parameters_are_rejected(chosen: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        BLEUParameters(**chosen)


def test_rounded_sum_of_weights_is_accepted() -> None:
    # 0.1 added ten times is 0.9999999999999999.
    assert BLEUParameters(weights=[0.1] * 10).longest == 10


@pytest.mark.parametrize(
    ("smoothing", "value", "message"),
    [
        ("method1", 5, "smoothing_value must lie in (0, 1] for method1, got 5.0"),
        ("method4", 0.01, "smoothing_value must lie in [1, 1000] for method4, got 0.01"),
        ("method7", 0.5, "smoothing_value must lie in [1, 1000] for method7, got 0.5"),
    ],
)
def test_smoothing_is_at_most_one_ngram(smoothing: str, value: float, message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        BLEUParameters(smoothing=smoothing, smoothing_value=value)
