from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest

from valor_core.errors import ParameterError
from valor_core.parameters.declaration import kind_of


def test_union_uses_first_matching_member() -> None:
    assert kind_of(bool | Path).fit("rows.jsonl", "items") == Path("rows.jsonl")
    assert kind_of(bool | Path).fit(True, "items") is True


def test_union_error_lists_all_members() -> None:
    with pytest.raises(ParameterError, match="items must be true or false or path, got 3"):
        kind_of(bool | Path).fit(3, "items")


def test_choice_distinguishes_equal_values_of_different_types() -> None:
    with pytest.raises(ParameterError, match="level must be one of 0, 1, got True"):
        kind_of(Literal[0, 1]).fit(True, "level")


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (bool, "true or false"),
        (type(None), "null"),
        (Path, "path"),
        (Literal["a", "b"], "'a' or 'b'"),
        (tuple[tuple[int, ...], ...], "list of list of whole number"),
        (dict[str, str], "table of string"),
        (Any, "value"),
    ],
)
def test_every_annotation_has_a_description(annotation: Any, words: str) -> None:
    assert kind_of(annotation).words == words


def test_union_keeps_order_of_members() -> None:
    assert kind_of(int | str).words == "whole number or string"
    assert kind_of(str | int).words == "string or whole number"


def test_nested_paths_are_found() -> None:
    assert kind_of(tuple[Path, ...] | None).has_paths
    assert not kind_of(tuple[str, ...] | None).has_paths


@pytest.mark.parametrize(
    ("annotation", "value", "remedy"),
    [
        (bool, "yes", "Write it as: true"),
        (bool, "Off", "Write it as: false"),
        (bool, "maybe", None),
        (str, True, 'Put it in quotes: "true"'),
        (str, 7, 'Put it in quotes: "7"'),
        (str, None, None),
    ],
)
def test_yes_for_a_boolean_and_true_for_a_name_are_corrected(
    annotation: Any, value: Any, remedy: str | None
) -> None:
    with pytest.raises(ParameterError) as caught:
        kind_of(annotation).fit(value, "name")

    assert caught.value.remedy == remedy
