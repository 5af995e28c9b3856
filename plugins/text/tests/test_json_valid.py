"""JSONValid and JSONSchema: computed by hand."""

from __future__ import annotations

from typing import Any

import pytest
from cases import for_each

from valor_core import Text, evaluate

SCHEMA = {
    "type": "object",
    "required": ["a"],
    "properties": {"a": {"type": "integer", "minimum": 0}},
    "additionalProperties": False,
}


def value_of(response: str, **choice: Any) -> tuple[float, dict[str, Any]]:
    report = evaluate([Text("q1", response=response)], [choice], items=True)
    row = report.items[0].rows[0]
    assert isinstance(row.value, float), row
    return row.value, dict(row.details)


@for_each(
    ("response", "fenced", "expected"),
    [
        ('{"a": 1}', False, 1),
        ("[]", False, 1),
        ("3", False, 1),
        ("{'a': 1}", False, 0),
        ("NaN", False, 0),
        ('{"a": 1,}', False, 0),
        ('{"a": 1, "a": 2}', False, 0),
        ("", False, 0),
        ('Here: {"a": 1}', False, 0),
        ('Here: {"a": 1}', True, 1),
        ('```json\n{"a": 1}\n```', True, 1),
        ('```json\n{"a": 1\n```', True, 0),
    ],
)
def test_json_valid_by_hand(response: str, fenced: bool, expected: float) -> None:
    value, details = value_of(response, name="JSONValid", fenced=fenced)

    assert value == expected
    assert ("response" in details) == (not expected)


@pytest.mark.parametrize(
    ("response", "errors"),
    [
        ('{"a": 1}', []),
        ('{"a": -1}', ["$.a: -1 is less than the minimum of 0"]),
        ('{"b": 1}', 2),
        ("[]", ["$: [] is not of type 'object'"]),
    ],
)
def test_json_schema_by_hand(response: str, errors: Any) -> None:
    value, details = value_of(response, name="JSONSchema", schema=SCHEMA)
    found = details.get("errors", [])

    assert value == (not errors)
    assert found == errors or len(found) == errors


def test_invalid_json_response_matches_no_schema() -> None:
    value, details = value_of("a: 1", name="JSONSchema", schema={})

    assert (value, list(details)) == (0, ["response", "truth", "prediction"])


def test_schema_of_another_draft_is_supported() -> None:
    draft = "http://json-schema.org/draft-04/schema#"
    schema = {"$schema": draft, "minimum": 1, "exclusiveMinimum": True}

    assert value_of("1", name="JSONSchema", schema=schema)[0] == 0
    assert value_of("2", name="JSONSchema", schema=schema)[0] == 1


def test_invalid_schema_fails_the_result() -> None:
    choice = {"name": "JSONSchema", "schema": {"type": "text"}}
    report = evaluate([Text("q1", response="1")], [choice], items=True)

    reason = report.items[0].rows[0].value.reason
    assert reason.startswith("ParameterError: schema must be a JSON schema, got $.type: 'text'")


def test_references_to_other_schemas_are_not_fetched() -> None:
    schema = {"$ref": "http://127.0.0.1:9/schema.json"}
    choice = {"name": "JSONSchema", "schema": schema}
    report = evaluate([Text("q1", response="1")], [choice], items=True)

    assert "Unresolvable" in report.items[0].rows[0].value.reason
