"""Translation edit rate: computed by hand, and compared with sacrebleu."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from sacrebleu.metrics.ter import TER
from valor_text.metrics.edits import ter
from valor_text.normalisers.tercom import tokens
from valor_text.parameters.edits import TERParameters

from valor_core import evaluate
from valor_core.schemas.text import Text, TextBatch

from .generated import ODD, arrays_only, pairs

score = arrays_only(ter.score)

FLAGS = [
    {},
    {"normalized": True},
    {"no_punct": True},
    {"normalized": True, "no_punct": True, "case_sensitive": True},
    {"normalized": True, "asian_support": True},
    {"no_punct": True, "asian_support": True},
]

_MARKS = "ab1-.,'s\"&$<>()/_~` \n\t\u0410ß\u4e2d\u3042\u30ab\u3002\uff01\u30fb\u3f00\x00"


def batch_of(*items: tuple[str, str | list[str]]) -> TextBatch:
    return TextBatch.of(
        Text(f"q{number}", response=response, references=references)
        for number, (response, references) in enumerate(items)
    )


def rates(*items: tuple[str, str | list[str]], **chosen: bool) -> list[float]:
    found: list[float] = score(batch_of(*items), TERParameters(**chosen), {}).tolist()
    return found


def shuffled(count: int, seed: int, words: int) -> list[tuple[str, str]]:
    """Generate pairs of texts of few words, with moved runs."""
    source = Random(seed)
    made = []
    for _ in range(count):
        reference = source.choices("abcdefghij"[: source.randint(2, 10)], k=words)
        response = list(reference)
        for _ in range(source.randint(0, 4)):
            start, stop = sorted(source.choices(range(words + 1), k=2))
            run, response[start:stop] = response[start:stop], []
            at = source.randint(0, len(response))
            response[at:at] = run
            response[source.randrange(words)] = source.choice("abcxyz")
        made.append((" ".join(response), " ".join(reference)))
    return made


def test_by_hand() -> None:
    # "b c" is moved before "a": 1 shift; "x" is replaced by "d": 1 substitution; 2 of 4 words
    # Without the shift: "a" deleted, "a" inserted, "x" replaced: 3 edits.
    assert rates(("b c a x", "a b c d")) == [2 / 4]


def test_example_of_paper() -> None:
    # Snover et al., section 3: "this week" is shifted, "in" and "announced" are missing or wrong
    # reference:  SAUDI ARABIA denied THIS WEEK information published in the AMERICAN new york times
    # hypothesis: THIS WEEK THE SAUDIS denied information published in the new york times
    # 1 shift, 2 substitutions and 1 insertion: 4 edits of 13 words
    reference = "SAUDI ARABIA denied THIS WEEK information published in the AMERICAN new york times"
    response = "THIS WEEK THE SAUDIS denied information published in the new york times"

    assert rates((response, reference)) == [4 / 13]


def test_fewest_edits_per_mean_length_of_references() -> None:
    # 1 edit from "a b c", 2 from "a b"; the references have 2.5 words on average
    assert rates(("a b x d", ["a b", "a b c d e f", "a b c d"])) == [1 / 4]


def test_references_without_words() -> None:
    assert rates(("a b", ""), ("", ""), ("a", ["", ""]), ("", "a b")) == [1, 0, 1, 1]


def test_all_items_by_hand() -> None:
    # edits 2 and 1, words 4 and 2: 3/6; the mean of 2/4 and 1/2 is 1/2; with a third item without
    # words in its reference, 2 edits more: 5/6.
    items = [("b c a x", "a b c d"), ("a x", "a b")]

    for more, expected in (([], 3 / 6), ([("x y", "")], 5 / 6)):
        report = evaluate(batch_of(*items, *more), ["CorpusTER"])
        assert report["CorpusTER"].value == expected


def test_items_without_references_are_excluded_from_corpus() -> None:
    items = TextBatch.of([Text("q1", response="a", references="b"), Text("q2", response="a")])

    (result,) = evaluate(items, ["CorpusTER"]).results
    (none,) = evaluate(items.select([1]), ["CorpusTER"]).results

    assert (result.value, result.left_out) == (1, {"undefined: no references": 1})
    assert none.undefined == "no items"


@pytest.mark.parametrize("flags", FLAGS, ids=str)
def test_tokens_equal_sacrebleu(flags: dict[str, Any]) -> None:
    source = Random(1)
    noise = ["".join(source.choices(_MARKS, k=source.randint(0, 14))) for _ in range(3000)]
    written = [text for pair in pairs(100, seed=2) for text in pair]
    special = ["John's 'S 's", "it's", "'s", "&quot;a&amp;lt;", "a\n-b", ".5 5. 1,2,a", "\u3042a"]
    texts = [*ODD, *special, *noise, *written]

    found = tokens(texts, **flags)

    program = TER(**flags)
    expected = [program._preprocess_segment(text).split() for text in texts]
    assert [found.of(number) for number in range(len(texts))] == expected


@pytest.mark.parametrize("flags", FLAGS[:2], ids=str)
def test_equal_to_sacrebleu(flags: dict[str, Any]) -> None:
    texts = pairs(60, seed=3, longest=12) + shuffled(100, 4, 8)

    found = rates(*texts, **flags)

    program = TER(**flags)
    expected = [program.sentence_score(a, [b]).score for a, b in texts]
    assert [100 * rate for rate in found] == expected


def test_equal_to_sacrebleu_over_all_items() -> None:
    texts = pairs(30, seed=7, longest=9) + shuffled(40, 8, 6)

    corpus = evaluate(batch_of(*texts), ["CorpusTER"])["CorpusTER"].value

    references = [[b for _, b in texts]]
    assert 100 * corpus == TER().corpus_score([a for a, _ in texts], references).score


def test_equal_to_sacrebleu_at_search_limit() -> None:
    # Few words and many positions: shifting stops after 1,000 attempts, with 19 edits for 40 words.
    # With all shifts, 15 edits would remain.
    response = "c d b d d b c c b a b d a b c c c b c c a c c d b a b c b b a d a b b a c d b c c"
    reference = "c a d b c c d b c a c c c b d a a d b a d a d a d d b c d b d b c c d a b a b b"

    assert rates((response, reference)) == [TER().sentence_score(response, [reference]).score / 100]


def test_equal_to_sacrebleu_of_texts_of_very_different_length() -> None:
    words = [" ".join("abc"[(i * i + i // 3) % 3] for i in range(n)) for n in (1, 2, 3, 30, 120)]
    texts = [(one, other) for one in words for other in words]

    program = TER()
    expected = [program.sentence_score(a, [b]).score for a, b in texts]
    assert [100 * rate for rate in rates(*texts)] == expected


def test_equal_to_sacrebleu_of_several_references() -> None:
    texts = shuffled(80, 6, 7)
    items = [(texts[i][0], [texts[(i + k) % 80][1] for k in range(3)]) for i in range(80)]

    program = TER()
    found = rates(*items)

    expected = [program.sentence_score(a, references).score for a, references in items]
    assert [100 * rate for rate in found] == expected
    corpus = evaluate(batch_of(*items), ["CorpusTER"])["CorpusTER"].value
    columns = [[references[k] for _, references in items] for k in range(3)]
    score_of_all = program.corpus_score([a for a, _ in items], columns).score
    assert 100 * corpus == pytest.approx(score_of_all, rel=1e-14)


def test_report_has_mean() -> None:
    report = evaluate(batch_of(("a", "a"), ("a x", "a b")), ["translation_edit_rate"])

    (result,) = report.results
    assert (result.type, result.value) == ("TER", 1 / 4)
    assert result.parameters["normalized"] is False
