"""Token counts: missing and impossible ones count as reserved, and cut prompts are found."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, ClassVar

import pytest
from attrs import evolve
from cases import for_each
from valor_llm.clients import anthropic, ollama, openai
from valor_llm.clients.ollama import ollama_endpoint
from valor_llm.clients.protocol import (
    ClientError,
    CutPrompt,
    Message,
    Reply,
    Request,
    TransientError,
    Usage,
)
from valor_llm.judge.calls import Calls
from valor_llm.judge.limits import Retries
from valor_llm.judge.token_counts import SentPrompts, fewest_tokens
from valor_llm.parameters.clients import OllamaParameters
from valor_llm.parameters.judge import JudgeParameters, Prices

from valor_core.scoring import submit

PRICES = Prices(prompt=1.0, completion=1.0, cached=0.0)


def request(text: str = "x" * 400, reply_tokens: int | None = 100) -> Request:
    return Request(
        messages=(Message("user", text),), schema={}, step="claims", max_tokens=reply_tokens
    )


class Endpoint:
    """A remote client whose replies have the same usage as an endpoint's JSON gives."""

    is_remote: ClassVar[bool] = True
    endpoint, model = "https://judge.test/v1", "m"

    def __init__(self, usage: Mapping[str, Any] | None, choices: bool = True) -> None:
        self.usage, self.choices = usage, choices
        self.calls = 0

    async def complete(self, request: Request) -> Reply:
        self.calls += 1
        await asyncio.sleep(0)
        choice = {"message": {"content": '{"claims": []}'}, "finish_reason": "stop"}
        answer = {"choices": [choice] if self.choices else [], "usage": self.usage}
        return openai.reply_of(answer, self.endpoint, self.model)


def carried_out(
    client: Any, times: int = 120, asked: Request | None = None, **limits: Any
) -> tuple[list[Any], Calls]:
    async def run() -> tuple[list[Any], Calls]:
        calls = Calls(JudgeParameters(cache="off", **limits), client, retries=Retries(0))
        each = (calls.complete(asked or request()) for _ in range(times))
        return await asyncio.gather(*each, return_exceptions=True), calls

    return submit(run()).result(timeout=20)


UNUSABLE: list[Mapping[str, Any] | None] = [
    None,
    {},
    {"total_tokens": 120},
    {"prompt_tokens": "many", "completion_tokens": None},
    {"prompt_tokens": -5, "completion_tokens": -1},
    {"prompt_tokens": float("nan"), "completion_tokens": True},
    {"prompt_tokens": 1e9, "completion_tokens": 20},
    {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 50},
    {"prompt_tokens": 100},
]


@pytest.mark.parametrize("usage", UNUSABLE)
def test_endpoint_without_usable_counts_spends_what_was_reserved(usage: Any) -> None:
    # A call reserves 200 tokens for 400 characters and 100 for its reply.
    client = Endpoint(usage)
    answers, calls = carried_out(client, max_tokens=3000)
    assert 10 <= client.calls <= 15  # 3000 of 300, or of 200 where the prompt was counted
    assert sum(isinstance(one, Reply) for one in answers) == client.calls
    facts = calls.facts()
    assert 2700 < facts["prompt_tokens"] + facts["completion_tokens"] <= 3000
    assert calls.warnings() == [
        f"https://judge.test/v1: no usable token counts of {client.calls} of {client.calls} calls; "
        "tokens and cost of these are the most that was reserved for them. Use judge.max_calls, "
        "which needs no counts"
    ]


@pytest.mark.parametrize("usage", UNUSABLE)
def test_cost_without_usable_counts_is_what_was_reserved(usage: Any) -> None:
    client = Endpoint(usage)
    _, calls = carried_out(client, max_cost=0.003, prices=PRICES)
    assert 10 <= client.calls <= 15
    assert 0.0027 < calls.facts()["cost"] <= 0.003


def test_counts_in_digits_as_text_are_counts() -> None:
    client = Endpoint({"prompt_tokens": "250", "completion_tokens": "20"})
    _, calls = carried_out(client, times=4, max_tokens=3000)
    assert (calls.facts()["prompt_tokens"], calls.facts()["completion_tokens"]) == (1000, 80)
    assert calls.warnings() == []


