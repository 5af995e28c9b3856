"""Warnings of texts that a normaliser or tokeniser empties, truncates or does not split."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from cases import for_each

from valor_core import Evaluator, Report, Text, evaluate

CHINESE = "\u4eca\u5929\u5929\u6c14\u5f88\u597d"
THAI = "\u0e41\u0e21\u0e27\u0e2b\u0e25\u0e31\u0e1a\u0e2d\u0e22\u0e39\u0e48\u0e1a\u0e49\u0e32\u0e19"
RUSSIAN = "\u043a\u043e\u0448\u043a\u0430 \u0441\u043f\u0438\u0442"
ALPHABETS = {
    "Nepali": "\u0939\u093f\u092e\u093e\u0932\u092f \u0905\u0917\u094d\u0932\u094b \u091b",
    "Russian": RUSSIAN,
    "Greek": "\u03b7 \u03b3\u03ac\u03c4\u03b1 \u03ba\u03bf\u03b9\u03bc\u03ac\u03c4\u03b1\u03b9",
    "Arabic": "\u0627\u0644\u0642\u0637\u0629 \u0646\u0627\u0626\u0645\u0629",
    "Thai": THAI,
    "Korean": "\uace0\uc591\uc774\uac00 \uc794\ub2e4",
    "Japanese": "\u732b \u304c \u7720\u308b",
    "Chinese": CHINESE,
}
ROUGE1: dict[str, Any] = {"name": "ROUGE", "rouge_types": ["rouge1"]}


def report_of(metric: Any, *texts: tuple[str, str | list[str]]) -> Report:
    items = [Text(f"q{i}", response=a, references=b) for i, (a, b) in enumerate(texts)]
    return evaluate(items, [metric])


@pytest.mark.parametrize("text", ALPHABETS.values(), ids=ALPHABETS)
def test_rouge_of_unsupported_alphabet_gets_a_warning(text: str) -> None:
    report = report_of(ROUGE1, (text, text))
    chosen = report_of(ROUGE1 | {"tokeniser": "unicode_words"}, (text, text))

    assert report["ROUGE"].value == {"rouge1": 0.0}
    assert len(report.warnings) == 1
    assert "set tokeniser: unicode_words" in report.warnings[0]
    assert chosen["ROUGE"].value == {"rouge1": 1.0}


def test_rouge_warns_about_dropped_letters() -> None:
    # f, llt in both texts: the two verbs become equal
    report = report_of(ROUGE1, ("er f\u00e4llt", "er f\u00fcllt"), ("a cat", "a cat"))
    chosen = report_of(ROUGE1 | {"tokeniser": "unicode_words"}, ("er f\u00e4llt", "er f\u00fcllt"))

    assert report.warnings == (
        "text.ROUGE: tokeniser 'rouge' drops letters other than a to z in 1 item (first: 'q0'), "
        "whose scores are not meaningful; set tokeniser: unicode_words",
    )
    assert chosen["ROUGE"].value == {"rouge1": 0.5}


def test_accented_name_in_long_english_text_gets_no_warning() -> None:
    text = (
        "the song of Beyonc\u00e9 was the best one of the whole evening for all of us there "
        + "and so it was " * 9
    )

    assert report_of(ROUGE1, (text, text)).warnings == ()


def test_accents_in_less_than_one_percent_of_items_get_no_warning() -> None:
    plain = [("Paris", "Paris")] * 100

    assert report_of(ROUGE1, ("caf\u00e9", "caf\u00e9"), *plain).warnings == ()
    assert len(report_of(ROUGE1, ("caf\u00e9", "caf\u00e9"), *plain[:99]).warnings) == 1


@for_each(
    ("metric", "value"),
    [
        ("TokenF1", 0.0),
        ("BLEU", 0.0),
        ("CorpusBLEU", 0.0),
        ({"name": "CorpusBLEU", "definition": "sacrebleu"}, 0.0),
        ("GLEU", 0.0),
        ("CorpusGLEU", 0.0),
        ("WER", 1.0),
        ("MER", 1.0),
        ("WIL", 1.0),
        ("MeanWER", 1.0),
        ("WordErrors", None),
        ({"name": "EditDistance", "tokeniser": "words"}, 1.0),
        ("TER", 1.0),
        ("CorpusTER", 1.0),
        ({"name": "METEOR", "synonyms": "none"}, 0.0),
    ],
)
def test_chinese_text_of_one_token_gets_a_warning(metric: Any, value: float | None) -> None:
    nearly = CHINESE[:-1] + "\u5dee"  # five of six characters are equal
    report = report_of(metric, (nearly, CHINESE))

    assert value is None or report.results[0].value == value
    assert len(report.warnings) == 1
    assert (
        "does not split the Chinese or Japanese text of 1 item (first: 'q0')" in report.warnings[0]
    )


def test_remedy_for_chinese_texts_gives_a_score() -> None:
    nearly = CHINESE[:-1] + "\u5dee"
    chosen = {"tokeniser": "unicode_words"}
    report = evaluate(
        [Text("q0", response=nearly, references=CHINESE)],
        [{"name": "TokenF1"} | chosen, {"name": "WER"} | chosen],
    )
    ter = report_of({"name": "TER", "normalized": True, "asian_support": True}, (nearly, CHINESE))

    assert [one.value for one in report.results] == [pytest.approx(5 / 6), 1 / 6]
    assert ter["TER"].value == 1 / 6
    assert report.warnings == ter.warnings == ()


@pytest.mark.parametrize(
    "text",
    [
        "\u4eca\u5929 \u5929\u6c14 \u5f88 \u597d",  # words are separated
        "the company \u534e\u4e3a\u6280\u672f\u6709\u9650\u516c\u53f8 of Shenzhen",
        "\u5317\u4eac",
        RUSSIAN,
        "\ud55c\uad6d\uc5b4 \ubb38\uc7a5",
    ],
)
def test_words_of_other_scripts_get_no_warning(text: str) -> None:
    assert report_of("TokenF1", (text, text)).warnings == ()


@pytest.mark.parametrize("response", ["\u5317\u4eac\u5e02", "\u5317"])
def test_part_of_short_chinese_text_that_scores_zero_gets_a_warning(response: str) -> None:
    """Beijing and Beijing City: one token each, not equal, so F1 is 0 instead of 0.8."""
    report = report_of("TokenF1", (response, "\u5317\u4eac"))

    assert report["TokenF1"].value == 0.0
    assert report.warnings[0].endswith("set tokeniser: unicode_words")
    assert report_of("TokenF1", ("in \u5317\u4eac", "\u5317\u4eac")).warnings == ()


def test_thai_words_are_not_split_by_unicode_words() -> None:
    report = report_of({"name": "TokenF1", "tokeniser": "unicode_words"}, (THAI, THAI))
    chosen = report_of({"name": "TokenF1", "tokeniser": "char"}, (THAI, THAI))

    assert report.warnings[0].endswith("set tokeniser: char")
    assert chosen.warnings == ()


def test_choice_removed_by_squad_normaliser_gets_a_warning() -> None:
    texts = ("A", "A"), ("The", "A"), ("B", ["B", "A"]), ("...", "Paris")
    report = report_of("TokenF1", *texts)
    exact = report_of({"name": "ExactMatch", "normaliser": "squad"}, *texts)
    chosen = report_of({"name": "TokenF1", "normaliser": "lower"}, *texts)

    assert report.warnings == (
        "text.TokenF1: normaliser 'squad' leaves no text of a reference of 2 items (first: 'q0'), "
        "whose scores are not meaningful; set normaliser: lower",
    )
    assert exact.warnings == (report.warnings[0].replace("TokenF1", "ExactMatch"),)
    assert (chosen.warnings, chosen["TokenF1"].value) == ((), 0.5)


def test_empty_reference_gets_no_warning() -> None:
    choice = {"name": "TokenF1", "no_answer": True}

    assert report_of(choice, ("", ""), ("", []), ("a cat", "a cat")).warnings == ()


def test_punctuation_removed_by_ter_gets_a_warning() -> None:
    report = report_of({"name": "CorpusTER", "no_punct": True}, ("?!", "?!"))

    assert report.warnings == (
        "text.CorpusTER: no_punct leaves no token of a reference of 1 item (first: 'q0'), "
        "whose scores are not meaningful; set no_punct: false",
    )


def test_warnings_are_the_same_for_every_split_and_order(tmp_path: Path) -> None:
    texts = [CHINESE, "A", THAI, RUSSIAN, "a cat", "er f\u00e4llt"] * 4
    items = [Text(i, response=text, references=text) for i, text in enumerate(texts)]
    metrics: list[Any] = ["TokenF1", "ROUGE", "CorpusBLEU", "WER", "MeanWER", "CorpusTER"]
    whole = evaluate(items, metrics)
    assert len(whole.warnings) > len(metrics)

    for seed in range(3):
        random.Random(seed).shuffle(items)
        parts = [Evaluator(metrics, "text") for _ in range(3)]
        for number, part in enumerate(parts):
            part.update(items[number::3])
            part.save(tmp_path / f"{number}.npz")
        merged = Evaluator.load(tmp_path / "2.npz")
        for number in range(2):
            merged.merge(Evaluator.load(tmp_path / f"{number}.npz"))
        assert merged.compute().warnings == whole.warnings


def test_row_details_contain_the_fault() -> None:
    items = [
        Text("q1", response=CHINESE, references=CHINESE),
        Text("q2", response="a", references="a"),
    ]
    report = evaluate(items, ["MeanWER", "BLEU"], items=True)

    wer, bleu = (table.rows for table in report.items)
    assert wer[0].details["preparation"] == "Chinese or Japanese text not split"
    assert "preparation" not in wer[1].details
    assert bleu[0].details["preparation"] == "Chinese or Japanese text not split"
    assert "wrong" not in bleu[0].details
    assert dict(bleu[1].details) == {"truth": "a", "prediction": "a"}
