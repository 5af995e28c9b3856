"""Filters: which datums take part, written as a small expression over their metadata.

The language has comparisons (``==  !=  <  <=  >  >=``), ``in [...]``, ``is missing`` (or ``is
null``), ``and``, ``or``, ``not`` and parentheses. It has no calls and no attributes, and nothing
in it is ever evaluated as Python. ``uid`` is the name of the datum; every other name is a metadata
field, in backticks if it holds other characters than letters, digits, ``_`` and dots.

A missing value (None, or NaN among numbers) compares false with everything, also by ``!=`` and
``not in``; only ``is missing`` is true of it. ``not`` turns a whole result around, so
``not weather == "rain"`` keeps datums without a weather and ``weather != "rain"`` does not.

Text is compared with text, numbers with numbers, true and false with each other. Anything else is
an error rather than false, so that ``year == 2020`` over a column of text does not go unnoticed.
"""

from __future__ import annotations

import functools
import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NoReturn, Protocol

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from valor_core.errors import ExpressionError, SchemaError, and_more, did_you_mean, shown

Value = str | bool | int | float
Mask = NDArray[np.bool_]

UID: Final = "uid"

_COMPARISONS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_MIRRORED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_KEYWORDS: Final = frozenset({"and", "or", "not", "in", "is", "true", "false", "null", "none"})
_REMEDIES: Final = {
    "=": "Write == to compare.",
    "<>": "Write != to compare.",
    "&": "Write 'and'.",
    "&&": "Write 'and'.",
    "|": "Write 'or'.",
    "||": "Write 'or'.",
    "!": "Write 'not'.",
    "null": "Write 'is missing' to ask for missing values.",
    "none": "Write 'is missing' to ask for missing values.",
}
_MAX_DEPTH: Final = 50
_TOKEN: Final = re.compile(
    r"""
    (?P<space>\s+)
    | (?P<text>"(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*')
    | (?P<quoted>`[^`]+`)
    | (?P<unclosed>["'`].*)
    | (?P<number>[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?(?![\w.]))
    | (?P<name>[^\W\d][\w.]*)
    | (?P<operator>==|!=|<=|>=|<(?!>)|>)
    | (?P<mark>[()\[\],])
    | (?P<unknown><>|&&|\|\||[\w.]+|.)
    """,
    re.VERBOSE | re.DOTALL,
)

_WORDS, _NUMBERS, _TRUTHS = "text", "numbers", "true or false"


@frozen
class Filter:
    """A parsed filter expression.

    Made by `Filter.parse`; equal where the text is equal, and picklable.

    Parameters
    ----------
    text : str
        The expression as it was written.
    fields : tuple of str
        The fields it reads, sorted; `uid` is among them if it is used.

    Examples
    --------
    >>> rainy = Filter.parse('weather == "rain" and year >= 2020')
    >>> rainy.fields
    ('weather', 'year')
    >>> columns = {"weather": np.array(["rain", "rain"]), "year": np.array([2019, 2021])}
    >>> rainy.mask(columns, uids=np.array(["a", "b"]), count=2)
    array([False,  True])
    """

    text: str
    fields: tuple[str, ...] = field(eq=False)
    _condition: _Condition = field(eq=False, repr=False)

    @classmethod
    def parse(cls, text: str) -> Filter:
        """Filter written as `text`.

        Raises
        ------
        ExpressionError
            If the text is no filter expression; the message names the character.

        Examples
        --------
        >>> Filter.parse('city in ["Oslo", "Rome"] or not night').fields
        ('city', 'night')
        """
        if not isinstance(text, str):
            raise ExpressionError(f"filter: expected text, got {shown(text)}")
        parser = _Parser(text)
        condition = parser.parse()
        return cls(text, tuple(sorted(parser.fields)), condition)

    def mask(self, columns: Mapping[str, NDArray[Any]], uids: NDArray[Any], count: int) -> Mask:
        """Whether each datum passes.

        Parameters
        ----------
        columns : mapping of str to ndarray, shape (count,)
            Metadata by field: text, bool, integers, floats, or objects with None where a value
            is missing.
        uids : ndarray, shape (count,)
            Names of the datums.
        count : int
            Number of datums.

        Returns
        -------
        ndarray of bool, shape (count,)

        Raises
        ------
        ExpressionError
            If there is no column of a field, or it holds a value of another kind than it is
            compared with.
        SchemaError
            If a column that is needed has another length.

        Examples
        --------
        >>> night = {"night": np.array([True, None, False], dtype=object)}
        >>> Filter.parse("not night").mask(night, np.array(["a", "b", "c"]), 3)
        array([False,  True,  True])
        """
        if count == 0:
            return np.zeros(0, dtype=np.bool_)
        return self._condition.mask(_Datums(self.text, columns, uids, count))


