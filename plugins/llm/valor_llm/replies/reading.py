"""ParsedReply: what is known of a judge's reply, from one text or several."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Protocol

from attrs import define, field, frozen

Data = Mapping[str, Any]
"""What a step is asked about: texts, and lists of texts whose items are numbered from 1."""


@frozen
class Verdict:
    """What a judge says of one numbered item.

    Parameters
    ----------
    id : int
        The item's number.
    verdict : str
        One of the words that were asked for.
    analysis : str
        Why.
    """

    id: int
    verdict: str
    analysis: str = ""


@define
class ParsedReply:
    """What is known of a reply so far, from one text or several.

    Parameters
    ----------
    value : dict
        What was read, by the reply's keys: texts, verdicts by id, or a rating.
    missing : mapping of str to tuple of int
        Ids that are asked for again, by key. With `problems` and without ids, everything is.
    problems : list of str
        What is wrong with the last text, in words for the model and for a report.
    lenient : list of str
        What was overlooked, in all texts.
    unfit : str
        How the last text has another form than was asked for, such as no JSON at all; empty where
        it has that form, whatever is wrong within it.
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
        """What is known when a text says nothing of what was asked: the same as before.

        Parameters
        ----------
        problem : object
            What is wrong with the text, as a string.
        unfit : bool
            Whether it has another form than was asked for.
        known : ParsedReply, optional
            What was known before.
        cut : bool
            Whether the endpoint says that it had to end early, which explains all.
        """
        told = "it is cut off, since it is too long" if cut else str(problem)
        before = known or cls()
        return cls(
            dict(before.value),
            dict(before.missing),
            [told],
            list(before.lenient),
            told if unfit and not cut else "",
        )

    @property
    def is_complete(self) -> bool:
        """Whether nothing has to be asked for again."""
        return not self.problems and not any(self.missing.values())

    @property
    def fault(self) -> str:
        """What is wrong, in one sentence without a stop.

        Examples
        --------
        >>> ParsedReply(missing={"verdicts": (2, 3)}).fault
        '"verdicts" has no answer for 2, 3'
        >>> ParsedReply(problems=['id 2 has no "analysis"'], missing={"verdicts": (2,)}).fault
        'id 2 has no "analysis"'
        """
        told = self.problems or [
            f'"{key}" has no answer for {_few(map(str, ids))}'
            for key, ids in self.missing.items()
            if ids
        ]
        return _few(told, 3, "; ")

    def overlook(self, notes: Iterable[str]) -> None:
        """Keep what was overlooked, each kind once."""
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
        """JSON Schema of the reply, or of the part with some ids."""

    def outline(self) -> str:
        """The form as prompts show it."""

    def read(
        self, text: str, data: Data, known: ParsedReply | None, *, cut: bool = False
    ) -> ParsedReply:
        """What a text says, joined with what is known already.

        Parameters
        ----------
        text : str
            The reply.
        data : mapping
            What it is about.
        known : ParsedReply, optional
            What former texts say.
        cut : bool
            Whether the endpoint says that the reply had to end early.
        """


def object_schema(properties: Mapping[str, Any]) -> dict[str, Any]:
    """JSON Schema of an object that has exactly some keys."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
