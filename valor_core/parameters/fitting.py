"""Fitting: how the value of a config becomes what a parameter's annotation declares it to be."""

from __future__ import annotations

import math
import re
import types
from collections.abc import Callable, Mapping, Sequence, Set
from functools import partial
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

import attrs
import numpy as np

from valor_core.errors import ParameterError, did_you_mean, shown

Build = Callable[[Any, Mapping[str, Any], str], Any]
Fit = Callable[[Any, str], Any]
_EXPONENT = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][-+]?[0-9]+")

_SCALARS: dict[Any, tuple[str, tuple[type, ...]]] = {
    bool: ("true or false", (bool, np.bool_)),
    int: ("whole number", (int, np.integer)),
    float: ("number", (float, int, np.floating, np.integer)),
    str: ("string", (str,)),
}
"""The scalar annotations: each in words, and the types of value that fit it."""


def is_understood(annotation: Any) -> bool:
    """Whether `fitter` can fill the annotation."""
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


def fitter(annotation: Any, build: Build) -> Fit:
    """What makes a value what the annotation declares it to be.

    Parameters
    ----------
    annotation : type
        What is expected.
    build : callable
        What makes a parameter class from a table of values, given the place before their names.

    Returns
    -------
    fit : callable
        Takes a value and what it is called in errors; raises a `ParameterError` that says what
        was expected and what was found.

    Examples
    --------
    >>> fitter(float | None, dict)(1, "width"), fitter(tuple[str, ...], dict)("a", "names")
    (1.0, ('a',))
    """
    if annotation is Any:
        return _as_it_is
    if annotation is Path:
        return _fit_path
    if annotation in _SCALARS:
        return partial(_fit_scalar, annotation)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return partial(_fit_choice, arguments)
    if origin in (Union, types.UnionType):
        members = [fitter(member, build) for member in arguments if member is not type(None)]
        fit = members[0] if len(members) == 1 else partial(_fit_union, annotation, members)
        return partial(_fit_optional, fit) if type(None) in arguments else fit
    if origin is tuple:
        return partial(_fit_list, fitter(arguments[0], build))
    if origin is not None:
        return partial(_fit_table, annotation, fitter(arguments[1], build))
    return partial(_fit_instance, annotation, build)


def _as_it_is(value: Any, name: str) -> Any:
    return value


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


def _fit_path(value: Any, name: str) -> Path:
    if isinstance(value, (str, Path)) and value and "\0" not in str(value):
        return Path(value)
    raise _expected(Path, value, name)


def _fit_choice(choices: tuple[Any, ...], value: Any, name: str) -> Any:
    for choice in choices:
        if type(value) is type(choice) and value == choice:
            return choice
    remedy = did_you_mean(value, map(str, choices)) if isinstance(value, str) else None
    listed = ", ".join(map(repr, choices))
    raise ParameterError(f"{name} must be one of {listed}, got {shown(value)}", remedy)


def _fit_optional(fit: Fit, value: Any, name: str) -> Any:
    return None if value is None else fit(value, name)


def _fit_union(annotation: Any, members: Sequence[Fit], value: Any, name: str) -> Any:
    for member in members:
        try:
            return member(value, name)
        except ParameterError:
            continue
    raise _expected(annotation, value, name)


def _fit_list(fit: Fit, value: Any, name: str) -> tuple[Any, ...]:
    if not isinstance(value, (list, tuple, Set, np.ndarray)):
        return (fit(value, name),)
    # a set has no order of its own, and the order of hashes changes from run to run
    listed = sorted(value, key=repr) if isinstance(value, Set) else value
    return tuple([fit(item, f"{name}[{i}]") for i, item in enumerate(listed)])


def _fit_table(annotation: Any, fit: Fit, value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise _expected(annotation, value, name)
    for key in value:
        if isinstance(key, bool):
            raise ParameterError(
                f"{name} must have strings for keys, got {key}",
                "YAML takes yes, no, on, off, true and false for booleans; put the key in quotes.",
            )
    return {str(key): fit(item, f"{name}.{key}") for key, item in value.items()}


def _fit_instance(cls: Any, build: Build, value: Any, name: str) -> Any:
    if isinstance(value, cls):
        return value
    if attrs.has(cls) and isinstance(value, Mapping):
        return build(cls, value, f"{name}.")
    raise _expected(cls, value, name)


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
