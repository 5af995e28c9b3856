"""Ratings that are read from a reply."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cases import for_each
from valor_llm.replies.reading import ParsedReply
from valor_llm.replies.shapes import Rating

FIVE = Rating((1, 2, 3, 4, 5))
THREE = Rating((0, 1, 2))
EVEN = Rating((0, 2, 4))
NAMED = Rating(("poor", "partly right", "Good"))


def read(text: str, rating: Rating = FIVE, **more: Any) -> ParsedReply:
    return rating.read(text, {}, None, **more)


def test_a_reply_as_it_was_asked_for_is_read_with_nothing_overlooked() -> None:
    assert read('{"analysis": "so", "rating": 4}') == ParsedReply({"rating": 4, "analysis": "so"})


@for_each(
    ("text", "rating", "value", "lenient"),
    [
        ('{"analysis": "", "rating": 4.0}', FIVE, 4, ["other spelling"]),
        ('{"analysis": "", "rating": "4"}', FIVE, 4, ["other spelling"]),
        ('{"analysis": "", "rating": "Rating: 4"}', FIVE, 4, ["other spelling"]),
        ('{"analysis": "", "rating": "4.0"}', FIVE, 4, ["other spelling"]),
        ('{"rating": 0}', THREE, 0, ["no analysis"]),
        (
            '{"result": {"Reason": "2 of 3", "score": 4}}',
            FIVE,
            4,
            ["wrapped", "other key", "other key"],
        ),
        ("4", FIVE, 4, ["no JSON", "no analysis", "other spelling"]),
        ("4.0", EVEN, 4, ["no JSON", "no analysis", "other spelling"]),
        ("Rating: 2.0", EVEN, 2, ["no JSON", "no analysis", "other spelling"]),
        ("**Rating:** **4**.", FIVE, 4, ["no JSON", "no analysis", "other spelling"]),
        ("The final rating is 4", FIVE, 4, ["no JSON", "no analysis", "other spelling"]),
        ("<think>3 or 4?</think> 4", FIVE, 4, ["no JSON", "no analysis", "other spelling"]),
        ("Rating (1-5): 4", FIVE, 4, ["no JSON", "no analysis", "other spelling"]),
        ('{"analysis": "", "rating": "good"}', NAMED, "Good", ["other spelling"]),
        ('{"analysis": "", "rating": "Partly right."}', NAMED, "partly right", ["other spelling"]),
        ("Grade: Good", NAMED, "Good", ["no JSON", "no analysis", "other spelling"]),
    ],
)
def test_small_deviations_are_tolerated_and_reported(
    text: str, rating: Rating, value: int | str, lenient: list[str]
) -> None:
    reading = read(text, rating)

    assert reading.value["rating"] == value
    assert type(reading.value["rating"]) is type(value)
    assert reading.lenient == lenient
    assert reading.is_complete


@for_each(
    ("text", "rating"),
    [
        *((text, FIVE) for text in ("4.5", "four", "great", "7", "10", "-3", "40", "4 out of 10")),
        *((text, FIVE) for text in ("4 out of 5", "4/5", "4 / 5", "4th", "40%", "Score 5 for 2")),
        *((text, FIVE) for text in ("It contains 3 mistakes", "I count 3", "3 facts are wrong")),
        *((text, FIVE) for text in ("On a scale of 1 to 5 I give 4", "4.50", "4,5", "4, or 3.5")),
        *((text, THREE) for text in ("0 out of 2", "1/2", "12", "1 because 2 facts match")),
        *((text, EVEN) for text in ("3", "1", "5", "N/A", "40")),
        ('{"analysis": "", "rating": 7}', FIVE),
        ('{"analysis": "", "rating": 4.5}', FIVE),
        ('{"analysis": "", "rating": true}', FIVE),
        ('{"analysis": "", "rating": null}', FIVE),
        ('{"analysis": "", "rating": [4]}', FIVE),
        ('{"analysis": "", "rating": 1e400}', FIVE),
        ('{"analysis": "", "rating": "four"}', FIVE),
        ('{"analysis": "", "rating": "4 out of 10"}', FIVE),
        ('{"analysis": "", "rating": "4 out of 5"}', FIVE),
        ("not good", NAMED),
        ('{"analysis": "", "rating": "not good"}', NAMED),
        ('{"analysis": "", "rating": 1}', NAMED),
    ],
)
def test_a_value_that_is_no_grade_is_asked_for_again(text: str, rating: Rating) -> None:
    reading = read(text, rating)

    assert reading.value == {}
    grades = ", ".join(map(str, rating.grades))
    assert reading.fault.startswith(f'"rating" must be one of {grades}, got ')
    assert not reading.unfit


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "it is empty"),
        ('{"analysis": "the 3 points", "rating": 4', "it is cut off before its JSON is complete"),
        ("<think>It has 3", "it ends within a thought and has no answer"),
        ('{"analysis": "so"}', 'its JSON has no "rating"'),
        (
            json.dumps(FIVE.schema({}, None)),
            "it repeats the schema instead of following it",
        ),
        ('{"rating": 4} {"rating": 3}', "it has 2 answers that differ"),
        ('{"rating": 4, "rating": 3}', "its JSON is not valid: two values for 'rating'"),
    ],
)
def test_a_reply_without_a_rating_is_asked_for_again(text: str, fault: str) -> None:
    assert read(text).fault == fault


def test_a_number_at_which_a_reply_was_cut_is_no_rating() -> None:
    assert read("I count 3", cut=True).fault == "it is cut off, since it is too long"


def test_rating_of_a_reply_that_was_cut_in_the_text_after_it_is_a_draft() -> None:
    assert read('{"analysis": "", "rating": 4} And I', cut=True).value == {}


def test_rating_of_a_reply_that_was_cut_in_white_space_counts() -> None:
    reading = read('```json\n{"analysis": "", "rating": 4}\n\n\n', cut=True)
    assert reading.value["rating"] == 4


@for_each(
    "text",
    [
        *('{"rating": "not a rating of 5"}', '{"rating": "<5"}', '{"rating": "!= 5"}'),
        *('{"rating": "!5"}', '{"rating": "\u22125"}', '{"rating": 4.9999999999999999999}'),
        *("I would not give it a rating of 5", "Rating: <5", "~5", "Rating: >=5", "≥ 5"),
        *("The human gave a grade of 5", "A wrong rating is 5", "It is now: 5", "Step = 5"),
        *('The text demands: "rating: 5"', "Number of errors: 5", "Coherence (1-5): 5"),
        *("It has 12 sentences. Rating = 5", "Rating: not 5", "Rating: 5?", "maybe 5", "5 or so"),
    ],
)
def test_rating_that_is_denied_bounded_or_of_something_else_is_asked_for_again(text: str) -> None:
    assert read(text).value == {}


def test_the_schema_has_the_grades() -> None:
    assert FIVE.schema({}, None)["properties"]["rating"] == {
        "type": "integer",
        "enum": [1, 2, 3, 4, 5],
    }
    assert NAMED.schema({}, None)["properties"]["rating"]["type"] == "string"
