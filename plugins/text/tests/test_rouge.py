"""ROUGE: computed by hand, and compared with rouge_score."""

from __future__ import annotations

import pytest
from rouge_score.rouge_scorer import RougeScorer
from valor_text.metrics.overlap import rouge
from valor_text.normalisers import tokenise
from valor_text.parameters.overlap import ROUGEParameters

from valor_core import evaluate
from valor_core.errors import ParameterError
from valor_core.schemas.text import Text, TextBatch

from .generated import ODD, arrays_only, pairs

score = arrays_only(rouge.score)

MEASURES = ("fmeasure", "precision", "recall")
TYPES = ["rouge1", "rouge2", "rouge4", "rougeL", "rougeLsum"]


def batch_of(*items: tuple[str, str | list[str]]) -> TextBatch:
    return TextBatch.of(
        Text(f"q{place}", response=response, references=references)
        for place, (response, references) in enumerate(items)
    )


def test_by_hand() -> None:
    # response:  the cat sat on the mat      (6 words, 5 bigrams)
    # reference: the cat lay on a mat today  (7 words, 6 bigrams)
    # words in common: the, cat, on, mat: 4; precision 4/6, recall 4/7, F = 2*4/(6+7) = 8/13
    # bigrams in common: "the cat": 1; F = 2*1/(5+6) = 2/11
    # longest common subsequence: the cat on mat: 4; F = 8/13
    items = batch_of(("The cat sat on the mat.", "the cat lay on a mat today"))

    found = score(items, ROUGEParameters(measures=MEASURES), {})

    assert found["rouge1_precision"][0] == 4 / 6
    assert found["rouge1_recall"][0] == 4 / 7
    assert found["rouge1"][0] == pytest.approx(8 / 13, abs=1e-15)
    assert found["rouge2"][0] == pytest.approx(2 / 11, abs=1e-15)
    assert found["rougeL"][0] == found["rouge1"][0]


def test_lines_by_hand() -> None:
    # reference lines: "a b c" and "d e"; response lines: "d e" and "a c x"
    # "a b c" shares "a c" with the second line, "d e" shares "d e" with the first: 4 hits
    # precision 4/5, recall 4/5; whole texts share only "a c" or "d e": rougeL = 2/5
    items = batch_of(("d e\na c x", "a b c\nd e"))

    found = score(items, ROUGEParameters(rouge_types=("rougeL", "rougeLsum")), {})

    assert found["rougeLsum"][0] == pytest.approx(4 / 5, abs=1e-15)
    assert found["rougeL"][0] == pytest.approx(2 / 5, abs=1e-15)


def test_response_word_is_hit_of_one_line() -> None:
    # Both lines of the reference share "a" with the response, which has one: 1 hit of 2.
    items = batch_of(("a", "a\na"))

    found = score(items, ROUGEParameters(rouge_types="rougeLsum", measures=MEASURES), {})

    assert found["rougeLsum_precision"][0] == 1
    assert found["rougeLsum_recall"][0] == 1 / 2


def test_reference_with_best_f_measure_counts() -> None:
    # "a b" and "a b c d": precision 1, recall 1/2, F 2/3; and "a": precision 1/2, recall 1, F 2/3,
    # equal: the first one's precision and recall are returned.
    items = batch_of(("a b", ["x", "a b c d", "a"]))

    found = score(items, ROUGEParameters(rouge_types="rouge1", measures=MEASURES), {})

    assert (found["rouge1_precision"][0], found["rouge1_recall"][0]) == (1, 1 / 2)


def test_text_without_words_scores_zero() -> None:
    found = score(batch_of(("", "a"), ("...", "..."), ("a", "")), ROUGEParameters(), {})

    assert all(numbers.tolist() == [0, 0, 0] for numbers in found.values())


@pytest.mark.parametrize("use_stemmer", [False, True])
def test_equal_to_rouge_score(use_stemmer: bool) -> None:
    texts = pairs(500)
    program = RougeScorer(TYPES, use_stemmer=use_stemmer)
    expected = [program.score(reference, response) for response, reference in texts]

    chosen = ROUGEParameters(rouge_types=TYPES, measures=MEASURES, use_stemmer=use_stemmer)
    found = score(batch_of(*texts), chosen, {})

    for name in TYPES:
        assert found[name].tolist() == [item[name].fmeasure for item in expected]
        assert found[f"{name}_precision"].tolist() == [item[name].precision for item in expected]
        assert found[f"{name}_recall"].tolist() == [item[name].recall for item in expected]


