"""Secrets: texts that are hidden wherever an endpoint sends them back, however it spells them."""

from __future__ import annotations

import os
import re
import string
from base64 import b64encode
from collections.abc import Iterable
from functools import lru_cache

from valor_core.errors import ResourceError

HIDDEN = "[key]"
_SHORTEST = 8  # characters of a secret; "none", "x" or "EMPTY" are dummies
_PREFIX = 12  # characters by which a part of a secret is found; "sk-proj-" begins many
_TOKEN = r"(?:[\w+/=~:%&#*-]|\.(?=\w)|\\{1,4}/|\\{1,4}u[0-9a-f]{4})*"
_OF_A_TOKEN = frozenset(string.ascii_letters + string.digits + "+/=_~:%&#*-")
_NAMED = {'"': "&quot;", "&": "&amp;", "<": "&lt;", ">": "&gt;"}


def hidden(text: str, secrets: Iterable[str]) -> str:
    """Replace secrets in a text.

    A secret is detected verbatim, escaped for JSON, HTML or an address, as hexadecimal digits and
    in base64, also within a longer text. The beginning of a long one counts as well. Texts of
    less than 8 characters are not replaced, since judged texts may contain them.

    Examples
    --------
    >>> hidden(r"Incorrect key: \u0073k-12345678", ["sk-12345678"])
    'Incorrect key: [key]'
    >>> hidden("Incorrect key: sk-123456789…", ["sk-1234567890abcdef"])
    'Incorrect key: [key]…'
    """
    for secret in secrets:
        pattern = _pattern(secret)
        if pattern is not None:
            text = _without(pattern, text)
    return text


def _without(pattern: re.Pattern[str], text: str) -> str:
    """Replace the matches of a pattern; parts of a secret are extended to their token."""
    kept, end = [], 0
    for match in pattern.finditer(text):
        start = match.start()
        while match.lastgroup and start > end and text[start - 1] in _OF_A_TOKEN:
            start -= 1
        if match.start() >= end:
            kept += [text[end:start], HIDDEN]
            end = match.end()
    return "".join([*kept, text[end:]])


@lru_cache(maxsize=64)
def _pattern(secret: str) -> re.Pattern[str] | None:
    """All spellings of a secret."""
    if len(secret) < _SHORTEST:
        return None
    forms, parts = ["".join(map(_spelled, secret))], list[str]()
    if len(secret) > _PREFIX:
        forms.append("".join(map(_spelled, secret[:_PREFIX])) + _TOKEN)
    if len(secret) >= 2 * _PREFIX:
        parts.append("".join(map(_spelled, secret[-_PREFIX:])))
    data = secret.encode()
    digits = data.hex()[: 2 * _PREFIX]
    parts.append(f"{digits}[0-9a-f]*")
    for shift in range(3):
        # The first and last characters depend on the bytes around the secret, so they are cut.
        packed = b64encode(bytes(shift) + data).decode().rstrip("=")
        stable = packed[-(-shift * 8 // 6) : len(data + bytes(shift)) * 8 // 6][:16]
        if len(stable) >= _SHORTEST:
            either = re.escape(stable).replace(r"\+", "[+-]").replace("/", "[/_]")
            parts.append(f"{either}[A-Za-z0-9+/_-]*=*")
    return re.compile(f"{'|'.join(forms)}|(?P<part>{'|'.join(parts)})", re.IGNORECASE)


def _spelled(character: str) -> str:
    """A character and its escapes in JSON, Python, addresses and HTML."""
    code = ord(character)
    forms = [
        re.escape(character),
        rf"\\{{1,4}}u00{code:02x}",
        rf"\\{{1,4}}x{code:02x}",
        f"%{code:02x}",
    ]
    forms += [f"&#0{{0,8}}{code};", f"&#x0{{0,8}}{code:x};", *filter(None, [_NAMED.get(character)])]
    forms += [rf"\\{{1,4}}{re.escape(character)}"] * (character in '/"\\')
    return f"(?:{'|'.join(forms)})"


_STARRED = re.compile(r"[^\s\"']*\*{3,}[^\s\"']*")


class Key:
    """API key of an endpoint, read from the environment for every call and kept nowhere.

    Parameters
    ----------
    variable : str
        Name of the environment variable.
    where : str
        Path of the parameter in the config, for errors.

    Examples
    --------
    >>> os.environ["EXAM_KEY"] = "sk-12345"
    >>> key = Key("EXAM_KEY", "judge.client.api_key_env")
    >>> key
    Key('EXAM_KEY')
    """

    def __init__(self, variable: str, where: str) -> None:
        self.variable = variable
        self.where = where

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
            If the variable is not set, or its value cannot be sent in a header.
        """
        key = self.value
        if not key:
            raise ResourceError(
                f"{self.where}: expected a key in the environment variable {self.variable}, "
                "found none",
                f"Set it with: export {self.variable}=…",
            )
        if not (key.isascii() and key.isprintable()):
            raise ResourceError(
                f"{self.where}: expected printable ASCII in the environment variable "
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
