"""JSON fields: a JSON value as its fields, each with a path."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, NoReturn

from attrs import field, frozen

from valor_core.plugin import shown

Leaf = tuple[str, Any]
"""What a value without fields is (string, number, literal or empty), and the value."""

_DEEPEST = 100
_FENCED = re.compile(r"\s*```[\w-]*[ \t]*\n(.*?)\n?[ \t]*```\s*", re.DOTALL)


class NoJSON(ValueError):
    """What a text is instead of JSON, in words that follow on an expectation."""


@frozen
class JSONFields:
    """A JSON value as its fields.

    Parameters
    ----------
    leaves : Counter of (str, Leaf)
        Its values that have no fields, with their paths: ``$.address.city``, ``$.tags[0]``. An
        empty list or object is one.
    whole : object
        Equal for equal values only.

    Examples
    --------
    >>> sorted(JSONFields.of('{"a": [1, "x"], "b": {}}').paths)
    ['$.a[0]', '$.a[1]', '$.b']
    """

    leaves: Counter[tuple[str, Leaf]]
    whole: Any = field(repr=False)

    @classmethod
    def of(
        cls, text: str, *, ordered: bool = True, rename: Callable[[str], str] = str
    ) -> JSONFields:
        """The value that a text stands for.

        Parameters
        ----------
        text : str
            The text.
        ordered : bool
            Whether items of a list are told apart by their places.
        rename : callable
            Makes strings alike that are to count as equal.

        Raises
        ------
        NoJSON
            If it is no JSON, names a key twice in an object, or is nested too deeply.
        """
        value = _parsed(text)
        leaves = Counter(_leaves(value, ordered, rename))
        whole = frozenset(leaves.items()) if ordered else _unordered(value, rename)
        return cls(leaves, whole)

    @property
    def count(self) -> int:
        """How many fields there are; at least one."""
        return self.leaves.total()

    @property
    def paths(self) -> Counter[str]:
        """How often each path is there; more than once only in lists without order."""
        paths: Counter[str] = Counter()
        for (path, _), count in self.leaves.items():
            paths[path] += count
        return paths


def unfenced(text: str) -> str:
    r"""What stands between lines of three backticks, if the text is nothing else.

    Examples
    --------
    >>> unfenced('```json\n{"a": 1}\n```')
    '{"a": 1}'
    """
    match = _FENCED.fullmatch(text)
    return match[1] if match else text


def _parsed(text: str) -> Any:
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise NoJSON(f"found {shown(text)}: {error.msg} at character {error.pos + 1:,}") from error
    except InvalidOperation as error:
        raise NoJSON(f"found {shown(text)}, with a number that is too large") from error
    except RecursionError as error:
        raise _too_deep() from error


def _too_deep() -> NoJSON:
    return NoJSON(f"found lists and objects more than {_DEEPEST} deep in each other")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = next(name for name, count in Counter(n for n, _ in pairs).items() if count > 1)
        raise NoJSON(f"found the key {shown(twice)} twice in an object")
    return values


def _refused(constant: str) -> NoReturn:
    raise NoJSON(f"found {constant}, which JSON does not have")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_once, parse_constant=_refused, parse_float=Decimal, parse_int=Decimal
)


def _leaves(value: Any, ordered: bool, rename: Callable[[str], str]) -> Iterator[tuple[str, Leaf]]:
    left: list[tuple[str, Any, int]] = [("$", value, 0)]
    while left:
        path, value, depth = left.pop()
        if depth == _DEEPEST and isinstance(value, (dict, list)):
            raise _too_deep()
        if isinstance(value, dict) and value:
            left += [(path + _step(key), own, depth + 1) for key, own in value.items()]
        elif isinstance(value, list) and value:
            places: Sequence[Any] = range(len(value)) if ordered else "*" * len(value)
            steps = zip(places, value, strict=True)
            left += [(f"{path}[{place}]", own, depth + 1) for place, own in steps]
        else:
            yield path, _leaf(value, rename)


def _step(key: str) -> str:
    return f".{key}" if key.isidentifier() else f"[{json.dumps(key)}]"


def _leaf(value: Any, rename: Callable[[str], str]) -> Leaf:
    if isinstance(value, str):
        return "string", rename(value)
    if isinstance(value, Decimal):
        return "number", value
    if isinstance(value, (dict, list)):
        return "empty", type(value).__name__
    return "literal", value


def _unordered(value: Any, rename: Callable[[str], str]) -> Any:
    if isinstance(value, dict):
        return frozenset((key, _unordered(own, rename)) for key, own in value.items())
    if isinstance(value, list):
        return "list", frozenset(Counter(_unordered(own, rename) for own in value).items())
    return _leaf(value, rename)
