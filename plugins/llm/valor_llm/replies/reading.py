"""Parsed replies, and the protocol of the shapes that parse them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Protocol

from attrs import define, field, frozen

Data = Mapping[str, Any]
"""Data of a step: texts, and lists of texts whose items are numbered from 1."""


@frozen
class Verdict:
    """Verdict of a judge on one numbered item.

    Parameters
    ----------
    id : int
        The item's number.
    verdict : str
        One of the possible words.
    analysis : str
        Why.
    """

    id: int
    verdict: str
    analysis: str = ""


@define
class ParsedReply:
    """Result of parsing a reply, or several replies to one question.

    Parameters
    ----------
    value : dict
        Values by key: texts, verdicts by id, or a rating.
    missing : mapping of str to tuple of int
        Ids to request again, by key. With `problems` and without ids, everything is requested.
    problems : list of str
        Faults of the last reply, worded for the model and for a report.
    lenient : list of str
        Tolerated mistakes of all replies.
    unfit : str
        Fault of the form of the last reply, such as no JSON at all; empty if the form is
        right, even if the reply has other faults.
    """

    value: dict[str, Any] = field(factory=dict)
    missing: dict[str, tuple[int, ...]] = field(factory=dict)
    problems: list[str] = field(factory=list)
    lenient: list[str] = field(factory=list)
    unfit: str = ""

    @classmethod
    def of_nothing(
        cls, problem: object, unfit: bool, known: ParsedReply | None, cut: bool
    ) -> ParsedReply:
        """Return the result after an unusable reply: the former results are kept.

        Parameters
        ----------
        problem : object
            Fault of the reply, as a string.
        unfit : bool
            Whether the form of the reply is wrong.
        known : ParsedReply, optional
            Result of the former replies.
        cut : bool
            Whether the endpoint reports truncation, which explains all faults.
        """
        fault = "it is cut off, since it is too long" if cut else str(problem)
        before = known or cls()
        return cls(
            dict(before.value),
            dict(before.missing),
            [fault],
            list(before.lenient),
            fault if unfit and not cut else "",
        )

    @property
    def is_complete(self) -> bool:
        """True if nothing has to be requested again."""
        return not self.problems and not any(self.missing.values())

    @property
    def fault(self) -> str:
        """Faults, in one sentence without a full stop.

        Examples
        --------
        >>> ParsedReply(missing={"verdicts": (2, 3)}).fault
        '"verdicts" has no answer for 2, 3'
        >>> ParsedReply(problems=['id 2 has no "analysis"'], missing={"verdicts": (2,)}).fault
        'id 2 has no "analysis"'
        """
        faults = self.problems or [
            f'"{key}" has no answer for {_few(map(str, ids))}'
            for key, ids in self.missing.items()
            if ids
        ]
        return _few(faults, 3, "; ")

    def overlook(self, notes: Iterable[str]) -> None:
        """Add tolerated mistakes, each once."""
        self.lenient += [note for note in dict.fromkeys(notes) if note not in self.lenient]


Reading = ParsedReply
"""Former name of `ParsedReply`."""


def _few(texts: Iterable[str], most: int = 10, between: str = ", ") -> str:
    listed = list(texts)
    more = len(listed) - most
    return between.join(listed[:most]) + (f"{between}and {more} more" if more > 0 else "")


class Shape(Protocol):
    """The form of a step's reply."""

    def schema(self, data: Data, missing: Mapping[str, Collection[int]] | None) -> dict[str, Any]:
        """Return the JSON Schema of the reply, or of the part with the missing ids."""

    def outline(self) -> str:
        """The form as prompts show it."""

    def read(
        self, text: str, data: Data, known: ParsedReply | None, *, cut: bool = False
    ) -> ParsedReply:
        """Parse a reply and merge it into the result so far.

        Parameters
        ----------
        text : str
            The reply.
        data : mapping
            Data of the question.
        known : ParsedReply, optional
            Result of the former replies.
        cut : bool
            Whether the endpoint reports that the reply was truncated.
        """


def object_schema(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of an object with exactly the given keys."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
