"""Examples: the worst items by another metric."""

from __future__ import annotations

from typing import Any

import pytest
from valor_text.metrics.answers.examples import ShortTexts

from valor_core import Failed, Registry, evaluate
from valor_core.errors import StateError, ValorError
from valor_core.schemas.text import Text

ITEMS = [
    Text("q1", response="a b c", references="a b c"),
    Text("q2", response="a b x", references="a b c"),  # F1 2/3
    Text("q10", response="x", references=["a b c", "x y"]),  # 2/3 for the second reference
    Text("q3", response="a", references="b"),
    Text("q4", response="", references="b"),
    Text("q5", response="a"),
]


def listed(**parameters: Any) -> Any:
    report = evaluate(ITEMS, [{"name": "Examples", **parameters}])
    return report["Examples"].value


def test_by_hand() -> None:
    # Without articles, "a" is empty: q3 0, q4 0, then q2: b x | b c 1/2, q10: x | x y 2/3, q1
    assert listed(by="TokenF1") == [
        {"datum_id": "q3", "TokenF1": 0.0, "response": "a", "references": ["b"]},
        {"datum_id": "q4", "TokenF1": 0.0, "response": "", "references": ["b"]},
        {"datum_id": "q2", "TokenF1": 1 / 2, "response": "a b x", "references": ["a b c"]},
        {"datum_id": "q10", "TokenF1": 2 / 3, "response": "x", "references": ["a b c", "x y"]},
        {"datum_id": "q1", "TokenF1": 1.0, "response": "a b c", "references": ["a b c"]},
    ]


def uids(**parameters: Any) -> list[str]:
    return [item["datum_id"] for item in listed(**parameters)]


def test_other_orders() -> None:
    # a b x | a b c: 2/3, as for q10: uids are sorted as texts
    assert uids(by="TokenF1", settings={"normaliser": "none"}) == ["q3", "q4", "q10", "q2", "q1"]
    assert uids(by="TokenF1", limit=2, offset=1) == ["q4", "q2"]
    assert uids(by="TokenF1", worst="highest", limit=2) == ["q1", "q10"]
    assert uids(by="text.TokenF1@1", limit=1) == ["q3"]


def test_selected_number_sorts_items() -> None:
    found = listed(by="ROUGE", number="rouge2", limit=4)

    # b c | b c of q1, and "a b" of q2: 2 * 1 / (2 + 2)
    assert [(item["datum_id"], item["rouge2"]) for item in found] == [
        ("q10", 0.0),
        ("q3", 0.0),
        ("q4", 0.0),
        ("q2", 1 / 2),
    ]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"by": "ROUGE"},
            "number must be one of rouge1, rouge2, rougeL, rougeLsum, got none; "
            "write it as: number: rouge1",
        ),
        ({"by": "ROUGE", "number": "rougel"}, "got 'rougel'; did you mean 'rougeL'"),
        ({"by": "TokenF1", "number": "f1"}, "number must be omitted, got 'f1'; omit it"),
    ],
)
def test_missing_number_fails_the_result(parameters: dict[str, Any], message: str) -> None:
    found = listed(**parameters)

    assert isinstance(found, Failed)
    assert message in found.reason


def test_details_of_metric_are_shown() -> None:
    items = [Text("q1", response="12", references="13")]

    report = evaluate(items, [{"name": "Examples", "by": "NumericMatch"}])

    assert report["Examples"].value[0]["details"] == {"read": "12", "expected": "13"}


def test_long_texts_are_cut() -> None:
    assert listed(by="TokenF1", characters=3, limit=3)[-1]["response"] == "a b…"


def test_slices_have_separate_examples() -> None:
    items = [
        Text(f"q{i}", response="a", references="b" * (i % 2 + 1), metadata={"odd": bool(i % 2)})
        for i in range(6)
    ]
    chosen = [{"name": "Examples", "by": "ExactMatch", "limit": 1}]

    report = evaluate(items, chosen, slices=["odd"])

    by_slice = {part[0].slice["odd"]: part[0].value for part in report.slices}
    assert {odd: value[0]["datum_id"] for odd, value in by_slice.items()} == {
        False: "q0",
        True: "q1",
    }


def test_missing_metric_is_reported() -> None:
    with pytest.raises(
        ValorError, match=r"text\.Examples: metric 'TokenF2': unknown in the task 'text'"
    ):
        listed(by="TokenF2")


def test_damaged_state_is_rejected() -> None:
    state = ShortTexts(10)
    with pytest.raises(
        StateError, match="expected as many uids as responses and references, found 1, 0 and 0"
    ):
        state.restore({"uids": ["a"], "responses": [], "references": []})
    with pytest.raises(StateError, match=r"texts: expected texts, found \['a', 7, \[\]\]"):
        state.restore({"uids": ["a"], "responses": [7], "references": [[]]})


def test_metric_of_another_plugin_sorts_items() -> None:
    assert Registry().metric("text.Examples").higher_is_better is None
