"""Shape of a reply with a list of texts."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from attrs import frozen

from valor_core.errors import shown
from valor_llm.replies.keys import Asked, NotAsked, lists_in
from valor_llm.replies.reading import Data, ParsedReply, object_schema


@frozen
class TextList:
    """A list of texts, such as claims.

    Texts are kept unchanged, including duplicates. A truncated list is requested
    again, since the missing texts are unknown.

    Parameters
    ----------
    key : str
        Name of the list in the reply.
    most : int
        Maximum number of texts; a model that exceeds it does not stop.

    Examples
    --------
    >>> TextList("claims").read('{"claims": ["It rains."]}', {}, None).value
    {'claims': ('It rains.',)}
    """

    key: str
    most: int = 1000

    def schema(self, data: Data, missing: Mapping[str, Collection[int]] | None) -> dict[str, Any]:
        """JSON Schema of the reply."""
        return object_schema({self.key: {"type": "array", "items": {"type": "string"}}})

    def outline(self) -> str:
        """The form as prompts show it."""
        return json.dumps({self.key: ["…"]}, ensure_ascii=False)

    def read(
        self, text: str, data: Data, known: ParsedReply | None, *, cut: bool = False
    ) -> ParsedReply:
        """The texts, as a tuple under the key."""
        try:
            found = lists_in(text, [self.key], Asked(data, self.outline(), cut))
            if found.is_cut:
                raise NotAsked("it is cut off before its list is complete", unfit=False)
            texts, notes = self._checked(found.values[self.key])
        except NotAsked as error:
            return ParsedReply.of_nothing(error, error.unfit, known, cut)
        return ParsedReply({self.key: texts}, lenient=list(dict.fromkeys([*found.lenient, *notes])))

    def _checked(self, entries: Any) -> tuple[tuple[str, ...], list[str]]:
        if not isinstance(entries, list):
            raise NotAsked(f'"{self.key}" must be a list, got {shown(entries)}')
        if len(entries) > self.most:
            raise NotAsked(f'"{self.key}" has {len(entries)} texts, more than {self.most}', False)
        texts, notes = [], []
        for entry in entries:
            text = entry
            if isinstance(entry, dict):
                strings = [one for one in entry.values() if isinstance(one, str)]
                text = strings[0] if len(strings) == 1 else None
                notes.append("text in an object")
            if not isinstance(text, str):
                raise NotAsked(f'"{self.key}" must be a list of texts, got {shown(entry)}', False)
            if text.strip():
                texts.append(text)
            else:
                notes.append("empty text")
        return tuple(texts), notes
