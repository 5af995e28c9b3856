"""JSON values in texts, as fields with a path."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, NoReturn

from attrs import field, frozen

from valor_core.errors import short_repr

Leaf = tuple[str, Any]
"""Kind of a value without fields (string, number, literal or empty), and the value."""

_DEEPEST = 100
_MOST_DIGITS = 1000  # before or after the decimal point, of numbers compared with a tolerance
_FENCED = re.compile(r"^[ \t]*```[\w-]*[ \t]*\n(.*?)\n?[ \t]*```[ \t]*$", re.DOTALL | re.MULTILINE)
_OPENING = re.compile(r"[{\[]")
_MOST_TRIES = 1000  # brackets of a text that do not start JSON


class NoJSON(ValueError):
    """Error for a text that is not JSON; its message follows an expectation."""


@frozen
class Tolerance:
    """Largest difference between a number and a reference; the larger of both applies.

    Parameters
    ----------
    absolute : Decimal
        Absolute difference.
    relative : Decimal
        Difference as a share of the reference.
    """

    absolute: Decimal
    relative: Decimal

    def is_near(self, number: Decimal, reference: Decimal) -> bool:
        """Return True if a number is within the tolerance."""
        if number == reference:
            return True
        if max(abs(number.adjusted()), abs(reference.adjusted())) > _MOST_DIGITS:
            return False
        far = abs(Fraction(number) - Fraction(reference))
        return far <= max(
            Fraction(self.absolute), Fraction(self.relative) * abs(Fraction(reference))
        )

    def replaced(self, numbers: list[Decimal], references: list[Decimal]) -> list[Decimal]:
        """Replace as many numbers as possible by a reference within the tolerance."""
        free, left = sorted(references), []
        for number in sorted(numbers):
            near = next((one for one in free if self.is_near(number, one)), None)
            if near is None:
                left.append(number)
            else:
                free.remove(near)
                left.append(near)
        return left


@frozen
class JSONValue:
    """JSON value as its fields.

    Parameters
    ----------
    leaves : Counter of (str, Leaf)
        Values without fields, with their paths: ``$.address.city``, ``$.tags[0]``. Empty lists
        and objects are included.
    whole : object
        Hashable form that is equal for equal values only.
    value : object
        Parsed value.

    Examples
    --------
    >>> sorted(JSONValue.of('{"a": [1, "x"], "b": {}}').paths)
    ['$.a[0]', '$.a[1]', '$.b']
    """

    leaves: Counter[tuple[str, Leaf]]
    whole: Any = field(repr=False)
    value: Any = field(repr=False, eq=False, default=None)

    @classmethod
    def of(
        cls, text: str, *, ordered: bool = True, rename: Callable[[str], str] = str
    ) -> JSONValue:
        """Parse a text.

        Parameters
        ----------
        text : str
            Text.
        ordered : bool
            Whether list items are distinguished by their index.
        rename : callable
            Function that normalises strings for comparison.

        Raises
        ------
        NoJSON
            If the text is not JSON, has duplicate keys in an object, or too many levels.
        """
        value = _parsed(text)
        leaves = Counter(_leaves(value, ordered, rename))
        whole = frozenset(leaves.items()) if ordered else _unordered(value, rename)
        return cls(leaves, whole, value)

    def near(
        self,
        reference: JSONValue,
        tolerance: Tolerance,
        *,
        ordered: bool = True,
        rename: Callable[[str], str] = str,
    ) -> JSONValue:
        """Return the value with numbers replaced by those of a reference within the tolerance.

        Parameters
        ----------
        reference : JSONValue
            Reference.
        tolerance : Tolerance
            Largest difference from the number at the same path.
        ordered : bool
            Whether the order of lists matters. Otherwise, as many numbers of a path as possible
            are replaced.
        rename : callable
            Function that normalises strings for comparison.
        """
        said, wanted = _numbers(self.leaves), _numbers(reference.leaves)
        leaves = Counter({leaf: n for leaf, n in self.leaves.items() if leaf[1][0] != "number"})
        for path, numbers in said.items():
            near = tolerance.replaced(numbers, wanted.get(path, []))
            leaves.update((path, ("number", number)) for number in near)
        if ordered:
            whole: Any = frozenset(leaves.items())
        else:
            is_equal = _are_near(self.value, reference.value, tolerance, rename)
            whole = reference.whole if is_equal else self.whole
        return JSONValue(leaves, whole, self.value)

    @property
    def count(self) -> int:
        """Number of fields, at least one."""
        return self.leaves.total()

    @property
    def paths(self) -> Counter[str]:
        """Number of fields by path; above one only in lists without order."""
        paths: Counter[str] = Counter()
        for (path, _), count in self.leaves.items():
            paths[path] += count
        return paths


def unfenced(text: str) -> str:
    r"""Extract JSON from a block of backticks, or from between sentences.

    A text that is JSON is unchanged. Otherwise the JSON is the only block between lines of three
    backticks, or the only outermost object or list. Equal candidates count once.

    Raises
    ------
    NoJSON
        If there are different candidates.

    Examples
    --------
    >>> unfenced('Here it is:\n```json\n{"a": 1}\n```\nHope it helps.')
    '{"a": 1}'
    >>> unfenced('The answer is {"a": 1}, I think.')
    '{"a": 1}'
    """
    try:
        _parsed(text)
    except NoJSON:
        blocks = [match[1] for match in _FENCED.finditer(text)]
        found = list(dict.fromkeys(blocks if blocks else _embedded(text)))
        if len(found) > 1:
            raise NoJSON(
                f"found {len(found):,} JSON values, {short_repr(found[0])} and "
                f"{short_repr(found[1])}"
            ) from None
        return found[0] if found else text
    return text


def _embedded(text: str) -> Iterator[str]:
    """Yield the outermost objects and lists of a text."""
    at, tries = 0, 0
    while (match := _OPENING.search(text, at)) and tries < _MOST_TRIES:
        tries += 1
        try:
            _, at = _DECODER.raw_decode(text, match.start())
        except (ValueError, ArithmeticError, RecursionError):
            at = match.end()
        else:
            yield text[match.start() : at]


def _parsed(text: str) -> Any:
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise NoJSON(
            f"found {short_repr(text)}: {error.msg} at character {error.pos + 1:,}"
        ) from error
    except InvalidOperation as error:
        raise NoJSON(f"found {short_repr(text)}, with a number that is too large") from error
    except RecursionError as error:
        raise _too_deep() from error


def _too_deep() -> NoJSON:
    return NoJSON(f"found lists and objects more than {_DEEPEST} deep in each other")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = next(name for name, count in Counter(n for n, _ in pairs).items() if count > 1)
        raise NoJSON(f"found the key {short_repr(twice)} twice in an object")
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
            left += [(path + _step(key), each, depth + 1) for key, each in value.items()]
        elif isinstance(value, list) and value:
            indices: Sequence[Any] = range(len(value)) if ordered else "*" * len(value)
            steps = zip(indices, value, strict=True)
            left += [(f"{path}[{index}]", each, depth + 1) for index, each in steps]
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
        return frozenset((key, _unordered(each, rename)) for key, each in value.items())
    if isinstance(value, list):
        return "list", frozenset(Counter(_unordered(each, rename) for each in value).items())
    return _leaf(value, rename)


def _numbers(leaves: Counter[tuple[str, Leaf]]) -> dict[str, list[Decimal]]:
    numbers: dict[str, list[Decimal]] = {}
    for (path, (kind, value)), count in leaves.items():
        if kind == "number":
            numbers.setdefault(path, []).extend([value] * count)
    return numbers


def _are_near(said: Any, wanted: Any, tolerance: Tolerance, rename: Callable[[str], str]) -> bool:
    """Return True for values that differ in the order of lists and near numbers only."""
    if isinstance(said, dict) and isinstance(wanted, dict):
        return said.keys() == wanted.keys() and all(
            _are_near(said[key], wanted[key], tolerance, rename) for key in said
        )
    if isinstance(said, list) and isinstance(wanted, list):
        if len(said) != len(wanted):
            return False
        near = [
            [n for n, one in enumerate(wanted) if _are_near(each, one, tolerance, rename)]
            for each in said
        ]
        partners: dict[int, int] = {}
        return all(_finds_partner(each, near, partners, set()) for each in range(len(said)))
    if isinstance(said, Decimal) and isinstance(wanted, Decimal):
        return tolerance.is_near(said, wanted)
    return type(said) is type(wanted) and _leaf(said, rename) == _leaf(wanted, rename)


def _finds_partner(
    each: int, near: list[list[int]], partners: dict[int, int], tried: set[int]
) -> bool:
    """Match a list item with a partner, moving other matches if necessary."""
    for one in near[each]:
        if one not in tried:
            tried.add(one)
            if one not in partners or _finds_partner(partners[one], near, partners, tried):
                partners[one] = each
                return True
    return False
