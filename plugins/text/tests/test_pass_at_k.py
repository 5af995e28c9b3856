"""PassAtK: computed by hand, and compared with the share of all draws."""

from __future__ import annotations

from itertools import combinations
from math import comb

import pytest
from valor_text.metrics.answers.pass_at_k import score
from valor_text.parameters.answers import PassAtKParameters

from valor_core import Undefined, evaluate
from valor_core.errors import ParameterError
from valor_core.schemas.text import Text, TextBatch

BOTH = ("pass@k", "pass^k")


def batch_of(*outcomes: list[bool]) -> TextBatch:
    return TextBatch.of(Text(f"q{place}", outcomes=own) for place, own in enumerate(outcomes))


@pytest.mark.parametrize(
    ("passed", "attempts", "k", "at", "power"),
    [
        # of 4 attempts, 1 passed: of the 6 pairs, 3 contain it, and none contains two that passed
        (1, 4, 2, 3 / 6, 0),
        (2, 4, 2, 5 / 6, 1 / 6),
        (3, 4, 2, 1, 3 / 6),
        (1, 4, 1, 1 / 4, 1 / 4),
        (0, 4, 2, 0, 0),
        (4, 4, 4, 1, 1),
        (3, 4, 4, 1, 0),
        (1, 1, 1, 1, 1),
        (0, 1, 1, 0, 0),
    ],
)
def test_by_hand(passed: int, attempts: int, k: int, at: float, power: float) -> None:
    batch = batch_of([place < passed for place in range(attempts)])

    found = score(batch, PassAtKParameters(k=k, measures=BOTH), {})

    assert (found[f"pass@{k}"].at(0), found[f"pass^{k}"].at(0)) == (at, power)


@pytest.mark.parametrize("outcomes", [[True, False, True, False, False], [False] * 3, [True] * 6])
def test_equal_to_the_share_of_all_draws(outcomes: list[bool]) -> None:
    ks = range(1, len(outcomes) + 1)

    found = score(batch_of(outcomes), PassAtKParameters(k=tuple(ks), measures=BOTH), {})

    for k in ks:
        draws = list(combinations(outcomes, k))
        assert found[f"pass@{k}"].at(0) == sum(map(any, draws)) / len(draws)
        assert found[f"pass^{k}"].at(0) == sum(map(all, draws)) / len(draws)


def test_many_attempts_are_exact() -> None:
    batch = batch_of([at < 3 for at in range(2000)], [at < 1997 for at in range(2000)])

    found = score(batch, PassAtKParameters(k=1000, measures=BOTH), {})

    # All three fail in 1000 * 999 * 998 of 2000 * 1999 * 1998 draws.
    none, draws = 1000 * 999 * 998, 2000 * 1999 * 1998
    assert found["pass@1000"].at(0) == (draws - none) / draws
    assert found["pass^1000"].at(1) == none / draws
    assert comb(2000, 1000) > 10**308  # too large for a float


def test_fewer_outcomes_than_k_are_undefined() -> None:
    found = score(batch_of([True, True], [True, False, False]), PassAtKParameters(k=(2, 3)), {})

    assert found["pass@2"].at(0) == 1
    assert found["pass@3"].at(0) == Undefined("fewer outcomes than k = 3")
    assert found["pass@3"].at(1) == 1


def test_report_has_means_over_items() -> None:
    items = [
        Text("q1", outcomes=[True, False]),
        Text("q2", outcomes=[False, False]),
        Text("q3", outcomes=[True]),
        Text("q4", response="a"),
    ]

    result = evaluate(items, [{"name": "PassAtK", "k": [1, 2]}])["PassAtK"][0]

    # pass@1: 1/2, 0 and 1; pass@2: 1 and 0
    assert result.value == {"pass@1": 1 / 2, "pass@2": 1 / 2}
    assert result.left_out == {
        "pass@1: undefined: no outcomes": 1,
        "pass@2: undefined: fewer outcomes than k = 2": 1,
        "pass@2: undefined: no outcomes": 1,
    }


def test_k_of_zero_is_rejected() -> None:
    with pytest.raises(ParameterError, match="PassAtKParameters: k must be at least 1, got 0"):
        PassAtKParameters(k=(1, 0))
