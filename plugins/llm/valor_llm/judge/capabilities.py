"""Capabilities of an endpoint, detected from its answers to first calls."""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any, get_args

from attrs import define, evolve, field, frozen

from valor_llm.clients.protocol import Format, Request

FORMATS: tuple[Format, ...] = get_args(Format)
"""From the strictest on."""

_FEW = 5  # alternatives, which all endpoints with probabilities support

_NAMES: Mapping[str, re.Pattern[str]] = {
    name: re.compile(words, re.IGNORECASE)
    for name, words in {
        "list_lengths": r"(min|max)_?items",
        "format": r"response_?format|output_?(config|format)|json_?(schema|object|mode)"
        r"|structured.outputs?|\bformat\b|guided|grammar|tool_?(choice|s\b|use)",
        "temperature": r"temperature",
        "seed": r"\bseed\b",
        "max_tokens": r"max_(completion_)?tokens",
        "probabilities": r"log_?prob",
    }.items()
}
"""Names of the parts of a request in error messages, in the order of the search."""

_TOO_LONG = re.compile(
    r"context.{0,3}(length|window|size)|maximum.context|too (long|large|many tokens)"
    r"|exceeds?\b.{0,40}\btokens",
    re.IGNORECASE,
)


@frozen
class Capabilities:
    """Parts of a request that an endpoint supports for one of its models.

    Parameters
    ----------
    format : {"json_schema", "json_object", "text"}
        Strictest supported way to request a form.
    max_tokens_key : str
        Name of the parameter for the most tokens of a reply.
    alternatives : int
        Supported number of alternatives to a token.
    left_out : frozenset of str
        Unsupported parts: ``"temperature"``, ``"seed"``, ``"max_tokens"``,
        ``"probabilities"``, or ``"list_lengths"`` in a schema.

    Examples
    --------
    >>> request = Request(messages=(), schema={}, step="claims", temperature=0.0, seed=1)
    >>> found = Capabilities().after(request, "400: 'temperature' does not support 0")
    >>> found.fitted(request).temperature is None, found.fitted(request).seed
    (True, 1)
    """

    format: Format = "json_schema"
    max_tokens_key: str = "max_tokens"
    alternatives: int = 20
    left_out: frozenset[str] = frozenset()

    def fitted(self, request: Request) -> Request:
        """Return the request without unsupported parts."""
        out = self.left_out
        return evolve(
            request,
            schema=_without_lengths(request.schema) if "list_lengths" in out else request.schema,
            format=max(request.format, self.format, key=FORMATS.index),
            temperature=None if "temperature" in out else request.temperature,
            seed=None if "seed" in out else request.seed,
            max_tokens=None if "max_tokens" in out else request.max_tokens,
            max_tokens_key=self.max_tokens_key,
            probabilities=request.probabilities and "probabilities" not in out,
            alternatives=min(request.alternatives, self.alternatives),
        )

    def after(self, request: Request, said: str) -> Capabilities | None:
        """Return the capabilities after a rejected request, or None if it proves nothing.

        Parameters
        ----------
        request : Request
            The request as it was sent.
        said : str
            Message of the endpoint. It has to name a part that was sent; a request that
            is too long teaches nothing.
        """
        if _TOO_LONG.search(said):
            return None
        for name, words in _NAMES.items():
            if words.search(said) and (found := self._without(name, request)) is not None:
                return found
        return None

    def lowered(self) -> Capabilities | None:
        """Return the capabilities with the next format, or None after the last."""
        index = FORMATS.index(self.format) + 1
        return evolve(self, format=FORMATS[index]) if index < len(FORMATS) else None

    def joined(self, other: Capabilities) -> Capabilities:
        """Return the common capabilities, since concurrent calls detect different ones."""
        first = Capabilities().max_tokens_key
        key = self.max_tokens_key if self.max_tokens_key != first else other.max_tokens_key
        return Capabilities(
            max(self.format, other.format, key=FORMATS.index),
            key,
            min(self.alternatives, other.alternatives),
            self.left_out | other.left_out,
        )

    def to_dict(self) -> dict[str, Any]:
        """As JSON types, for reports and files."""
        return {
            "format": self.format,
            "max_tokens_key": self.max_tokens_key,
            "alternatives": self.alternatives,
            "left_out": sorted(self.left_out),
        }

    @classmethod
    def lacking(cls, names: Collection[str]) -> Capabilities:
        """Return the capabilities of a client without parts, or without any ``"format"``."""
        left_out = frozenset(names) - {"format"}
        return cls("text" if "format" in names else "json_schema", left_out=left_out)

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Capabilities | None:
        """Parse stored capabilities; None if malformed."""
        try:
            parsed = cls(
                str(record["format"]),  # type: ignore[arg-type]
                str(record["max_tokens_key"]),
                int(record["alternatives"]),
                frozenset(map(str, record["left_out"])),
            )
        except (KeyError, TypeError, ValueError):
            return None
        return parsed if parsed.format in FORMATS else None

    def _without(self, name: str, request: Request) -> Capabilities | None:
        """Return the capabilities without a part, or None if it was not sent."""
        if name == "format":
            sent = evolve(self, format=request.format)
            return sent.lowered()
        if name == "max_tokens":
            if request.max_tokens is None:
                return None
            if request.max_tokens_key == "max_tokens":
                return evolve(self, max_tokens_key="max_completion_tokens")
        elif name == "list_lengths":
            if request.format == "text" or "list_lengths" in self.left_out:
                return None
        elif name == "probabilities":
            if request.probabilities and request.alternatives > _FEW:
                return evolve(self, alternatives=_FEW)
            if not request.probabilities:
                return None
        elif getattr(request, name) is None:
            return None
        return evolve(self, left_out=self.left_out | {name})


