"""Kinds of annotations: what each takes from a config, in words, and in a JSON Schema."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Set
from pathlib import Path
from typing import Any

from attrs import frozen

from valor_core.errors import ParameterError, did_you_mean, shown

JsonSchema = dict[str, Any]
_EXPONENT = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][-+]?[0-9]+")


@frozen
class Within:
    """Range check: a number between two bounds, each inside the range or not.

    Parameters
    ----------
    low, high : float, optional
        Bounds; None is no bound.
    open_low, open_high : bool
        Whether the bound itself is outside the range.

    Examples
    --------
    >>> check = Within(0, 1, open_low=True)
    >>> check.expectation, check(0.0), check(1.0)
    ('lie in (0, 1]', False, True)
    """

    low: float | None = None
    high: float | None = None
    open_low: bool = False
    open_high: bool = False

    def __call__(self, value: Any) -> bool:
        """Whether the number is inside."""
        if self.low is not None and (value < self.low or (self.open_low and value == self.low)):
            return False
        return self.high is None or not (
            value > self.high or (self.open_high and value == self.high)
        )

    @property
    def expectation(self) -> str:
        """The range in words that follow "must"."""
        if self.high is None:
            return f"be {'above' if self.open_low else 'at least'} {self.low}"
        if self.low is None:
            return f"be {'below' if self.open_high else 'at most'} {self.high}"
        left, right = "(" if self.open_low else "[", ")" if self.open_high else "]"
        return f"lie in {left}{self.low}, {self.high}{right}"

    @property
    def schema(self) -> JsonSchema:
        """The range in words of JSON Schema."""
        bounds = {
            "exclusiveMinimum" if self.open_low else "minimum": self.low,
            "exclusiveMaximum" if self.open_high else "maximum": self.high,
        }
        return {word: bound for word, bound in bounds.items() if bound is not None}


@frozen(repr=False)
class Kind:
    """What an annotation asks of a value; this one takes anything.

    Parameters
    ----------
    words : str
        The kind in words.
    has_paths : bool
        Whether its values are paths, or have paths in them.
    """

    words: str = "value"
    has_paths: bool = False

    def is_one(self, value: Any) -> bool:
        """Whether a list or what looks like one is a single value of the kind."""
        return False

    def holds_paths(self, value: Any) -> bool:
        """Whether the strings in a value are paths."""
        return self.has_paths

    def fit(self, value: Any, name: str) -> Any:
        """The value as the kind has it.

        Raises
        ------
        ParameterError
            If it is of another kind; says what was expected of `name` and what was found.
        """
        return value

    def schema(self, check: Within | None = None) -> JsonSchema:
        """JSON Schema of the values, numbers within a range."""
        return {}

    def refused(self, value: Any, name: str, remedy: str | None = None) -> ParameterError:
        """What is said of a value of another kind."""
        article = "" if self.words.startswith(("true", "'", "null")) else "a "
        sentence = f"{name} must be {article}{self.words}, got {shown(value)}"
        return ParameterError(sentence, remedy)


@frozen(repr=False)
class ScalarKind(Kind):
    """One value of a plain type.

    Parameters
    ----------
    made : type
        The type.
    accepted : tuple of type
        The types that fit it.
    called : str
        The type in JSON Schema.
    """

    made: type[Any] = str
    accepted: tuple[type[Any], ...] = (str,)
    called: str = "string"

    def fit(self, value: Any, name: str) -> Any:
        """The value in the type."""
        scalar = _python_scalar(value)
        # to Python true and false are whole numbers; nobody means 1 by true
        is_bool = isinstance(scalar, bool)
        if not isinstance(scalar, self.accepted) or (is_bool and self.made is not bool):
            raise self.refused(value, name, self._remedy(value))
        if self.made not in (bool, int, float):
            return value
        try:
            fitted = self.made(scalar)
        except OverflowError:
            fitted = math.inf
        if isinstance(fitted, float) and not math.isfinite(fitted):
            raise ParameterError(f"{name} must be finite, got {shown(value)}")
        return fitted

    def schema(self, check: Within | None = None) -> JsonSchema:
        """The type, and the bounds of a number."""
        bounds = check.schema if check and self.made in (int, float) else {}
        return {"type": self.called} | bounds

    def _remedy(self, value: Any) -> str | None:
        if self.made is not float or not isinstance(value, str) or not _EXPONENT.fullmatch(value):
            return None
        text = repr(float(value))
        # Every YAML parser takes it for a number with a point before the exponent.
        written = text if "." in text else text.replace("e", ".0e")
        return f"YAML takes a number like this for text; write it as: {written}"


def _python_scalar(value: Any) -> Any:
    """A scalar of NumPy as Python has it; importing NumPy to compare types would take 50 ms."""
    is_scalar = type(value).__module__ == "numpy" and not hasattr(value, "__setitem__")
    return value.item() if is_scalar and hasattr(value, "item") else value


SCALARS: Mapping[Any, Kind] = {
    bool: ScalarKind("true or false", False, bool, (bool,), "boolean"),
    int: ScalarKind("whole number", False, int, (int,), "integer"),
    float: ScalarKind("number", False, float, (float, int), "number"),
    str: ScalarKind("string"),
    type(None): ScalarKind("null", False, type(None), (type(None),), "null"),
}
"""Kinds of the plain types."""


_LONGEST_NAME = 255


@frozen(repr=False)
class PathKind(Kind):
    """A path of a file or folder."""

    words: str = "path"
    has_paths: bool = True

    def fit(self, value: Any, name: str) -> Path:
        """The path."""
        if not isinstance(value, (str, Path)) or not value or "\0" in str(value):
            raise self.refused(value, name)
        path = Path(value)
        # the system refuses such names wherever one looks at them, if only for whether they exist
        try:
            longest = max(map(len, map(os.fsencode, path.parts)), default=0)
        except UnicodeEncodeError:
            raise self.refused(str(value), name) from None
        if os.name == "posix" and longest > _LONGEST_NAME:
            remedy = f"Shorten it: names of files have at most {_LONGEST_NAME} bytes."
            raise self.refused(str(value), name, remedy)
        return path

    def schema(self, check: Within | None = None) -> JsonSchema:
        """A string."""
        return {"type": "string", "format": "path"}


@frozen(repr=False)
class ChoiceKind(Kind):
    """One of some values, of their types."""

    choices: tuple[Any, ...] = ()

    @classmethod
    def of(cls, choices: tuple[Any, ...]) -> ChoiceKind:
        """The kind of a ``Literal``."""
        return cls(" or ".join(map(repr, choices)), False, choices)

    def fit(self, value: Any, name: str) -> Any:
        """The choice that the value is."""
        for choice in self.choices:
            if type(value) is type(choice) and value == choice:
                return choice
        remedy = did_you_mean(value, map(str, self.choices)) if isinstance(value, str) else None
        listed = ", ".join(map(repr, self.choices))
        raise ParameterError(f"{name} must be one of {listed}, got {shown(value)}", remedy)

    def schema(self, check: Within | None = None) -> JsonSchema:
        """The choices."""
        return {"enum": list(self.choices)}


@frozen(repr=False)
class UnionKind(Kind):
    """Of one kind or another; the first that fits is taken."""

    members: tuple[Kind, ...] = ()

    @classmethod
    def of(cls, members: tuple[Kind, ...]) -> UnionKind:
        """The kind of ``X | Y``."""
        words = " or ".join(member.words for member in members)
        return cls(words, any(member.has_paths for member in members), members)

    def holds_paths(self, value: Any) -> bool:
        """Whether a member takes the strings for paths."""
        return any(member.holds_paths(value) for member in self.members)

    def fit(self, value: Any, name: str) -> Any:
        """The value as the first member has it that takes it."""
        null = SCALARS[type(None)]
        if value is None and null in self.members:
            return None
        others = [member for member in self.members if member != null]
        if len(others) == 1:  # its own error says more than that none of several fits
            return others[0].fit(value, name)
        for member in others:
            try:
                return member.fit(value, name)
            except ParameterError:
                continue
        raise self.refused(value, name)

    def schema(self, check: Within | None = None) -> JsonSchema:
        """Any of the members."""
        return {"anyOf": [member.schema(check) for member in self.members]}


@frozen(repr=False)
class ListKind(Kind):
    """A list; a bare value stands for a list of one."""

    item: Kind = Kind()

    @classmethod
    def of(cls, item: Kind) -> ListKind:
        """The kind of ``tuple[X, ...]``."""
        return cls("list" if item == Kind() else f"list of {item.words}", item.has_paths, item)

    def fit(self, value: Any, name: str) -> tuple[Any, ...]:
        """The values as the items' kind has them."""
        if value is None and self.item == Kind():
            return ()  # a key of YAML with nothing behind it
        is_listed = isinstance(value, (list, tuple, Set)) or type(value).__name__ == "ndarray"
        if not is_listed or self.item.is_one(value):
            return (self.item.fit(value, name),)
        # a set has no order of its own, and the order of hashes changes from run to run
        listed = sorted(value, key=repr) if isinstance(value, Set) else value
        return tuple([self.item.fit(item, f"{name}[{i}]") for i, item in enumerate(listed)])

    def schema(self, check: Within | None = None) -> JsonSchema:
        """An array or a bare value."""
        item = self.item.schema(check)
        return {"anyOf": [{"type": "array", "items": item}, item]}


@frozen(repr=False)
class TableKind(Kind):
    """A table from strings to values of one kind."""

    item: Kind = Kind()

    @classmethod
    def of(cls, item: Kind) -> TableKind:
        """The kind of ``Mapping[str, X]``."""
        return cls("table" if item == Kind() else f"table of {item.words}", item.has_paths, item)

    def fit(self, value: Any, name: str) -> dict[str, Any]:
        """The table, its values as their kind has them."""
        if not isinstance(value, Mapping):
            raise self.refused(value, name)
        for key in value:
            if isinstance(key, bool):
                raise ParameterError(
                    f"{name} must have strings for keys, got {key}",
                    "YAML takes yes, no, on, off, true and false for booleans; "
                    "put the key in quotes.",
                )
        return {str(key): self.item.fit(item, f"{name}.{key}") for key, item in value.items()}

    def schema(self, check: Within | None = None) -> JsonSchema:
        """An object of such values."""
        return {"type": "object", "additionalProperties": self.item.schema(check)}
