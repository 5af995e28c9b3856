from __future__ import annotations

from typing import Any

from .support import PETS, SETS, results_of, value_of


def item(uid: str, tp: list[str], fp: list[str], fn: list[str]) -> dict[str, Any]:
    return {
        "datum_id": uid,
        "true_positives": tp,
        "false_positives": fp,
        "false_negatives": fn,
    }


def test_every_item_says_what_was_right_and_wrong() -> None:
    assert value_of(PETS[::-1], "Examples") == [
        item("a", ["dog"], [], []),
        item("b", [], ["cat"], ["dog"]),
        item("c", ["cat"], [], []),
        item("d", [], ["dog"], ["cat"]),
        item("e", [], ["cat"], ["bee"]),
        item("f", [], ["dog"], []),
        item("g", [], [], ["ant"]),
    ]


def test_only_items_with_an_error_where_asked_for() -> None:
    value = value_of(PETS, "Examples", errors_only=True)

    assert [one["datum_id"] for one in value] == ["b", "d", "e", "f", "g"]


def test_limit_and_offset_page_through_the_items() -> None:
    value = value_of(PETS, "Examples", errors_only=True, limit=2, offset=1)

    assert [one["datum_id"] for one in value] == ["d", "e"]
    assert value_of(PETS, "Examples", limit=0) == []
    assert len(value_of(PETS, "Examples", offset=5)) == 2


def test_sets_of_labels_without_hardmax() -> None:
    value = value_of(SETS, "Examples", hardmax=False, score_thresholds=[0.25])

    assert value == [
        item("a", ["cat", "dog"], [], []),
        item("b", ["dog"], ["bee"], []),
        item("c", [], ["cat"], []),
        item("d", [], [], ["bee"]),
    ]


def test_each_threshold_has_its_own_list() -> None:
    results = results_of(PETS, {"name": "Examples", "score_thresholds": [0.9, 0.0]})

    assert results.find(score_threshold=0.9).value[1] == item("b", [], [], ["dog"])
    assert results.find(score_threshold=0.0).value[1] == item("b", [], ["cat"], ["dog"])
