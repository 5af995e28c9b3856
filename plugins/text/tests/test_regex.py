"""Regex: computed by hand."""

from __future__ import annotations

from typing import Any

import pytest
from cases import for_each
from valor_text.metrics.answers.matching import regex
from valor_text.parameters.answers import RegexParameters

from valor_core import Failed, Undefined, evaluate
from valor_core.errors import ParameterError
from valor_core.schemas.text import Text, TextBatch


def found(response: str, references: Any, **parameters: Any) -> Any:
    batch = TextBatch.of([Text("q1", response=response, references=references)])
    return regex(batch, RegexParameters(**parameters), {}).at(0)


@for_each(
    ("response", "patterns", "parameters", "expected"),
    [
        ("Order 66 shipped", [r"\d+"], {}, 1),
        ("Order 66 shipped", [r"^\d+$"], {}, 0),
        ("66", [r"\d+"], {"whole": True}, 1),
        ("Order 66", [r"\d+"], {"whole": True}, 0),
        ("a\nb", ["^b"], {}, 0),
        ("a\nb", ["(?m)^b"], {}, 1),
        ("YES", ["yes"], {}, 0),
        ("YES", ["yes"], {"ignore_case": True}, 1),
        ("a", ["a", "b"], {}, 1),
        ("a", ["a", "b"], {"require": "all"}, 0),
        ("b a", ["a", "b"], {"require": "all"}, 1),
        ("", ["^$"], {}, 1),
        ("a", [""], {}, 1),
    ],
)
def test_by_hand(
    response: str, patterns: list[str], parameters: dict[str, Any], expected: float
) -> None:
    assert found(response, [], patterns=patterns, **parameters) == expected
    assert found(response, patterns, **parameters) == expected


def test_item_without_patterns_is_undefined() -> None:
    assert found("a", []) == Undefined("no references")


def test_invalid_pattern_fails_its_item_only() -> None:
    batch = TextBatch.of(
        [
            Text("q1", response="a", references=["a"]),
            Text("q2", response="a", references=["a", "(b"]),
            Text("q3", response="a", references=["[", "(b"]),
            Text("q4", response="a", references=["b"]),
        ]
    )

    numbers = regex(batch, RegexParameters(), {})

    reason = "expected regular expressions as references, got "
    assert [numbers.at(index) for index in range(4)] == [
        1,
        Failed(f"{reason}'(b': missing ), unterminated subpattern at position 0"),
        Failed(f"{reason}'[': unterminated character set at position 0"),
        0,
    ]


def test_invalid_pattern_is_reported() -> None:
    with pytest.raises(
        ParameterError, match=r"patterns\[1\] must be a regular expression, got '\(b"
    ):
        RegexParameters(patterns=["a", "(b"])


def test_deeply_nested_pattern_is_an_error() -> None:
    with pytest.raises(ParameterError, match=r"patterns\[0\] must be a regular expression, got"):
        RegexParameters(patterns=["(" * 5000 + ")" * 5000])


def test_report_has_share() -> None:
    items = [Text(f"q{i}", response=text) for i, text in enumerate(["1", "a", "b2", "c", ""])]

    report = evaluate(items, [{"name": "Regex", "patterns": r"\d"}])

    assert report["Regex"].value == 2 / 5
