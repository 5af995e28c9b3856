"""Keys: what the environment has for an endpoint, and never stands in a text of ours."""

from __future__ import annotations

import os
import re

from valor_core.errors import ResourceError
from valor_llm.clients.http.secrets import HIDDEN

_STARRED = re.compile(r"[^\s\"']*\*{3,}[^\s\"']*")


class Key:
    """API key of an endpoint, read from the environment for every call and kept nowhere.

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
    >>> key
    Key('EXAM_KEY')
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


def without_starred(text: str) -> str:
    """A text without the parts of keys that endpoints show between stars.

    Examples
    --------
    >>> without_starred("Incorrect API key provided: sk-te******1234.")
    'Incorrect API key provided: [key]'
    """
    return _STARRED.sub(HIDDEN, text)