def _without_lengths(schema: Any) -> Any:
    """A schema without the lengths of lists, which validation checks anyway."""
    if isinstance(schema, Mapping):
        return {
            key: _without_lengths(value)
            for key, value in schema.items()
            if key not in ("minItems", "maxItems")
        }
    return [_without_lengths(one) for one in schema] if isinstance(schema, list) else schema


Kind = tuple[object, ...]
"""Parameters of a request that an endpoint may reject."""

_PATIENCE = 2.0
"""Seconds to wait for a first answer. A slow call is being processed: a rejection is fast."""

_LEADERS = 3
"""Calls of a kind that fail one after another before all of them go."""


def kind_of(request: Request) -> Kind | None:
    """The kind of a request, or None if it has nothing that an endpoint may reject.

    Examples
    --------
    >>> kind_of(Request(messages=(), schema={}, step="claims", format="text")) is None
    True
    """
    has_lengths = request.format != "text" and "Items'" in repr(request.schema)
    kind = (
        request.format if request.format != "text" else None,
        request.temperature is not None,
        request.seed is not None,
        request.max_tokens_key if request.max_tokens is not None else None,
        request.alternatives if request.probabilities else None,
        has_lengths,
    )
    return kind if any(kind) else None


@define(eq=False)
class _Lead:
    """A first call in progress."""

    until: float
    ended: asyncio.Event = field(factory=asyncio.Event)


@define(eq=False)
class FirstCalls:
    """Kinds of requests that an endpoint has answered, and kinds with a first call in progress.

    Everything is called on one event loop.

    Parameters
    ----------
    is_open : bool
        Whether no call has to wait.
    patience : float
        Seconds to wait for a first answer.
    clock : callable
        The time in seconds.
    """

    is_open: bool = False
    patience: float = _PATIENCE
    clock: Callable[[], float] = time.monotonic
    _answered: set[Kind] = field(factory=set, init=False)
    _leads: dict[Kind, _Lead] = field(factory=dict, init=False)
    _failed: Counter[Kind] = field(factory=Counter, init=False)

    def may_go(self, kind: Kind | None) -> bool:
        """Return whether a call may start without waiting for a first call."""
        return self.is_open or kind is None or kind in self._answered

    def leads(self, kind: Kind) -> bool:
        """Make a call the first of its kind, if there is none in progress."""
        if kind in self._leads:
            return False
        self._leads[kind] = _Lead(self.clock() + self.patience)
        return True

    async def wait(self, kind: Kind) -> None:
        """Wait until the first call of a kind has ended or timed out."""
        lead = self._leads[kind]
        try:
            await asyncio.wait_for(lead.ended.wait(), max(0.0, lead.until - self.clock()))
        except TimeoutError:
            self._answered.add(kind)

    def end(self, kinds: set[Kind], answered: Kind | None) -> None:
        """Let calls go that waited for a first call.

        Parameters
        ----------
        kinds : set of Kind
            The kinds that the call was the first of.
        answered : Kind, optional
            The kind that got a reply.
        """
        if answered is not None:
            self._answered.add(answered)
        for kind in kinds:
            self._leads.pop(kind).ended.set()
            if answered is None:
                self._failed[kind] += 1
                if self._failed[kind] == _LEADERS:
                    self._answered.add(kind)

    def lift(self) -> None:
        """Let every call go, because no further one is made."""
        self.is_open = True
        for lead in self._leads.values():
            lead.ended.set()
