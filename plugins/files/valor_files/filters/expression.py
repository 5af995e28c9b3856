"""Filter expressions.

The language has comparisons (``==  !=  <  <=  >  >=``), ``in [...]``, ``is missing`` (or ``is
null``), ``and``, ``or``, ``not`` and parentheses. It has no calls, attributes or arithmetic.
``uid`` is the name of the datum. Every other name is a metadata field, in backticks if it contains
characters other than letters, digits, ``_`` and dots.

A missing value (None, or NaN among numbers) fails every comparison, including ``!=`` and ``not
in``. Only ``is missing`` is true for it. ``not`` inverts a result: ``not weather == "rain"`` keeps
datums without a weather, ``weather != "rain"`` does not.

Text is compared with text, numbers with numbers, booleans with booleans, dates and timestamps with
text in ISO 8601 (see `dates`). Any other comparison raises an error, so that ``year == 2020`` over
a column of text does not silently select nothing.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial, reduce
from typing import Any, Final, NoReturn

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from valor_core.errors import ExpressionError, short_repr
from valor_files.filters.columns import (
    DATES,
    TRUTHS,
    UID,
    Fields,
    FieldValue,
    RowMask,
    compared_as,
    dated,
)

_MAX_DEPTH: Final = 50
_TOKEN: Final = re.compile(
    r"""
    (?P<space>\s+)
    | (?P<value>"(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*'
        | [-+]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?(?![\w.]))
    | (?P<field>`[^`]+`)
    | (?P<unclosed>["'`].*)
    | (?P<word>[^\W\d][\w.]*)
    | (?P<operator>==|!=|<=|>=|<(?!>)|>)
    | (?P<mark>[()\[\],])
    | (?P<unknown><>|&&|\|\||:=|[\w.]+|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_KEYWORDS: Final = {"and": "join", "or": "join", "not": "not", "in": "in", "is": "is"} | {
    **dict.fromkeys(("true", "false"), "value"),
    **dict.fromkeys(("null", "none"), "null"),
}
_AFTER_CONDITION: Final = {"join": "condition", ")": "end", "end": "end"}
_GRAMMAR: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "condition": (
        "a field or a value",
        {"field": "field", "value": "value", "not": "condition", "(": "condition"},
    ),
    "field": (
        "an operator such as ==",
        {"operator": "right value", "in": "list", "not": "not", "is": "is", **_AFTER_CONDITION},
    ),
    "value": ("an operator such as ==", {"operator": "right field"}),
    "right value": ("a value", {"value": "end"}),
    "right field": ("a field", {"field": "end"}),
    "not": ("'in' after 'not'", {"in": "list"}),
    "is": ("'missing' after 'is'", {"not": "is not", "missing": "end"}),
    "is not": ("'missing' after 'is'", {"missing": "end"}),
    "list": ("a list such as [1, 2]", {"[": "first value"}),
    "first value": ("a value", {"value": "comma"}),
    "comma": ("',' or ']'", {",": "next value", "]": "end"}),
    "next value": ("a value", {"value": "comma", "]": "end"}),
    "end": ("'and', 'or' or the end", _AFTER_CONDITION),
}
"""By state: its name in errors, and the state that follows each kind of token."""

_REMEDIES: Final = {
    **dict.fromkeys(("=", ":="), "Write == to compare."),
    "<>": "Write != to compare.",
    **dict.fromkeys(("&", "&&"), "Write 'and'."),
    **dict.fromkeys(("|", "||"), "Write 'or'."),
    **dict.fromkeys(("!", "~"), "Write 'not'."),
    **dict.fromkeys(("null", "none"), "Write 'is missing' to ask for missing values."),
    **dict.fromkeys("+-", "Filters have no arithmetic. Write a sign next to its number."),
    **dict.fromkeys("*/%", "Filters have no arithmetic."),
    "#": "Filters have no comments.",
}
_MIRRORED: Final = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
_Condition = Callable[[Fields], RowMask]
"""A part of an expression. Made of functions of this module, so that it can be pickled."""


