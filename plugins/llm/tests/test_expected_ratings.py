"""Ratings weighted with probabilities."""

from __future__ import annotations

import asyncio
import math
from typing import Any, ClassVar

import pytest
from valor_llm.clients.protocol import Reply, Request, TokenChoice
from valor_llm.judge.answer import NoAnswer
from valor_llm.judge.judge import Judge
from valor_llm.metrics.faithfulness import CLAIMS
from valor_llm.metrics.responses import COHERENCE
from valor_llm.parameters.judge import JudgeParameters
from valor_llm.replies.shapes import Rating
from valor_llm.replies.token_probabilities import NoProbabilities, expected, grade_probabilities

from valor_core import Registry
from valor_core.schemas.text import Text
from valor_core.specs.spec import import_object

FIVE = Rating((1, 2, 3, 4, 5))
TEN = Rating(tuple(range(1, 11)))
NAMED = Rating(("poor", "partly right", "perfect"))


def tokens(*found: str | tuple[str, dict[str, float]]) -> list[TokenChoice]:
    """Tokens, those with alternatives given by their probabilities."""
    return [
        TokenChoice(one, {one: 0.0})
        if isinstance(one, str)
        else TokenChoice(one[0], {text: math.log(share) for text, share in one[1].items()})
        for one in found
    ]


def test_an_expected_rating_is_the_mean_of_the_grades_by_their_probabilities() -> None:
    # Of the alternatives, 0.5 + 0.1 is for 4 (with and without a blank), 0.2 for 3, 0.1 for 5 and
    # 0.1 for no grade. Over the grades: 0.6/0.9 * 4 + 0.2/0.9 * 3 + 0.1/0.9 * 5 = 3.5/0.9.
    reply = tokens(
        *('{"analysis": "', "3", ' steps", "rating"', ":"),
        (" 4", {" 4": 0.5, "4": 0.1, " 3": 0.2, "5": 0.1, " four": 0.1}),
        "}",
    )

    found = expected({"rating": 4, "analysis": "3 steps"}, reply, FIVE)

    assert found["rating"] == pytest.approx(3.5 / 0.9, rel=1e-12)
    assert found["given"] == 4
    assert found["analysis"] == "3 steps"
    assert sum(found["probabilities"].values()) == pytest.approx(1.0, rel=1e-12)
    assert found["probabilities"][1] == 0.0


def test_a_number_after_the_rating_is_not_taken_for_it() -> None:
    reply = tokens(
        *('{"rating": ', ("4", {"4": 0.75, "2": 0.25}), ', "analysis": "'),
        *(("4", {"4": 0.5, "1": 0.5}), ' of 5 sentences"}'),
    )

    assert expected({"rating": 4}, reply, FIVE)["rating"] == 0.75 * 4 + 0.25 * 2


def test_without_a_key_the_last_token_that_is_a_grade_counts() -> None:
    reply = tokens(*("It has ", "3", " parts. "), ("2", {"2": 0.5, "1": 0.5}), ".", "\n")

    assert expected({"rating": 2}, reply, FIVE)["rating"] == 1.5


def test_a_key_in_quotes_within_the_analysis_is_not_taken_for_it() -> None:
    reply = tokens(
        *(r'{"analysis": "it says \"rating\": ', ("5", {"5": 1.0}), r'\"", "rating": "'),
        *(("2", {"2": 0.5, "3": 0.5}), '"}'),
    )

    assert expected({"rating": 2}, reply, FIVE)["rating"] == 2.5


def test_name_of_several_tokens_is_identified_by_the_first_unambiguous_one() -> None:
    reply = tokens(
        '{"rating": "', ("part", {"part": 0.6, "perf": 0.3, "Poor": 0.1}), "ly right", '"}'
    )

    found = grade_probabilities(reply, NAMED, "partly right")

    assert found == pytest.approx({"poor": 0.1, "partly right": 0.6, "perfect": 0.3})


def test_token_that_begins_several_grades_is_rejected() -> None:
    reply = tokens('{"rating": "', ("part", {"part": 0.9, "p": 0.1}), 'ly right"}')

    with pytest.raises(NoProbabilities) as error:
        grade_probabilities(reply, NAMED, "partly right")

    assert str(error.value) == (
        "one token begins several of the grades poor, partly right, perfect"
    )


