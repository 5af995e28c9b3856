"""Conversation about one question: its replies, and the parts that are still missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import define, evolve, field

from valor_core.errors import short_repr
from valor_llm.clients.protocol import Client, Finish, Message, Reply, Request, Usage
from valor_llm.judge.answer import Answer, NoAnswer, Question, StoredReply, key_of
from valor_llm.parameters.judge import JudgeParameters
from valor_llm.replies.reading import ParsedReply
from valor_llm.replies.shapes import Rating
from valor_llm.replies.token_probabilities import NoProbabilities, expected
from valor_llm.steps.prompt import PLACEHOLDERS, Fences, Prompt
from valor_llm.steps.step import repeats_example


@define
class Conversation:
    """One question to a client, its replies, and the parts that are still missing.

    Parameters
    ----------
    question : Question
        The question.
    prompt : Prompt
        Prompt of its step.
    parameters : JudgeParameters
        Sampling settings and language.
    """

    question: Question
    prompt: Prompt
    parameters: JudgeParameters
    reading: ParsedReply | None = field(default=None, init=False)
    kept: list[StoredReply] = field(factory=list, init=False)
    attempts: int = field(default=0, init=False)
    usage: Usage = field(factory=Usage, init=False)
    is_over: bool = field(default=False, init=False)
    """True if the endpoint would refuse again."""
    _cut_off: int = field(default=0, init=False)
    _is_cut: bool = field(default=False, init=False)
    _last: Reply | None = field(default=None, init=False)
    _unkept: tuple[int, Usage] = field(factory=lambda: (0, Usage()), init=False)

    def key(self, client: Client) -> str:
        """Return the key of the question to a client; the delimiters are not part of it."""
        request = self._request(PLACEHOLDERS, None)
        return key_of(
            {
                "client": _identity(client),
                "messages": [[one.role, one.content] for one in request.messages],
                "schema": request.schema,
                "sampling": [
                    request.temperature,
                    request.seed,
                    request.max_tokens,
                    request.probabilities,
                ],
                "prompt": self.prompt.identity,
                "repeat": self.question.repeat,
            }
        )

    def request(self) -> Request:
        """Return the next request: for everything, or for the missing parts."""
        return self._request(Fences(), self.reading)

    def take(self, reply: Reply) -> StoredReply | None:
        """Read the next reply, and return it for storage if any part of it can be used."""
        unkept, used = self._unkept
        kept = StoredReply(evolve(reply, usage=used + reply.usage), unkept + 1)
        self.attempts += 1
        self.usage += reply.usage
        if self._read(reply):
            self._unkept = 0, Usage()
            self.kept.append(kept)
            return kept
        self._unkept = kept.attempts, kept.reply.usage
        return None

    def recall(self, replies: Iterable[StoredReply]) -> None:
        """Read stored replies until nothing is missing.

        Replies that are no longer usable are ignored.
        """
        for kept in replies:
            before = self.reading
            if self.is_complete:
                return
            if self._read(kept.reply):
                self.kept.append(kept)
                self.attempts += kept.attempts
                self.usage += kept.reply.usage
            else:
                self.reading = before

    @property
    def has_form(self) -> bool:
        """True if the last reply had the requested form, even if parts are missing."""
        return self.reading is not None and not self.reading.unfit

    @property
    def is_complete(self) -> bool:
        """True if the answer is complete."""
        return self.reading is not None and self.reading.is_complete

    def answer(self) -> Answer:
        """The answer, once it is complete.

        Raises
        ------
        NoAnswer
            If the probabilities of its ratings are required but unknown.
        """
        assert self.reading is not None
        assert self._last is not None
        value, step = self.reading.value, self.question.step
        if self._is_weighted:
            try:
                value = expected(value, self._last.tokens, step.shape)
            except NoProbabilities as error:
                raise NoAnswer(f"{step.name}: judge.scoring is expected, but {error}") from error
        return Answer(
            step=step.name,
            prompt=step.identity(self.prompt),
            value=value,
            model=self._last.model,
            attempts=self.attempts,
            lenient=tuple(self.reading.lenient),
            usage=self.usage,
            tokens=self._last.tokens,
        )

    @property
    def _is_weighted(self) -> bool:
        """True if a rating with probabilities is requested."""
        is_rating = isinstance(self.question.step.shape, Rating)
        return is_rating and self.parameters.scoring == "expected"

    def failure(self) -> NoAnswer:
        """Return the error of a question after all its replies."""
        assert self.reading is not None
        which = "the reply" if self.attempts == 1 else f"the last of {self.attempts} replies"
        why = f"{which} cannot be used: {self.reading.fault}"
        why += "; raise judge.reply_tokens" if self._is_cut else ""
        return NoAnswer(f"{self.question.step.name}: {why}")

    def _read(self, reply: Reply) -> bool:
        """Return whether anything of a reply can be used."""
        before = _known(self.reading)
        step, data = self.question.step, self.question.data
        is_cut = reply.finish == "length"
        self._cut_off += is_cut
        self._is_cut = is_cut
        ended = self._ended(reply)
        if ended is not None:
            self.reading = ParsedReply.of_nothing(ended, False, self.reading, cut=False)
            return False
        reading = step.shape.read(reply.text, data, self.reading, cut=is_cut)
        if repeats_example(reply.text, self.prompt, data):
            fault = "it repeats an example and says nothing of what was asked"
            reading = ParsedReply.of_nothing(fault, False, self.reading, cut=False)
        self.reading = reading
        if reading.is_complete or _known(reading) != before:
            self._last = reply
            return True
        return False

    def _ended(self, reply: Reply) -> str | None:
        """Return the reason why the end of a reply makes it unusable, or None."""
        said = f", {short_repr(reply.text, 200)}" if reply.text.strip() else ""
        self.is_over = reply.finish in _FINAL
        if self.is_over or reply.finish == "error":
            return f"{_ENDED[reply.finish]}{said}"
        if reply.text.strip():
            return None
        used = f" ({reply.usage.completion} tokens)" if reply.usage.completion else ""
        if reply.finish == "length":
            return f"its reasoning took all tokens of the reply{used}"
        return "it has reasoning and no answer" if reply.reasoned else None

    def _request(self, fences: Fences, reading: ParsedReply | None) -> Request:
        step, data, seed = self.question.step, self.question.data, self.parameters.seed
        language, most = self.parameters.language, self.parameters.reply_tokens
        messages: list[Message] = step.messages(self.prompt, data, language, fences, reading)
        missing = None if reading is None else reading.missing or None
        return Request(
            messages=tuple(messages),
            schema=step.shape.schema(data, missing),
            step=step.name,
            data=data,
            settings=step.settings,
            repeat=self.question.repeat,
            attempt=self.attempts + 1,
            stand_in=step.stand_in,
            temperature=self.parameters.temperature,
            seed=None if seed is None else seed + self.question.repeat,
            max_tokens=None if most is None else most << (0 if reading is None else self._cut_off),
            probabilities=self._is_weighted,
            deadline=self.parameters.call_timeout,
        )


_ENDED: Mapping[Finish, str] = {
    "refusal": "the model refused",
    "filter": "the endpoint's content filter stopped it",
    "context": "prompt and reply exceed the model's context window; shorten the item or choose a "
    "model with a larger one",
    "error": "the endpoint ended it with an error",
}
_FINAL = ("refusal", "filter", "context")


def _known(reading: ParsedReply | None) -> dict[str, Any]:
    """Return the non-empty values read so far."""
    return {} if reading is None else {key: one for key, one in reading.value.items() if one}


def _identity(client: Client) -> dict[str, Any]:
    """Return everything about a client that can change a reply."""
    identity = getattr(client, "identity", None)
    if identity is None:
        return {"endpoint": client.endpoint, "model": client.model}
    return dict(identity())
