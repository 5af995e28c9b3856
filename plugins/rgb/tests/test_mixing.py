from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from valor_rgb.mixing import Mixing, Passages

from valor_core.errors import SchemaError

POSITIVE = ["p1", "p2", "p3", "p4", "p5", "p6"]
NEGATIVE = ["n1", "n2", "n3", "n4", "n5", "n6"]


@pytest.mark.parametrize(
    ("ratio", "passages", "negatives"),
    [
        (0.0, 5, 0),
        (0.2, 5, 1),
        (0.29, 100, 29),  # 100 * 0.29 is 28.999999999999996 in floats
        (0.07, 100, 7),  # and 100 * 0.07 is 7.000000000000001
        (0.5, 5, 3),  # 2.5, rounded up
        (1.0, 5, 5),
    ],
)
def test_irrelevant_documents_are_rounded_up_from_the_decimal(
    ratio: float, passages: int, negatives: int
) -> None:
    assert Mixing(ratio, passages).negatives == negatives


def test_documents_are_the_first_of_each_kind() -> None:
    drawn = Mixing(0.4).base(POSITIVE, NEGATIVE)

    assert sorted(drawn.texts) == ["n1", "n2", "p1", "p2", "p3"]
    assert (drawn.positive, drawn.negative, drawn.counterfactual) == (3, 2, 0)
    assert drawn.noise_ratio == 0.4


def test_the_order_depends_on_the_seed_alone() -> None:
    expected = ["p1", "p2", "p3", "n1", "n2"]
    random.Random(2333).shuffle(expected)

    assert list(Mixing(0.4).base(POSITIVE, NEGATIVE).texts) == expected
    assert Mixing(0.4).base(POSITIVE, NEGATIVE) == Mixing(0.4).base(POSITIVE, NEGATIVE)
    assert Mixing(0.4).base(POSITIVE, NEGATIVE) != Mixing(0.4, seed=1).base(POSITIVE, NEGATIVE)


@pytest.mark.parametrize(
    ("ratio", "positive", "negative", "counts"),
    [
        (0.8, 6, 2, (3, 2)),  # too few irrelevant ones: filled up with others
        (0.2, 2, 6, (2, 3)),  # too few that help: filled up with irrelevant ones
        (0.4, 1, 1, (1, 1)),  # both
        (1.0, 6, 2, (0, 2)),  # all irrelevant: nothing is filled up
        (0.0, 6, 6, (5, 0)),
    ],
)
def test_too_few_of_a_kind_are_filled_up(
    ratio: float, positive: int, negative: int, counts: tuple[int, int]
) -> None:
    drawn = Mixing(ratio).base(POSITIVE[:positive], NEGATIVE[:negative])

    assert (drawn.positive, drawn.negative) == counts
    assert len(drawn.texts) == sum(counts)


def test_every_sub_question_has_a_document_first() -> None:
    groups = [["a1", "a2", "a3"], ["b1"], ["c1", "c2"]]

    # 5 documents, 2 of them irrelevant: one for each of three sub-questions.
    drawn = Mixing(0.4).integrated(groups, NEGATIVE)
    assert {text[0] for text in drawn.texts} == {"a", "b", "c", "n"}
    assert (drawn.positive, drawn.negative) == (3, 2)
    # 4 of them irrelevant: there is still one for each, and only 2 are left for noise.
    drawn = Mixing(0.8).integrated(groups, NEGATIVE)
    assert (drawn.positive, drawn.negative, drawn.noise_ratio) == (3, 2, 0.4)
    # None irrelevant: a second round has a and c.
    drawn = Mixing(0.0).integrated(groups, NEGATIVE)
    assert sorted(text[0] for text in drawn.texts) == ["a", "a", "b", "c", "c"]
    assert Mixing(0.0, passages=2).integrated(groups, NEGATIVE).positive == 3
    assert Mixing(0.0).integrated([[], ["b1"]], []).texts == ("b1",)


def test_groups_are_left_as_they_were() -> None:
    groups = [["a1", "a2", "a3", "a4"]]
    Mixing(0.0).integrated(groups, [])

    assert groups == [["a1", "a2", "a3", "a4"]]


def test_false_documents_are_not_filled_up() -> None:
    false = ["f1", "f2", "f3", "f4"]

    drawn = Mixing(0.2).counterfactual(false, POSITIVE[:4], NEGATIVE)
    assert (drawn.positive, drawn.negative, drawn.counterfactual) == (0, 1, 4)
    drawn = Mixing(0.0).counterfactual(false[:2], POSITIVE[:2], NEGATIVE)
    assert (drawn.negative, drawn.counterfactual, len(drawn.texts)) == (0, 2, 2)


@given(st.integers(0, 6), st.sampled_from([0.0, 0.2, 0.4]), st.integers(0, 99))
def test_no_document_occurs_in_both_versions(size: int, ratio: float, seed: int) -> None:
    false = [f"f{i}" for i in range(size)]
    right = [f"p{i}" for i in range(size)]

    drawn = Mixing(0.2, seed=seed).counterfactual(false, right, NEGATIVE, ratio)

    indices = [text[1:] for text in drawn.texts if text[0] in "fp"]
    assert len(set(indices)) == len(indices)
    assert drawn.positive <= round(5 * ratio)
    assert len(drawn.texts) == drawn.positive + drawn.negative + drawn.counterfactual


def test_false_and_right_documents_go_together() -> None:
    with pytest.raises(
        SchemaError, match="expected as many false documents as right ones, found 2 and 1"
    ):
        Mixing(0.0).counterfactual(["f1", "f2"], ["p1"], [])


@pytest.mark.parametrize(
    "draw",
    [
        lambda mixing: mixing.base(POSITIVE, NEGATIVE[:2]),
        lambda mixing: mixing.integrated([["a"], ["b"], ["c"]], NEGATIVE),
        lambda mixing: mixing.counterfactual(["f1", "f2", "f3"], ["p"] * 3, NEGATIVE[:2]),
    ],
)
def test_strict_refuses_less_noise_than_asked_for(draw: object) -> None:
    assert callable(draw)
    assert draw(Mixing(0.6)).negative == 2

    with pytest.raises(
        SchemaError,
        match=r"^expected at least 3 of 5 documents to be irrelevant where strict is true, "
        r"found 2 of [45]\nAsk for less noise, or set: strict: false$",
    ):
        draw(Mixing(0.6, strict=True))


def test_strict_lets_pass_what_has_enough_noise() -> None:
    assert Mixing(0.6, strict=True).base(POSITIVE, NEGATIVE).negative == 3
    assert Mixing(0.2, strict=True).base(POSITIVE[:1], NEGATIVE).negative == 4
    assert Mixing(0.0, strict=True).integrated([["a"]], []).texts == ("a",)


def test_no_documents_have_no_noise_ratio() -> None:
    assert Passages(()).noise_ratio is None
