"""Grammar: from the text of a filter to the conditions it is made of."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import Final, NoReturn

import numpy as np
from attrs import define, field, frozen

from valor_core.errors import ExpressionError, shown
from valor_core.filters.columns import FieldValue, RowMask, compared_as
from valor_core.filters.conditions import (
    Comparison,
    Condition,
    IsMissing,
    IsPresent,
    IsTrue,
    Joined,
    Membership,
    Not,
)

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


@frozen
class Token:
    """A word of an expression, and the character where it begins, counted from 1."""

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
        """Whether it names a field."""
        return self.kind == "quoted" or (self.kind == "name" and not self.word)

    @property
    def is_value(self) -> bool:
        """Whether it is a literal."""
        return self.kind in ("text", "number") or self.word in ("true", "false")


def _tokens(text: str) -> Iterator[Token]:
    for match in _TOKEN.finditer(text):
        kind = str(match.lastgroup)
        if kind != "space":
            yield Token(kind, match[0], match.start() + 1)
    yield Token("end", "", len(text) + 1)


@define
class Parser:
    """Recursive descent, one method per rule of the language, from loose to tight."""

    text: str
    fields: set[str] = field(init=False, factory=set)
    _tokens: list[Token] = field(init=False)
    _next: int = field(init=False, default=0)
    _depth: int = field(init=False, default=0)

    def __attrs_post_init__(self) -> None:
        self._tokens = list(_tokens(self.text))

    def parse(self) -> Condition:
        """The condition that the whole text is.

        Raises
        ------
        ExpressionError
            If it is none; the message names the character.
        """
        condition = self._any()
        if self._token.kind != "end":
            chained = self._token.kind == "operator"
            self._refuse(
                "'and', 'or' or the end",
                remedy="Join two comparisons with 'and'." if chained else None,
            )
        return condition

    def _any(self) -> Condition:
        return self._joined("or", np.logical_or, self._all)

    def _all(self) -> Condition:
        return self._joined("and", np.logical_and, self._negation)

    def _joined(
        self, word: str, join: Callable[[RowMask, RowMask], RowMask], part: Callable[[], Condition]
    ) -> Condition:
        conditions = [part()]
        while self._took(word):
            conditions.append(part())
        return conditions[0] if len(conditions) == 1 else Joined(join, tuple(conditions))

    def _negation(self) -> Condition:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            self._refuse(f"at most {_MAX_DEPTH} nested conditions")
        condition = Not(self._negation()) if self._took("not") else self._primary()
        self._depth -= 1
        return condition

    def _primary(self) -> Condition:
        if self._took("("):
            condition = self._any()
            self._require(")", "a closing parenthesis")
            return condition
        if self._token.is_value:
            return self._value_first()
        return self._field_first(self._field("a field or a value"))

    def _value_first(self) -> Condition:
        value = self._value("a value")
        symbol = self._operator()
        return Comparison(self._field("a field"), _MIRRORED.get(symbol, symbol), value)

    def _field_first(self, name: str) -> Condition:
        if self._took("in"):
            return Membership(name, self._list())
        if self._took("not"):
            self._require("in", "'in' after 'not'")
            return IsPresent(name, Membership(name, self._list()))
        if self._took("is"):
            return self._presence(name)
        if self._token.kind == "end" or self._token.word in ("and", "or", ")"):
            return IsTrue(name)
        return Comparison(name, self._operator(), self._value("a value"))

    def _presence(self, name: str) -> Condition:
        is_negated = self._took("not")
        if self._token.text.lower() not in ("missing", "null", "none"):
            self._refuse("'missing' after 'is'", remedy="Write == to compare with a value.")
        self._next += 1
        return IsPresent(name) if is_negated else IsMissing(name)

    def _list(self) -> tuple[FieldValue, ...]:
        self._require("[", "a list such as [1, 2]")
        values = [self._value("a value")]
        while self._took(",") and self._token.word != "]":
            values.append(self._value_like(values[0]))
        self._require("]", "',' or ']'")
        return tuple(values)

    def _value_like(self, first: FieldValue) -> FieldValue:
        token = self._token
        value = self._value("a value")
        kind = compared_as(type(first))
        if compared_as(type(value)) != kind:
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

    def _value(self, expected: str) -> FieldValue:
        token = self._token
        if not token.is_value:
            quotes = f'Write "{token.text}" in quotes if it is text.' if token.is_field else None
            self._refuse(expected, remedy=quotes)
        self._next += 1
        if token.kind == "text":
            return self._unescaped(token)
        return self._number(token) if token.kind == "number" else token.word == "true"

    def _unescaped(self, token: Token) -> str:
        unknown = re.sub(r"""\\[\\"']""", "", token.text[1:-1]).find("\\")
        if unknown >= 0:
            self._fail(
                f"expected only \\\\, \\\" and \\' after a backslash in the text at character "
                f"{token.position}, found {shown(token.text)}",
                remedy="Write \\\\ for one backslash.",
            )
        return re.sub(r"\\(.)", r"\1", token.text[1:-1])

    def _number(self, token: Token) -> int | float:
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
    def _token(self) -> Token:
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
