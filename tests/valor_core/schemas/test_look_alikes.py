from __future__ import annotations

import pytest

from valor_core.schemas.label import Label
from valor_core.schemas.pairing import look_alikes


def found(true: list[str], predicted: list[str]) -> list[tuple[str, str]]:
    sides = ({Label("class", name) for name in names} for names in (true, predicted))
    return [(one.value, other.value) for one, other in look_alikes(*sides)]


def test_kept_name_is_on_both_sides_or_clean() -> None:
    assert found(["Cat", "cat"], ["Cat"]) == [("cat", "Cat")]
    assert found(["cat "], ["cat"]) == [("cat ", "cat")]
    assert found(["1.0"], ["01", "1"]) == [("01", "1"), ("1.0", "1")]
    assert found(["dog"], ["Dog"]) == [("Dog", "dog")]


@pytest.mark.parametrize("name", ["a\ufeff", "a\u00ad", "\ta", "a\u3000", "a\u202c", "\u2060a"])
def test_invisible_characters_are_ignored(name: str) -> None:
    assert found([name, "a"], [name, "a"]) == [(name, "a")]


def test_full_width_letters_equal_normal_letters() -> None:
    assert found(["A1"], ["\uff21\uff11"]) == [("\uff21\uff11", "A1")]


@pytest.mark.parametrize(
    ("true", "predicted"),
    [
        (
            ["a", "A", "q"],
            ["a", "A", "Q"],
        ),  # case is meant: letters of both kinds are on both sides
        (["a"], ["a", "A"]),  # one letter, and its side has both cases
        (["Cat", "cat"], ["dog"]),  # the other side has neither
        (["1", "-1", "0.5"], ["-1", "5"]),
        (["e\u0301", "e"], ["e"]),
        (["C", "C++", "C#"], ["C#", "C"]),
        (["person"], ["persons"]),
        (["1.10"], ["1.11"]),
    ],
)
def test_intentionally_different_labels_are_no_pair(true: list[str], predicted: list[str]) -> None:
    assert found(true, predicted) == []


def test_keys_are_compared_like_values() -> None:
    one, other = Label("Color", "red"), Label("color", "red")

    assert look_alikes({one}, {other}) == [(other, one)]
