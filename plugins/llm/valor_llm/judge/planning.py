"""Planning judge, which sends nothing and counts the questions of a run."""

from __future__ import annotations

import json
from typing import Any, cast

from attrs import define, evolve, field, frozen

from valor_llm.clients.lexical import Lexical
from valor_llm.clients.protocol import Client, Reply, Request
from valor_llm.judge.answer import Answer
from valor_llm.judge.budget import Budget, TokenRates, characters
from valor_llm.judge.conversation import Conversation
from valor_llm.judge.judge import Judge
from valor_llm.judge.panel import Panel
from valor_llm.parameters.clients import LexicalParameters
from valor_llm.parameters.judge import JudgeParameters


@frozen
class PlannedQuestion:
    """Question that a run would ask.

    Parameters
    ----------
    metric : str
        The metric that asks it first.
    step : str
        Name of the step.
    is_cached : bool
        Whether the cache has its answer.
    prompt : int
        Characters of the prompt.
    reply : int
        Characters of the substitute for the endpoint's reply.
    """

    metric: str
    step: str
    is_cached: bool
    prompt: int
    reply: int


@define(eq=False)
class PlannedQuestions:
    """Questions of a planning judge, each once.

    Parameters
    ----------
    metric : str
        The metric that is scored now.
    asked : list of PlannedQuestion
        The questions.
    unanswered : int
        Questions that the stand-in has no answer to.
    rates : TokenRates
        Token rates of the replies in the cache.
    """

    metric: str = ""
    asked: list[PlannedQuestion] = field(factory=list)
    unanswered: int = 0
    rates: TokenRates = field(factory=TokenRates)
    answers: dict[str, Answer] = field(factory=dict)


class PlanningJudge(Judge):
    """Judge that answers from the cache, and by lexical rules otherwise.

    The rules never end a metric early: if they extract nothing from a text, the entire text is
    used. Nothing is sent, and nothing is written to the cache.

    Parameters
    ----------
    parameters, client, name, budget
        As of a `Judge`.
    """

    def __init__(
        self,
        parameters: JudgeParameters,
        client: Client,
        name: str | None = None,
        budget: Budget | None = None,
    ) -> None:
        is_kept = parameters.cache != "off" and parameters.cache_file.is_file()
        cache = "replay" if is_kept else "off"
        reading = evolve(cast(Any, parameters), cache=cache, mode="calls", record=None)
        super().__init__(reading, client, name, budget)
        self.in_batch = parameters.mode == "batch"
        self.questions = PlannedQuestions()
        self._rules = Lexical(LexicalParameters())

    async def _answered(self, conversation: Conversation, key: str) -> Answer:
        if key not in self.questions.answers:
            self.questions.answers[key] = self._noted(conversation, key)
        return self.questions.answers[key]

    def _noted(self, conversation: Conversation, key: str) -> Answer:
        """Answer a question that is asked for the first time."""
        first = conversation.request()
        if self._cache is not None:
            conversation.recall(self._cache.replies(key))
        is_cached = conversation.is_complete
        request = first if is_cached else conversation.request()
        text = self._stand_in(request)
        if not is_cached:
            conversation.take(Reply(text=text, model=self.client.model))
            if not conversation.is_complete:
                self.questions.unanswered += 1
                raise conversation.failure()
        answer, step = conversation.answer(), conversation.question.step.name
        if is_cached and answer.attempts == 1:
            self.questions.rates.note(step, characters(first), answer.usage, len(text))
        prompt = characters(request)
        self.questions.asked.append(
            PlannedQuestion(self.questions.metric, step, is_cached, prompt, len(text))
        )
        return answer

    def _stand_in(self, request: Request) -> str:
        """Return a reply without empty lists, which are filled with the text of the question."""
        reply = json.loads(self._rules.complete(request).text)
        texts = [value for value in request.data.values() if isinstance(value, str)]
        full = {key: texts[-1:] if value == [] else value for key, value in reply.items()}
        return json.dumps(full, ensure_ascii=False)


class PlanningPanel(Panel):
    """Planning judges, one for each judge of a panel."""

    judge = PlanningJudge

    @property
    def planning(self) -> list[PlanningJudge]:
        """Its judges."""
        return [judge for judge in self.members if isinstance(judge, PlanningJudge)]