def test_more_cached_tokens_than_the_prompt_has_make_no_negative_cost() -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "prompt_tokens_details": {"cached_tokens": 10**9},
    }
    client = Endpoint(usage)
    _, calls = carried_out(client, max_cost=0.003, prices=PRICES)
    # A call costs 120 of a million, and reserves 200 of it at the most once one was counted.
    assert client.calls == calls.facts()["calls"]
    assert calls.facts()["cost"] == pytest.approx(client.calls * 120 / 1e6)
    assert 0.003 - 200 / 1e6 < calls.facts()["cost"] <= 0.003


def test_answer_without_choices_counts_the_tokens_that_it_names() -> None:
    client = Endpoint({"prompt_tokens": 100_000, "completion_tokens": 5}, choices=False)
    answers, calls = carried_out(client, concurrency=1, max_tokens=3000)
    assert client.calls == 1
    assert isinstance(answers[0], TransientError)
    assert calls.facts()["prompt_tokens"] == 100_000
    assert calls.stop is not None
    assert "max_tokens of 3,000 is reached: 100,005 are used" in calls.stop


def test_without_budget_or_prices_missing_counts_are_no_warning() -> None:
    _, calls = carried_out(Endpoint(None), times=3)
    assert calls.warnings() == []


def test_reasoning_in_the_total_counts_as_part_of_the_reply() -> None:
    counted = {"prompt_tokens": 90, "completion_tokens": 20, "total_tokens": 400}
    assert openai.usage_of(counted) == Usage(prompt=90, completion=310)


# ---- prompts that were cut off

PAGE = "Another sentence of the page. " * 3000  # 15,000 words, 90,000 characters


def read(dialect: str, tokens: int) -> Reply:
    if dialect == "openai":
        choice = {"message": {"content": "{}"}, "finish_reason": "stop"}
        usage = {"prompt_tokens": tokens, "completion_tokens": 2}
        return openai.reply_of({"choices": [choice], "usage": usage}, "http://judge.test", "m")
    if dialect == "anthropic":
        content = [{"type": "text", "text": "{}"}]
        usage = {"input_tokens": tokens, "output_tokens": 2}
        return anthropic.reply_of({"content": content, "usage": usage}, "http://judge.test", "m")
    counted = {"message": {"content": "{}"}, "prompt_eval_count": tokens, "eval_count": 2}
    return ollama.reply_of(counted, "http://judge.test", "m")


class Counting:
    """A remote client whose replies have a given number of tokens of the prompt."""

    is_remote: ClassVar[bool] = True
    endpoint, model = "http://judge.test", "m"

    def __init__(self, dialect: str, *tokens: int) -> None:
        self.dialect, self.tokens = dialect, list(tokens)

    def complete(self, request: Request) -> Reply:
        return read(self.dialect, self.tokens.pop(0))


@pytest.mark.parametrize("dialect", ["openai", "anthropic", "ollama"])
def test_prompt_that_the_endpoint_cut_off_has_no_reply_and_names_the_remedy(dialect: str) -> None:
    kept: list[Reply] = []

    async def run() -> Any:
        calls = Calls(JudgeParameters(cache="off"), Counting(dialect, 2050))
        try:
            return await calls.complete(request(PAGE), kept.append), calls.facts()
        except ClientError as error:
            return error, calls.facts()

    error, facts = submit(run()).result(timeout=20)
    assert isinstance(error, CutPrompt)
    assert str(error) == (
        "http://judge.test: expected a count of the whole prompt of 90,000 characters, got 2,050 "
        "tokens: the endpoint cut the prompt off. Raise the context window of the server, or "
        "shorten the texts"
    )
    assert kept == []  # nothing for the cache
    assert facts["prompt_tokens"] == 2050  # and paid for all the same


