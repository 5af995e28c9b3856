"""Verdicts: one on each numbered item, in one list or in several side by side."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from attrs import frozen

from valor_llm.replies.entries import VerdictEntries
from valor_llm.replies.keys import Asked, NotAsked, lists_in
from valor_llm.replies.reading import Data, ParsedReply, object_schema


@frozen
class VerdictList:
    """A list of verdicts on numbered items.

    Parameters
    ----------
    key : str
        Name of the list in the reply.
    items : str
        The field of the data whose items are judged.
    words : tuple of str
        Possible verdicts.
    """

    key: str
    items: str
    words: tuple[str, ...] = ("yes", "no")

    def schema(self, ids: Sequence[int]) -> dict[str, Any]:
        """Return the JSON Schema of the list with some ids."""
        verdict = {
            "id": {"type": "integer", "enum": list(ids)} if ids else {"type": "integer"},
            "analysis": {"type": "string"},
            "verdict": {"type": "string", "enum": list(self.words)},
        }
        entry = object_schema(verdict)
        return {"type": "array", "items": entry, "minItems": len(ids), "maxItems": len(ids)}

    def outline(self) -> str:
        """The form as prompts show it."""
        words = " or ".join(json.dumps(word) for word in self.words)
        return f'"{self.key}": [{{"id": 1, "analysis": "…", "verdict": {words}}}, …]'


@frozen
class VerdictGroup:
    """Texts of items with the same verdict, an alternative form of some models.

    Parameters
    ----------
    key : str
        Name of the group in the reply: ``"FP"``.
    of : str
        Key of the list of verdicts that the group replaces.
    word : str
        The verdict.
    """

    key: str
    of: str
    word: str


@frozen
class Verdicts:
    """One list of verdicts, or several side by side.

    Parameters
    ----------
    lists : tuple of VerdictList
        The lists.
    groups : tuple of VerdictGroup
        Another form that is read as well, without ids and analyses.

    Examples
    --------
    >>> shape = Verdicts((VerdictList("verdicts", "claims"),))
    >>> text = '{"verdicts": [{"id": 2, "analysis": "so", "verdict": "No"}]}'
    >>> reading = shape.read(text, {"claims": ["a", "b"]}, None)
    >>> reading.value["verdicts"], reading.missing, reading.lenient
    ({2: Verdict(id=2, verdict='no', analysis='so')}, {'verdicts': (1,)}, ['other spelling'])
    """

    lists: tuple[VerdictList, ...]
    groups: tuple[VerdictGroup, ...] = ()

    def schema(self, data: Data, missing: Mapping[str, Collection[int]] | None) -> dict[str, Any]:
        """Return the JSON Schema of the reply, or of the part with some ids."""
        asked = self._asked(data, missing)
        return object_schema({one.key: one.schema(asked[one.key]) for one in self._in(asked)})

    def outline(self) -> str:
        """The form as prompts show it."""
        return "{" + ", ".join(one.outline() for one in self.lists) + "}"

    def read(
        self, text: str, data: Data, known: ParsedReply | None, *, cut: bool = False
    ) -> ParsedReply:
        """The verdicts by id, under the key of each list."""
        asked = self._asked(data, known.missing if known and known.missing else None)
        keys = [one.key for one in self._in(asked)]
        try:
            about = Asked(data, self.outline(), cut)
            found = lists_in(text, [*keys, *(group.key for group in self.groups)], about)
        except NotAsked as error:
            return ParsedReply.of_nothing(error, error.unfit, known, cut)
        is_grouped = not set(keys) & set(found.values)
        reading = ParsedReply(lenient=list(known.lenient) if known else [])
        reading.overlook(found.lenient)
        for one in self.lists:
            reading.value[one.key] = dict(known.value.get(one.key, {})) if known else {}
            if asked[one.key]:
                entries = VerdictEntries(one.key, one.words, asked[one.key], data[one.items])
                if is_grouped:
                    entries.take_groups(self._groups(one, found.values))
                else:
                    entries.take(found.values.get(one.key), found.is_cut)
                reading.value[one.key] |= entries.verdicts
                reading.problems += entries.problems
                reading.overlook(entries.lenient)
            known_ids = reading.value[one.key]
            ids = range(1, len(data[one.items]) + 1)
            reading.missing[one.key] = tuple(number for number in ids if number not in known_ids)
        return reading

    def _asked(
        self, data: Data, missing: Mapping[str, Collection[int]] | None
    ) -> dict[str, Sequence[int]]:
        if missing is None:
            return {one.key: range(1, len(data[one.items]) + 1) for one in self.lists}
        return {one.key: sorted(missing.get(one.key, ())) for one in self.lists}

    def _in(self, asked: Mapping[str, Sequence[int]]) -> list[VerdictList]:
        """Return the lists that the reply should have: those with requested ids, or all."""
        return [one for one in self.lists if asked[one.key]] or list(self.lists)

    def _groups(self, one: VerdictList, values: Mapping[str, Any]) -> dict[str, Any]:
        return {group.word: values.get(group.key) for group in self.groups if group.of == one.key}
