"""TokenF1 and ExactMatch: computed by hand, and compared with SQuAD's evaluation scripts."""

from __future__ import annotations

import json
import re
import string
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from valor_text.metrics.answers import matching, token_f1
from valor_text.parameters.answers import ExactMatchParameters, TokenF1Parameters

from valor_core import Undefined, evaluate
from valor_core.errors import ParameterError
from valor_core.schemas.text import Text, TextBatch

from .generated import numbers_only, pairs

RECORDED = [
    json.loads(line)
    for line in (Path(__file__).parent / "golden" / "squad.jsonl").read_text("utf-8").splitlines()
]
"""Answers, with recorded results of SQuAD's scripts 1.1 (f1, exact) and 2.0 (f1_2, exact_2)."""


def batch_of(*items: tuple[str, str | list[str]]) -> TextBatch:
    return TextBatch.of(
        Text(f"q{number}", response=response, references=references)
        for number, (response, references) in enumerate(items)
    )


def recorded(rows: list[dict[str, Any]]) -> TextBatch:
    return batch_of(*((row["response"], row["references"]) for row in rows))


def f1(batch: TextBatch, **parameters: Any) -> list[float]:
    found = numbers_only(token_f1.score)(batch, TokenF1Parameters(**parameters), {})
    return [found.at(number) for number in range(len(batch))]


def exact(batch: TextBatch, **parameters: Any) -> list[float]:
    found = numbers_only(matching.exact_match)(batch, ExactMatchParameters(**parameters), {})
    return [found.at(number) for number in range(len(batch))]


@pytest.mark.parametrize(
    ("response", "references", "expected"),
    [
        # cat sat on mat | cat lay on mat: 3 in common; precision 3/4, recall 3/4
        ("The cat sat on a mat.", "the cat lay on the mat", (3 / 4, 3 / 4, 3 / 4)),
        # paris france | paris: precision 1/2, recall 1, F1 = 2 * 1/2 / (3/2) = 2/3
        ("Paris, France", "Paris", (2 / 3, 1 / 2, 1)),
        # best of two: 2/3 of "paris", 2 * 1 * 2/3 / (5/3) = 4/5 of "paris france europe"
        ("Paris, France", ["Paris", "Paris France Europe"], (4 / 5, 1, 2 / 3)),
        # a word counts as often as in both texts: ha ha ha | ha ha: 2; precision 2/3, recall 1
        ("ha ha ha", "ha ha", (4 / 5, 2 / 3, 1)),
        ("blue", "red", (0, 0, 0)),
        ("the", "a", (0, 0, 0)),  # no words remain: SQuAD's first script returns 0
    ],
)
def test_f1_by_hand(
    response: str, references: str | list[str], expected: tuple[float, float, float]
) -> None:
    measures = ("f1", "precision", "recall")
    parameters = TokenF1Parameters(measures=measures)

    found = numbers_only(token_f1.score)(batch_of((response, references)), parameters, {})

    assert [found[name].at(0) for name in measures] == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("response", "references", "expected"),
    [
        ("Paris", "Paris", (1, 1)),
        ("paris.", "Paris", (0, 1)),
        ("the Paris", ["London", "Paris"], (0, 1)),
        ("Paris France", "Paris", (0, 0)),
        ("", "", (1, 1)),
        ("the", "", (0, 1)),
    ],
)
def test_exact_by_hand(
    response: str, references: str | list[str], expected: tuple[float, float]
) -> None:
    batch = batch_of((response, references))

    assert (exact(batch)[0], exact(batch, normaliser="squad")[0]) == expected


@pytest.mark.parametrize(
    ("response", "references", "expected"),
    [
        ("", [], 1),  # unanswerable, and not answered
        ("Paris", [], 0),
        ("the", [], 1),  # the response is empty after normalisation
        ("", [""], 1),
        ("", ["", "the"], 1),
        ("", ["", "Paris"], 0),  # there is an answer: the empty reference is ignored
        ("Paris", ["", "Paris"], 1),
    ],
)
def test_no_answer_by_hand(response: str, references: list[str], expected: float) -> None:
    batch = batch_of((response, references))

    assert f1(batch, no_answer=True) == [expected]
    assert exact(batch, no_answer=True, normaliser="squad") == [expected]


