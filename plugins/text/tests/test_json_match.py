"""JSONMatch and JSONFields: computed by hand."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from cases import for_each
from valor_text.metrics.answers.json_match import FieldSums, json_match
from valor_text.parameters.answers import JSONMatchParameters

from valor_core import Failed, ItemScore, Undefined, evaluate
from valor_core.errors import StateError
from valor_core.parameters import parameter_values
from valor_core.schemas.text import Text, TextBatch

CITY = '{"city": "Oslo", "size": {"people": 700000, "area": 454.0}, "tags": ["sea", "cold"]}'
"""Five fields: $.city, $.size.people, $.size.area, $.tags[0], $.tags[1]."""


def compared(response: str, references: Any, **parameters: Any) -> ItemScore:
    batch = TextBatch.of([Text("q1", response=response, references=references)])
    return json_match(batch, JSONMatchParameters(**parameters), {})[0]


def numbers(one: ItemScore) -> Any:
    return tuple(one.value.values()) if isinstance(one.value, dict) else one.value


@for_each(
    ("response", "reference", "parameters", "expected"),
    [
        # match, F1 = 2 * correct / (fields of both), precision, recall
        (CITY, CITY, {}, (1, 1, 1, 1)),
        ('{"a": 1, "b": 2}', '{"b": 2.0, "a": 1}', {}, (1, 1, 1, 1)),
        ('{"a": 1, "b": 2}', '{"a": 1, "b": 3}', {}, (0, 2 / 4, 1 / 2, 1 / 2)),
        ('{"a": 1}', '{"a": 1, "b": 2, "c": 3}', {}, (0, 2 / 4, 1, 1 / 3)),
        ('{"a": 1, "x": 0, "y": 0}', '{"a": 1}', {}, (0, 2 / 4, 1 / 3, 1)),
        ('{"a": {"b": 1}}', '{"a": {"b": 1, "c": 2}}', {}, (0, 2 / 3, 1, 1 / 2)),
        ('{"a": "1"}', '{"a": 1}', {}, (0, 0, 0, 0)),
        ('{"a": true}', '{"a": 1}', {}, (0, 0, 0, 0)),
        ('{"a": null}', "{}", {}, (0, 0, 0, 0)),
        ("[1, 2, 3]", "[3, 2, 1]", {}, (0, 2 / 6, 1 / 3, 1 / 3)),
        ("[1, 2, 3]", "[3, 2, 1]", {"ordered": False}, (1, 1, 1, 1)),
        ("[1, 1, 2]", "[1, 2, 2]", {"ordered": False}, (0, 4 / 6, 2 / 3, 2 / 3)),
        # the same fields in other objects: correct by path, but no match
        (
            '[{"a": 1, "b": 2}, {"a": 3, "b": 4}]',
            '[{"a": 1, "b": 4}, {"a": 3, "b": 2}]',
            {"ordered": False},
            (0, 1, 1, 1),
        ),
        ("[]", "[]", {}, (1, 1, 1, 1)),
        ("[]", "{}", {}, (0, 0, 0, 0)),
        ("3", "3.0", {}, (1, 1, 1, 1)),
        ('"The Cat"', '"cat"', {"normaliser": "squad"}, (1, 1, 1, 1)),
        ("0.1", "0.10000000000000001", {}, (0, 0, 0, 0)),  # not equal, although equal as floats
        (f"```json\n{CITY}\n```", CITY, {"fenced": True}, (1, 1, 1, 1)),
        (CITY, CITY, {"fenced": True}, (1, 1, 1, 1)),
        (f"```json\n{CITY}\n```", CITY, {}, (0, 0, 0, 0)),
    ],
)
def test_by_hand(
    response: str, reference: str, parameters: dict[str, Any], expected: tuple[float, ...]
) -> None:
    assert numbers(compared(response, reference, **parameters)) == expected


def test_best_reference_counts() -> None:
    one = compared('{"a": 1, "b": 2}', ['{"a": 1, "b": 3}', '{"a": 1, "b": 2, "c": 3}', '{"z": 0}'])

    # 2 * 2 / (2 + 3) of the second
    assert numbers(one) == (0, 4 / 5, 1, 2 / 3)
    assert one.details == {"missing": ["$.c"]}


def test_details_list_different_paths() -> None:
    response = '{"city": "Bergen", "size": {"people": 700000}, "tags": ["sea", "rain", "cold"]}'

    assert compared(response, CITY).details == {
        "missing": ["$.size.area"],
        "extra": ["$.tags[2]"],
        "wrong": ["$.city", "$.tags[1]"],
    }


def test_unusual_keys_are_distinguished() -> None:
    one = compared('{"a.b": 1, "": 2, "a": {"b": 1}}', '{"a": {"b": 1, "c d": 3}}')

    assert one.details == {"missing": ['$.a["c d"]'], "extra": ['$[""]', '$["a.b"]']}


@pytest.mark.parametrize(
    ("response", "finding"),
    [
        ("", "found '': Expecting value at character 1"),
        ("Sure! {}", "found 'Sure! {}': Expecting value at character 1"),
        ('{"a": 1', "found '{\"a\": 1': Expecting ',' delimiter at character 8"),
        ('{"a": 1, "a": 2}', "found the key 'a' twice in an object"),
        ("NaN", "found NaN, which JSON does not have"),
        ("[" * 101 + "]" * 101, "found lists and objects more than 100 deep in each other"),
        ("[" * 99999, "found lists and objects more than 100 deep in each other"),
        (
            "1e99999999999999999999",
            "found '1e99999999999999999999', with a number that is too large",
        ),
    ],
)
def test_invalid_json_response_scores_zero(response: str, finding: str) -> None:
    one = compared(response, '{"a": 1}')

    assert numbers(one) == (0, 0, 0, 0)
    assert one.details == {"response": f"expected JSON, {finding}"}


def test_invalid_json_reference_fails_the_item() -> None:
    one = compared("{}", ["{}", "{'a': 1}"])

    assert one.value == Failed(
        "references[1]: expected JSON, found \"{'a': 1}\": Expecting property name enclosed in "
        "double quotes at character 2"
    )


def test_lists_may_be_a_hundred_deep() -> None:
    deep = "[" * 100 + "]" * 100

    assert numbers(compared(deep, deep)) == numbers(compared(deep, deep, ordered=False)) == (1,) * 4


def test_long_numbers_are_compared() -> None:
    assert numbers(compared("1" * 5000, "1" * 5000)) == (1, 1, 1, 1)
    assert numbers(compared("1e999999", "1e999999")) == (1, 1, 1, 1)


def test_fields_over_all_items() -> None:
    items = [
        Text("q1", response='{"a": 1, "t": ["x", "y"]}', references='{"a": 1, "t": ["x", "z"]}'),
        Text("q2", response='{"a": 2, "b": 0}', references='{"a": 3}'),
        Text("q3", response="no", references='{"a": 4}'),
        Text("q4", response="{}", references="no"),
        Text("q5", response="{}"),
        Text("q6", references="{}"),
    ]

    result = evaluate(items, ["JSONFields"])["JSONFields"][0]

    # a: 1 correct, 2 in responses, 3 in references: 2 / 5; t: 1 correct of 2 and 2: 2 / 4
    assert result.value == {"$.a": 2 / 5, "$.t[*]": 2 / 4}
    assert result.left_out == {
        "failed: a reference is no JSON": 1,
        "undefined: no references": 1,
        "undefined: no response": 1,
    }


def test_key_that_looks_like_an_index_is_a_key() -> None:
    items = [Text("q1", response='{"x[0]": [1], "x[1]": 2}', references='{"x[0]": [1], "x[1]": 3}')]

    assert evaluate(items, ["JSONFields"])["JSONFields"].value == {
        '$["x[0]"][*]': 1.0,
        '$["x[1]"]': 0.0,
    }


def test_fields_without_json_are_undefined() -> None:
    items = [Text("q1", response="{}", references="no")]

    assert evaluate(items, ["JSONFields"])["JSONFields"].value == Undefined(
        "no items with JSON references"
    )


def test_report_has_means() -> None:
    items = [
        Text("q1", response="[1]", references="[1]"),
        Text("q2", response="[1, 2]", references="[1]"),
    ]

    # F1: 1 and 2 / 3
    assert evaluate(items, ["JSONMatch"])["JSONMatch"].value == {
        "match": 1 / 2,
        "f1": (1 + 2 / 3) / 2,
        "precision": (1 + 1 / 2) / 2,
        "recall": 1.0,
    }


PROSE = 'Here it is:\n```json\n{"a": [1, {"b": 2}]}\n```\nHope it helps.'


@pytest.mark.parametrize(
    ("response", "match"),
    [
        (PROSE, 1),
        ('The answer is {"a": [1, {"b": 2}]}, I think.', 1),
        ('{"a": [1, {"b": 2}]}', 1),
        ('```\n{"a": [1, {"b": 2}]}\n```', 1),
        ('[note] It is {"a": [1, {"b": 2}]} as {asked}', 1),
        ('{"a": [1, {"b": 2}]} or again {"a": [1, {"b": 2}]}', 1),
        ('{"a": [1, {"b": 2}]} or {"a": 3}', 0),
        ("nothing", 0),
        ("[" * 100_000, 0),
    ],
)
def test_json_between_sentences_is_read_on_request(response: str, match: int) -> None:
    one = compared(response, '{"a": [1, {"b": 2}]}', fenced=True)

    assert numbers(one)[0] == match


def test_two_json_values_between_sentences_are_reported() -> None:
    one = compared('{"a": 1} or {"a": 2}', '{"a": 1}', fenced=True)

    assert one.details["response"] == (
        "expected JSON, found 2 JSON values, '{\"a\": 1}' and '{\"a\": 2}'"
    )


@for_each(
    ("response", "reference", "chosen", "expected"),
    [
        ('{"a": 0.10001}', '{"a": 0.1}', {"absolute": 0.001}, (1, 1, 1, 1)),
        ('{"a": 0.10001}', '{"a": 0.1}', {"tolerance": 0.001}, (1, 1, 1, 1)),
        ('{"a": 0.10001}', '{"a": 0.1}', {"relative": 0.0001}, (1, 1, 1, 1)),
        ('{"a": 0.10001}', '{"a": 0.1}', {"relative": 0.00009}, (0, 0, 0, 0)),
        ('{"a": 1.1}', '{"a": 1.0}', {"absolute": 0.1}, (1, 1, 1, 1)),  # exact decimals
        ('{"a": true}', '{"a": 1}', {"absolute": 1.0}, (0, 0, 0, 0)),
        ('{"a": 1, "b": 5}', '{"a": 1.5, "b": 9}', {"absolute": 0.5}, (0, 0.5, 0.5, 0.5)),
        ('{"a": 1e400}', '{"a": 1}', {"relative": 0.5}, (0, 0, 0, 0)),
        ('{"a": 1e999999999}', '{"a": 1}', {"relative": 0.5}, (0, 0, 0, 0)),
        ("[2.1, 1.1]", "[1, 2]", {"absolute": 0.1, "ordered": False}, (1, 1, 1, 1)),
        # 1.5 is near both, 1 is near 1.4 only
        ("[1.5, 1]", "[1.4, 1.6]", {"absolute": 0.4, "ordered": False}, (1, 1, 1, 1)),
        (
            '[{"a": 1.1, "b": "x"}, {"a": 1.0, "b": "y"}]',
            '[{"a": 1.0, "b": "x"}, {"a": 1.1, "b": "y"}]',
            {"absolute": 0.1, "ordered": False},
            (1, 1, 1, 1),
        ),
    ],
)
def test_numbers_within_a_tolerance(
    response: str, reference: str, chosen: dict[str, Any], expected: tuple[float, ...]
) -> None:
    values = evaluate(
        [Text("q1", response=response, references=reference)], [{"name": "JSONMatch"} | chosen]
    )["JSONMatch"].value

    assert tuple(values[name] for name in ("match", "precision", "recall", "f1")) == expected


def test_fields_within_tolerance_are_correct() -> None:
    item = Text("q1", response='{"a": 0.10001}', references='{"a": 0.1}')
    report = evaluate([item], [{"name": "JSONFields", "tolerance": 0.001}])

    assert report["JSONFields"].value == {"$.a": 1.0}


@pytest.mark.parametrize(
    "counts",
    [
        {"wanted": {"$.a": 0}},
        {"wanted": {"$.a": 1}, "said": {"$.a": 1}, "right": {"$.a": 2}},
        {"right": {"$.b": 1}},
    ],
)
def test_impossible_saved_field_counts_are_rejected(counts: dict[str, dict[str, int]]) -> None:
    def made() -> FieldSums:
        return FieldSums(**parameter_values(JSONMatchParameters()))

    other = made()
    for name, values in counts.items():
        setattr(other, name, Counter(values))
    content = dict(other.dump())
    with pytest.raises(StateError):
        made().restore(content)
