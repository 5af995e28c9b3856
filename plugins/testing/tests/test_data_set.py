from __future__ import annotations

import pytest
from valor_testing.data_set import Batches, DataSet, none_of

from valor_core.schemas.text import Text, TextBatch

BATCH = TextBatch.of([Text("q1", response="a"), Text("q2", response="bcd"), Text("q3")])
DATA = DataSet([BATCH, TextBatch.of([Text("q4"), Text("q5")])])


def uids(batches: Batches) -> list[list[str]]:
    return [batch.datums.uids.tolist() for batch in batches]


def test_empty_selection_has_no_items() -> None:
    assert len(none_of(BATCH)) == 0


def test_thirds_are_single_items_in_turn() -> None:
    assert [uids(part) for part in DATA.thirds] == [
        [["q1"], ["q4"]],
        [["q2"], ["q5"]],
        [["q3"]],
    ]


def test_halves_are_odd_and_even_items_of_each_batch() -> None:
    assert uids(DATA.splits["odd and even items apart"]) == [["q2"], ["q1", "q3"], ["q5"], ["q4"]]


@pytest.mark.parametrize("how", DATA.splits)
def test_split_has_every_item_once(how: str) -> None:
    found = [uid for part in uids(DATA.splits[how]) for uid in part]

    assert sorted(found) == ["q1", "q2", "q3", "q4", "q5"]


def test_items_form_one_batch_in_three_orders() -> None:
    one, reverse, another = uids(list(DATA.in_other_orders.values()))

    assert one == ["q1", "q2", "q3", "q4", "q5"]
    assert reverse == one[::-1]
    assert sorted(another) == one
    assert another not in (one, reverse)


def test_batches_are_rebuilt_from_items() -> None:
    assert uids(DATA.remade) == uids(DATA)
    assert all(new is not old for new, old in zip(DATA.remade, DATA, strict=True))


def test_empty_data_set_has_no_orders_and_no_empty_batches() -> None:
    assert DataSet().in_other_orders == {}
    assert DataSet().empties == []


def test_empty_batches_are_built_from_nothing_and_from_each_batch() -> None:
    assert uids(DATA.empties) == [[], [], []]
