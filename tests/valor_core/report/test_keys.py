from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from valor_core.results.entries import key_text, pairs, safe


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "null"), (False, "false"), (0.5, "0.5"), ("a b", "a b"), ([1, None], "1 null")],
)
def test_value_is_written_as_in_config(value: Any, text: str) -> None:
    assert key_text(value) == text
    assert pairs({"name": value}) == [f"name:{text}"]


def decoded(part: str) -> str:
    return re.sub(r"_x([0-9A-F]{4,6})_", lambda found: chr(int(found[1], 16)), part)


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("ice_cream-2.5: x", "ice_cream-2.5: x"),
        ("Köln", "Köln"),
        ("日本", "日本"),
        ("n/a", "n_x002F_a"),
        ("e\u0301", "e_x0301_"),
        ("🙂", "_x1F642_"),
        ("box_x1_y1", "box_x1_y1"),
        ("a_x002F_b", "a_x005F_x002F_b"),
    ],
)
def test_key_part_encodes_characters_rejected_by_trackers(part: str, text: str) -> None:
    assert safe(part) == text
    assert decoded(text) == part


@given(st.text() | st.text(alphabet="_x02F/é"))
def test_encoding_of_key_parts_is_injective(part: str) -> None:
    assert decoded(safe(part)) == part
    assert re.fullmatch(r"[\w\-.: ]*", safe(part))
