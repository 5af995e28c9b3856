"""States: items counted by how they ended."""

from __future__ import annotations

from valor_llm.item_details import count_states

from valor_core import Failed, Undefined
from valor_core.results import NotRun, Numbers


def test_every_item_is_in_one_of_four_states() -> None:
    failed = [Failed("b"), Failed("c"), Failed("d", retry=True)]

    states = count_states(Numbers.of([0.5, 1.0, Undefined("a"), *failed, NotRun("e")]))

    assert states == {"scored": 2, "undefined": 1, "failed": 3, "not_run": 1}


def test_no_items_are_in_none() -> None:
    assert count_states(Numbers.of([])) == dict.fromkeys(
        ["scored", "undefined", "failed", "not_run"], 0
    )
