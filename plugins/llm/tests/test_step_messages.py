"""Messages of the steps: their examples, their form, and data that try to break out of it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib import resources
from itertools import takewhile
from typing import Any

import pytest
from cases import for_each
from hypothesis import given
from hypothesis import strategies as st
from valor_llm.clients.protocol import Message
from valor_llm.metrics.contexts import CONTEXTS_USEFUL
from valor_llm.metrics.faithfulness import CLAIMS, CLAIMS_SUPPORTED
from valor_llm.probe import attacks
from valor_llm.replies.reading import ParsedReply
from valor_llm.replies.shapes import Verdicts
from valor_llm.steps import prompt
from valor_llm.steps.prompt import Fences
from valor_llm.steps.step import Step

from .declared_steps import STEPS

FENCES = Fences("DATA-0123456789abcdef", b"secret")
LISTS = (
    *("contexts", "references", "claims", "opinions", "statements"),
    *("response_statements", "reference_statements"),
)
FILES = [
    file.name.removesuffix(".toml")
    for file in (resources.files("valor_llm.prompts") / "en").iterdir()
]


def data_of(step: Step, text: str) -> dict[str, Any]:
    return {name: (text, "b") if name in LISTS else text for name in step.fields}


def messages(step: Step, data: dict[str, Any], reading: ParsedReply | None = None) -> list[Message]:
    return step.messages(prompt.own(step.name), data, "English", FENCES, reading)


def shown(sent: Sequence[Message]) -> dict[str, Any]:
    """The data as the judge reads them: every line between two delimiter lines."""
    _, *lines = sent[1].content.split("\n")
    assert len(lines) % 3 == 0, "the data are a line in each fence"
    found: dict[str, Any] = {}
    for first, line, last in zip(lines[::3], lines[1::3], lines[2::3], strict=True):
        assert first == last
        assert re.fullmatch("DATA-[0-9a-f]{16}", first)
        found |= json.loads(line)
    assert last == FENCES.item
    return found


def numbered(data: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value
        if isinstance(value, str)
        else [{"id": number, "text": text} for number, text in enumerate(value, 1)]
        for name, value in data.items()
    }


@for_each("name", FILES)
def test_examples_of_a_prompt_are_read_with_nothing_overlooked(name: str) -> None:
    step, own = STEPS[name], prompt.own(name)
    for example in own.examples:
        reading = step.shape.read(example.reply, example.data, None)
        assert reading.is_complete, reading.fault
        assert reading.lenient == []
        schema = step.shape.schema(example.data, None)
        assert list(json.loads(example.reply)) == list(schema["properties"])
        if isinstance(step.shape, Verdicts):
            entries = [one for rows in json.loads(example.reply).values() for one in rows]
            assert {tuple(one) for one in entries} == {("id", "analysis", "verdict")}


@for_each("name", FILES)
def test_a_prompt_shows_the_form_of_the_reply(name: str) -> None:
    system = messages(STEPS[name], data_of(STEPS[name], "a"))[0]

    assert "Reply with one JSON object and nothing else, of this form:\n{" in system.content
    assert "{{" not in system.content


@for_each("attack", attacks(), ids=lambda attack: repr(attack.text[:25]))
def test_no_attack_changes_the_structure_of_the_messages(attack: Any) -> None:
    for step in STEPS.values():
        data = data_of(step, attack.text)

        sent = messages(step, data)

        assert [one.role for one in sent] == ["system", "user"]
        assert sent[0] == messages(step, data_of(step, "a"))[0]
        assert shown(sent) == numbered(data)
        for mark in ("<|", "|>\n", "</s>", "[INST]", "[/INST]", "<start_of_turn>"):
            assert mark not in sent[1].content


@given(st.text(st.characters(exclude_categories=[])))
def test_no_text_is_more_than_one_line_of_json(text: str) -> None:
    # Halves of characters, which no file can hold, arrive as escapes as well.
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    data = {"contexts": [whole], "claims": [whole, "b"]}

    sent = messages(CLAIMS_SUPPORTED, data)

    assert shown(sent) == numbered(data)
    assert len(sent[1].content.splitlines()) == len(sent[1].content.split("\n"))
    sent[1].content.encode()


def begin_alike(one: Sequence[Message], other: Sequence[Message]) -> str:
    """Common beginning of two calls, as an endpoint's prefix cache sees it."""
    texts = ["\n".join(message.content for message in sent) for sent in (one, other)]
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(*texts, strict=False))
    return "".join(character for character, _ in alike)


@pytest.mark.parametrize(
    ("step", "shared", "items"),
    [
        (CLAIMS_SUPPORTED, {"contexts": ["Rain in May."]}, [{"claims": ["a"]}, {"claims": ["b"]}]),
        (
            CONTEXTS_USEFUL,
            {"query": "When?", "contexts": ["Rain in May."]},
            [{"reference": "May"}, {"reference": "June"}],
        ),
    ],
)
def test_calls_that_share_contexts_begin_alike_up_to_the_item(
    step: Step, shared: dict[str, Any], items: list[dict[str, Any]]
) -> None:
    own = prompt.own(step.name)

    first, second = (step.messages(own, shared | item, "English", Fences(), None) for item in items)

    alike = begin_alike(first, second)
    assert alike.startswith(first[0].content)
    assert json.dumps("Rain in May.") in alike
    assert re.search("\nDATA-[0-9a-f]{0,12}$", alike)  # the item's fence, new for each


def test_different_texts_have_different_fences() -> None:
    own = prompt.own(CLAIMS_SUPPORTED.name)
    fences = [
        CLAIMS_SUPPORTED.messages(own, {"contexts": [text], "claims": ["a"]}, "English", Fences())[
            1
        ].content.split("\n")[1]
        for text in ("Rain in May.", "Rain in June.")
    ]
    assert fences[0] != fences[1]


def test_fault_follows_the_data_in_the_same_message() -> None:
    data = {"contexts": ["c"], "claims": ["a", "b", "c"]}
    reading = ParsedReply(missing={"verdicts": (1, 3)}, problems=['"verdicts": 1 has no analysis'])

    first, again = messages(CLAIMS_SUPPORTED, data), messages(CLAIMS_SUPPORTED, data, reading)

    assert [one.role for one in again] == ["system", "user"]
    assert again[0] == first[0]
    assert again[1].content == (
        f"{first[1].content}\n\n"
        'Your last reply cannot be used as it is: "verdicts": 1 has no analysis.\n'
        'Reply once more with one JSON object of the same form, "verdicts" with the ids 1, 3 only.'
    )


def test_a_reply_without_numbered_items_is_asked_for_again_as_a_whole() -> None:
    reading = CLAIMS.shape.read("No.", {}, None)

    assert messages(CLAIMS, {"response": "a"}, reading)[1].content.endswith(
        "Your last reply cannot be used as it is: it has no JSON object.\n"
        "Reply once more with one JSON object of the same form."
    )
