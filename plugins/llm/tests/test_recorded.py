"""The client `recorded`: a file of replies takes the place of an endpoint, line by line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from valor_llm.clients.protocol import ClientError, Reply, Request, TokenChoice, Usage
from valor_llm.clients.recorded import Line, Recorded, Recording
from valor_llm.parameters.clients import RecordedParameters

import valor_core
from valor_core.errors import ResourceError
from valor_core.schemas.text import Text

RAIN = {"response": "It rains."}


def recorded(path: Path, *lines: dict[str, Any] | str) -> Recorded:
    path.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in lines))
    return Recorded(RecordedParameters(file=path))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "replies.jsonl"


def asked(step: str, data: dict[str, Any], **more: Any) -> Request:
    return Request(messages=(), schema={}, step=step, data=data, **more)


def test_a_line_replies_to_its_step_and_data(path: Path) -> None:
    client = recorded(
        path,
        {"step": "claims", "data": RAIN, "reply": {"claims": ["It rains."]}},
        "",
        {"step": "opinions", "data": RAIN, "reply": "Sure!", "model": "m", "finish": "length"},
    )
    assert client.complete(asked("claims", RAIN)) == Reply(
        text='{"claims": ["It rains."]}', model="recorded"
    )
    assert client.complete(asked("opinions", RAIN)) == Reply(
        text="Sure!", model="m", finish="length"
    )


def test_the_line_that_gives_the_most_replies(path: Path) -> None:
    client = recorded(
        path,
        {"step": "claims", "reply": "any"},
        {"step": "claims", "data": RAIN, "reply": "rain"},
        {"step": "rubric", "data": RAIN, "settings": {"criteria": "wet"}, "reply": "wet"},
        {"step": "rubric", "data": RAIN, "reply": "else"},
    )
    assert client.complete(asked("claims", RAIN)).text == "rain"
    assert client.complete(asked("claims", {"response": "It snows."})).text == "any"
    wet = {"criteria": "wet", "grades": "0\n1"}
    assert client.complete(asked("rubric", RAIN, settings=wet)).text == "wet"
    assert client.complete(asked("rubric", RAIN, settings={"criteria": "dry"})).text == "else"


def test_lists_are_compared_item_by_item(path: Path) -> None:
    data = {"contexts": ["a", "b"], "claims": ["c"]}
    client = recorded(path, {"step": "claims_supported", "data": data, "reply": "yes"})
    same = {"contexts": ("a", "b"), "claims": ("c",)}
    assert client.complete(asked("claims_supported", same)).text == "yes"
    with pytest.raises(ClientError):
        client.complete(asked("claims_supported", same | {"contexts": ("b", "a")}))


def test_repeats_and_attempts_have_separate_replies(path: Path) -> None:
    client = recorded(
        path,
        {"step": "claims", "reply": "first"},
        {"step": "claims", "attempt": 2, "reply": "second"},
        {"step": "claims", "repeat": 1, "reply": "repeat"},
    )
    assert client.complete(asked("claims", RAIN)).text == "first"
    assert client.complete(asked("claims", RAIN, attempt=2)).text == "second"
    assert client.complete(asked("claims", RAIN, repeat=1)).text == "repeat"
    with pytest.raises(ClientError) as caught:
        client.complete(asked("claims", RAIN, repeat=1, attempt=3))
    assert str(caught.value) == (
        "replies.jsonl: no reply to claims of response 'It rains.', repeat 1, attempt 3"
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "expected an object in JSON, found '{'"),
        ("[]", "expected an object, found []"),
        ('{"reply": "x"}', 'expected a "step", found none'),
        ('{"step": "claims"}', 'expected a "reply", found none'),
        ('{"step": 1, "reply": "x"}', "expected the name of a step, found 1"),
        ('{"step": "claims", "reply": 5}', "expected an object, or the text of a reply, found 5"),
        ('{"step": "claims", "reply": "x", "data": []}', '"data": expected an object, found []'),
        (
            '{"step": "claims", "reply": "x", "attempt": true}',
            "expected a whole number, found True",
        ),
        (
            '{"step": "claims", "reply": "x", "finish": "end"}',
            "expected one of stop, length, context",
        ),
        (
            '{"step": "claims", "reply": "x", "usage": {"in": 1}}',
            "expected whole numbers of prompt, completion",
        ),
        (
            '{"step": "claims", "reply": "x", "tokens": [1]}',
            "expected a token and its choices, found 1",
        ),
        ('{"step": "claims", "reply": "x", "answer": 1}', "expected the keys step, data, settings"),
        ("[" * 100_000, '"claims", "data"'),
    ],
)
def test_a_line_that_is_no_reply_is_named(path: Path, line: str, message: str) -> None:
    with pytest.raises(ResourceError, match=re.escape(message)):
        recorded(path, {"step": "claims", "reply": "x"}, line)


def test_two_replies_to_one_question_are_an_error_and_the_same_twice_is_none(path: Path) -> None:
    line = {"step": "claims", "data": RAIN, "reply": "x"}
    recorded(path, line, line)
    with pytest.raises(ResourceError, match="expected one reply to a question, line 1 has another"):
        recorded(path, line, line, line | {"reply": "y"})


def test_a_file_that_cannot_be_read_is_an_error(path: Path, tmp_path: Path) -> None:
    with pytest.raises(
        ResourceError, match="expected a file of replies, No such file or directory"
    ):
        Recorded(RecordedParameters(file=path))
    path.write_bytes(b'{"step": "\xff"}')
    with pytest.raises(ResourceError, match="expected text in UTF-8, found byte 10 that is none"):
        Recorded(RecordedParameters(file=path))


FULL = Line(
    step="claims",
    data={"response": "Äh \ud800"},
    settings={"criteria": "wet"},
    repeat=2,
    attempt=3,
    reply=Reply(
        text='{"claims":["no spaces"]}',
        model="m",
        finish="other",
        usage=Usage(prompt=1, reasoning=2),
        tokens=(TokenChoice("4", {"4": -0.25}),),
    ),
)


def test_a_written_line_is_read_as_it_was(path: Path) -> None:
    recording = Recording(path)
    recording.add([FULL])
    Recording(path).add([FULL])
    (line,) = path.read_text().splitlines()
    assert Line.from_json(line) == FULL


def test_a_file_of_something_else_is_not_written_to(path: Path) -> None:
    path.write_text("uid,label\n")
    with pytest.raises(ResourceError, match="expected an object in JSON, found 'uid,label"):
        Recording(path)
    assert path.read_text() == "uid,label\n"


ITEMS = [
    Text(
        "a",
        query="What is the weather?",
        response="It rains in Bergen. It snows in Oslo.",
        contexts=("It rains in Bergen today.",),
    ),
    Text("b", query="And in Rome?", response="The sun shines.", contexts=("The sun shines.",)),
]


def run(**judge: Any) -> valor_core.Report:
    return valor_core.evaluate(ITEMS, ["llm.Faithfulness"], resources={"judge": judge}, items=True)


def test_what_a_run_has_recorded_gives_the_same_report(path: Path) -> None:
    first = run(client="lexical", record=str(path))
    assert first["Faithfulness"].value == 0.75  # (1/2 + 1) / 2
    assert len(path.read_text().splitlines()) == 4
    second = run(client={"name": "recorded", "file": str(path)})
    assert second.results == first.results
    assert second.items is not None
    assert first.items is not None
    assert [one.to_dict() for one in second.items[0].rows] == [
        one.to_dict() for one in first.items[0].rows
    ]


def test_the_replies_of_several_judges_are_not_mixed_in_one_file(path: Path) -> None:
    path.write_text('{"step": "claims", "reply": "x"}')
    clients = ["lexical", {"name": "recorded", "file": str(path)}]
    with pytest.raises(
        ResourceError, match=r"judge\.record: expected one client whose replies it keeps, found 2"
    ):
        run(client=clients, record=str(path))


def test_an_item_that_the_file_lacks_fails_with_the_question_named(path: Path) -> None:
    run(client="lexical", record=str(path))
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    report = run(client={"name": "recorded", "file": str(path)})
    assert report.counts["failed"] == 1
    assert report.items is not None
    (failed,) = (one for one in report.items[0].rows if not isinstance(one.value, float))
    assert "replies.jsonl: no reply to claims_supported of contexts" in str(failed.value)