def test_one_is_not_taken_for_the_beginning_of_ten_where_ten_is_a_token() -> None:
    whole = tokens('{"rating": ', ("1", {"1": 0.5, "10": 0.5}), "}")
    digits = tokens('{"rating": ', ("1", {"1": 0.5, "2": 0.5}), "0", "}")

    assert expected({"rating": 1}, whole, TEN)["rating"] == 5.5
    with pytest.raises(NoProbabilities, match="one token begins several of the grades 1, 2"):
        expected({"rating": 10}, digits, TEN)


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ([], "the endpoint gives no probabilities of tokens"),
        ([TokenChoice("4", {})], "the endpoint gives no probabilities of tokens"),
        (tokens('{"rating": ', "3", "}"), "the rating 4 does not begin at the token '3'"),
        (
            [TokenChoice("4", {"3": 0.0})],
            "the endpoint gives no probability of the rating 4",
        ),
        (
            [TokenChoice("4", {"4": math.nan})],
            "the endpoint gives nan as the logarithm of a probability",
        ),
        (
            [TokenChoice("4", {"4": 0.9})],
            "the endpoint gives 0.9 as the logarithm of a probability",
        ),
    ],
)
def test_probabilities_that_are_not_there_are_an_error(
    reply: list[TokenChoice], problem: str
) -> None:
    with pytest.raises(NoProbabilities) as error:
        expected({"rating": 4}, reply, FIVE)

    assert str(error.value) == problem


class Weighing:
    """A client that gives one rating with its probabilities, or without."""

    is_remote: ClassVar[bool] = False
    endpoint = "weighing"
    model = "weighing"

    def __init__(self, reply: list[TokenChoice]) -> None:
        self.reply = reply
        self.requests: list[Request] = []

    def complete(self, request: Request) -> Reply:
        self.requests.append(request)
        text = "".join(one.token for one in self.reply)
        return Reply(text=text, model=self.model, tokens=tuple(self.reply))


def ask(client: Any, step: Any, **data: Any) -> Any:
    judge = Judge(JudgeParameters(scoring="expected", cache="off"), client)
    return asyncio.run(judge.ask(step, **data)).value


def test_a_judge_that_scores_so_asks_for_probabilities_of_ratings_alone() -> None:
    rated = Weighing(tokens('{"analysis": "", "rating": ', ("4", {"4": 0.5, "5": 0.5}), "}"))
    listed = Weighing(tokens('{"claims": []}'))

    assert ask(rated, COHERENCE, text="It rains.")["rating"] == 4.5
    assert ask(listed, CLAIMS, response="It rains.") == {"claims": ()}
    assert [one.probabilities for one in rated.requests + listed.requests] == [True, False]


def test_a_rating_without_probabilities_is_no_answer_and_not_taken_as_given() -> None:
    client = Weighing([TokenChoice('{"analysis": "", "rating": 4}', {})])

    with pytest.raises(NoAnswer) as error:
        ask(client, COHERENCE, text="It rains.")

    assert str(error.value) == (
        "coherence: judge.scoring is expected, but the endpoint gives no probabilities of tokens"
    )
    assert len(client.requests) == 1


@pytest.mark.parametrize(
    ("metric", "parameters", "reply", "value"),
    [
        ("llm.Coherence", {}, ("4", {"4": 0.5, "5": 0.5}), 4.5),
        ("llm.Rubric", {"criteria": "c"}, ("4", {"4": 0.5, "5": 0.5}), (4.5 - 1) / 4),
        # 0.25 * 0 + 0.75 * 2, of 4 at the most.
        (
            "llm.Rubric",
            {"criteria": "c", "grades": {"poor": 0, "good": 2, "superb": 4}},
            ("good", {"good": 0.75, "poor": 0.25}),
            1.5 / 4,
        ),
    ],
)
def test_metrics_of_ratings_follow_the_probabilities(
    metric: str, parameters: dict[str, Any], reply: tuple[str, dict[str, float]], value: float
) -> None:
    quote = '"' if reply[0] == "good" else ""
    client = Weighing(tokens('{"analysis": "", "rating": ' + quote, reply, quote + "}"))
    spec = Registry().metric(metric)
    judge = Judge(JudgeParameters(scoring="expected", cache="off"), client)

    scored = asyncio.run(
        import_object(spec.implementation)(
            Text("q", "Why?", "So."), spec.parameter_class(**parameters), {"judge": judge}
        )
    )

    assert scored.value == pytest.approx(value, rel=1e-12)
