from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from valor_files import read_table
from valor_files.tables.strict_json import StrictJsonError, is_surely_strict, parse_json

from valor_core.errors import ReadError

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.lists(st.dictionaries(st.text(max_size=2), VALUES, max_size=4), max_size=4))
def test_strict_json_is_parsed_as_by_json_module(records: Any) -> None:
    text = json.dumps(records, separators=(",", ":"), ensure_ascii=False)

    if is_surely_strict(text, records):
        assert parse_json(text) == records


@pytest.mark.parametrize(
    "text",
    [
        '[{"a": 1, "a": 2}]',
        '[{"a" : 1, "a" : 2}]',
        '[{"a": [{"b": 1, "b": 1}]}]',
        '[{"a": {"b": 1, "b": 1}, "c": 1}]',
        '[{"a": "\\ud83d"}]',
        '[{"\\uDE00": 1}]',
    ],
)
def test_ambiguous_json_is_rejected(text: str) -> None:
    assert not is_surely_strict(text, json.loads(text))
    with pytest.raises(StrictJsonError):
        parse_json(text)


def test_surrogate_pair_is_one_character() -> None:
    assert parse_json('"\\ud83d\\ude00"') == "\U0001f600"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.jsonl", '{"a": 0}\n{"score": 0.5, "score": 1}', "expected one JSON object per line"),
        ("t.json", '[{"score": 0.5, "score": 1}]', "expected a JSON list of objects"),
    ],
)
def test_repeated_key_is_rejected(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)

    with pytest.raises(ReadError, match=re.escape(message)):
        read_table(tmp_path / name)


def test_lone_surrogate_is_rejected_with_line(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"uid": "a"}\n{"uid": "\\ud800"}\n')

    with pytest.raises(ReadError, match="line 2: expected one JSON object per line"):
        read_table(path)
