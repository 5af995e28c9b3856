"""The judge: each question is paid once, by any caller and after any interruption."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, ClassVar

import pytest
from attrs import evolve
from valor_llm.clients.protocol import Reply, Request, TransientError, Usage
from valor_llm.judge.answer import Answer, NoAnswer
from valor_llm.judge.judge import Judge
from valor_llm.metrics.faithfulness import CLAIMS, CLAIMS_SUPPORTED
from valor_llm.parameters.judge import JudgeParameters

from valor_core import evaluate
from valor_core.errors import ResourceError, ResourceStopped, ValorError
from valor_core.scoring import submit

CLAIMED = '{"claims": ["It rains."]}'
USAGE = Usage(prompt=10, completion=2)


class Scripted:
    """A client of a remote endpoint that says what a script makes of the number of the call."""

    is_remote: ClassVar[bool] = True
    endpoint = "https://judge.test/v1"

    def __init__(self, script: Callable[[int, Request], str], model: str = "m") -> None:
        self.script = script
        self.model = model
        self.requests: list[Request] = []
        self._counting = threading.Lock()

    def complete(self, request: Request) -> Reply:
        with self._counting:
            number = len(self.requests)
            self.requests.append(request)
        text = self.script(number, request)
        return Reply(text=text, model=f"{self.model}-2026", usage=USAGE)


def says(*texts: str) -> Scripted:
    return Scripted(lambda number, request: texts[min(number, len(texts) - 1)])


def verdicts(*ids: int) -> str:
    entries = [{"id": one, "analysis": "So it is.", "verdict": "yes"} for one in ids]
    return json.dumps({"verdicts": entries})


@pytest.fixture
def parameters(tmp_path: Path) -> JudgeParameters:
    return JudgeParameters(cache_file=tmp_path / "cache.sqlite", http_retries=0)


def ask(judge: Judge, *questions: tuple[Any, ...]) -> list[Answer]:
    async def all_at_once() -> list[Answer]:
        asked = (judge.ask(step, repeat, **data) for step, repeat, data in questions)
        return await asyncio.gather(*asked)

    try:
        return submit(all_at_once()).result(timeout=30)
    finally:
        judge.close()


def kept_rows(path: Path) -> int:
    connection = sqlite3.connect(path)
    ((count,),) = connection.execute("SELECT count(*) FROM replies")
    connection.close()
    return int(count)


RAIN = (CLAIMS, 0, {"response": "It rains."})
THREE = (CLAIMS_SUPPORTED, 0, {"contexts": ("c",), "claims": ("one", "two", "three")})


def test_identical_concurrent_questions_are_asked_once(parameters: JudgeParameters) -> None:
    client = says(CLAIMED)
    answers = ask(Judge(parameters, client), RAIN, RAIN, RAIN)
    assert len(client.requests) == 1
    assert answers[0] is answers[1] is answers[2]


@pytest.mark.parametrize("cache", ["use", "off"])
def test_a_question_that_comes_again_later_is_not_asked_again(
    parameters: JudgeParameters, cache: Any
) -> None:
    client = says(CLAIMED)
    judge = Judge(evolve(parameters, cache=cache), client)

    async def one_after_another() -> None:
        for _ in range(3):
            await judge.ask(CLAIMS, response="It rains.")

    submit(one_after_another()).result(timeout=30)
    judge.close()
    assert len(client.requests) == 1


def test_a_later_run_takes_everything_from_the_cache(parameters: JudgeParameters) -> None:
    # Two replies for the three verdicts, then the repair for the third: two calls, kept as two.
    client = says(verdicts(1, 2), verdicts(3))
    first = ask(Judge(parameters, client), THREE)[0]
    assert len(client.requests) == 2
    again = says("never asked")
    second = ask(Judge(parameters, again), THREE)[0]
    assert second == first
    assert (second.attempts, second.usage) == (2, Usage(prompt=20, completion=4))
    assert again.requests == []


def test_cached_answer_reports_all_paid_attempts(
    parameters: JudgeParameters,
) -> None:
    # The first reply cannot be used and is not kept; what it took is kept with the second.
    first = ask(Judge(parameters, says("Sure!", CLAIMED)), RAIN)[0]
    second = ask(Judge(parameters, says("never asked")), RAIN)[0]
    assert second == first
    assert (second.attempts, second.usage) == (2, Usage(prompt=20, completion=4))


def test_of_a_partial_reply_that_was_paid_only_the_rest_is_asked_for(
    parameters: JudgeParameters,
) -> None:
    def killed(number: int, request: Request) -> str:
        if number:
            raise TransientError("the line was cut")
        return verdicts(1, 3)

    with pytest.raises(NoAnswer, match="the line was cut"):
        ask(Judge(parameters, Scripted(killed)), THREE)
    client = says(verdicts(2))
    answer = ask(Judge(parameters, client), THREE)[0]
    (request,) = client.requests
    assert request.schema["properties"]["verdicts"]["items"]["properties"]["id"]["enum"] == [2]
    assert sorted(answer.value["verdicts"]) == [1, 2, 3]
    assert (answer.attempts, answer.usage) == (2, Usage(prompt=20, completion=4))


def test_replies_that_cannot_be_used_are_not_kept(parameters: JudgeParameters) -> None:
    judge = Judge(parameters, says("Sure!"))
    with pytest.raises(
        NoAnswer, match="claims: the last of 3 replies cannot be used: it has no JSON object"
    ):
        ask(judge, RAIN)
    assert kept_rows(parameters.cache_file) == 0


def test_failure_reaches_all_waiting_callers_and_is_retried_later(
    parameters: JudgeParameters,
) -> None:
    client = says("Sure!", "Sure!", "Sure!", CLAIMED)
    judge = Judge(parameters, client)

    async def twice() -> list[Any]:
        asked = [judge.ask(CLAIMS, response="It rains.") for _ in range(2)]
        failed = await asyncio.gather(*asked, return_exceptions=True)
        return [*failed, await judge.ask(CLAIMS, response="It rains.")]

    one, other, answer = submit(twice()).result(timeout=30)
    judge.close()
    assert isinstance(one, NoAnswer)
    assert isinstance(other, NoAnswer)
    assert answer.value == {"claims": ("It rains.",)}
    assert len(client.requests) == 4


CHANGES: Sequence[dict[str, Any]] = (
    {"temperature": 0.5},
    {"temperature": None},
    {"seed": 1},
    {"reply_tokens": 100},
    {"language": "German"},
)


@pytest.mark.parametrize("changed", CHANGES, ids=str)
def test_what_can_change_an_answer_is_asked_anew(
    parameters: JudgeParameters, changed: dict[str, Any]
) -> None:
    ask(Judge(parameters, says(CLAIMED)), RAIN)
    client = says(CLAIMED)
    ask(Judge(evolve(parameters, **changed), client), RAIN)
    assert len(client.requests) == 1


def test_another_model_endpoint_setting_or_repeat_is_asked_anew(
    parameters: JudgeParameters,
) -> None:
    ask(Judge(parameters, says(CLAIMED)), RAIN)
    model, endpoint, setting = (says(CLAIMED) for _ in range(3))
    model.model = "n"
    endpoint.endpoint = "https://another.test/v1"
    setting.identity = lambda: {"model": "m", "effort": "high"}  # type: ignore[attr-defined]
    for client in (model, endpoint, setting):
        ask(Judge(parameters, client), RAIN)
        assert len(client.requests) == 1
    repeated = says(CLAIMED)
    ask(Judge(parameters, repeated), (CLAIMS, 1, {"response": "It rains."}))
    assert [one.seed for one in repeated.requests] == [1]


def test_a_changed_prompt_is_asked_anew(parameters: JudgeParameters, tmp_path: Path) -> None:
    ask(Judge(parameters, says(CLAIMED)), RAIN)
    own = tmp_path / "claims.toml"
    own.write_text('version = 1\ninstruction = "List the claims."\n')
    client = says(CLAIMED)
    answer = ask(Judge(evolve(parameters, prompts={"claims": own}), client), RAIN)[0]
    assert len(client.requests) == 1
    assert answer.prompt.startswith("claims@1:")


def test_report_warns_of_the_prompt_of_a_misspelt_step(
    parameters: JudgeParameters, tmp_path: Path
) -> None:
    own = tmp_path / "claims.toml"
    own.write_text('version = 1\ninstruction = "List the claims."\n')
    judge = Judge(evolve(parameters, prompts={"claims": own, "claimz": own}), says(CLAIMED))
    assert "warnings" not in judge.facts()  # nothing was asked, and nothing can be said
    ask(judge, RAIN)
    assert judge.facts()["warnings"] == [
        "prompts.claimz: no question was asked with it; this run's steps are claims"
    ]


def test_what_changes_no_answer_is_not_asked_anew(parameters: JudgeParameters) -> None:
    ask(Judge(parameters, says(CLAIMED)), RAIN)
    changed = evolve(parameters, concurrency=2, call_timeout=5.0, http_retries=3, reply_retries=0)
    client = says("never asked")
    ask(Judge(changed, client), RAIN)
    assert client.requests == []


def test_every_call_has_a_separate_fence(parameters: JudgeParameters) -> None:
    client = says("No JSON.", CLAIMED, CLAIMED)
    for response in ("It rains.", "It snows."):
        ask(Judge(parameters, client), (CLAIMS, 0, {"response": response}))
    fences = [
        set(re.findall("DATA-[0-9a-f]{16}", one.messages[-1].content)) for one in client.requests
    ]
    assert all(len(fence) == 1 for fence in fences)
    assert len(fences) == len(set.union(*fences)) == 3  # one of them asks again


def test_who_is_cancelled_takes_nothing_from_the_others(parameters: JudgeParameters) -> None:
    released = threading.Event()

    def slow(number: int, request: Request) -> str:
        released.wait(30)
        return CLAIMED

    client = Scripted(slow)
    judge = Judge(parameters, client)

    async def one_leaves() -> Answer:
        asked = [asyncio.create_task(judge.ask(CLAIMS, response="It rains.")) for _ in range(2)]
        while not client.requests:
            await asyncio.sleep(0.001)
        asked[0].cancel()
        await asyncio.wait([asked[0]])
        released.set()
        assert asked[0].cancelled()
        return await asked[1]

    answer = submit(one_leaves()).result(timeout=30)
    judge.close()
    assert answer.value == {"claims": ("It rains.",)}
    assert len(client.requests) == 1


def test_a_reply_that_comes_after_everybody_has_left_is_kept(parameters: JudgeParameters) -> None:
    released, begun = threading.Event(), threading.Event()
    written: Future[None] = Future()

    def slow(number: int, request: Request) -> str:
        begun.set()
        released.wait(30)
        return CLAIMED

    judge = Judge(parameters, Scripted(slow))
    assert judge._cache is not None
    add = judge._cache.add

    def noted(*arguments: Any) -> None:
        add(*arguments)
        written.set_result(None)

    judge._cache.add = noted  # type: ignore[method-assign]
    asked = submit(judge.ask(CLAIMS, response="It rains."))
    assert begun.wait(30)
    asked.cancel()
    judge.close()
    released.set()
    written.result(timeout=30)
    client = says("never asked")
    answer = ask(Judge(parameters, client), RAIN)[0]
    assert answer.value == {"claims": ("It rains.",)}
    assert client.requests == []


def test_replay_answers_from_the_file_alone_and_names_what_it_lacks(
    parameters: JudgeParameters,
) -> None:
    ask(Judge(parameters, says(CLAIMED)), RAIN)
    client = says("never asked")
    replay = evolve(parameters, cache="replay")
    assert ask(Judge(replay, client), RAIN)[0].value == {"claims": ("It rains.",)}
    with pytest.raises(
        ResourceStopped,
        match=r"judge\.cache: expected a kept reply to claims of response 'It snows\.',",
    ):
        ask(Judge(replay, client), (CLAIMS, 0, {"response": "It snows."}))
    assert client.requests == []


def test_replay_of_a_partial_reply_is_no_answer(parameters: JudgeParameters) -> None:
    with pytest.raises(NoAnswer):
        ask(Judge(evolve(parameters, reply_retries=0), says(verdicts(1))), THREE)
    with pytest.raises(
        ResourceStopped,
        match=r"judge\.cache: expected a kept reply to claims_supported of contexts",
    ):
        ask(Judge(evolve(parameters, cache="replay"), says("never asked")), THREE)


def test_a_file_that_cannot_be_written_stops_the_judge_and_loses_no_answer(
    parameters: JudgeParameters,
) -> None:
    client = says(CLAIMED)
    judge = Judge(parameters, client)
    assert judge._cache is not None

    def full(*arguments: Any) -> None:
        raise ResourceError("judge.cache_file: x: cannot be written, disk is full", "Make room.")

    judge._cache.add = full  # type: ignore[method-assign]

    async def ask_two() -> Answer:
        answer = await judge.ask(CLAIMS, response="It rains.")
        with pytest.raises(
            ResourceStopped,
            match=r"judge\.cache_file: x: cannot be written, disk is full; make room\.",
        ):
            await judge.ask(CLAIMS, response="It snows.")
        return answer

    answer = submit(ask_two()).result(timeout=30)
    assert answer.value == {"claims": ("It rains.",)}
    assert judge.stop == "judge.cache_file: x: cannot be written, disk is full; make room."
    assert len(client.requests) == 1
    judge.close()


def test_a_damaged_row_is_asked_for_again(parameters: JudgeParameters) -> None:
    ask(Judge(parameters, says(CLAIMED)), RAIN)
    with sqlite3.connect(parameters.cache_file) as connection:
        connection.execute("UPDATE replies SET reply = substr(reply, 1, 20)")
    connection.close()
    client = says(CLAIMED)
    ask(Judge(parameters, client), RAIN)
    assert len(client.requests) == 1


def test_a_client_in_this_process_writes_no_file(parameters: JudgeParameters) -> None:
    class Local(Scripted):
        is_remote: ClassVar[bool] = False

    ask(Judge(parameters, Local(lambda number, request: CLAIMED)), RAIN)
    assert not parameters.cache_file.exists()


def test_a_reply_that_was_cut_off_may_be_twice_as_long_the_next_time(
    parameters: JudgeParameters,
) -> None:
    class Long(Scripted):
        """Needs 4,096 tokens for all claims."""

        def complete(self, request: Request) -> Reply:
            reply = super().complete(request)
            if (request.max_tokens or 0) >= 4096:
                return reply
            return evolve(reply, text=reply.text[:-5], finish="length")

    client = Long(lambda number, request: CLAIMED)

    (answer,) = ask(Judge(parameters, client), RAIN)

    assert answer.value["claims"] == ("It rains.",)
    assert [request.max_tokens for request in client.requests] == [2048, 4096]
    assert "it is cut off, since it is too long" in client.requests[1].messages[-1].content


def test_a_client_without_its_address_says_where_its_parameters_are_listed() -> None:
    with pytest.raises(ValorError, match=r"judge\.client\.base_url: expected a string, found none"):
        evaluate([], ["llm.Faithfulness"], resources={"judge": {"client": {"name": "openai"}}})