def test_equal_to_rouge_score_of_several_references() -> None:
    program = RougeScorer(TYPES)
    texts = pairs(300, seed=1)
    items = [(texts[i][0], [texts[(i + k) % 300][1] for k in range(i % 4 + 1)]) for i in range(300)]
    expected = [program.score_multi(references, response) for response, references in items]

    found = score(batch_of(*items), ROUGEParameters(rouge_types=TYPES, measures=MEASURES), {})

    for name in TYPES:
        assert found[name].tolist() == [item[name].fmeasure for item in expected]
        assert found[f"{name}_recall"].tolist() == [item[name].recall for item in expected]


def test_equal_to_rouge_score_on_lines_that_repeat() -> None:
    source = pairs(200, seed=2, longest=60)
    texts = [(a.replace(" ", "\n", 9), b.replace(" ", "\n", 7)) for a, b in source]
    program = RougeScorer(["rougeLsum"])

    found = score(batch_of(*texts), ROUGEParameters(rouge_types="rougeLsum"), {})

    expected = [program.score(b, a)["rougeLsum"].fmeasure for a, b in texts]
    assert found["rougeLsum"].tolist() == expected


def test_report_has_mean() -> None:
    report = evaluate(batch_of(("a b", "a b"), ("a", "b")), ["ROUGE"])

    assert report["ROUGE"].value == {
        "rouge1": 0.5,
        "rouge2": 0.5,
        "rougeL": 0.5,
        "rougeLsum": 0.5,
    }


def test_unknown_type_is_rejected() -> None:
    with pytest.raises(
        ParameterError,
        match="rouge_types must be rouge1 to rouge9, rougeL or rougeLsum, got 'rouge0'",
    ):
        ROUGEParameters(rouge_types=["rouge0"])


def test_unusual_texts_match_themselves() -> None:
    program = RougeScorer(["rouge1"])
    found = score(batch_of(*zip(ODD, ODD, strict=True)), ROUGEParameters(rouge_types="rouge1"), {})

    assert found["rouge1"].tolist() == [program.score(t, t)["rouge1"].fmeasure for t in ODD]


def test_item_without_references_is_undefined() -> None:
    items = [Text("q1", response="a", references="a"), Text("q2", response="a"), Text("q3")]

    result = evaluate(items, [{"name": "ROUGE", "rouge_types": "rouge1"}])["ROUGE"].only

    assert result.value == {"rouge1": 1.0}
    assert dict(result.left_out) == {
        "rouge1: undefined: no references": 1,
        "rouge1: undefined: no response": 1,
    }


def _words_of_any_script(text: str) -> list[str]:
    return tokenise([text], "unicode_words").of(0)


class _UnicodeTokenizer:
    def tokenize(self, text: str) -> list[str]:
        return _words_of_any_script(text)


def test_equal_to_rouge_score_with_a_tokenizer_for_all_alphabets() -> None:
    texts = [*pairs(150, seed=8), *zip(ODD, reversed(ODD), strict=True)]
    texts += [(f"{a}\n{b}\n\n{a}", f"{b}\n{a}") for a, b in pairs(50, seed=9)]
    program = RougeScorer(TYPES, tokenizer=_UnicodeTokenizer())
    chosen = ROUGEParameters(rouge_types=tuple(TYPES), measures=MEASURES, tokeniser="unicode_words")

    found = score(batch_of(*texts), chosen, {})

    for number, (response, reference) in enumerate(texts):
        expected = program.score(reference, response)
        for name in TYPES:
            assert found[name][number] == expected[name].fmeasure
            assert found[f"{name}_recall"][number] == expected[name].recall


def test_rouge_lsum_of_lines_in_another_tokeniser_by_hand() -> None:
    items = batch_of(("\u0431 \u0430\n\u0433 \u0432", "\u0430 \u0431\n\u0432 \u0433"))
    chosen = ROUGEParameters(rouge_types=("rougeL", "rougeLsum"), tokeniser="words")

    found = score(items, chosen, {})

    # by lines, both words of each line are in the union; in the whole text, two of four are in
    # order
    assert (found["rougeL"].tolist(), found["rougeLsum"].tolist()) == ([0.5], [0.5])


def test_rouge_with_normaliser_splits_lines_first() -> None:
    items = batch_of(("THE END\nA CAT", "a cat\nthe end"))
    chosen = ROUGEParameters(rouge_types=("rougeL", "rougeLsum"), normaliser="lower")

    found = score(items, chosen, {})

    assert (found["rougeL"].tolist(), found["rougeLsum"].tolist()) == ([0.5], [1.0])
