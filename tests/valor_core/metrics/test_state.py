from __future__ import annotations

from typing import Any

from valor_core.states import StateRequest
from valor_core.states.state import find, join


def prepare(batch: Any, resources: Any) -> Any:
    return batch


def test_requests_of_one_key_become_one_at_the_union() -> None:
    one = StateRequest(dict, {"rule": "coco"}, {"thresholds": [0.5]})
    two = StateRequest(dict, {"rule": "coco"}, {"thresholds": (0.75, 0.5)})

    joined = join([one, two])

    assert [request.open() for request in joined] == [{"rule": "coco", "thresholds": (0.5, 0.75)}]


def test_requests_that_cannot_be_shared_stay_apart() -> None:
    requests = [
        StateRequest(dict, {"rule": "coco"}, {"thresholds": [0.5]}),
        StateRequest(dict, {"rule": "valor"}, {"thresholds": [0.5]}),
        StateRequest(dict, {"rule": "coco"}, {"areas": [0.5]}),
        StateRequest(list, {"rule": "coco"}, {"thresholds": [0.5]}),
        StateRequest(dict, {"rule": "coco"}, {"thresholds": [0.5]}, prepare),
    ]

    assert len(join(requests)) == 5


def test_requests_are_joined_in_the_order_of_first_mention() -> None:
    a, b = StateRequest(dict, {"rule": "a"}), StateRequest(dict, {"rule": "b"})

    assert join([b, a, b]) == [b, a]


def test_a_joined_request_is_found_for_each_that_it_serves() -> None:
    one = StateRequest(dict, union={"thresholds": [0.5]})
    two = StateRequest(dict, union={"thresholds": [0.75]})
    other = StateRequest(list)

    joined = join([other, one, two])

    assert (find(joined, one), find(joined, two), find([one], other)) == (1, 1, None)


def test_the_order_of_keywords_does_not_matter() -> None:
    assert StateRequest(dict, {"a": 1, "b": 2}) == StateRequest(dict, {"b": 2, "a": 1})


def test_every_state_opened_is_a_new_one() -> None:
    request = StateRequest(dict)

    assert request.open() is not request.open()
