"""Lists of texts that are read from a reply."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cases import for_each
from hypothesis import given
from hypothesis import strategies as st
from valor_llm.replies.reading import ParsedReply
from valor_llm.replies.shapes import TextList

CLAIMS = TextList("claims", most=5)


def read(text: str, **more: Any) -> ParsedReply:
    return CLAIMS.read(text, {}, None, **more)


@pytest.mark.parametrize("texts", [[], ["a"], ["a", "a"], [" A ", "b\n"]])
def test_texts_are_unchanged(texts: list[str]) -> None:
    assert read(json.dumps({"claims": texts})) == ParsedReply({"claims": tuple(texts)})


@pytest.mark.parametrize(
    ("text", "lenient"),
    [
        ('["a", "b"]', ["list alone"]),
        ('{"Claims": ["a", "b"]}', ["other key"]),
        ('{"claim": ["a", "b"]}', ["other key"]),
        ('{"output": {"claims": ["a", "b"]}}', ["wrapped"]),
        ('[{"claims": ["a", "b"]}]', ["wrapped"]),
        ('{"claims": ["a", "", "b", "  "]}', ["empty text"]),
        ('{"claims": [{"id": 1, "text": "a"}, {"claim": "b"}]}', ["text in an object"]),
        ('{"claims": ["a", "b"], "count": 2}', ["further key"]),
    ],
)
def test_small_deviations_are_tolerated_and_reported(text: str, lenient: list[str]) -> None:
    reading = read(text)

    assert reading.value == {"claims": ("a", "b")}
    assert reading.lenient == lenient


@for_each(
    ("text", "fault"),
    [
        ('{"claims": ["a", 1]}', '"claims" must be a list of texts, got 1'),
        ('{"claims": ["a", null]}', '"claims" must be a list of texts, got None'),
        ('{"claims": [{"a": "b", "c": "d"}]}', '"claims" must be a list of texts, got {'),
        ('{"claims": "a"}', "\"claims\" must be a list, got 'a'"),
        ('{"claims": null}', '"claims" must be a list, got None'),
        ('{"facts": ["a"]}', 'its JSON has no "claims"'),
        ('{"claim": ["a"], "Claims": ["b"]}', 'its JSON has no "claims"'),
        ('{"a": {"claims": ["a"]}, "b": {"claims": ["b"]}}', 'its JSON has no "claims"'),
        ('{"claims": ["a", "b", "c", "d", "e", "f"]}', '"claims" has 6 texts, more than 5'),
        ('{"claims": ["a"', "it is cut off before its JSON is complete"),
        ('{"draft": {"claims": ["a"]}, "claims": ["a", "b', "it is cut off before its JSON"),
        ('{"claims": [{"text": "a"}, {"text": "b', "it is cut off before its list is complete"),
        ('{"claims": ["a"]} or {"claims": []}', "it has 2 answers that differ"),
    ],
)
def test_what_is_no_list_of_texts_is_asked_for_again(text: str, fault: str) -> None:
    reading = read(text)

    assert reading.fault.startswith(fault)
    assert reading.value == {}
    assert not reading.is_complete


def test_an_echo_of_the_schema_is_recognized() -> None:
    reading = read(json.dumps(CLAIMS.schema({}, None)))

    assert reading.unfit == "it repeats the schema instead of following it"


@given(st.lists(st.text(min_size=1).filter(str.strip), max_size=5), st.data())
def test_a_list_that_is_cut_anywhere_is_never_taken_for_whole(
    texts: list[str], data: st.DataObject
) -> None:
    whole = json.dumps({"claims": texts}, ensure_ascii=False)
    end = data.draw(st.integers(0, len(whole) - 1))

    assert not read(whole[:end]).is_complete
