"""Kinds of annotations: conversion of config values, descriptions and JSON Schemas."""

from __future__ import annotations

import math
import operator
import os
import re
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Any

from attrs import frozen

from valor_core.errors import ParameterError, did_you_mean, short_repr

JsonSchema = dict[str, Any]
_TEXTS = (str, bytes, bytearray, memoryview)
_EXPONENT = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][-+]?[0-9]+")


def built_in(value: Any, name: str) -> Any:
    """Convert mappings and sequences of other libraries, such as OmegaConf, to dicts and lists.

    Parameters
    ----------
    value : object
        Value of a parameter, or a section of a config. Values inside are converted too.
    name : str
        Name of the value in errors.

    Raises
    ------
    ParameterError
        If a value inside cannot be read, such as a missing one of OmegaConf.

    Examples
    --------
    >>> built_in({"thresholds": range(2)}, "metrics[0]")
    {'thresholds': [0, 1]}
    """
    if isinstance(value, Mapping):
        return {key: _entry(value, key, f"{name}.{key}") for key in value}
    if not isinstance(value, Sequence) or isinstance(value, _TEXTS):
        return value
    listed = [_entry(value, i, f"{name}[{i}]") for i in range(len(value))]
    is_same = isinstance(value, tuple) and all(map(operator.is_, listed, value))
    return value if is_same else listed


def _entry(container: Any, key: Any, name: str) -> Any:
    try:
        value = container[key]
    except Exception as error:
        named = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
        is_variable = "interpolation type env" in named
        remedy = "Refer to environment variables as ${oc.env:NAME}." if is_variable else None
        raise ParameterError(f"{name}: cannot be read, {named}", remedy) from error
    return built_in(value, name)


