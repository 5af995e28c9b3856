"""Error rates of speech: computed by hand, and compared with jiwer."""

from __future__ import annotations

from typing import Any

import jiwer
import numpy as np
import pytest
from valor_text.metrics.edits.error_rates import mean_cer, mean_mer, mean_wer, mean_wil
from valor_text.parameters.edits import CharacterRateParameters, WordRateParameters

from valor_core import evaluate
from valor_core.errors import ParameterError
from valor_core.schemas.text import Text, TextBatch

from .generated import ODD, pairs

RATES = ["WER", "CER", "MER", "WIL"]


def batch_of(*items: tuple[str, str | list[str]]) -> TextBatch:
    return TextBatch.of(
        Text(f"q{i}", response=response, references=references)
        for i, (response, references) in enumerate(items)
    )


def values(items: TextBatch, *metrics: Any) -> list[Any]:
    return [result.value for result in evaluate(items, list(metrics)).results]


def test_rates_of_all_items_by_hand() -> None:
    # reference: the cat sat on the mat   (6 words)
    # response:  the hat sat the mat now  (6 words)
    # the=the, cat->hat, sat=sat, on deleted, the=the, mat=mat, now inserted: H=4, S=D=I=1
    # second item: reference "a b", response "a": H=1, D=1; in all H=5, S=1, D=2, I=1
    # WER = (1+2+1)/(5+1+2) = 4/8; MER = 4/(8+1) = 4/9
    # WIL = 1 - 5/8 * 5/7 = 1 - 25/56 = 31/56 (the responses have 6+1 = 7 words)
    items = batch_of(("the hat sat the mat now", "the cat sat on the mat"), ("a", "a b"))

    assert values(items, "WER", "MER") == [4 / 8, 4 / 9]
    assert values(items, "WIL")[0] == pytest.approx(31 / 56, abs=1e-15)


def test_means_by_hand() -> None:
    # The same items: WER 3/6 and 1/2, mean 1/2; MER 3/7 and 1/2, mean 13/28;
    # WIL 1 - 4/6 * 4/6 = 5/9 and 1 - 1/2 * 1/1 = 1/2, mean 19/36
    items = batch_of(("the hat sat the mat now", "the cat sat on the mat"), ("a", "a b"))

    found = values(items, "MeanWER", "MeanMER", "MeanWIL")

    assert found == pytest.approx([1 / 2, 13 / 28, 19 / 36], abs=1e-15)


def test_characters_by_hand() -> None:
    # "kitten" -> "sitting": two letters replaced, one inserted: 3 edits of 6 characters
    # " a b " -> "ab": white space at the ends is removed; the inner blank is deleted: 1 of 3
    items = batch_of(("sitting", "kitten"), ("ab", " a b "))

    assert values(items, "CER") == [4 / 9]
    assert values(items, "MeanCER")[0] == pytest.approx((3 / 6 + 1 / 3) / 2, abs=1e-15)


def test_reference_with_fewest_edits_per_token_counts() -> None:
    # "a b c d" from "a b": 2 insertions for 2 words, 1; from "a b c d e f g": 3 deletions of 7
    # words, 3/7, with more edits but nearer; from "x": 4 of 1.
    rows = mean_wer(batch_of(("a b c d", ["a b", "a b c d e f g", "x"])), WordRateParameters(), {})

    assert rows[0].value == 3 / 7
    assert rows[0].details == {
        "hits": 4,
        "substitutions": 0,
        "deletions": 3,
        "insertions": 0,
        "wrong": "3 deletions",
        "reference": 1,
    }


def test_first_of_equally_near_references_counts() -> None:
    rows = mean_wer(batch_of(("a b", ["a x", "x b", "a b c d"])), WordRateParameters(), {})

    assert (rows[0].value, rows[0].details["reference"]) == (1 / 2, 0)


def test_insertions_can_exceed_reference() -> None:
    assert values(batch_of(("a b c", "x")), "WER", "MER") == [3, 1]


def test_item_with_empty_reference_has_no_rate() -> None:
    items = batch_of(("a b", " "), ("", ""), ("a", "a"))

    report = evaluate(items, ["MeanWER", "MeanCER", "MeanMER", "MeanWIL"])

    assert [result.value for result in report.results] == [0, 0, 0, 0]
    of_words, of_characters = report.results[:2]
    assert of_words.left_out == {"undefined: reference without words": 2}
    assert of_characters.left_out == {"undefined: reference without characters": 2}


def test_words_without_reference_are_insertions() -> None:
    # 2 insertions for the silence, 1 hit: WER 2/1, MER 2/3, WIL 1 - 1/1 * 1/3
    items = batch_of(("a b", ""), ("a", "a"))

    assert values(items, "WER", "MER", "WIL") == [2, 2 / 3, 1 - 1 / 3]


def test_empty_reference_is_nearest_to_empty_response_only() -> None:
    rows = mean_wer(batch_of(("", ["a", ""]), ("x", ["", "a b"])), WordRateParameters(), {})

    assert rows[0].details["reference"] == 1
    assert rows[1].value == 1


