"""Prompts with a version and examples, and the delimiters around data."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import tomllib
from collections.abc import Mapping
from functools import cached_property, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from attrs import field, frozen

from valor_core.errors import ResourceError, short_repr

_SECRET = secrets.token_bytes(16)


@frozen
class Fences:
    """Random delimiter lines around data, so that data cannot imitate them.

    An endpoint caches the beginning of a prompt. So the data that several calls share get a
    delimiter that is equal in these calls: a keyed hash of the data, with a secret of this process.

    Parameters
    ----------
    item : str
        The fence of the item, random for every call.
    secret : bytes, optional
        Key of the hash. With None, all texts have the same delimiter.

    Examples
    --------
    >>> first, second = Fences(), Fences()
    >>> first.item == second.item, first.shared("a") == second.shared("a")
    (False, True)
    """

    item: str = field(factory=lambda: f"DATA-{secrets.token_hex(8)}")
    secret: bytes | None = _SECRET

    def shared(self, text: str) -> str:
        """The fence of a text that several calls share.

        Parameters
        ----------
        text : str
            Text between the delimiters.
        """
        if self.secret is None:
            return "DATA"
        return f"DATA-{hashlib.blake2b(text.encode(), key=self.secret, digest_size=8).hexdigest()}"


PLACEHOLDERS = Fences("DATA", None)
"""Constant delimiters for the key of a question in the cache."""


def rendered(data: Mapping[str, Any]) -> str:
    """Data as JSON in one line, in which nothing is a mark of a chat template.

    Parameters
    ----------
    data : mapping of str to str or sequence of str
        The data by field; the texts of a sequence are numbered from 1.

    Examples
    --------
    >>> rendered({"response": "It rains.", "claims": ["It rains."]})
    '{"response": "It rains.", "claims": [{"id": 1, "text": "It rains."}]}'
    """
    numbered = {name: _numbered(value) for name, value in data.items()}
    text = json.dumps(numbered, ensure_ascii=False)
    return _MARKS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


_MARKS = re.compile(
    "[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]"  # ends of lines, and halves of characters
    r"|<(?=[|\uff5c]|/?s>|(?:start|end)_of_turn>)|\[(?=/?INST\])"
)
"""Characters escaped in addition to JSON's; servers may read them as the end of a message."""


def _numbered(value: Any) -> Any:
    if isinstance(value, str):
        return value
    return [{"id": number, "text": text} for number, text in enumerate(value, 1)]


@frozen(slots=False)
class Example:
    """Example of a prompt: data and a correct reply."""

    data: Mapping[str, Any]
    reply: str

    @cached_property
    def text(self) -> str:
        """The example as the judge sees it."""
        return f"Example\n{rendered(self.data)}\nReply\n{self.reply}"


@frozen
class Prompt:
    """Instruction of a judge, with examples.

    Parameters
    ----------
    name : str
        The step's name.
    version : int
        Raised with every change.
    instruction : str
        Text of the instruction.
    examples : tuple of Example
        Examples.
    digest : str
        Digest of the file, which identifies changes without a new version.
    """

    name: str
    version: int
    instruction: str
    examples: tuple[Example, ...]
    digest: str

    @property
    def identity(self) -> str:
        """Name, version and digest, as caches and records name it."""
        return f"{self.name}@{self.version}:{self.digest}"

    def filled(self, settings: Mapping[str, str], language: str) -> str:
        """The instruction with its settings put in.

        Raises
        ------
        ResourceError
            If the instruction has no placeholder for a setting.
        """
        text = self.instruction
        for name, value in settings.items():
            placeholder = "{{" + name + "}}"
            if value and placeholder not in self.instruction:
                raise ResourceError(
                    f"prompt {self.name}: expected a place for the {name} in the instruction, "
                    "found none",
                    f"Write {placeholder} at its position in the prompt.",
                )
            text = text.replace(placeholder, value)
        return f"{text.strip()}\n\nWrite analyses in {language}."


@lru_cache
def own(name: str, package: str = "valor_llm.prompts") -> Prompt:
    """The prompt that a package has for a step."""
    text = (resources.files(package) / "en" / f"{name}.toml").read_text("utf-8")
    return parsed(name, text, f"{name}.toml")


def replaced(name: str, path: Path) -> Prompt:
    """The prompt that a file has for a step.

    Raises
    ------
    ResourceError
        If the file cannot be read or is no prompt.
    """
    try:
        return parsed(name, path.read_text("utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise ResourceError(
            f"judge.prompts.{name}: {path}: expected a readable file, "
            f"{getattr(error, 'strerror', None) or error}",
            "Name a prompt in TOML, or leave it out to have that of the package",
        ) from error


def parsed(name: str, text: str, where: str) -> Prompt:
    """The prompt that a text in TOML holds."""
    try:
        table = tomllib.loads(text)
        examples = tuple(
            _example(one, f"{where}: example {number}")
            for number, one in enumerate(table.get("example", ()), 1)
        )
        digest = hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
        return Prompt(name, int(table["version"]), str(table["instruction"]), examples, digest)
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise ResourceError(
            f"{where}: expected a prompt with a version and an instruction, found {error}",
            'Write it in TOML: version = 1, instruction = "…", and [[example]] with data and reply',
        ) from error


def _example(table: Mapping[str, Any], where: str) -> Example:
    """Parse an example, whose reply is a JSON object."""
    try:
        is_object = isinstance(json.loads(table["reply"]), dict)
    except ValueError:
        is_object = False
    if not is_object:
        raise ResourceError(
            f"{where}: expected a reply that is a JSON object, got {short_repr(table['reply'])}",
            "Write the reply as the judge is to write it, with nothing around the object",
        )
    return Example(table["data"], table["reply"])
