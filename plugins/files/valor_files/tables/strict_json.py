"""JSON parser that rejects repeated keys and lone surrogates, which programs read differently.

A key that stands twice in one object has its last value in Python and its first elsewhere. Half of
a UTF-16 pair is no character; no file can hold it as UTF-8.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Final

from valor_core.errors import shown

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
SPACE: Final = " \t\r\n"
_JOINT: Final = "end of line"
_NESTING: Final = frozenset({dict, list})
_SPACED_COLON = re.compile(r'"[ \t\r\n]+:')


class StrictJsonError(ValueError):
    """Ambiguous JSON; the message completes a sentence that begins with an expectation."""


def parse_json(text: str) -> Any:
    r"""Parse JSON text.

    Raises
    ------
    StrictJsonError
        If an object repeats a key, a text has a lone surrogate, values are nested too deeply or an
        integer is too long for Python.
    JSONDecodeError
        If it is no JSON.

    Examples
    --------
    >>> parse_json('{"score": 0.5, "score": 1}')
    Traceback (most recent call last):
        ...
    valor_files.tables.strict_json.StrictJsonError: found the key 'score' twice in an object
    """
    try:
        value = _DECODER.decode(text)
    except (StrictJsonError, json.JSONDecodeError):
        raise
    except RecursionError as error:
        raise StrictJsonError("found values nested too deeply") from error
    except ValueError as error:
        raise StrictJsonError("found an integer with too many digits") from error
    if "\\u" in text and _SURROGATE.search(text):
        _check_characters(value)
    return value


def parse_lines(lines: Sequence[bytes]) -> list[Any] | None:
    """Parse lines of objects at once; None if a line may be invalid or ambiguous.

    The lines are parsed as one list with a text between them, which is faster than `parse_json` for
    each. Without escapes, a text can be written in one way. So if the text occurs as often as there
    are joints, each time as an item of the list, no line ends within a list or an object.

    Examples
    --------
    >>> parse_lines([b'{"a": 1}', b'{"b": {"c": 2}}']), parse_lines([b'{"a": 1} 2'])
    ([{'a': 1}, {'b': {'c': 2}}], None)
    """
    texts = [line.decode("utf-8").strip(SPACE) for line in lines]
    if any("\\u" in text for text in texts):
        return None
    whole = f',"{_JOINT}",'.join(texts)
    if whole.count(_JOINT) != len(texts) - 1:
        return None
    try:
        found = json.loads(f"[{whole}]")
    except (ValueError, RecursionError):
        return None
    records = found[::2]
    if found[1::2] != [_JOINT] * (len(texts) - 1) or set(map(type, records)) != {dict}:
        return None
    cells = [cell for record in records for cell in record.values() if type(cell) in _NESTING]
    items = [item for cell in cells if type(cell) is list for item in cell if type(item) is dict]
    tables = [cell for cell in cells if type(cell) is dict]
    return records if is_surely_strict(whole, chain(records, tables, items)) else None


def is_surely_strict(text: str, records: Iterable[Mapping[str, Any]]) -> bool:
    """Whether `parse_json` surely accepts a text; a quick check for flat records.

    Parameters
    ----------
    text : str
        The text; its colons between keys and values are counted.
    records : iterable of mapping
        What it stands for.

    Examples
    --------
    >>> is_surely_strict('[{"a": 1, "a": 2}]', [{"a": 2}])
    False
    """
    if "\\u" in text and _SURROGATE.search(text):
        return False
    keys = sum(map(len, records))
    if text.count(":") == keys:  # told three times as fast, where no text has a colon
        return True
    return not _SPACED_COLON.search(text) and text.count('":') == keys


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise StrictJsonError(f"found the key {shown(twice)} twice in an object")
    return values


_DECODER = json.JSONDecoder(object_pairs_hook=_once)


def _check_characters(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        found = error.object[error.start].encode("ascii", "backslashreplace").decode()
        raise StrictJsonError(f"found the lone surrogate {found}, which is no character") from error