@frozen(eq=False)
class _Datums:
    """What an expression is applied to, and the words for what does not fit."""

    text: str
    columns: Mapping[str, NDArray[Any]]
    uids: NDArray[Any]
    count: int
    _columns: dict[str, _Column] = field(init=False, factory=dict)

    def column(self, name: str) -> _Column:
        if name not in self._columns:
            self._columns[name] = _Column.of(self._values(name))
        return self._columns[name]

    def _values(self, name: str) -> NDArray[Any]:
        if name != UID and name not in self.columns:
            known = [*sorted(self.columns), UID]
            raise ExpressionError(
                f"filter {shown(self.text)}: expected a metadata field, found {name!r}; "
                f"the fields are {', '.join(map(repr, known))}",
                remedy=did_you_mean(name, known),
            )
        values = np.asarray(self.uids if name == UID else self.columns[name])
        if values.shape != (self.count,):
            raise SchemaError(
                f"filter {shown(self.text)}: expected {self.count} values of field {name!r}, "
                f"got {shown(values)}"
            )
        return values

    def comparable(self, name: str, kind: str, comparison: str) -> _Column:
        """Column of a field, all of whose values are of the given kind."""
        column = self.column(name)
        odd = column.kinds - {kind}
        if not odd:
            return column
        bad = column.positions_of(odd)
        uid = np.asarray(self.uids).tolist()[bad[0]]
        raise ExpressionError(
            f"filter {shown(self.text)}: field {name!r} holds {' and '.join(sorted(odd))} and "
            f"cannot be {comparison}, found {shown(column.values.tolist()[bad[0]])} in datum "
            f"{shown(uid)}{and_more(len(bad) - 1)}",
            remedy=_kind_remedy(odd, kind),
        )


def _kind_remedy(odd: set[str], kind: str) -> str | None:
    if odd == {_WORDS} and kind == _NUMBERS:
        return "Write the value in quotes, or give the field as numbers."
    if odd == {_NUMBERS} and kind == _WORDS:
        return "Write the number without quotes."
    if kind == _TRUTHS and odd <= {_WORDS, _NUMBERS}:
        return f"Compare the field with {' or '.join(sorted(odd))} instead."
    return None


@frozen(eq=False)
class _Column:
    """Values of one field, where they are present, and the kinds of value among them."""

    values: NDArray[Any]
    present: Mask
    kinds: set[str]

    @classmethod
    def of(cls, values: NDArray[Any]) -> _Column:
        if values.dtype.kind == "f":
            return cls(values, ~np.isnan(values), {_NUMBERS})
        if values.dtype.kind == "O":
            return cls._of_objects(values)
        return cls(values, np.ones(len(values), dtype=np.bool_), {_dtype_kind(values.dtype)})

    @classmethod
    def _of_objects(cls, values: NDArray[Any]) -> _Column:
        cells = values.tolist()
        present = np.fromiter((not _is_missing(cell) for cell in cells), np.bool_, len(cells))
        types = set(map(type, values[present].tolist()))
        return cls(values, present, set(map(_type_kind, types)))

    def positions_of(self, kinds: set[str]) -> list[int]:
        """Where values of these kinds stand; there is one of each at least."""
        if self.values.dtype.kind != "O":
            return np.flatnonzero(self.present).tolist()
        cells = self.values.tolist()
        present = np.flatnonzero(self.present).tolist()
        return [i for i in present if _type_kind(type(cells[i])) in kinds]

    def where_present(self, passes: Callable[[NDArray[Any]], Any]) -> Mask:
        """Result of a test for the values that are present, false for the rest."""
        mask = np.zeros(len(self.values), dtype=np.bool_)
        mask[self.present] = passes(self.values[self.present])
        return mask


def _is_missing(cell: object) -> bool:
    return cell is None or (isinstance(cell, float | np.floating) and math.isnan(cell))


def _dtype_kind(dtype: np.dtype[Any]) -> str:
    kinds = {"U": _WORDS, "T": _WORDS, "b": _TRUTHS, "i": _NUMBERS, "u": _NUMBERS}
    return kinds.get(dtype.kind, f"values of type {dtype}")


def _type_kind(kind: type) -> str:
    if issubclass(kind, str):
        return _WORDS
    if issubclass(kind, bool | np.bool_):
        return _TRUTHS
    if issubclass(kind, int | float | np.integer | np.floating):
        return _NUMBERS
    return f"values of type {kind.__name__}"


