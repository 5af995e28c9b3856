from __future__ import annotations

import numpy as np
import pytest
from valor_report.viewer.item_columns import Column, ItemColumns, ItemNumbers, ItemTexts
from valor_report.viewer.item_query import ItemQuery

from valor_core.errors import ReportError
from valor_core.results import Numbers, Undefined


@pytest.fixture
def items() -> ItemColumns:
    columns: list[Column] = [
        ItemTexts.of("truth", ["cat", "dog", "Fox & <b>", "cat", None]),
        ItemTexts.of("prediction", ["cat", "cat", "dog", "dog", "fox"]),
        ItemNumbers("score", Numbers.of([0.9, 0.2, 0.5, 0.4, Undefined("no prediction")])),
    ]
    uids = np.array(["a/1", "a/2", "b'\"3", "B4", "5"])
    return ItemColumns(uids, {one.name: one for one in columns})


@pytest.mark.parametrize(
    ("text", "uids"),
    [
        ("", "a/1 a/2 b'\"3 B4 5"),
        ("truth=cat&prediction=dog", "B4"),
        ("truth=cat&truth=dog", "a/1 a/2 B4"),
        ("Truth=Fox%20%26%20%3Cb%3E", "b'\"3"),
        ("label=dog", "a/2 b'\"3 B4"),
        ("truth=&q=", "a/1 a/2 b'\"3 B4 5"),
        ("score=0.4..0.9", "a/1 b'\"3 B4"),
        ("score=..0.4", "a/2 B4"),
        ("score=.5..", "a/1 b'\"3"),
        ("score=0.5", "b'\"3"),
        ("q=b+dog", "b'\"3 B4"),
        ("FOX", "b'\"3 5"),
        ("truth=cat&dog", "B4"),
        ("sort=score", "a/2 B4 b'\"3 a/1 5"),
        ("sort=-score", "a/1 b'\"3 B4 a/2 5"),
        ("sort=-truth", "a/2 a/1 B4 b'\"3 5"),
        ("uid=5&truth=dog", "a/2"),
    ],
)
def test_address_selects_and_sorts_items(items: ItemColumns, text: str, uids: str) -> None:
    assert items.uids[ItemQuery.parse(text).positions(items)].tolist() == uids.split()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("truht=cat", "items: no column 'truht'\nDid you mean 'truth'?"),
        ("sort=nothing", "items: no column 'nothing'\nColumns: truth, prediction, score."),
        (
            "score=high",
            "items: score: expected a number or a range, got 'high'\n"
            "Write it as: 0.2..0.5, ..0.5 or 0.2..",
        ),
        (
            "page=0",
            "items: page: expected a number from 1, got '0'\nOpen the address without page.",
        ),
        ("&".join(["q=a"] * 41), "items: expected at most 40 filters, got more"),
    ],
)
def test_wrong_address_says_what_to_write(items: ItemColumns, text: str, message: str) -> None:
    with pytest.raises(ReportError) as caught:
        ItemQuery.parse(text).positions(items)

    assert str(caught.value) == message


def test_address_of_another_page_keeps_filters() -> None:
    query = ItemQuery.parse("truth=a%26b&q=c+d&sort=-score&page=3")

    assert query.address(page=2) == "truth=a%26b&q=c+d&sort=-score&page=2"
    assert ItemQuery.parse(query.address()) == query
    assert query.address(uid="x/y?&z") == "truth=a%26b&q=c+d&sort=-score&uid=x%2Fy%3F%26z"


def test_position_of_an_item_is_found_by_its_uid(items: ItemColumns) -> None:
    assert [items.position(uid) for uid in (*items.uids.tolist(), "none", "")] == [
        *range(5),
        None,
        None,
    ]