def test_equal_to_the_first_script() -> None:
    rows = [row for row in RECORDED if row["references"]]

    assert f1(recorded(rows)) == [row["f1"] for row in rows]
    assert exact(recorded(rows), normaliser="squad") == [row["exact"] for row in rows]


def test_equal_to_the_second_script() -> None:
    batch = recorded(RECORDED)

    assert f1(batch, no_answer=True) == [row["f1_2"] for row in RECORDED]
    found = exact(batch, no_answer=True, normaliser="squad")
    assert found == [row["exact_2"] for row in RECORDED]


def plain_f1(response: str, reference: str) -> float:
    """Compute SQuAD's definition for one answer."""

    def words(text: str) -> list[str]:
        bare = "".join(letter for letter in text.lower() if letter not in string.punctuation)
        return re.sub(r"\b(a|an|the)\b", " ", bare).split()

    said, wanted = words(response), words(reference)
    common = (Counter(said) & Counter(wanted)).total()
    if not common:
        return 0.0
    precision, recall = common / len(said), common / len(wanted)
    return (2 * precision * recall) / (precision + recall)


def test_equal_to_the_definition_over_generated_texts() -> None:
    texts = pairs(1500, seed=4)
    items = [(texts[i][0], [texts[i - k][1] for k in range(i % 3 + 1)]) for i in range(len(texts))]

    expected = [max(plain_f1(said, one) for one in wanted) for said, wanted in items]

    assert f1(batch_of(*items)) == expected


def test_other_normalisers_give_other_tokens() -> None:
    batch = batch_of(("Stra\u00dfe 5", "STRASSE 7"))

    assert f1(batch) == [0]
    # strasse 5 | strasse 7: 1 of 2 in common
    assert f1(batch, normaliser="unicode", tokeniser="unicode_words") == [1 / 2]


def test_items_without_references_are_undefined() -> None:
    batch = batch_of(("a b", "b"), ("b", []), ("c", ["d", "c"]))

    assert f1(batch) == [1.0, Undefined("no references"), 1.0]
    assert exact(batch) == [0.0, Undefined("no references"), 1.0]
    assert f1(batch.select([1])) == [Undefined("no references")]
    assert (
        f1(batch.select([])) == exact(batch.select([])) == exact(batch.select([]), no_answer=True)
    )


def test_report_has_means() -> None:
    batch = batch_of(("b c", "b"), ("b", []), ("c", ["d", "c"]))

    report = evaluate(
        batch, ["TokenF1", "ExactMatch", {"name": "TokenF1", "measures": ["f1", "recall"]}]
    )

    assert report.results[0].value == (2 / 3 + 1) / 2
    assert report.results[0].left_out == {"undefined: no references": 1}
    assert report["ExactMatch"].value == 1 / 2
    assert report.results[2].value == {"f1": (2 / 3 + 1) / 2, "recall": 1.0}


def test_item_without_response_is_undefined() -> None:
    report = evaluate([Text("q1", references="a")], ["TokenF1", "ExactMatch"])

    assert [result.value for result in report.results] == [Undefined("no items with a score")] * 2
    assert report["TokenF1"][0].left_out == {"undefined: no response": 1}


def test_invalid_normaliser_is_rejected() -> None:
    with pytest.raises(
        ParameterError, match="normaliser must be one of none, lower, lowercase, strip, squad,"
    ):
        TokenF1Parameters(normaliser="squat")
    with pytest.raises(ParameterError, match="normaliser must be squad or squad@1, got 'squad@2'"):
        TokenF1Parameters(normaliser="squad@2")


def test_report_has_versions() -> None:
    report = evaluate(batch_of(("a", "a")), [{"name": "TokenF1", "normaliser": "unicode"}])

    assert report["TokenF1"][0].parameters["normaliser"] == "unicode@2"
    assert report["TokenF1"][0].parameters["tokeniser"] == "words@1"
