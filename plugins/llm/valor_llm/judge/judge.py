"""The judge: a resource that is asked one step at a time."""

from __future__ import annotations

import secrets
from typing import Any

from valor_core.event_loop import carried
from valor_llm.clients.protocol import Client, ClientError, Passing, Reply, Request, Usage
from valor_llm.judge.answer import Answer, NoAnswer, Question
from valor_llm.judge.calls import Calls
from valor_llm.parameters.judge import JudgeParameters
from valor_llm.replies.shapes import Reading
from valor_llm.steps import prompt as prompts
from valor_llm.steps.step import Step


class Judge:
    """Asks a client, checks what it says, and asks again for what is missing.

    Parameters
    ----------
    parameters : JudgeParameters
        How it asks.
    client : Client
        Who answers.

    Examples
    --------
    >>> import asyncio
    >>> from valor_llm.clients.lexical import Lexical, LexicalParameters
    >>> from valor_llm.steps.claims import CLAIMS
    >>> judge = Judge(JudgeParameters(), Lexical(LexicalParameters()))
    >>> asyncio.run(judge.ask(CLAIMS, response="It rains. Why?")).value
    {'claims': ('It rains.',)}
    """

    def __init__(self, parameters: JudgeParameters, client: Client) -> None:
        self.parameters = parameters
        self.client = client
        self.width = 4 * parameters.concurrency
        self.calls = Calls(parameters, client)
        self._prompts = {
            name: prompts.replaced(name, path) for name, path in parameters.prompts.items()
        }

    @property
    def stop(self) -> str | None:
        """Why no further call is made, or None."""
        return self.calls.stop

    async def ask(self, step: Step, repeat: int = 0, **data: Any) -> Answer:
        """The checked answer to a step.

        Parameters
        ----------
        step : Step
            What is asked.
        repeat : int
            Which of several times, from 0.
        **data
            A value for each of the step's fields.

        Raises
        ------
        NoAnswer
            If no reply fits, in as many attempts as there may be.
        ResourceStopped
            If no further call is allowed.
        """
        # Any loop may wait for it: a notebook's, a web server's.
        return await carried(self._ask(Question(step, data, repeat)))

    async def _ask(self, question: Question) -> Answer:
        step, data = question.step, question.data
        prompt = self._prompts.get(step.name) or prompts.own(step.name)
        fence = f"DATA-{secrets.token_hex(8)}"
        first = step.messages(prompt, data, self.parameters.language, fence)
        messages, reading, missing = list(first), None, None
        usage, attempts = Usage(), 0
        reply: Reply | None = None
        for attempts in range(1, self.parameters.reply_retries + 2):
            reply = await self._complete(
                Request(
                    messages=tuple(messages),
                    schema=step.shape.schema(data, missing),
                    step=step.name,
                    data=data,
                    temperature=self.parameters.temperature,
                    seed=self.parameters.seed,
                    max_tokens=self.parameters.max_tokens,
                    deadline=self.parameters.call_timeout,
                )
            )
            usage += reply.usage
            reading = step.shape.read(reply.text, question.data, reading)
            self.calls.learn(reply, fits=not reading.problems)
            if reading.is_complete:
                return Answer(
                    step=step.name,
                    prompt=prompt.identity,
                    value=reading.value,
                    model=reply.model,
                    attempts=attempts,
                    lenient=tuple(reading.lenient),
                    usage=usage,
                    tokens=reply.tokens,
                )
            missing = reading.missing or None
            messages = [*first, step.again(reading, fence)]
        raise NoAnswer(f"{step.name}: {_why(reading)} after {attempts} replies")

    async def _complete(self, request: Request) -> Reply:
        try:
            return await self.calls.complete(request)
        except ClientError as error:
            raise NoAnswer(str(error), retry=isinstance(error, Passing)) from error

    def facts(self) -> dict[str, Any]:
        """What stands in the report."""
        return {"endpoint": self.client.endpoint, "model": self.client.model, **self.calls.facts()}

    def close(self) -> None:
        """End the calls that are under way."""
        self.calls.close()


def _why(reading: Reading | None) -> str:
    if reading is None:
        return "no reply"
    if reading.problems:
        return reading.problems[0]
    lacking = {key: ids for key, ids in reading.missing.items() if ids}
    key, ids = next(iter(lacking.items()))
    return f'"{key}" lacks {len(ids)} of the answers'