@for_each(
    ("text", "tokens"),
    [
        (PAGE, 15_000),  # a token for each word
        (PAGE, 10_001),  # a vocabulary with tokens of two words
        (" " * 400_000, 3200),  # runs of blanks, signs and letters are single tokens
        (("=" * 120 + "\n") * 4000, 4000),
        ("\n\n\n\n" * 50_000, 1000),
        ("-=" * 100_000, 3200),
        ("A" * 200_000, 3200),
        ("| - | - |\n" * 20_000, 5000),
        ("这是一个中文句子用来测试。" * 3000, 12_000),
        ("ประโยคภาษาไทย" * 3000, 8_000),
        ("Это предложение на русском языке. " * 2000, 12_000),
        ("0123456789abcdef" * 5000, 3000),
        (PAGE, 1),  # some endpoints send a constant
        ("word " * 1000, 200),  # no context window is so small
    ],
)
def test_no_text_that_compresses_well_counts_as_cut(text: str, tokens: int) -> None:
    sent = SentPrompts()
    sent.add(text)
    assert not sent.is_cut(text, tokens)


@pytest.mark.parametrize(
    "text",
    [PAGE, "Это предложение на русском языке. " * 3000, "这是一个中文句子用来测试。" * 3000],
)
def test_prompt_cut_to_a_window_of_4096_is_found_in_any_script(text: str) -> None:
    sent = SentPrompts()
    sent.add(text)
    assert sent.is_cut(text, 2050)
    assert sent.is_cut(text, 4096)


def test_server_that_counts_only_new_tokens_of_a_prompt_cuts_nothing() -> None:
    # Ollama before 0.4 counts no tokens of a beginning that it has kept from an earlier prompt.
    sent, question = SentPrompts(), "Does the page name the mill? " * 12
    sent.add(PAGE + "Is the sentence another one?")
    sent.add(PAGE + question)
    assert not sent.is_cut(PAGE + question, 130)
    # 2,050 tokens are more than the rest of 348 characters has: this one is cut.
    assert sent.is_cut(PAGE + question, 2050)


def test_second_question_about_one_document_is_cut_like_the_first() -> None:
    sent = SentPrompts()
    for question in ("Is it so?", "Is it not?"):
        sent.add(PAGE + question)
        assert sent.is_cut(PAGE + question, 4096)


def test_fewest_tokens_of_hostile_text_take_no_time() -> None:
    assert fewest_tokens("-=" * 500_000 + " _" * 100_000) == 0


# ---- the context window of Ollama


def window(client: Any, characters: int) -> int:
    asked = request("It rains today. " * (characters // 16), reply_tokens=1000)
    client.check(asked)
    return int(client.body(asked)["options"]["num_ctx"])


def test_ollama_gets_a_window_for_the_prompt_in_few_sizes_that_never_shrink() -> None:
    client = ollama_endpoint(OllamaParameters(base_url="http://127.0.0.1:9", model="m"))
    # 16 characters are 15 letters and blanks at a third, and a period: 6 tokens.
    assert [window(client, size) for size in (160, 16_000, 800, 60_000, 160)] == [
        4096,
        8192,  # 6,000 tokens, 1,000 of the reply and 256
        8192,
        32_768,  # 22,500 and 1,256
        32_768,
    ]


def test_prompt_beyond_the_largest_window_fails_before_it_is_sent() -> None:
    client = ollama_endpoint(
        OllamaParameters(base_url="http://127.0.0.1:9", model="m", max_num_ctx=8192)
    )
    answers, calls = carried_out(client, times=1, asked=request(PAGE, reply_tokens=1000))
    assert str(answers[0]) == (
        "judge.client.max_num_ctx: expected room for a prompt of 90,000 characters and its reply, "
        "up to 33,256 tokens, got 8,192. Raise judge.client.max_num_ctx, or shorten the texts"
    )
    assert calls.facts().get("calls", 0) == 0


def test_window_of_the_config_is_unchanged() -> None:
    extra = {"options": {"num_ctx": 512}}
    client = ollama_endpoint(
        OllamaParameters(base_url="http://127.0.0.1:9", model="m", extra=extra)
    )
    asked = evolve(request(PAGE), temperature=None, seed=None)
    client.check(asked)
    assert client.body(asked)["options"]["num_ctx"] == 512
