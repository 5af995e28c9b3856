"""Fitting: how the value of a config becomes what a parameter's annotation declares it to be."""

from __future__ import annotations

import math
import re
import types
from collections.abc import Callable, Mapping, Set
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

import attrs
import numpy as np

from valor_core.errors import ParameterError, did_you_mean, shown

Build = Callable[[Any, Mapping[str, Any], str], Any]
_EXPONENT = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][-+]?[0-9]+")

_SCALARS: dict[Any, tuple[str, tuple[type, ...]]] = {
    bool: ("true or false", (bool, np.bool_)),
    int: ("whole number", (int, np.integer)),
    float: ("number", (float, int, np.floating, np.integer)),
    str: ("string", (str,)),
}
"""The scalar annotations: each in words, and the types of value that fit it."""


def is_understood(annotation: Any) -> bool:
    """Whether `fit` can fill the annotation."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation in (Any, Path, type(None)) or annotation in _SCALARS or origin is Literal:
        return True
    if origin in (Union, types.UnionType):
        return all(map(is_understood, arguments))
    if origin is tuple:
        return len(arguments) == 2 and arguments[1] is ... and is_understood(arguments[0])
    if origin is not None:
        is_table = isinstance(origin, type) and issubclass(origin, Mapping)
        return is_table and is_understood(arguments[1])
    return isinstance(annotation, type) and attrs.has(annotation)


def fit(annotation: Any, value: Any, name: str, build: Build) -> Any:
    """The value as the annotation has it.

    Parameters
    ----------
    annotation : type
        What is expected.
    value : plain value
        What is given.
    name : str
        What the value is called in errors.
    build : callable
        What makes a parameter class from a table of values, given the place before their names.

    Raises
    ------
    ParameterError
        Saying what was expected and what was found.

    Examples
    --------
    >>> fit(float | None, 1, "width", dict), fit(tuple[str, ...], "a", "names", dict)
    (1.0, ('a',))
    """
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation is Any:
        return value
    if annotation in _SCALARS:
        return _fit_scalar(annotation, value, name)
    if annotation is Path and isinstance(value, str) and value:
        return Path(value)
    if origin is Literal:
        return _fit_choice(arguments, value, name)
    if origin in (Union, types.UnionType):
        return _fit_union(annotation, value, name, build)
    if origin is tuple:
        if not isinstance(value, (list, tuple, Set, np.ndarray)):
            return (fit(arguments[0], value, name, build),)
        # a set has no order of its own, and the order of hashes changes from run to run
        listed = sorted(value, key=repr) if isinstance(value, Set) else value
        return tuple(
            fit(arguments[0], item, f"{name}[{i}]", build) for i, item in enumerate(listed)
        )
    if origin is not None and issubclass(origin, Mapping):
        if not isinstance(value, Mapping):
            raise _expected(annotation, value, name)
        return {
            str(key): fit(arguments[1], item, f"{name}.{key}", build) for key, item in value.items()
        }
    if isinstance(value, annotation):
        return value
    if attrs.has(annotation) and isinstance(value, Mapping):
        return build(annotation, value, f"{name}.")
    raise _expected(annotation, value, name)


def _fit_scalar(annotation: Any, value: Any, name: str) -> Any:
    _, accepted = _SCALARS[annotation]
    is_bool = isinstance(value, (bool, np.bool_))
    if not isinstance(value, accepted) or (is_bool and annotation is not bool):
        raise _expected(annotation, value, name)
    if annotation is str:
        return value
    try:
        fitted = annotation(value)
    except OverflowError:
        fitted = math.inf
    if isinstance(fitted, float) and not math.isfinite(fitted):
        raise ParameterError(f"{name} must be finite, got {shown(value)}")
    return fitted


def _fit_choice(choices: tuple[Any, ...], value: Any, name: str) -> Any:
    for choice in choices:
        if type(value) is type(choice) and value == choice:
            return choice
    remedy = did_you_mean(value, map(str, choices)) if isinstance(value, str) else None
    listed = ", ".join(map(repr, choices))
    raise ParameterError(f"{name} must be one of {listed}, got {shown(value)}", remedy)


def _fit_union(annotation: Any, value: Any, name: str, build: Build) -> Any:
    members = get_args(annotation)
    if value is None and type(None) in members:
        return None
    misfits = []
    for member in members:
        if member is type(None):
            continue
        try:
            return fit(member, value, name, build)
        except ParameterError as error:
            misfits.append(error)
    if len(misfits) == 1:
        raise misfits[0]
    raise _expected(annotation, value, name)


def _expected(annotation: Any, value: Any, name: str) -> ParameterError:
    remedy = None
    if annotation is float and isinstance(value, str) and _EXPONENT.fullmatch(value):
        remedy = f"YAML takes a number like this for text; write it as: {_for_yaml(float(value))}"
    return ParameterError(f"{name} must be {_a(kind(annotation))}, got {shown(value)}", remedy)


def _a(words: str) -> str:
    return words if words.startswith(("true", "'", "null")) else f"a {words}"


def mentions_path(annotation: Any) -> bool:
    """Whether a value of the annotation is a path or has paths in it."""
    return annotation is Path or any(map(mentions_path, get_args(annotation)))


def _for_yaml(number: float) -> str:
    """A number as every YAML parser reads it: with a point before the exponent."""
    text = repr(number)
    return text if "." in text else text.replace("e", ".0e")


def kind(annotation: Any) -> str:
    """The annotation in words.

    Examples
    --------
    >>> kind(tuple[int, ...])
    'list of whole number'
    """
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation in _SCALARS:
        return _SCALARS[annotation][0]
    if annotation is type(None):
        return "null"
    if annotation is Path:
        return "path"
    if origin is Literal:
        return " or ".join(map(repr, arguments))
    if origin in (Union, types.UnionType):
        return " or ".join(map(kind, arguments))
    if origin is tuple:
        return "list" if arguments[0] is Any else f"list of {kind(arguments[0])}"
    if origin is not None and issubclass(origin, Mapping):
        return "table" if arguments[1] is Any else f"table of {kind(arguments[1])}"
    return "table" if attrs.has(annotation) else "value"
