"""ChoiceMatch: responses as written by people and models."""

from __future__ import annotations

import re

import pytest
from cases import for_each
from valor_text.metrics.answers.choice_match import score
from valor_text.parameters.answers import ChoiceMatchParameters

from valor_core import Text, Undefined, evaluate
from valor_core.errors import ParameterError
from valor_core.schemas.text import TextBatch


def read(response: str, reference: str = "B", **chosen: object) -> object:
    batch = TextBatch.of([Text("q1", response=response, references=reference)])
    (one,) = score(batch, ChoiceMatchParameters(**chosen), {})
    return one.details.get("ambiguous") or one.details.get("read")


@for_each(
    ("response", "letter"),
    [
        ("B", "B"),
        ("b", "B"),
        (" (B) ", "B"),
        ("(b)", "B"),
        ("B.", "B"),
        ("B)", "B"),
        ("[B]", "B"),
        ("**B**", "B"),
        ("**B.** Paris", "B"),
        ("B: Paris", "B"),
        ("Option B", "B"),
        ("Answer: B", "B"),
        ("Answer: (B) Paris", "B"),
        ("The answer is (B)", "B"),
        ("The answer is **B**.", "B"),
        ("The correct answer is option B because A is too small.", "B"),
        ("The answer is A because it is.", "A"),
        ("I would choose C, not A.", "C"),
        ("the answer is b.", "B"),
        (r"So $\boxed{B}$, though (A) is near.", "B"),
        (r"\boxed{\text{(C)}}", "C"),
        ("A. Rome\nB. Paris\nC. Oslo\nD. Bern\n\nFinal answer: B", "B"),
        ("Paris is right, so it has to be (B) here.", "B"),
        # several letters are not a choice
        ("(A) or (B)", ["A", "B"]),
        ("The answer is A. No, the answer is B.", ["A", "B"]),
        ("A. Rome\nB. Paris", ["A", "B"]),
        # no letter
        ("A cat sat on B Street", None),
        ("The answer is a good one", None),
        ("The answer is A good one", None),
        ("B and C", None),
        ("E", None),
        ("Because", None),
        ("f(a)", None),
        ("B.C. 44", None),
        ("", None),
    ],
)
def test_letter_of_text(response: str, letter: object) -> None:
    assert read(response) == letter


def test_choices_can_be_other_letters_and_digits() -> None:
    assert read("(E)", "E", choices=("A", "B", "C", "D", "E")) == "E"
    assert read("Answer: 2", "2", choices=("1", "2", "3")) == "2"


def test_share_of_correct_letters_by_hand() -> None:
    items = [
        Text("q1", response="The answer is (B).", references="B"),
        Text("q2", response="A", references="(b)"),
        Text("q3", response="(A) or (B)", references="B"),
        Text("q4", response="C. Oslo", references=["B", "C"]),
        Text("q5", response="B", references="Paris"),
    ]
    report = evaluate(items, ["ChoiceMatch"], items=True)

    assert report["ChoiceMatch"].value == 2 / 4
    assert report.items[0].rows[4].value == Undefined("no choice in a reference")
    details = report.items[0].rows[2].details
    assert (details["read"], details["expected"]) == (None, "B")
    assert details["ambiguous"] == ["A", "B"]


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        (("AB",), "choices must be single letters in upper case or digits, got 'AB'"),
        (("a",), "choices must be single letters in upper case or digits, got 'a'"),
        (("?",), "choices must be single letters in upper case or digits, got '?'"),
        ((), "text.ChoiceMatch: choices must not be empty"),
    ],
)
def test_choices_are_single_letters(choices: tuple[str, ...], message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        evaluate(
            [Text("q1", response="a", references="a")],
            [{"name": "ChoiceMatch", "choices": list(choices)}],
        )
