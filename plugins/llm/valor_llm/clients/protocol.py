"""Protocol of a client: one request, one reply, and the ways in which there is none."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from attrs import field, frozen

Format = Literal["json_schema", "json_object", "text"]
"""How a reply's form is asked for, from the strictest on."""

StandIn = Callable[[Mapping[str, Any]], dict[str, Any]]
"""What is answered to a step where no model is asked, from the data that it is asked about."""

Finish = Literal["stop", "length", "context", "refusal", "filter", "error", "other"]
"""Why a reply ended: by itself, at the most tokens, at the end of the context window, since the
model refused, since a content filter stopped it, by a fault of the endpoint, or unsaid.
"""


@frozen
class Message:
    """One message of a conversation.

    Parameters
    ----------
    role : str
        ``"system"``, ``"user"`` or ``"assistant"``.
    content : str
        Its text.
    """

    role: Literal["system", "user", "assistant"]
    content: str


@frozen(kw_only=True)
class Request:
    """What a client is asked.

    Parameters
    ----------
    messages : tuple of Message
        The conversation so far; the first may be the system's.
    schema : mapping
        JSON Schema of the reply.
    step : str
        Name of the step, also that of the schema: ``"claims"``.
    data : mapping of str to object
        What the messages were made of, for stand-ins that read no prose.
    settings : mapping of str to str
        What else the messages were made of: the criteria of a rubric.
    key : str
        What the question is found by in the cache.
    repeat : int
        Which of several times the same is asked, from 0.
    attempt : int
        Which reply to the same question is asked for, from 1.
    stand_in : callable, optional
        What such a stand-in answers: from the data, an object of the schema's form.
    format : {"json_schema", "json_object", "text"}
        How the endpoint is asked for the reply's form.
    temperature : float, optional
        Sampling temperature; not sent without.
    seed : int, optional
        Seed of the sampling; not sent without.
    max_tokens : int, optional
        Most tokens of the reply; not sent without.
    max_tokens_key : str
        What the endpoint calls the most tokens.
    probabilities : bool
        Whether probabilities of the reply's tokens are asked for.
    alternatives : int
        How many of the likeliest tokens are asked for at each place, with `probabilities`.
    deadline : float
        Seconds that the call may take in all.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Any]
    step: str
    data: Mapping[str, Any] = field(factory=dict)
    settings: Mapping[str, str] = field(factory=dict)
    key: str = ""
    repeat: int = 0
    attempt: int = 1
    stand_in: StandIn | None = None
    format: Format = "json_schema"
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    max_tokens_key: str = "max_tokens"
    probabilities: bool = False
    alternatives: int = 20
    deadline: float = 60.0


@frozen(kw_only=True)
class Usage:
    """Tokens of a call, as the endpoint counts them.

    Examples
    --------
    >>> Usage(prompt=10, completion=2) + Usage(prompt=5, cached=4)
    Usage(prompt=15, completion=2, cached=4, reasoning=0)
    """

    prompt: int = 0
    completion: int = 0
    cached: int = 0
    """Tokens of the prompt that the endpoint had seen before and gives a discount for."""
    reasoning: int = 0
    """Tokens of the completion that were thought and not said."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            prompt=self.prompt + other.prompt,
            completion=self.completion + other.completion,
            cached=self.cached + other.cached,
            reasoning=self.reasoning + other.reasoning,
        )


@frozen
class TokenChoice:
    """One token of a reply, and the likeliest ones at its place with their log-probabilities."""

    token: str
    choices: Mapping[str, float]


