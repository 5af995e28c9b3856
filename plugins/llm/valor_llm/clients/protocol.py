"""Protocol of clients: requests, replies and errors."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from attrs import field, frozen

Format = Literal["json_schema", "json_object", "text"]
"""Ways to request the form of a reply, from the strictest on."""

StandIn = Callable[[Mapping[str, Any]], dict[str, Any]]
"""Answers a step from its data, without a model."""

Finish = Literal["stop", "length", "context", "refusal", "filter", "error", "other"]
"""Reason for the end of a reply: complete, maximum tokens, end of the context window, refusal of
the model, content filter, fault of the endpoint, or unknown.
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
    """Request to a client.

    Parameters
    ----------
    messages : tuple of Message
        The conversation so far; the first may be the system's.
    schema : mapping
        JSON Schema of the reply.
    step : str
        Name of the step, also that of the schema: ``"claims"``.
    data : mapping of str to object
        Data of the messages, for clients that do not parse prose.
    settings : mapping of str to str
        Other texts of the messages: the criteria of a rubric.
    key : str
        Key of the question in the cache.
    repeat : int
        Repeat of the question, from 0.
    attempt : int
        Number of the reply to the same question, from 1.
    stand_in : callable, optional
        Answers the step from the data, as an object of the schema's form.
    format : {"json_schema", "json_object", "text"}
        Way to request the form of the reply.
    temperature : float, optional
        Sampling temperature; not sent without.
    seed : int, optional
        Seed of the sampling; not sent without.
    max_tokens : int, optional
        Most tokens of the reply; not sent without.
    max_tokens_key : str
        Name of the parameter for the most tokens.
    probabilities : bool
        Whether to request probabilities of the reply's tokens.
    alternatives : int
        Number of likeliest tokens to request at each position, with `probabilities`.
    deadline : float
        Timeout of the call in seconds.
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
    """Tokens of the prompt that the endpoint had cached and gives a discount for."""
    reasoning: int = 0
    """Tokens of the completion that are reasoning."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            prompt=self.prompt + other.prompt,
            completion=self.completion + other.completion,
            cached=self.cached + other.cached,
            reasoning=self.reasoning + other.reasoning,
        )


@frozen
class TokenChoice:
    """One token of a reply, and its likeliest alternatives with their log-probabilities."""

    token: str
    choices: Mapping[str, float]


@frozen(kw_only=True)
class Reply:
    """Reply of a client.

    Parameters
    ----------
    text : str
        Text of the reply, unchanged.
    model : str
        Model, as the endpoint names it.
    finish : {"stop", "length", "context", "refusal", "filter", "error", "other"}
        Reason for the end.
    usage : Usage
        Tokens of the call.
    tokens : tuple of TokenChoice
        Tokens of the reply, if probabilities were requested and available.
    fingerprint : str, optional
        The endpoint's fingerprint of its system.
    format : {"json_schema", "json_object", "text"}
        Way in which the form was requested.
    reasoned : bool
        Whether the endpoint sent reasoning in addition to the text.
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
    """Reason why a call gave no reply, in one sentence."""

    usage: Usage | None = None
    """Tokens of the call, if the endpoint counted them."""


class CutPrompt(ClientError):
    """The endpoint has read only a part of the prompt.

    Parameters
    ----------
    reason : str
        The counts, and a remedy.
    usage : Usage
        Tokens of the call.
    """

    def __init__(self, reason: str, usage: Usage) -> None:
        super().__init__(reason)
        self.usage = usage


class TransientError(ClientError):
    """Temporary fault of a call: 5xx, a closed connection, a timeout.

    Parameters
    ----------
    reason : str
        Description of the fault.
    after : float, optional
        Seconds that the endpoint asks the client to wait.
    usage : Usage, optional
        Tokens of the call, if the endpoint counted them.
    """

    def __init__(self, reason: str, after: float | None = None, usage: Usage | None = None) -> None:
        super().__init__(reason)
        self.after = after
        self.usage = usage


class RateLimited(TransientError):
    """The endpoint wants fewer calls at a time (429, 503 with Retry-After, 529)."""


class Unreachable(TransientError):
    """The address does not exist or refuses the connection."""


class BadRequest(ClientError):
    """The endpoint rejects the request (400, 413, 422), with its message."""


class FatalError(ClientError):
    """Every call will fail: a wrong key, no permission, no such model (401, 403, 404).

    Parameters
    ----------
    reason : str
        Description of the fault.
    remedy : str, optional
        Remedy, an imperative.
    status : int, optional
        HTTP status of the answer; 401 for a wrong key, even if the answer has another status.
    words : str
        Words of the answer, if they are the only evidence. An answer that repeats them from
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
    """Client of the judge; thread-safe.

    Attributes
    ----------
    endpoint : str
        Name of the endpoint in caches and reports, without any key.
    model : str
        Requested model.
    is_remote : bool
        Whether a call leaves the process and may cost money. Other clients are called directly, and
        their replies are not cached.

    A client may also have ``lacks``, names of unsupported features: ``"temperature"``,
    ``"seed"``, ``"probabilities"``; ``identity()``, a table of everything that can change a reply,
    which the cache uses instead of endpoint and model; ``warning``, a sentence for every report;
    ``check_key()``, which raises an error before the first call if the key is missing;
    ``batches()``, the batch API of the endpoint; ``check(request)``, which raises a `ClientError`
    for a request that cannot be sent; ``longer``, a sentence that says how to allow longer prompts;
    and ``close()``, which ends the calls in progress.
    """

    is_remote: ClassVar[bool]

    @property
    def endpoint(self) -> str:
        """Name of the endpoint."""

    @property
    def model(self) -> str:
        """Requested model."""

    def complete(self, request: Request) -> Reply | Awaitable[Reply]:
        """Return one reply; may be a coroutine function.

        Raises
        ------
        ClientError
            If there is no reply.
        """
