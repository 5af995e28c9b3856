from __future__ import annotations

from typing import Any

from valor_core.states import RowsOf, StateRequest
from valor_core.states.state import find, join


def prepare(batch: Any, resources: Any) -> Any:
    return batch


def test_requests_with_equal_key_are_joined_with_union() -> None:
    one = StateRequest(dict, {"rule": "coco"}, {"thresholds": [0.5]})
    two = StateRequest(dict, {"rule": "coco"}, {"thresholds": (0.75, 0.5)})

    joined = join([one, two])

    assert [request.open() for request in joined] == [{"rule": "coco", "thresholds": (0.5, 0.75)}]


def test_incompatible_requests_are_not_joined() -> None:
    requests = [
        StateRequest(dict, {"rule": "coco"}, {"thresholds": [0.5]}),
        StateRequest(dict, {"rule": "valor"}, {"thresholds": [0.5]}),
        StateRequest(dict, {"rule": "coco"}, {"areas": [0.5]}),
        StateRequest(list, {"rule": "coco"}, {"thresholds": [0.5]}),
        StateRequest(dict, {"rule": "coco"}, {"thresholds": [0.5]}, prepare),
    ]

    assert len(join(requests)) == 5


def test_requests_are_joined_in_order_of_first_occurrence() -> None:
    a, b = StateRequest(dict, {"rule": "a"}), StateRequest(dict, {"rule": "b"})

    assert join([b, a, b]) == [b, a]


def test_joined_request_is_found_for_each_original() -> None:
    one = StateRequest(dict, union={"thresholds": [0.5]})
    two = StateRequest(dict, union={"thresholds": [0.75]})
    other = StateRequest(list)

    joined = join([other, one, two])

    assert (find(joined, one), find(joined, two), find([one], other)) == (1, 1, None)


def test_order_of_keywords_is_irrelevant() -> None:
    assert StateRequest(dict, {"a": 1, "b": 2}) == StateRequest(dict, {"b": 2, "a": 1})


def test_open_returns_new_state() -> None:
    request = StateRequest(dict)

    assert request.open() is not request.open()


def test_single_field_of_rows_is_one_field() -> None:
    assert RowsOf("text.TokenF1", metadata="noise").metadata == ("noise",)