@frozen(kw_only=True)
class Reply:
    """What a client answered.

    Parameters
    ----------
    text : str
        The reply, as it came.
    model : str
        The model, as the endpoint calls it.
    finish : {"stop", "length", "context", "refusal", "filter", "error", "other"}
        Why it ended.
    usage : Usage
        Tokens of the call.
    tokens : tuple of TokenChoice
        The reply token by token, where probabilities were asked for and given.
    fingerprint : str, optional
        What the endpoint calls the state of its system.
    format : {"json_schema", "json_object", "text"}
        How the endpoint was asked for its form.
    reasoned : bool
        Whether the endpoint sent reasoning besides the text.
    reasoned : bool
        Whether the endpoint sent reasoning besides the text.
    """

    text: str
    model: str
    finish: Finish = "stop"
    usage: Usage = Usage()
    tokens: tuple[TokenChoice, ...] = ()
    fingerprint: str | None = None
    format: Format = "json_schema"
    reasoned: bool = False


class ClientError(Exception):
    """Why a call gave no reply, in one sentence."""

    usage: Usage | None = None
    """Tokens of the call, if the endpoint counted some."""


class CutPrompt(ClientError):
    """The endpoint has read a part of the prompt alone.

    Parameters
    ----------
    reason : str
        The counts, and what to change.
    usage : Usage
        Tokens of the call.
    """

    def __init__(self, reason: str, usage: Usage) -> None:
        super().__init__(reason)
        self.usage = usage


class TransientError(ClientError):
    """A fault that may be gone when the call is made again: 5xx, a closed connection, a time-out.

    Parameters
    ----------
    reason : str
        What happened.
    after : float, optional
        Seconds that the endpoint wants to be left alone.
    usage : Usage, optional
        Tokens of the call, if the endpoint counted some.
    """

    def __init__(self, reason: str, after: float | None = None, usage: Usage | None = None) -> None:
        super().__init__(reason)
        self.after = after
        self.usage = usage


class RateLimited(TransientError):
    """The endpoint wants fewer calls at a time (429, 503 with Retry-After, 529)."""


class Unreachable(TransientError):
    """Nobody listens at the address: no such host, or the connection is not taken."""


class BadRequest(ClientError):
    """The endpoint does not take the request as it is (400, 413, 422), with what it says of it."""


class FatalError(ClientError):
    """No call will do: a wrong key, no permission, no such model (401, 403, 404).

    Parameters
    ----------
    reason : str
        What happened.
    remedy : str, optional
        What to do, an imperative.
    status : int, optional
        Status of the answer over HTTP; 401 for a wrong key, whatever the answer has.
    words : str
        Words of the answer, if nothing but these words says so. An answer that repeats them from
        the request concerns that request alone.
    """

    def __init__(
        self,
        reason: str,
        remedy: str | None = None,
        status: int | None = None,
        words: str = "",
    ) -> None:
        super().__init__(reason)
        self.remedy = remedy
        self.status = status
        self.words = words


Passing, Refused, Rejected = TransientError, FatalError, BadRequest
"""Former names of the errors."""


@runtime_checkable
class Client(Protocol):
    """Whoever answers; safe to use from several threads.

    Attributes
    ----------
    endpoint : str
        Where the replies come from, as caches and reports name it; no key is in it.
    model : str
        The model that is asked for.
    is_remote : bool
        Whether a call leaves the process and may cost something. Others are called in place, and
        their replies are not cached.

    A client may also have ``lacks``, names of what it cannot ask for at all: ``"temperature"``,
    ``"seed"``, ``"probabilities"``; ``identity()``, a table of all of it that can change a reply,
    by which the cache tells replies apart, in the place of endpoint and model alone; ``warning``,
    what every report has to say of it; ``check_key()``, which raises an error before anything is
    asked if there is no key to ask with; ``batches()``, where many requests at once are sent;
    ``check(request)``, which raises a `ClientError` for a request that cannot be sent; ``longer``,
    a sentence that says how to allow longer prompts; and ``close()``, which ends the calls that are
    under way.
    """

    is_remote: ClassVar[bool]

    @property
    def endpoint(self) -> str:
        """Where the replies come from."""

    @property
    def model(self) -> str:
        """The model that is asked for."""

    def complete(self, request: Request) -> Reply | Awaitable[Reply]:
        """One reply; may be a coroutine function.

        Raises
        ------
        ClientError
            If there is none.
        """