@frozen(repr=False)
class Filter:
    """A parsed filter expression.

    Made by `Filter.parse`. Filters with the same text are equal. Filters can be pickled.

    Parameters
    ----------
    text : str
        Text of the expression.
    fields : tuple of str
        Fields that it reads, sorted, including `uid` if it is used.

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
    _condition: _Condition = field(alias="condition", eq=False, repr=False)

    @classmethod
    def parse(cls, text: str) -> Filter:
        """Parse an expression.

        Raises
        ------
        ExpressionError
            If the text is not a filter expression. The message contains the position of the
            first character that is wrong.

        Examples
        --------
        >>> Filter.parse('city in ["Oslo", "Rome"] or not night').fields
        ('city', 'night')
        """
        if not isinstance(text, str):
            raise ExpressionError(f"filter: expected text, got {short_repr(text)}")
        fields: set[str] = set()
        python = " ".join(_translated(text, fields))
        condition = _condition_of(ast.parse(python, mode="eval").body)
        return cls(text, tuple(sorted(fields)), condition)

    @property
    def metadata_fields(self) -> tuple[str, ...]:
        """Fields that it reads from the metadata: `fields` without `uid`."""
        return tuple(name for name in self.fields if name != UID)

    def mask(self, columns: Mapping[str, NDArray[Any]], uids: NDArray[Any], count: int) -> RowMask:
        """Return whether each datum passes the filter.

        Parameters
        ----------
        columns : mapping of str to ndarray, shape (count,)
            Metadata by field: text, bool, integers, floats, dates, or objects with None where a
            value is missing.
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
            If a field has no column, a value cannot be compared with a value of the expression,
            or dates are compared with text that is not a date.
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
        return self._condition(Fields(self.text, columns, uids, count))


@frozen
class _Token:
    """A word of an expression and the position of its first character, counted from 1."""

    kind: str
    text: str
    position: int


def _tokens(text: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text):
        kind, found = str(match.lastgroup), match[0]
        if kind == "word":
            kind = _KEYWORDS.get(found.lower(), "field")
        if kind != "space":
            yield _Token(found if kind == "mark" else kind, found, match.start() + 1)
    yield _Token("end", "", len(text) + 1)


def _translated(text: str, fields: set[str]) -> Iterator[str]:
    """Translate an expression token by token into Python, and collect the fields that it reads.

    A field ``a`` becomes ``field['a']``. Python's parser then decides the precedence, and nothing
    else: it accepts more than filters have (calls, comments), normalizes names and rejects some of
    them (``class``), and its error positions depend on its version.
    """
    state, first_kind = "condition", ""
    nested: list[str] = []
    for token in _tokens(text):
        kind, word = token.kind, token.text.lower()
        if state in ("is", "is not") and word in ("missing", "null", "none"):
            kind, word = "missing", "None"
        if state == "condition" and len(nested) >= _MAX_DEPTH:
            _reject(text, token, f"at most {_MAX_DEPTH} nested conditions")
        following = _GRAMMAR[state][1].get(kind)
        if following and kind in ("join", ")", "end"):
            while nested and nested[-1] == "not":  # "not" binds tighter than these
                nested.pop()
            is_balanced = kind == "join" or (kind == "end") != bool(nested)
            if not is_balanced:
                state, following = "end", None
        if following is None:
            is_open = state == "end" and "(" in nested
            expected = "a closing parenthesis" if is_open else _GRAMMAR[state][0]
            _reject(text, token, expected, _remedy(state, token))
        if kind == ")":
            nested.pop()
        elif state == "condition" and kind in ("not", "("):
            nested.append(kind)
        elif kind == "field":
            fields.add(token.text.strip("`"))
            word = f"field[{token.text.strip('`')!a}]"
        elif kind == "value":
            value = _value(text, token)
            if state == "next value" and compared_as(type(value)) != first_kind:
                _reject(text, token, f"{first_kind}, like the first value of the list,")
            first_kind, word = compared_as(type(value)), ascii(value)
        yield word
        state = following


def _value(text: str, token: _Token) -> FieldValue:
    if token.text[0] in "\"'":
        content = token.text[1:-1]
        if "\\" in re.sub(r"""\\[\\"']""", "", content):
            expected = "only \\\\, \\\" and \\' after a backslash in the text"
            _reject(text, token, expected, "Write \\\\ for one backslash.")
        return re.sub(r"\\(.)", r"\1", content)
    if token.text.lower() in _KEYWORDS:
        return token.text.lower() == "true"
    number = float(token.text)
    digits = token.text.lstrip("+-")
    if not math.isfinite(number) or (digits.isdigit() and abs(number) > 2**64):
        _reject(text, token, "a number of at most 64 bits")
    # int() limits the number of digits, leading zeros included.
    sign = -1 if token.text[0] == "-" else 1
    return sign * int(digits.lstrip("0") or "0") if digits.isdigit() else number


