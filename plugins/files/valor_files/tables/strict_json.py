"""Strict JSON: refuses what Python reads and no two programs read alike.

A key that stands twice in one object has its last value in Python and its first elsewhere. Half of
a UTF-16 pair is no character; no file can hold it as UTF-8.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Final

from valor_core.errors import shown

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
SPACE: Final = " \t\r\n"
_JOINT: Final = "end of line"
_NESTING: Final = frozenset({dict, list})
_SPACED_COLON = re.compile(r'"[ \t\r\n]+:')


class StrictJsonError(ValueError):
    """A finding, in words that follow on an expectation."""


def parse_json(text: str) -> Any:
    r"""The value that a text stands for.

    Raises
    ------
    StrictJsonError
        If a key stands twice in an object, or a text has a lone surrogate.
    ValueError
        If it is no JSON.

    Examples
    --------
    >>> parse_json('{"score": 0.5, "score": 1}')
    Traceback (most recent call last):
        ...
    valor_files.tables.strict_json.StrictJsonError: found the key 'score' twice in an object
    """
    value = _DECODER.decode(text)
    if "\\u" in text and _SURROGATE.search(text):
        _check_characters(value)
    return value


def parse_lines(lines: Sequence[bytes]) -> list[Any] | None:
    """The object of each line, or nothing if one is not strict JSON.

    It is faster than `parse_json` for each, and leaves the words for what is wrong to that.

    Examples
    --------
    >>> parse_lines([b'{"a": 1}', b'{"b": {"c": 2}}']), parse_lines([b'{"a": 1} 2'])
    ([{'a': 1}, {'b': {'c': 2}}], None)
    """
    texts = [line.decode("utf-8").strip(SPACE) for line in lines]
    if any("\\u" in text for text in texts):
        return None
    records = _parsed_at_once(texts)
    return _parsed_one_by_one(texts) if records is None else records


def _parsed_at_once(texts: Sequence[str]) -> list[Any] | None:
    """The object of each line, parsed in one list with a text between them.

    Without escapes, a text can be written in one way. So as many of the text as joints, all of them
    items of the list, mean that no line ends within a list or an object.
    """
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


def _parsed_one_by_one(texts: Sequence[str]) -> list[Any] | None:
    try:
        found = [_SCAN(text, 0) for text in texts]
    except (ValueError, StopIteration, RecursionError):
        return None
    if [end for _, end in found] != list(map(len, texts)):
        return None
    records = [value for value, _ in found]
    return records if set(map(type, records)) == {dict} else None


def is_surely_strict(text: str, records: Iterable[Mapping[str, Any]]) -> bool:
    """Whether `parse_json` would find nothing in a text; quick for records without tables in them.

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
_SCAN: Callable[[str, int], tuple[Any, int]] = vars(_DECODER)["scan_once"]


def _check_characters(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        found = error.object[error.start].encode("ascii", "backslashreplace").decode()
        raise StrictJsonError(f"found the lone surrogate {found}, which is no character") from error