@frozen
class Within:
    """Range of a number, with open or closed bounds.

    Parameters
    ----------
    low, high : float, optional
        Bounds; None for no bound.
    open_low, open_high : bool
        Whether to exclude the bound.

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
        """Return whether the number is in the range."""
        if self.low is not None and (value < self.low or (self.open_low and value == self.low)):
            return False
        return self.high is None or not (
            value > self.high or (self.open_high and value == self.high)
        )

    @property
    def expectation(self) -> str:
        """Range in words, following "must"."""
        if self.high is None:
            return f"be {'above' if self.open_low else 'at least'} {self.low}"
        if self.low is None:
            return f"be {'below' if self.open_high else 'at most'} {self.high}"
        left, right = "(" if self.open_low else "[", ")" if self.open_high else "]"
        return f"lie in {left}{self.low}, {self.high}{right}"

    @property
    def schema(self) -> JsonSchema:
        """Range in JSON Schema."""
        bounds = {
            "exclusiveMinimum" if self.open_low else "minimum": self.low,
            "exclusiveMaximum" if self.open_high else "maximum": self.high,
        }
        return {word: bound for word, bound in bounds.items() if bound is not None}


@frozen(repr=False)
class Kind:
    """Kind of an annotation; the base class accepts any value.

    Parameters
    ----------
    words : str
        Description of the kind.
    has_paths : bool
        Whether values are or contain paths.
    """

    words: str = "value"
    has_paths: bool = False

    def is_one(self, value: Any) -> bool:
        """Return whether a list is a single value of the kind."""
        return False

    def holds_paths(self, value: Any) -> bool:
        """Return whether the strings in a value are paths."""
        return self.has_paths

    def fit(self, value: Any, name: str) -> Any:
        """Convert a value to the kind.

        Raises
        ------
        ParameterError
            If the value has another kind. The message describes `name`, expectation and finding.
        """
        return value

    def schema(self, check: Within | None = None) -> JsonSchema:
        """Return the JSON Schema of the values, with numbers in a range."""
        return {}

    def refused(self, value: Any, name: str, remedy: str | None = None) -> ParameterError:
        """Return the error for a value of another kind."""
        article = "" if self.words.startswith(("true", "'", "null")) else "a "
        sentence = f"{name} must be {article}{self.words}, got {short_repr(value)}"
        return ParameterError(sentence, remedy)


@frozen(repr=False)
class ScalarKind(Kind):
    """Kind of a built-in scalar type.

    Parameters
    ----------
    made : type
        Type of the converted values.
    accepted : tuple of type
        Types that are accepted.
    called : str
        Name of the type in JSON Schema.
    """

    made: type[Any] = str
    accepted: tuple[type[Any], ...] = (str,)
    called: str = "string"

    def fit(self, value: Any, name: str) -> Any:
        """Convert a value to the type."""
        scalar = _python_scalar(value)
        # In Python, booleans are integers; a config that contains true does not mean 1.
        is_bool = isinstance(scalar, bool)
        if not isinstance(scalar, self.accepted) or (is_bool and self.made is not bool):
            raise self.refused(value, name, self._remedy(value))
        if self.made not in (bool, int, float):
            return value
        try:
            converted = self.made(scalar)
        except OverflowError:
            converted = math.inf
        if isinstance(converted, float) and not math.isfinite(converted):
            raise ParameterError(f"{name} must be finite, got {short_repr(value)}")
        return converted

    def schema(self, check: Within | None = None) -> JsonSchema:
        """Return the type, with the bounds of a number."""
        bounds = check.schema if check and self.made in (int, float) else {}
        return {"type": self.called} | bounds

    def _remedy(self, value: Any) -> str | None:
        if self.made is bool and isinstance(value, str) and value.casefold() in _BOOLEANS:
            return f"Write it as: {_BOOLEANS[value.casefold()]}"
        if self.made is str and isinstance(value, (bool, int, float)):
            return quoted(value)
        if self.made is not float or not isinstance(value, str) or not _EXPONENT.fullmatch(value):
            return None
        text = repr(float(value))
        # Every YAML parser reads a number with a point before the exponent.
        written = text if "." in text else text.replace("e", ".0e")
        return f"YAML reads this number as text; write it as: {written}"


def _python_scalar(value: Any) -> Any:
    """Return a NumPy scalar as a built-in value, without importing NumPy (50 ms)."""
    is_scalar = type(value).__module__ == "numpy" and not hasattr(value, "__setitem__")
    return value.item() if is_scalar and hasattr(value, "item") else value


_BOOLEANS = {
    word: truth
    for truth, words in (("true", "yes on true"), ("false", "no off false"))
    for word in words.split()
}
"""Booleans by the words that people write for them."""


def quoted(value: bool | int | float) -> str:
    """Return the remedy for a name that YAML reads as another value."""
    return f'Put it in quotes: "{str(value).lower() if isinstance(value, bool) else value}"'


SCALARS: Mapping[Any, Kind] = {
    bool: ScalarKind("true or false", False, bool, (bool,), "boolean"),
    int: ScalarKind("whole number", False, int, (int,), "integer"),
    float: ScalarKind("number", False, float, (float, int), "number"),
    str: ScalarKind("string"),
    type(None): ScalarKind("null", False, type(None), (type(None),), "null"),
}
"""Kinds of the built-in scalar types."""


_NAME_LIMIT = 255


@frozen(repr=False)
class PathKind(Kind):
    """Kind of paths of files and folders."""

    words: str = "path"
    has_paths: bool = True

    def fit(self, value: Any, name: str) -> Path:
        """Convert a value to a path."""
        if not isinstance(value, (str, Path)) or not value or "\0" in str(value):
            raise self.refused(value, name)
        path = Path(value)
        # The system rejects such names on any access, even to check whether they exist.
        try:
            longest = max(map(len, map(os.fsencode, path.parts)), default=0)
        except UnicodeEncodeError:
            raise self.refused(str(value), name) from None
        if os.name == "posix" and longest > _NAME_LIMIT:
            remedy = f"Shorten it: file names are limited to {_NAME_LIMIT} bytes."
            raise self.refused(str(value), name, remedy)
        return path

    def schema(self, check: Within | None = None) -> JsonSchema:
        """Return the schema of a string."""
        return {"type": "string", "format": "path"}


@frozen(repr=False)
class ChoiceKind(Kind):
    """Kind of a choice between literal values."""

    choices: tuple[Any, ...] = ()

    @classmethod
    def of(cls, choices: tuple[Any, ...]) -> ChoiceKind:
        """Return the kind of a ``Literal``."""
        return cls(" or ".join(map(repr, choices)), False, choices)

    def fit(self, value: Any, name: str) -> Any:
        """Return the choice that equals the value."""
        for choice in self.choices:
            if type(value) is type(choice) and value == choice:
                return choice
        remedy = did_you_mean(value, map(str, self.choices)) if isinstance(value, str) else None
        listed = ", ".join(map(repr, self.choices))
        raise ParameterError(f"{name} must be one of {listed}, got {short_repr(value)}", remedy)

    def schema(self, check: Within | None = None) -> JsonSchema:
        """Return the schema of the choices."""
        return {"enum": list(self.choices)}


@frozen(repr=False)
class UnionKind(Kind):
    """Kind of a union; the first member that accepts a value converts it."""

    members: tuple[Kind, ...] = ()

    @classmethod
    def of(cls, members: tuple[Kind, ...]) -> UnionKind:
        """Return the kind of ``X | Y``."""
        words = " or ".join(member.words for member in members)
        return cls(words, any(member.has_paths for member in members), members)

    def holds_paths(self, value: Any) -> bool:
        """Return whether a member treats the strings as paths."""
        return any(member.holds_paths(value) for member in self.members)

    def fit(self, value: Any, name: str) -> Any:
        """Convert a value with the first member that accepts it."""
        null = SCALARS[type(None)]
        if value is None and null in self.members:
            return None
        others = [member for member in self.members if member != null]
        if len(others) == 1:  # its error is more specific
            return others[0].fit(value, name)
        for member in others:
            try:
                return member.fit(value, name)
            except ParameterError:
                continue
        raise self.refused(value, name)

    def schema(self, check: Within | None = None) -> JsonSchema:
        """Return a schema that accepts any member."""
        return {"anyOf": [member.schema(check) for member in self.members]}


@frozen(repr=False)
class ListKind(Kind):
    """Kind of a list; a bare value becomes a list of one."""

    item: Kind = Kind()

    @classmethod
    def of(cls, item: Kind) -> ListKind:
        """Return the kind of ``tuple[X, ...]``."""
        return cls("list" if item == Kind() else f"list of {item.words}", item.has_paths, item)

    def fit(self, value: Any, name: str) -> tuple[Any, ...]:
        """Convert the items."""
        if value is None and self.item == Kind():
            return ()  # a YAML key without a value
        is_listed = isinstance(value, (list, tuple, Set)) or type(value).__name__ == "ndarray"
        if not is_listed or self.item.is_one(value):
            return (self.item.fit(value, name),)
        # Sets are unordered, and the order of hashes changes with every process.
        listed = sorted(value, key=repr) if isinstance(value, Set) else value
        return tuple([self.item.fit(item, f"{name}[{i}]") for i, item in enumerate(listed)])

    def schema(self, check: Within | None = None) -> JsonSchema:
        """Return the schema of a bare value or an array."""
        item = self.item.schema(check)
        return {"anyOf": [item, {"type": "array", "items": item}]}


@frozen(repr=False)
class TableKind(Kind):
    """Kind of a mapping from strings to values of one kind."""

    item: Kind = Kind()

    @classmethod
    def of(cls, item: Kind) -> TableKind:
        """Return the kind of ``Mapping[str, X]``."""
        return cls("table" if item == Kind() else f"table of {item.words}", item.has_paths, item)

    def fit(self, value: Any, name: str) -> dict[str, Any]:
        """Convert the values of a mapping."""
        if not isinstance(value, Mapping):
            raise self.refused(value, name)
        for key in value:
            if isinstance(key, bool):
                raise ParameterError(
                    f"{name} must have strings for keys, got {key}",
                    "YAML reads yes, no, on, off, true and false as booleans; "
                    "put the key in quotes.",
                )
        return {str(key): self.item.fit(item, f"{name}.{key}") for key, item in value.items()}

    def schema(self, check: Within | None = None) -> JsonSchema:
        """Return the schema of an object with such values."""
        return {"type": "object", "additionalProperties": self.item.schema(check)}