class _Condition(Protocol):
    """A part of an expression that is true or false of each datum."""

    def mask(self, datums: _Datums) -> Mask: ...


@frozen
class _Comparison:
    field: str
    symbol: str
    value: Value

    def mask(self, datums: _Datums) -> Mask:
        column = datums.comparable(
            self.field, _type_kind(type(self.value)), f"compared with {_described(self.value)}"
        )
        compare = _COMPARISONS[self.symbol]
        return column.where_present(lambda values: compare(values, self.value))


@frozen
class _Membership:
    field: str
    values: tuple[Value, ...]

    def mask(self, datums: _Datums) -> Mask:
        column = datums.comparable(
            self.field,
            _type_kind(type(self.values[0])),
            f"searched in a list with {_described(self.values[0])}",
        )
        return column.where_present(self._contains)

    def _contains(self, values: NDArray[Any]) -> Mask:
        # A literal is rounded to the column's floats, as == does it.
        members = (
            set(np.array(self.values).astype(values.dtype).tolist())
            if values.dtype.kind == "f"
            else set(self.values)
        )
        return np.fromiter(map(members.__contains__, values.tolist()), np.bool_, len(values))


@frozen
class _IsMissing:
    field: str

    def mask(self, datums: _Datums) -> Mask:
        return ~datums.column(self.field).present


@frozen
class _IsPresent:
    field: str
    condition: _Condition | None = None

    def mask(self, datums: _Datums) -> Mask:
        present = datums.column(self.field).present
        return present if self.condition is None else present & ~self.condition.mask(datums)


@frozen
class _IsTrue:
    field: str

    def mask(self, datums: _Datums) -> Mask:
        column = datums.comparable(self.field, _TRUTHS, "used as a condition by itself")
        return column.where_present(lambda values: values.astype(np.bool_))


@frozen
class _Not:
    condition: _Condition

    def mask(self, datums: _Datums) -> Mask:
        return ~self.condition.mask(datums)


@frozen
class _Joined:
    join: Callable[[Mask, Mask], Mask]
    conditions: tuple[_Condition, ...]

    def mask(self, datums: _Datums) -> Mask:
        return functools.reduce(
            self.join, [condition.mask(datums) for condition in self.conditions]
        )


