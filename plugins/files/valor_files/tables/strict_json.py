"""JSON parser that rejects repeated keys and lone surrogates.

Parsers disagree on repeated keys: Python keeps the last value, others the first. A lone surrogate,
half of a UTF-16 pair, cannot be encoded in UTF-8.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Final

from valor_core.errors import short_repr

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
SPACE: Final = " \t\r\n"
_MARKER: Final = "end of line"
_NESTING: Final = frozenset({dict, list})
_SPACED_COLON = re.compile(r'"[ \t\r\n]+:')


class StrictJsonError(ValueError):
    """Ambiguous JSON; the message follows "expected …, "."""


def parse_json(text: str) -> Any:
    r"""Parse JSON text.

    Raises
    ------
    StrictJsonError
        If an object repeats a key, a string has a lone surrogate, values are nested too deeply or
        an integer is too long for Python.
    JSONDecodeError
        If the text is not valid JSON.

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

    The lines are joined with a marker and parsed as one list, which is faster than `parse_json` for
    each. If the marker occurs only between lines, and each time as an item of the list, no line
    ends inside a list or an object. Escapes are excluded, because they could spell the marker.

    Examples
    --------
    >>> parse_lines([b'{"a": 1}', b'{"b": {"c": 2}}']), parse_lines([b'{"a": 1} 2'])
    ([{'a': 1}, {'b': {'c': 2}}], None)
    """
    texts = [line.decode("utf-8").strip(SPACE) for line in lines]
    if any("\\u" in text for text in texts):
        return None
    joined = f',"{_MARKER}",'.join(texts)
    if joined.count(_MARKER) != len(texts) - 1:
        return None
    try:
        found = json.loads(f"[{joined}]")
    except (ValueError, RecursionError):
        return None
    records = found[::2]
    if found[1::2] != [_MARKER] * (len(texts) - 1) or set(map(type, records)) != {dict}:
        return None
    cells = [cell for record in records for cell in record.values() if type(cell) in _NESTING]
    items = [item for cell in cells if type(cell) is list for item in cell if type(item) is dict]
    tables = [cell for cell in cells if type(cell) is dict]
    return records if is_surely_strict(joined, chain(records, tables, items)) else None


def is_surely_strict(text: str, records: Iterable[Mapping[str, Any]]) -> bool:
    """Return True if `parse_json` is certain to accept a text; a fast check for flat records.

    A repeated key shows as a text with more colons than keys.

    Parameters
    ----------
    text : str
        JSON text.
    records : iterable of mapping
        All objects in the text.

    Examples
    --------
    >>> is_surely_strict('[{"a": 1, "a": 2}]', [{"a": 2}])
    False
    """
    if "\\u" in text and _SURROGATE.search(text):
        return False
    keys = sum(map(len, records))
    if text.count(":") == keys:  # three times as fast, but fails if a string has a colon
        return True
    return not _SPACED_COLON.search(text) and text.count('":') == keys


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise StrictJsonError(f"found the key {short_repr(twice)} twice in an object")
    return values


_DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys)


def _check_characters(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        found = error.object[error.start].encode("ascii", "backslashreplace").decode()
        raise StrictJsonError(
            f"found the lone surrogate {found}, which is not a character"
        ) from error