@pytest.mark.parametrize("rate", RATES)
def test_references_without_words_have_no_rate(rate: str) -> None:
    unit = "characters" if rate == "CER" else "words"

    for items in (batch_of(("a", "")), batch_of()):
        (result,) = evaluate(items, [rate]).results
        assert result.undefined == f"no reference with {unit}"


def test_items_without_field_are_excluded_and_counted() -> None:
    items = TextBatch.of(
        [
            Text("q1", response="a", references="b"),
            Text("q2", response="a"),
            Text("q3", references="a"),
            Text("q4"),
        ]
    )
    lacking = {"undefined: no references": 1, "undefined: no response": 2}

    report = evaluate(items, ["WER", "MeanWER"])

    assert [(result.value, dict(result.left_out)) for result in report.results] == [
        (1, lacking),
        (1, lacking),
    ]


@pytest.mark.parametrize("seed", [3, 4])
def test_equal_to_jiwer_over_all_items(seed: int) -> None:
    texts = pairs(400, seed=seed)
    responses, references = map(list, zip(*texts, strict=True))
    words = jiwer.process_words(references, responses)
    characters = jiwer.process_characters(references, responses)

    as_jiwer = [{"name": name, "tokeniser": "jiwer"} for name in ("WER", "MER", "WIL")]
    found = values(batch_of(*texts), *as_jiwer, "CER")

    assert found == [words.wer, words.mer, words.wil, characters.cer]


def test_equal_to_jiwer_item_by_item() -> None:
    texts = [(a, b) for a, b in pairs(400, seed=5) if b.strip()]
    chosen = WordRateParameters(tokeniser="jiwer")

    for score, program in (
        (mean_wer, jiwer.wer),
        (mean_mer, jiwer.mer),
        (mean_wil, jiwer.wil),
    ):
        found = score(batch_of(*texts), chosen, {}).numbers[""].values
        assert found.tolist() == [program(b, a) for a, b in texts]
    found = mean_cer(batch_of(*texts), CharacterRateParameters(), {}).numbers[""].values
    assert found.tolist() == [jiwer.cer(b, a) for a, b in texts]


def test_counts_equal_jiwer() -> None:
    texts = [(a, b) for a, b in pairs(300, seed=6) if b.strip()]
    rows = mean_wer(batch_of(*texts), WordRateParameters(tokeniser="jiwer"), {})

    for row, (response, reference) in zip(rows, texts, strict=True):
        program = jiwer.process_words(reference, response)
        others = ("preparation", "wrong")
        counts = {name: count for name, count in row.details.items() if name not in others}
        assert counts == {
            "hits": program.hits,
            "substitutions": program.substitutions,
            "deletions": program.deletions,
            "insertions": program.insertions,
            "reference": 0,
        }


def test_white_space_separates_words_by_default_and_blanks_for_jiwer() -> None:
    items = batch_of(("a\nb", "a b"))

    assert values(items, "WER", {"name": "WER", "tokeniser": "jiwer"}) == [0, 1]
    assert jiwer.wer("a b", "a\nb") == 1


def test_normaliser_is_applied_before_comparison() -> None:
    items = batch_of(("THE  cat", "the cat"))

    assert values(items, "WER", {"name": "WER", "normaliser": "lower"}) == [1 / 2, 0]


def test_report_contains_preparation() -> None:
    report = evaluate(batch_of(("a", "a")), ["WER", "CER", "MeanMER"])

    assert [dict(result.parameters) for result in report.results] == [
        {"normaliser": "none@1", "tokeniser": "words@1"},
        {"normaliser": "strip@1", "whitespace": True},
        {"normaliser": "none@1", "tokeniser": "words@1"},
    ]


def test_invalid_normaliser_lists_available_ones() -> None:
    with pytest.raises(
        ParameterError, match=r"text\.WER: normaliser must be one of none, lower, lowercase, strip,"
    ):
        evaluate(batch_of(("a", "a")), [{"name": "WER", "normaliser": "lowr"}])


def test_unusual_texts_match_themselves_without_errors() -> None:
    items = batch_of(*zip(ODD, ODD, strict=True))

    assert values(items, "WER", "CER", "MER") == [0, 0, 0]
    assert np.isfinite(values(items, "WIL")[0])


def test_blanks_between_chinese_characters_are_ignored_without_whitespace() -> None:
    items = [
        Text("q1", response="\u4eca\u5929 \u5929\u6c14", references="\u4eca\u5929\u5929\u6c14"),
        Text("q2", response="\u5f88\u3000\u5dee", references="\u5f88\u597d"),
    ]
    chosen = [{"name": name, "whitespace": False} for name in ("CER", "MeanCER")]

    values = [one.value for one in evaluate(items, chosen).results]
    counted = [one.value for one in evaluate(items, ["CER", "MeanCER"]).results]

    # one of six characters is wrong; with blanks, one insertion of four and two edits of two
    assert values == [1 / 6, (0 + 1 / 2) / 2]
    assert counted == [3 / 6, (1 / 4 + 2 / 2) / 2]
