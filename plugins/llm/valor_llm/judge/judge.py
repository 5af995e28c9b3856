"""The judge: a resource that answers one step at a time, with checks, cache and budget."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from attrs import define, evolve, field

from valor_core.errors import ResourceError, ResourceStopped, short_repr
from valor_core.scoring import run_on_loop
from valor_llm.clients.protocol import Client, ClientError, Reply, TransientError
from valor_llm.clients.recorded import Line, Recording
from valor_llm.judge.answer import Answer, NoAnswer, Question
from valor_llm.judge.budget import Budget
from valor_llm.judge.calls import Calls
from valor_llm.judge.capabilities import Capabilities
from valor_llm.judge.conversation import Conversation
from valor_llm.judge.limits import Retries
from valor_llm.parameters.judge import JudgeParameters
from valor_llm.steps import prompt as prompts
from valor_llm.steps.step import Step

if TYPE_CHECKING:
    from valor_llm.judge.batches import Batches
    from valor_llm.judge.cache import Cache


T = TypeVar("T")

_REMEMBERED = 16_384
"""Maximum number of answers in memory. Metrics process the items of a batch concurrently, so a
repeated question follows soon."""


@define
class _Work(Generic[T]):
    """Task of a question, and the number of callers that wait for it."""

    task: asyncio.Task[T]
    askers: int = 0


@define
class InFlight(Generic[T]):
    """Answers by key: tasks in progress, and the latest results.

    It belongs to one event loop. A failure is raised in all waiting callers and not stored.

    Examples
    --------
    >>> async def answer():
    ...     await asyncio.sleep(0)
    ...     return object()
    >>> async def ask():
    ...     sharing = InFlight()
    ...     one, other = await asyncio.gather(*(sharing.once("key", answer) for _ in range(2)))
    ...     return one is other and one is await sharing.once("key", answer)
    >>> asyncio.run(ask())
    True
    """

    remembered: int = _REMEMBERED
    _under_way: dict[str, _Work[T]] = field(factory=dict, init=False)
    _answers: OrderedDict[str, T] = field(factory=OrderedDict, init=False)

    async def once(self, key: str, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The answer to a key.

        A cancelled caller does not affect the others. If the last one is cancelled, so is the task.

        Parameters
        ----------
        key : str
            Key of the question.
        work : callable
            Starts the work.
        """
        if key in self._answers:
            self._answers.move_to_end(key)
            return self._answers[key]
        work_of_key = self._under_way.get(key)
        if work_of_key is None:
            work_of_key = self._under_way[key] = _Work(asyncio.create_task(work()))
        work_of_key.askers += 1
        try:
            answer = await asyncio.shield(work_of_key.task)
        finally:
            work_of_key.askers -= 1
            if work_of_key.task.done() or not work_of_key.askers:
                work_of_key.task.cancel()
                if self._under_way.get(key) is work_of_key:
                    del self._under_way[key]
        self._remember(key, answer)
        return answer

    def _remember(self, key: str, answer: T) -> None:
        self._answers[key] = answer
        self._answers.move_to_end(key)
        if len(self._answers) > self.remembered:
            self._answers.popitem(last=False)


_ALL = 2**31 - 1
CALLS_OF_ITEM = 8
"""Upper estimate of the calls of an item of one metric."""


