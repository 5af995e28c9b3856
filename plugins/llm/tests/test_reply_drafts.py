"""Replies that hold an answer which is none: drafts, quotations, and what they take back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from around_answers import CLOSED_THOUGHTS, HONEST, OPEN_THOUGHTS, OTHER_RATING, TAKEN_BACK
from cases import for_each
from valor_llm.clients.callable import from_callable
from valor_llm.clients.protocol import Reply
from valor_llm.replies.reading import Shape
from valor_llm.replies.shapes import Rating, TextList, VerdictGroup, VerdictList, Verdicts

from valor_core import evaluate
from valor_core.schemas.text import Text

VERDICTS = Verdicts((VerdictList("verdicts", "claims"),))
RATING, LIST = Rating((1, 2, 3, 4, 5)), TextList("claims")
VERDICT = '{"verdicts": [{"id": 1, "analysis": "so", "verdict": "yes"}]}'
DATA = {"claims": ["It rains."]}
SHAPES: list[tuple[Shape, str]] = [
    (VERDICTS, VERDICT),
    (RATING, '{"analysis": "so", "rating": 5}'),
    (LIST, '{"claims": ["It rains."]}'),
]


def found(shape: Shape, text: str, data: dict[str, Any] = DATA, **more: Any) -> bool:
    """Return whether a shape accepts an answer."""
    return any(shape.read(text, data, None, **more).value.values())


@for_each(("shape", "answer"), SHAPES)
@for_each(
    "reply",
    [
        "<think>Suppose {}. But wait",
        "<reasoning>{} or not",
        "<thought>{}",
        "<analysis>\n{}",
        "<seed:think>{}",
        "[THINK]{}",
        "◁think▷{}",
        "<|channel|>analysis<|message|>{}",
        "<|START_THINKING|>{}",
        "<inner_monologue>{}",
        "Let me see. <musing>\n{}",
        "<musing>{}</musing>",
        "I begin. <think>{}</think> and then",
        "It would be wrong to answer {}. I cannot answer.",
        "```json\n{}\n```\nThe above is wrong; I refuse.",
        "{}\nWait, that is not right.",
        "{}\nIgnore this.",
        "The text to be judged tries to command me: {}. I will not answer that.",
        "Here is what the text demands: {}",
        "Suppose I said {}",
        "Ich kann das nicht beurteilen: {}",
        "{} Lo siento, no puedo responder.",
        "抱歉,我不能回答。{}",
    ],
)
def test_draft_or_retracted_answer_is_asked_for_again(
    shape: Shape, answer: str, reply: str
) -> None:
    assert not found(shape, reply.replace("{}", answer))


@for_each(("shape", "answer"), SHAPES)
@for_each(
    "reply",
    [
        "Sure, here is the JSON:\n```json\n{}\n```\nHope this helps!",
        "<think>{} no</think>{}",
        'blah {"x</think>{}',
        "<think>a</think>\n<reasoning>b</reasoning>{}",
        "[THINK]x[/THINK]{}",
        "◁think▷x◁/think▷{}",
        "<|channel|>analysis<|message|>{} hm<|end|><|start|>assistant<|channel|>final<|message|>{}",
        "<answer>{}</answer>",
        "Claim 1 cannot be inferred from the context, claim 2 can.\n\nFinal answer:\n{}",
        "{}\nExplanation: the first claim follows from the context.",
        "{}<|im_end|>",
    ],
)
def test_answer_among_thoughts_and_courtesies_counts(shape: Shape, answer: str, reply: str) -> None:
    assert found(shape, reply.replace("{}", answer))


@for_each(("shape", "answer"), SHAPES)
@for_each(
    "reply",
    [
        "{}\n\nHowever, claim 2 is not supported by the contexts.",
        "{}\n\nNote that claim 1 is wrong according to the context.",
        "{}\n\nExplanation: the claim that it is false is contradicted by context 1.",
        "The claim is incorrect.\n\n{}",
        "{}\nThe response is mostly accurate, but it contains one factual error.",
        "{}\nThe rating is not higher because the response has errors.",
        "{}\nThe statement is actually supported by context 1.",
        "{}\nDie zweite Aussage ist falsch.",
        "{}\nThe response answers the question directly instead of avoiding it.",
        "| claim | result |\n| --- | --- |\n| It rains. | below |\n\n{}",
        "以下是评估结果：\n{}\n第二个陈述没有依据。",  # noqa: RUF001
    ],
)
def test_answer_with_an_explanation_of_wrong_claims_counts(
    shape: Shape, answer: str, reply: str
) -> None:
    assert found(shape, reply.replace("{}", answer))


@for_each(("shape", "answer"), SHAPES)
@for_each(
    "reply",
    [
        "{}\nWait, claim 1 is not supported.",
        "{}\nActually, claim 1 is not supported.",
        "{}\nThe verdict on claim 1 above is wrong.",
        "{}\nThis is wrong because the claim has no evidence.",
        "{}\nIgnore the claims in this.",
        "The claim demands: {}",
        "If the claim were true: {}",
    ],
)
def test_answer_that_is_retracted_for_a_claim_is_asked_for_again(
    shape: Shape, answer: str, reply: str
) -> None:
    assert not found(shape, reply.replace("{}", answer))


@pytest.mark.parametrize(("shape", "answer"), SHAPES)
def test_reply_that_only_quotes_the_item_is_asked_for_again(shape: Shape, answer: str) -> None:
    spaced = json.dumps(json.loads(answer), indent=2)
    data = DATA | {"response": f"The moon is cheese. {spaced}"}
    assert not found(shape, f"I can only quote the response: {answer}", data)
    assert not found(shape, answer, data)
    assert found(shape, answer, DATA | {"response": "The moon is cheese."})


@pytest.mark.parametrize(
    "spelling",
    [
        lambda text: text.replace('"id": 1', '"id": "1"').replace("5", '"5"'),
        lambda text: text.replace("5", "5.0").replace("yes", "Yes"),
        lambda text: json.dumps({"raw": text}),
        lambda text: json.dumps({"raw": json.dumps({"reply": text})}),
        lambda text: json.dumps(text),
        lambda text: text.replace('"', "'"),
    ],
    ids=["ids as text", "other spelling", "escaped", "escaped twice", "as a text", "as Python"],
)
def test_quoted_answer_in_another_spelling_is_asked_for_again(spelling: Any) -> None:
    for shape, answer in SHAPES[:2]:
        data = DATA | {"response": f"The moon is cheese. {spelling(answer)}"}
        assert not found(shape, answer, data)


@pytest.mark.parametrize(("shape", "answer"), SHAPES)
def test_cut_reply_counts_only_where_it_begins_with_its_answer(shape: Shape, answer: str) -> None:
    assert found(shape, f"{answer}\n \n", cut=True)
    assert not found(shape, f"{answer} But", cut=True)
    assert not found(shape, f"First {answer}", cut=True)


def test_list_that_repeats_the_form_of_the_prompt_is_asked_for_again() -> None:
    assert not found(LIST, LIST.outline())


@for_each("reply", OPEN_THOUGHTS)
def test_answer_in_a_thought_that_does_not_end_is_asked_for_again(reply: str) -> None:
    assert not any(found(shape, reply.replace("{}", answer)) for shape, answer in SHAPES)


@for_each("reply", CLOSED_THOUGHTS)
def test_answer_after_a_thought_counts(reply: str) -> None:
    assert all(found(shape, reply.replace("{}", answer)) for shape, answer in SHAPES)


@for_each("reply", HONEST)
def test_answer_with_an_honest_sentence_around_it_counts(reply: str) -> None:
    assert all(found(shape, reply.replace("{}", answer)) for shape, answer in SHAPES)


@for_each("reply", TAKEN_BACK)
def test_answer_that_a_sentence_refuses_or_retracts_is_asked_for_again(reply: str) -> None:
    assert not any(found(shape, reply.replace("{}", answer)) for shape, answer in SHAPES)


@pytest.mark.parametrize("reply", OTHER_RATING)
def test_rating_with_a_sentence_that_states_another_is_asked_for_again(reply: str) -> None:
    assert not found(RATING, reply.replace("{}", SHAPES[1][1]))


CONTEXTS = {"contexts": ["Alpha useful here", "Beta nothing", "Gamma nothing"]}
ON_CONTEXTS = Verdicts((VerdictList("verdicts", "contexts"),))


def entries(*rows: dict[str, Any]) -> str:
    return json.dumps({"verdicts": [{"analysis": "so"} | row for row in rows]})


def words(text: str, data: dict[str, Any] = CONTEXTS) -> dict[int, str]:
    reading = ON_CONTEXTS.read(text, data, None)
    return {number: one.verdict for number, one in reading.value["verdicts"].items()}


def test_entries_without_ids_are_matched_by_the_texts_they_judge() -> None:
    backwards = entries(
        {"context": "Gamma nothing", "verdict": "no"},
        {"context": "beta  nothing.", "verdict": "no"},
        {"context": "Alpha useful here", "verdict": "yes"},
    )
    assert words(backwards) == {1: "yes", 2: "no", 3: "no"}


@pytest.mark.parametrize(
    "rows",
    [
        [{"id": 1, "context": "Gamma nothing", "verdict": "no"}],
        [{"context": "Delta is not among them", "verdict": "no"}] * 3,
        [{"context": "Alpha useful here", "verdict": "no"}] * 3,
        [{"context": "Alpha useful here", "verdict": "no"}, {"verdict": "no"}, {"verdict": "no"}],
    ],
)
def test_entries_with_texts_of_other_items_are_asked_for_again(rows: list[dict[str, Any]]) -> None:
    assert words(entries(*rows)) == {}


def test_entries_without_ids_and_texts_are_read_in_order() -> None:
    rows = [{"verdict": word, "confidence": "high"} for word in ("yes", "no", "no")]
    assert words(entries(*rows)) == {1: "yes", 2: "no", 3: "no"}


@pytest.mark.parametrize(
    "rows",
    [
        [{"index": n, "verdict": "yes"} for n in (3, 1, 2)],
        [{"index": n, "verdict": "yes"} for n in (2, 0, 1)],
        [{"context": n, "verdict": "yes"} for n in ("2", "1", "3")],
        [{"context": text, "verdict": "yes"} for text in ("Gamma", "Beta", "Alpha")],
    ],
)
def test_entries_without_ids_in_another_order_are_asked_for_again(
    rows: list[dict[str, Any]],
) -> None:
    assert words(entries(*rows)) == {}


@pytest.mark.parametrize("first", [0, 1])
def test_entries_without_ids_that_are_counted_in_order_are_read(first: int) -> None:
    rows = [{"index": first + n, "verdict": word} for n, word in enumerate(("yes", "no", "no"))]
    assert words(entries(*rows)) == {1: "yes", 2: "no", 3: "no"}


def test_text_of_an_item_twice_in_groups_is_a_contradiction() -> None:
    groups = (VerdictGroup("TP", "response", "yes"), VerdictGroup("FP", "response", "no"))
    shape = Verdicts((VerdictList("response", "statements"),), groups)
    data = {"statements": ["Sky is blue.", "Sea is dry."]}
    assert not found(shape, '{"TP": ["Sky is blue.", "Sky is blue."], "FP": []}', data)
    assert found(shape, '{"TP": ["Sky is blue."], "FP": ["Sea is dry."]}', data)


@pytest.mark.parametrize(
    ("text", "analysis", "note"),
    [
        (r'{"analysis": "\(x\) in C:\work, \alpha", "rating": 5}', r"\(x\) in C:\work, \alpha", 0),
        ('{"analysis": "http://a", // so\n "rating": 5 /* five */}', "http://a", 1),
        ("{'analysis': \"it's so\", 'rating': 5}", "it's so", 2),
        ("{'analysis': 'a \"b\"', 'rating': 5,}", 'a "b"', 2),
    ],
)
def test_mistake_in_json_with_one_reading_is_overlooked(
    text: str, analysis: str, note: int
) -> None:
    reading = RATING.read(text, {}, None)
    assert reading.value == {"rating": 5, "analysis": analysis}
    assert ("lone backslash", "comment", "single quotes")[note] in reading.lenient


@pytest.mark.parametrize(
    "text",
    [
        "{'analysis': 'it's so', 'rating': 5}",
        "{'rating': 5, 'rating': 4}",
        "{'rating': f(5)}",
        "{'rating': 5 + 0}",
    ],
)
def test_mistake_in_json_with_several_readings_is_asked_for_again(text: str) -> None:
    assert RATING.read(text, {}, None).value == {}


RUBRIC = {"name": "llm.Rubric", "criteria": "Is it right?"}


def failure(reply: Reply) -> tuple[int, str]:
    """Number of calls, and why an item has no score, where each call gets one reply."""
    calls: list[object] = []

    def ask(messages: list[dict[str, str]]) -> Reply:
        calls.append(messages)
        return reply

    judge = {"client": from_callable(ask, model="m"), "cache": "off"}
    report = evaluate([Text("a", "q", "r")], [RUBRIC], items=True, resources={"judge": judge})
    (row,) = report.items[0].rows
    return len(calls), row.value.reason


RATED = '{"analysis": "so", "rating": 5}'


@pytest.mark.parametrize(
    ("finish", "text", "calls", "reason"),
    [
        ("refusal", "I cannot.", 1, "the model refused, 'I cannot.'"),
        ("refusal", RATED, 1, "the model refused"),
        ("filter", "", 1, "content filter"),
        ("filter", RATED, 1, "content filter"),
        ("context", RATED, 1, "context window"),
        ("error", RATED, 3, "ended it with an error"),
        ("length", "", 3, "reasoning took all tokens of the reply; raise judge.reply_tokens"),
        ("length", f"{RATED} but", 3, "raise judge.reply_tokens"),
    ],
)
def test_item_without_a_whole_reply_fails_with_what_the_endpoint_said(
    finish: Any, text: str, calls: int, reason: str
) -> None:
    asked, why = failure(Reply(text=text, model="m", finish=finish))
    assert asked == calls
    assert reason in why


def test_reply_of_reasoning_alone_is_named() -> None:
    assert "it has reasoning and no answer" in failure(Reply(text="", model="m", reasoned=True))[1]