def _remedy(state: str, token: _Token) -> str | None:
    if token.text.lower() in _REMEDIES:
        return _REMEDIES[token.text.lower()]
    if token.kind == "unclosed":
        return f"Close the text with {token.text[0]}."
    if state in ("condition", "right field") and token.text.lower() in _KEYWORDS:
        return f"Write `{token.text}` in backticks if it is the name of a field."
    if state in ("right value", "first value", "next value") and token.kind == "field":
        return f'Write "{token.text.strip("`")}" in quotes if it is text.'
    if state in ("is", "is not"):
        return "Write == to compare with a value."
    if state == "field" and token.kind in ("(", "["):
        return f"Filters have no {'calls' if token.kind == '(' else 'indices'}."
    is_chained = state == "end" and token.kind == "operator"
    return "Join two comparisons with 'and'." if is_chained else None


def _reject(text: str, token: _Token, expected: str, remedy: str | None = None) -> NoReturn:
    found = "the end" if token.kind == "end" else short_repr(token.text)
    raise ExpressionError(
        "filter "
        f"{short_repr(text)}: expected {expected} at character {token.position}, found {found}",
        remedy=remedy,
    )


def _condition_of(node: ast.expr) -> _Condition:
    match node:
        case ast.BoolOp(op=op, values=parts):
            join = np.logical_and if isinstance(op, ast.And) else np.logical_or
            return partial(_joined, join, [*map(_condition_of, parts)])
        case ast.UnaryOp(operand=part):
            return partial(_inverted, _condition_of(part))
        case ast.Compare(left=ast.Subscript() as name, ops=[symbol], comparators=[value]):
            kind = type(symbol)
        case ast.Compare(left=value, ops=[symbol], comparators=[name]):
            kind = _MIRRORED.get(type(symbol), type(symbol))
        case _:
            return partial(_is_true, _field_name(node))
    if issubclass(kind, ast.Is | ast.IsNot):
        return partial(_has_value, _field_name(name), kind is ast.IsNot)
    return partial(_compared, _field_name(name), _COMPARISONS[kind], ast.literal_eval(value))


def _field_name(node: ast.expr) -> str:
    assert isinstance(node, ast.Subscript)
    return str(ast.literal_eval(node.slice))


def _joined(join: np.ufunc, conditions: Sequence[_Condition], fields: Fields) -> RowMask:
    return reduce(join, [condition(fields) for condition in conditions])


def _inverted(condition: _Condition, fields: Fields) -> RowMask:
    return ~condition(fields)


def _has_value(name: str, is_expected: bool, fields: Fields) -> RowMask:
    present = fields.column(name).present
    return present if is_expected else ~present


def _is_true(name: str, fields: Fields) -> RowMask:
    column = fields.comparable(name, TRUTHS, "used as a condition by itself")
    return column.where_present(lambda cells: cells.astype(np.bool_))


def _compared(
    name: str,
    compare: Callable[[NDArray[Any], Any], Any],
    value: FieldValue | list[FieldValue],
    fields: Fields,
) -> RowMask:
    """Compare the cells of a field with a value, or search them in a list."""
    values: Sequence[Any] = value if isinstance(value, list) else [value]
    # The parser only accepts lists of one kind, so the first value determines the kind.
    verb = "searched in a list with" if isinstance(value, list) else "compared with"
    comparison = f"{verb} {_described(values[0])}"
    if fields.column(name).kinds == {DATES} and isinstance(values[0], str):
        column, values = dated(fields, name, values, comparison)
    else:
        column = fields.comparable(name, compared_as(type(values[0])), comparison)
    operand = values if isinstance(value, list) else values[0]
    return column.where_present(lambda cells: compare(cells, operand))


def _described(value: FieldValue) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"the text {short_repr(value)}" if isinstance(value, str) else f"the number {value}"


def _are_among(cells: NDArray[Any], values: Sequence[Any]) -> RowMask:
    # Literals are rounded to the column's floats, as == does it.
    is_rounded = cells.dtype.kind == "f"
    members = set(np.array(values).astype(cells.dtype).tolist() if is_rounded else values)
    return np.fromiter(map(members.__contains__, cells.tolist()), np.bool_, len(cells))


def _are_not_among(cells: NDArray[Any], values: Sequence[Any]) -> RowMask:
    return ~_are_among(cells, values)


_COMPARISONS: Final[Mapping[type[ast.cmpop], Callable[[Any, Any], Any]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: _are_among,
    ast.NotIn: _are_not_among,
}