class Judge:
    """Asks a client, checks its replies, and asks again for missing parts.

    Concurrent callers with the same question share one answer. Replies in the cache are not
    requested again.

    Parameters
    ----------
    parameters : JudgeParameters
        Sampling, limits and cache.
    client : Client
        The client.
    name : str, optional
        Name within a panel. Defaults to the requested model.
    budget : Budget, optional
        Budget, which a panel shares. Defaults to that of the parameters.

    Examples
    --------
    >>> import asyncio
    >>> from valor_llm.clients.lexical import Lexical, LexicalParameters
    >>> from valor_llm.metrics.faithfulness import CLAIMS
    >>> judge = Judge(JudgeParameters(), Lexical(LexicalParameters()))
    >>> asyncio.run(judge.ask(CLAIMS, response="It rains. Why?")).value
    {'claims': ('It rains.',)}
    """

    def __init__(
        self,
        parameters: JudgeParameters,
        client: Client,
        name: str | None = None,
        budget: Budget | None = None,
    ) -> None:
        self.parameters = parameters
        self.client = client
        self.name = client.model if name is None else name
        _check_key(parameters, client)
        self._cache = _cache(parameters, client)
        self._batches = _batches(parameters, client, self._cache)
        # A batch needs the questions of all items.
        self.width = _width(parameters) if self._batches is None else _ALL
        self._recording = None if parameters.record is None else Recording(parameters.record)
        self.calls = Calls(
            parameters,
            client,
            features=_features(self._cache, client),
            learned=self._learned,
            budget=budget,
            **_sending(parameters, self._batches),
        )
        self._sharing: InFlight[Answer] = InFlight()
        self._counted: Counter[str] = Counter()
        self._prompts = {
            name: prompts.replaced(name, path) for name, path in parameters.prompts.items()
        }
        self._asked: set[str] = set()

    def _learned(self, features: Capabilities) -> None:
        """Store the detected capabilities for later runs."""
        if self._cache is not None:
            with self._stopping():
                self._cache.note_features(
                    self.client.endpoint, self.client.model, features.to_dict()
                )

    @contextmanager
    def _stopping(self) -> Iterator[None]:
        """Make an error of the cache stop further calls.

        The paid reply is used, but no more are paid that could not be stored.
        """
        try:
            yield
        except ResourceError as error:
            self.calls.stop = error.one_line

    @property
    def members(self) -> tuple[Judge, ...]:
        """The judge itself: a panel of one."""
        return (self,)

    @property
    def stop(self) -> str | None:
        """Why no further call is made, or None."""
        return self.calls.stop

    async def ask(self, step: Step, repeat: int = 0, **data: Any) -> Answer:
        """The checked answer to a step.

        Parameters
        ----------
        step : Step
            The step.
        repeat : int
            Repeat of the question, from 0.
        **data
            A value for each of the step's fields.

        Raises
        ------
        NoAnswer
            If no reply fits after all attempts.
        ResourceStopped
            If no further call is allowed.
        """
        # Any loop may wait for it: a notebook's, a web server's.
        return await run_on_loop(self._ask(Question(step, data, repeat)))

    async def _ask(self, question: Question) -> Answer:
        step = question.step
        self._asked.add(step.name)
        prompt = self._prompts.get(step.name) or prompts.own(step.name, step.package)
        conversation = Conversation(question, prompt, self.parameters)
        key = conversation.key(self.client)
        return await self._sharing.once(key, partial(self._answered, conversation, key))

    async def _answered(self, conversation: Conversation, key: str) -> Answer:
        """Return the answer to a question, from the cache or from the client."""
        if self._cache is not None:
            with self._stopping():
                conversation.recall(self._cache.replies(key))
            self._counted["cached_answers"] += conversation.is_complete
        # An incomplete cached answer gets at least one more request, regardless of earlier
        # attempts.
        left = max(self.parameters.reply_retries + 1 - conversation.attempts, 1)
        while not conversation.is_complete:
            if not left or conversation.is_over:
                raise conversation.failure()
            left -= 1
            await self._continue(conversation, key)
        if self._recording is not None:
            with self._stopping():
                self._recording.add(_recorded(conversation))
        return conversation.answer()

    async def _continue(self, conversation: Conversation, key: str) -> None:
        """Get the next reply, which is parsed and stored on the thread that receives it."""
        if self._cache is not None and self._cache.replay:
            is_damaged = self._cache.is_damaged(key)
            raise self._not_kept(conversation.question, self._cache.path, is_damaged)
        take = partial(self._take, conversation, key)
        try:
            reply = await self.calls.complete(evolve(conversation.request(), key=key), take)
        except ClientError as error:
            raise NoAnswer(str(error), retry=isinstance(error, TransientError)) from error
        self.calls.learn(reply, fits=conversation.has_form)

    def _take(self, conversation: Conversation, key: str, reply: Reply) -> None:
        kept = conversation.take(reply)
        if kept is not None and self._cache is not None:
            with self._stopping():
                self._cache.add(key, kept)

    def _not_kept(self, question: Question, path: Path, is_damaged: bool) -> ResourceStopped:
        found = "found a damaged one" if is_damaged else "found none"
        about = ", ".join(
            f"{name} {short_repr(question.data[name])}" for name in question.step.fields
        )
        return ResourceStopped(
            f"judge.cache: expected a kept reply to {question.step.name} of {about}, "
            f"{found} in {path}",
            "Ask the endpoint for what is missing: judge.cache: use",
        )

    def facts(self) -> dict[str, Any]:
        """Return the facts for the report."""
        facts: dict[str, Any] = {"endpoint": self.client.endpoint, "model": self.client.model}
        warnings = [
            getattr(self.client, "warning", None),
            *self._unused(),
            *self._damaged(),
            *self.calls.warnings(),
        ]
        facts |= dict(self._counted) | self.calls.facts()
        if self._batches is not None:
            facts |= self._batches.facts()
            warnings += self._batches.warnings()
        return facts | ({"warnings": said} if (said := [one for one in warnings if one]) else {})

    def _damaged(self) -> Iterator[str]:
        """Number of stored replies that could not be used."""
        if self._cache is not None and (count := self._cache.damaged):
            replies = "reply was" if count == 1 else "replies were"
            then = "skipped" if self._cache.replay else "asked for again"
            yield f"{self._cache.path}: {count:,} damaged {replies} {then}"

    def _unused(self) -> Iterator[str]:
        """Yield warnings about prompts of steps that were not asked, such as misspelt ones."""
        for name in sorted(set(self._prompts) - self._asked) if self._asked else ():
            yield (
                f"prompts.{name}: no question was asked with it; this run's steps are "
                f"{', '.join(sorted(self._asked))}"
            )

    def close(self) -> None:
        """End the calls in progress and close the cache."""
        self.calls.close()
        if self._batches is not None:
            self._batches.close()
        if self._cache is not None:
            self._cache.close()


