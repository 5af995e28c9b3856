from __future__ import annotations

import pytest
from valor_testing.data_set import Batches, DataSet, none_of

from valor_core.schemas.text import Text, TextBatch

BATCH = TextBatch.of([Text("q1", response="a"), Text("q2", response="bcd"), Text("q3")])
DATA = DataSet([BATCH, TextBatch.of([Text("q4"), Text("q5")])])


def uids(batches: Batches) -> list[list[str]]:
    return [batch.datums.uids.tolist() for batch in batches]


def test_a_batch_without_its_items_is_empty() -> None:
    assert len(none_of(BATCH)) == 0


def test_thirds_are_single_datums_dealt_out_in_turn() -> None:
    assert [uids(part) for part in DATA.thirds] == [
        [["q1"], ["q4"]],
        [["q2"], ["q5"]],
        [["q3"]],
    ]


def test_halves_are_the_odd_and_the_even_items_of_each_batch() -> None:
    assert uids(DATA.splits["odd and even items apart"]) == [["q2"], ["q1", "q3"], ["q5"], ["q4"]]


@pytest.mark.parametrize("how", DATA.splits)
def test_a_split_has_every_item_once(how: str) -> None:
    found = [uid for part in uids(DATA.splits[how]) for uid in part]

    assert sorted(found) == ["q1", "q2", "q3", "q4", "q5"]


def test_items_are_put_into_one_batch_in_three_orders() -> None:
    one, reverse, another = uids(list(DATA.in_other_orders.values()))

    assert one == ["q1", "q2", "q3", "q4", "q5"]
    assert reverse == one[::-1]
    assert sorted(another) == one
    assert another not in (one, reverse)


def test_batches_are_made_of_their_items_once_more() -> None:
    assert uids(DATA.remade) == uids(DATA)
    assert all(new is not old for new, old in zip(DATA.remade, DATA, strict=True))


def test_no_batches_have_no_items_to_order_and_no_batch_without_items() -> None:
    assert DataSet().in_other_orders == {}
    assert DataSet().empties == []


def test_there_is_an_empty_batch_of_nothing_and_one_of_each_batch() -> None:
    assert uids(DATA.empties) == [[], [], []]
