"""WordErrors: counts and worst items, computed by hand."""

from __future__ import annotations

import jiwer
import pytest

from valor_core import Evaluator, evaluate
from valor_core.schemas.text import Text, TextBatch

from .generated import pairs


def batch_of(*items: tuple[str | int, str, str | list[str]]) -> TextBatch:
    return TextBatch.of(Text(uid, response=said, references=wanted) for uid, said, wanted in items)


def test_worst_items_are_aligned_word_by_word() -> None:
    # q1: 1 of 3 words wrong. q2: 2 of 2. q3: none, not listed.
    items = batch_of(
        ("q1", "the cat sits", "the cat sat"),
        ("q2", "no so", "yes"),
        ("q3", "right", "right"),
    )

    value = evaluate(items, ["WordErrors"])["WordErrors"].value

    assert {name: value[name] for name in list(value)[:4]} == {
        "hits": 3,
        "substitutions": 2,
        "deletions": 0,
        "insertions": 1,
    }
    assert value["worst"] == [
        {
            "uid": "q2",
            "rate": 2,
            "hits": 0,
            "substitutions": 1,
            "deletions": 0,
            "insertions": 1,
            "aligned": [[None, "no"], ["yes", "so"]],
        },
        {
            "uid": "q1",
            "rate": 1 / 3,
            "hits": 2,
            "substitutions": 1,
            "deletions": 0,
            "insertions": 0,
            "aligned": [["the", "the"], ["cat", "cat"], ["sat", "sits"]],
        },
    ]


def test_ranked_by_rate_then_by_edits_then_by_uid() -> None:
    # rates: silence infinite, 10 and 9 both 1/1, 8 with 2/2, 7 with 1/2
    items = batch_of(
        (10, "x", "a"), (9, "x", "a"), (8, "x y", "a b"), (7, "a x", "a b"), (6, "x", "")
    )

    chosen = {"name": "WordErrors", "worst": 4}
    worst = evaluate(items, [chosen])["WordErrors"].value["worst"]

    assert [item["uid"] for item in worst] == [6, 8, 9, 10]
    assert [item["rate"] for item in worst] == [None, 1, 1, 1]


def test_details_show_compared_numbers() -> None:
    items = batch_of(("q1", "The CAT", ["a dog", "the cat!"]))
    chosen = {"name": "WordErrors", "normaliser": "lower"}

    (item,) = evaluate(items, [chosen])["WordErrors"].value["worst"]

    assert item["aligned"] == [["the", "the"], ["cat!", "cat"]]


def test_no_worst_items_are_listed_by_default_of_zero() -> None:
    chosen = {"name": "WordErrors", "worst": 0}

    value = evaluate(batch_of(("q1", "a", "b")), [chosen])["WordErrors"].value

    assert (value["substitutions"], value["worst"]) == (1, [])


def test_requests_for_different_numbers_of_items_share_a_state() -> None:
    items = batch_of(*((index, "x", "a " * index) for index in range(1, 9)))
    few, many = {"name": "WordErrors", "worst": 2}, {"name": "WordErrors", "worst": 6}

    report = evaluate(items, [few, many, "WER"])

    uids = [[item["uid"] for item in result.value["worst"]] for result in report.results[:2]]
    # All words are wrong everywhere; items with most deletions have most words.
    assert uids == [[8, 7], [8, 7, 6, 5, 4, 3]]
    # Each response is a substitution; the other 0 to 7 words are deleted: 8 + 28 of 36 words.
    assert report["WER"].value == 1


def test_merged_states_keep_worst_items_of_all() -> None:
    texts = pairs(300, seed=8)
    items = [Text(index, response=a, references=b) for index, (a, b) in enumerate(texts)]
    expected = evaluate(items, ["WordErrors"])["WordErrors"].value

    one, other = (Evaluator(metrics=["WordErrors"], task="text") for _ in range(2))
    for start in range(0, len(items), 25):
        (one if start % 3 else other).update(items[start : start + 25])
    one.merge(other)

    assert one.compute()["WordErrors"].value == expected


def test_counts_and_words_equal_jiwer() -> None:
    texts = [(a, b) for a, b in pairs(150, seed=9) if b.strip()]
    items = [Text(index, response=a, references=b) for index, (a, b) in enumerate(texts)]
    chosen = {"name": "WordErrors", "tokeniser": "jiwer", "worst": len(texts)}

    value = evaluate(items, [chosen])["WordErrors"].value

    responses, references = map(list, zip(*texts, strict=True))
    program = jiwer.process_words(references, responses)
    kinds = ("hits", "substitutions", "deletions", "insertions")
    assert [value[kind] for kind in kinds] == [getattr(program, kind) for kind in kinds]
    for item in value["worst"]:
        assert [tuple(pair) for pair in item["aligned"]] == _aligned(program, item["uid"])


def _aligned(program: jiwer.WordOutput, index: int) -> list[tuple[str | None, str | None]]:
    aligned: list[tuple[str | None, str | None]] = []
    for chunk in program.alignments[index]:
        wanted = program.references[index][chunk.ref_start_idx : chunk.ref_end_idx]
        said = program.hypotheses[index][chunk.hyp_start_idx : chunk.hyp_end_idx]
        length = max(len(wanted), len(said))
        wanted, said = (side or [None] * length for side in (wanted, said))
        aligned += zip(wanted, said, strict=True)
    return aligned


@pytest.mark.parametrize("worst", [-1, 1.5, "all"])
def test_number_of_items_is_a_natural_number(worst: object) -> None:
    with pytest.raises(Exception, match="worst must"):
        evaluate(batch_of(("q1", "a", "b")), [{"name": "WordErrors", "worst": worst}])
