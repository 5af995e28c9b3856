"""Keys: what the environment has for an endpoint, and never stands in a text of ours."""

from __future__ import annotations

import json
import os
import re
from urllib.parse import quote

from valor_core.plugin import ResourceError

_HIDDEN = "[key]"
_SHORTEST = 8  # characters of a secret; "none", "x" or "EMPTY" fill the place of one
_STARRED = re.compile(r"[^\s\"']*\*{3,}[^\s\"']*")


class Key:
    """API key of an endpoint, read from the environment for every call and kept nowhere.

    Local servers take any word as a key. One that is too short to be a secret is not hidden: it
    may be part of what was judged, and a reply without it would say something else.

    Parameters
    ----------
    variable : str
        Name of the environment variable.
    place : str
        Where the config names it, for errors.

    Examples
    --------
    >>> os.environ["EXAM_KEY"] = "sk-12345"
    >>> key = Key("EXAM_KEY", "judge.client.api_key_env")
    >>> key.hidden(b"wrong key sk-12345"), key
    (b'wrong key [key]', Key('EXAM_KEY'))
    """

    def __init__(self, variable: str, place: str) -> None:
        self.variable = variable
        self.place = place

    def __repr__(self) -> str:
        return f"Key({self.variable!r})"

    @property
    def value(self) -> str:
        """The key, without the blanks that files end with."""
        return os.environ.get(self.variable, "").strip()

    def checked(self) -> str:
        """The key, which can be sent.

        Raises
        ------
        ResourceError
            If the variable is not set, or holds what no header can.
        """
        key = self.value
        if not key:
            raise ResourceError(
                f"{self.place}: expected a key in the environment variable {self.variable}, "
                "found none",
                f"Set it with: export {self.variable}=…",
            )
        if not (key.isascii() and key.isprintable()):
            raise ResourceError(
                f"{self.place}: expected printable ASCII in the environment variable "
                f"{self.variable}, found another character",
                f"Copy the key once more: export {self.variable}=…",
            )
        return key

    def hidden(self, data: bytes) -> bytes:
        """What an endpoint sent, without the key."""
        for form in self._forms():
            data = data.replace(form.encode(), _HIDDEN.encode())
        return data

    def hidden_text(self, text: str) -> str:
        """A text of an endpoint's, without the key."""
        for form in self._forms():
            text = text.replace(form, _HIDDEN)
        return text

    def _forms(self) -> set[str]:
        """The key as it may stand in a text, in JSON or in an address."""
        key = self.value
        if len(key) < _SHORTEST:
            return set()
        escaped = json.dumps(key)[1:-1]
        return {key, quote(key), quote(key, safe=""), escaped, escaped.replace("/", "\\/")}


def without_starred(text: str) -> str:
    """A text without the parts of keys that endpoints show between stars.

    Examples
    --------
    >>> without_starred("Incorrect API key provided: sk-te******1234.")
    'Incorrect API key provided: [key]'
    """
    return _STARRED.sub(_HIDDEN, text)