def _described(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"the text {shown(value)}" if isinstance(value, str) else f"the number {value}"


@frozen
class _Token:
    kind: str
    text: str
    position: int

    @property
    def word(self) -> str:
        """The keyword, operator or mark that this is, or nothing."""
        if self.kind == "name":
            return self.text.lower() if self.text.lower() in _KEYWORDS else ""
        return self.text if self.kind in ("operator", "mark") else ""

    @property
    def is_field(self) -> bool:
        return self.kind == "quoted" or (self.kind == "name" and not self.word)

    @property
    def is_value(self) -> bool:
        return self.kind in ("text", "number") or self.word in ("true", "false")


def _tokens(text: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text):
        kind = str(match.lastgroup)
        if kind != "space":
            yield _Token(kind, match[0], match.start() + 1)
    yield _Token("end", "", len(text) + 1)


@define
class _Parser:
    """Recursive descent, one method per rule of the language, from loose to tight."""

    text: str
    fields: set[str] = field(init=False, factory=set)
    _tokens: list[_Token] = field(init=False)
    _next: int = field(init=False, default=0)
    _depth: int = field(init=False, default=0)

    def __attrs_post_init__(self) -> None:
        self._tokens = list(_tokens(self.text))

    def parse(self) -> _Condition:
        condition = self._any()
        if self._token.kind != "end":
            chained = self._token.kind == "operator"
            self._refuse(
                "'and', 'or' or the end",
                remedy="Join two comparisons with 'and'." if chained else None,
            )
        return condition

    def _any(self) -> _Condition:
        return self._joined("or", np.logical_or, self._all)

    def _all(self) -> _Condition:
        return self._joined("and", np.logical_and, self._negation)

    def _joined(
        self, word: str, join: Callable[[Mask, Mask], Mask], part: Callable[[], _Condition]
    ) -> _Condition:
        conditions = [part()]
        while self._took(word):
            conditions.append(part())
        return conditions[0] if len(conditions) == 1 else _Joined(join, tuple(conditions))

    def _negation(self) -> _Condition:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            self._refuse(f"at most {_MAX_DEPTH} nested conditions")
        condition = _Not(self._negation()) if self._took("not") else self._primary()
        self._depth -= 1
        return condition

    def _primary(self) -> _Condition:
        if self._took("("):
            condition = self._any()
            self._require(")", "a closing parenthesis")
            return condition
        if self._token.is_value:
            return self._value_first()
        return self._field_first(self._field("a field or a value"))

    def _value_first(self) -> _Condition:
        value = self._value("a value")
        symbol = self._operator()
        return _Comparison(self._field("a field"), _MIRRORED.get(symbol, symbol), value)

    def _field_first(self, name: str) -> _Condition:
        if self._took("in"):
            return _Membership(name, self._list())
        if self._took("not"):
            self._require("in", "'in' after 'not'")
            return _IsPresent(name, _Membership(name, self._list()))
        if self._took("is"):
            return self._presence(name)
        if self._token.kind == "end" or self._token.word in ("and", "or", ")"):
            return _IsTrue(name)
        return _Comparison(name, self._operator(), self._value("a value"))

    def _presence(self, name: str) -> _Condition:
        is_negated = self._took("not")
        if self._token.text.lower() not in ("missing", "null", "none"):
            self._refuse("'missing' after 'is'", remedy="Write == to compare with a value.")
        self._next += 1
        return _IsPresent(name) if is_negated else _IsMissing(name)

    def _list(self) -> tuple[Value, ...]:
        self._require("[", "a list such as [1, 2]")
        values = [self._value("a value")]
        while self._took(",") and self._token.word != "]":
            values.append(self._value_like(values[0]))
        self._require("]", "',' or ']'")
        return tuple(values)

    def _value_like(self, first: Value) -> Value:
        token = self._token
        value = self._value("a value")
        kind = _type_kind(type(first))
        if _type_kind(type(value)) != kind:
            self._fail(
                f"expected {kind}, like the first value of the list, at character "
                f"{token.position}, found {shown(token.text)}"
            )
        return value

    def _field(self, expected: str) -> str:
        token = self._token
        if not token.is_field:
            is_keyword = token.kind == "name"
            backticks = f"Write `{token.text}` in backticks if it is the name of a field."
            self._refuse(expected, remedy=backticks if is_keyword else None)
        self._next += 1
        name = token.text.strip("`")
        self.fields.add(name)
        return name

    def _value(self, expected: str) -> Value:
        token = self._token
        if not token.is_value:
            quotes = f'Write "{token.text}" in quotes if it is text.' if token.is_field else None
            self._refuse(expected, remedy=quotes)
        self._next += 1
        if token.kind == "text":
            return self._unescaped(token)
        return self._number(token) if token.kind == "number" else token.word == "true"

    def _unescaped(self, token: _Token) -> str:
        unknown = re.sub(r"""\\[\\"']""", "", token.text[1:-1]).find("\\")
        if unknown >= 0:
            self._fail(
                f"expected only \\\\, \\\" and \\' after a backslash in the text at character "
                f"{token.position}, found {shown(token.text)}",
                remedy="Write \\\\ for one backslash.",
            )
        return re.sub(r"\\(.)", r"\1", token.text[1:-1])

    def _number(self, token: _Token) -> int | float:
        is_integer = token.text.lstrip("+-").isdigit()
        number = float(token.text)
        if not math.isfinite(number) or (is_integer and abs(number) > 2**64):
            self._fail(
                f"expected a number of at most 64 bits at character {token.position}, "
                f"found {shown(token.text)}"
            )
        return int(token.text) if is_integer else number

    def _operator(self) -> str:
        if self._token.kind != "operator":
            self._refuse("an operator such as ==")
        self._next += 1
        return self._tokens[self._next - 1].text

    @property
    def _token(self) -> _Token:
        return self._tokens[self._next]

    def _took(self, word: str) -> bool:
        is_next = self._token.word == word
        self._next += is_next
        return is_next

    def _require(self, word: str, expected: str) -> None:
        if not self._took(word):
            self._refuse(expected)

    def _refuse(self, expected: str, remedy: str | None = None) -> NoReturn:
        token = self._token
        found = "the end" if token.kind == "end" else shown(token.text)
        if token.kind == "unclosed":
            remedy = f"Close the text with {token.text[0]}."
        self._fail(
            f"expected {expected} at character {token.position}, found {found}",
            remedy=_REMEDIES.get(token.text.lower(), remedy),
        )

    def _fail(self, problem: str, remedy: str | None = None) -> NoReturn:
        raise ExpressionError(f"filter {shown(self.text)}: {problem}", remedy=remedy)