def _width(parameters: JudgeParameters) -> int:
    """Return the number of concurrent items: few for a small budget, so that items get finished.

    Examples
    --------
    >>> [_width(JudgeParameters(max_calls=most)) for most in (None, 8, 25, 1000)]
    [64, 1, 3, 64]
    """
    most = 4 * parameters.concurrency
    if parameters.max_calls is None:
        return most
    return min(most, max(1, parameters.max_calls // CALLS_OF_ITEM))


def _check_key(parameters: JudgeParameters, client: Client) -> None:
    """Raise an error for a missing key before the first question; a replay needs no key."""
    check = getattr(client, "check_key", None)
    if check is not None and parameters.cache != "replay":
        check()


def _cache(parameters: JudgeParameters, client: Client) -> Cache | None:
    """Return the cache; replies of clients in this process are free and not stored."""
    if parameters.cache == "off" or not client.is_remote:
        return None
    from valor_llm.judge.cache import Cache

    return Cache(parameters.cache_file, replay=parameters.cache == "replay")


def _batches(parameters: JudgeParameters, client: Client, cache: Cache | None) -> Batches | None:
    """Return the collector of batches in batch mode."""
    if parameters.mode == "calls" or parameters.cache == "replay":
        return None
    from valor_llm.clients.batches import TakesBatches
    from valor_llm.judge.batches import Batches

    endpoint = client.batches() if isinstance(client, TakesBatches) else None
    if endpoint is None:
        raise ResourceError(
            "judge.mode: batch needs a client whose endpoint takes batches, "
            f"found {client.endpoint}",
            "Use the client openai or anthropic, or write: judge: {mode: calls}",
        )
    if cache is None:
        raise ResourceError(
            "judge.mode: batch needs the cache's file to record pending batches, found cache: off",
            "Write: judge: {mode: batch, cache: use}",
        )
    return Batches(endpoint, client.endpoint, cache, parameters.poll_seconds)


def _sending(parameters: JudgeParameters, batches: Batches | None) -> dict[str, Any]:
    """Return the settings of calls in batch mode."""
    if batches is None:
        return {}
    # Questions that fail together are retried together, in one batch.
    retries = Retries(parameters.http_retries, draw=lambda low, high: low)
    return {"send": batches.complete, "retries": retries}


def _recorded(conversation: Conversation) -> Iterator[Line]:
    """The replies of a conversation, as a file for the client `recorded` has them."""
    question = conversation.question
    for attempt, kept in enumerate(conversation.kept, 1):
        yield Line(
            step=question.step.name,
            data={name: question.data[name] for name in question.step.fields},
            settings=question.step.settings,
            repeat=question.repeat,
            attempt=attempt,
            reply=kept.reply,
        )


def _features(cache: Cache | None, client: Client) -> Capabilities | None:
    """Return the capabilities that an earlier run detected."""
    if cache is None:
        return None
    return Capabilities.of(cache.features(client.endpoint, client.model))
