"""JSON in the text of a reply."""

from __future__ import annotations

import contextlib
import json
import time
from typing import Any

import pytest
from cases import for_each
from hypothesis import given
from hypothesis import strategies as st
from valor_llm.replies.json_text import NoJSON, values_in
from valor_llm.replies.shapes import Rating, VerdictList, Verdicts

PLAIN = st.text(st.characters(exclude_characters="{}[]<\"'\\", exclude_categories=["Cs"]))
SCALARS = st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.text()
OBJECTS = st.dictionaries(
    st.text(),
    SCALARS | st.lists(SCALARS, max_size=3) | st.dictionaries(st.text(), SCALARS, max_size=3),
    min_size=1,
    max_size=4,
)


def only(text: str) -> Any:
    (found,) = values_in(text)
    return found.value, list(found.lenient)


@for_each(
    ("text", "value", "lenient"),
    [
        ('{"a": 1}', {"a": 1}, []),
        (' \n{"a": 1}\n', {"a": 1}, []),
        ('```json\n{"a": 1}\n```', {"a": 1}, ["text around the JSON"]),
        ('Sure {thing}! {"a": "}"} is it.', {"a": "}"}, ["text around the JSON"]),
        ('[{"a": 1}]', [{"a": 1}], []),
        ('As in [1] and [2]: {"a": 1}', {"a": 1}, ["text around the JSON"]),
        ('{"a": [1, 2,],}', {"a": [1, 2]}, ["trailing comma"]),
        ('{"a": "x,]", }', {"a": "x,]"}, ["trailing comma"]),
        ('{"a": "two\nlines"}', {"a": "two\nlines"}, ["line break in a text"]),
        ('\ufeff{"a": 1}', {"a": 1}, ["byte order mark"]),
        ('{"a": 1, "a": 1}', {"a": 1}, ["key twice"]),
        (r'{"a": "\ud83d\ude00 \ud83d"}', {"a": "😀 \ufffd"}, ["half of a character"]),
        (r'{"a": "\\ud83d"}', {"a": r"\ud83d"}, []),
        ('{"a": "\ud83d"}', {"a": "\ufffd"}, ["half of a character"]),
        (
            '<think>{"a": 3}? No.</think>\n{"a": 1}',
            {"a": 1},
            ["thoughts before the answer"],
        ),
    ],
)
def test_tolerated_mistakes_are_reported(text: str, value: Any, lenient: list[str]) -> None:
    assert only(text) == (value, lenient)


@for_each(
    ("text", "problem"),
    [
        ("", "it is empty"),
        ("no json here", "it has no JSON object"),
        ('{"opinions": ["a"]', "it is cut off before its JSON is complete"),
        ('{"opinions": "a', "it is cut off before its JSON is complete"),
        ("<think>Now let me see", "it ends within a thought and has no answer"),
        ('{"a": 1, "a": 2}', "its JSON is not valid: two values for 'a'"),
        ('{"a": NaN}', "its JSON is not valid: NaN is no number"),
        ('{"a": -Infinity}', "its JSON is not valid: -Infinity is no number"),
        ('{"a": ' + "9" * 5000 + "}", "its JSON is not valid: a number of 5000 digits"),
        ('{"a": [1}', "its JSON is not valid: Expecting ',' delimiter: line 1 column 9 (char 8)"),
        ('{"a":' * 101 + "1" + "}" * 101, "its JSON is nested too deeply"),
        ("[" * 10**6, "its JSON is nested too deeply"),
        ("{}" * 200, "it has more than 100 JSON objects"),
    ],
)
def test_fault_is_reported(text: str, problem: str) -> None:
    with pytest.raises(NoJSON) as error:
        values_in(text)

    assert str(error.value) == problem


def test_of_what_is_cut_off_complete_objects_of_lists_are_kept() -> None:
    (found,) = values_in('{"first": [{"id": 1}], "second": [{"id": 1}, {"id": 2}, {"id": 3, "an')

    assert found.value == {"first": [{"id": 1}], "second": [{"id": 1}, {"id": 2}]}
    assert found.is_cut


def test_what_is_as_deep_as_may_be_is_read() -> None:
    (found,) = values_in('{"a":' * 100 + "1" + "}" * 100)

    assert found.value == json.loads('{"a":' * 100 + "1" + "}" * 100)


def test_several_values_are_found_in_order() -> None:
    found = values_in('{"a": 1} or {"b": } or\n[{"c": 3}]')

    assert [one.value for one in found] == [{"a": 1}, [{"c": 3}]]


@given(PLAIN, OBJECTS, PLAIN, st.booleans())
def test_an_object_is_found_in_any_prose(
    before: str, value: dict[str, Any], after: str, escaped: bool
) -> None:
    text = before + json.dumps(value, ensure_ascii=escaped) + after

    (found,) = values_in(text)

    assert found.value == value
    assert not found.is_cut


@given(st.text(st.sampled_from('{}[]",:\\ \na1<think>/\ud800\ufeff')))
def test_any_text_has_json_or_has_none(text: str) -> None:
    with contextlib.suppress(NoJSON):
        assert all(isinstance(one.value, (dict, list)) for one in values_in(text))


@for_each(
    "unit",
    [
        *("{", "[", '"', "{ ", '{"', '["', "[\n", '{"a":', "{}", '{"a":1]', '{"a":[{}', "\\ud800"),
        *('{"a":"\\"', "<think>", '[{"a":1},', ",", '{"a":1, ', "\n", "\\", '"\\'),
    ],
)
def test_hostile_texts_take_no_longer_than_their_length(unit: str) -> None:
    def seconds(length: int) -> float:
        text = (unit * (length // len(unit)))[:length]
        began = time.process_time()
        with contextlib.suppress(NoJSON):
            values_in(text)
        return time.process_time() - began

    # 0.5 s would be 2.5 µs a character, ten times what it takes; anything that grows with the
    # square of the length takes minutes.
    assert seconds(200_000) < 0.5


@for_each(
    ("further", "is_read"),
    [
        ('"final_KEY": OTHER', False),
        ('"Corrected KEY": OTHER', False),
        ('"revised_KEYs": OTHER', False),
        ('"refusal": "I cannot judge this."', False),
        ('"refused": true', False),
        ('"final_KEY": SAME', True),
        ('"final_KEY": null', True),
        ('"final_answer": "Paris"', True),
        ('"refusal": null', True),
        ('"refusal": "none"', True),
        ('"KEY_out_of": 10', True),
        ('"confidence": 0.2', True),
    ],
)
def test_answer_that_a_further_key_retracts_is_asked_for_again(further: str, is_read: bool) -> None:
    rated = further.replace("KEY", "rating").replace("OTHER", "2").replace("SAME", '"5"')
    reading = Rating((1, 2, 3, 4, 5)).read(f'{{"rating": 5, {rated}}}', {}, None)
    assert reading.is_complete == is_read
    judged = further.replace("KEY", "verdict").replace("OTHER", '"no"').replace("SAME", '"Yes"')
    entry = f'{{"id": 1, "analysis": "", "verdict": "yes", {judged}}}'
    shape = Verdicts((VerdictList("verdicts", "claims"),))
    reading = shape.read(f'{{"verdicts": [{entry}]}}', {"claims": ["It rains."]}, None)
    assert reading.is_complete == is_read
