"""Fields of specs: the forms that names, aliases and places in a declaration have."""

from __future__ import annotations

import re
from typing import Any

from valor_core.errors import ManifestError, shown

_NAME = re.compile(r"[a-z][a-z0-9_]*\.[A-Za-z][A-Za-z0-9_]*")
_ALIAS = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
IMPLEMENTATION = re.compile(r"[\w.]+:[\w.]+")


def _matches(pattern: re.Pattern[str], form: str) -> Any:
    def check(spec: Any, attribute: Any, value: object) -> None:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            of = type(spec).__name__ if attribute.name == "name" else called(spec)
            raise ManifestError(
                f"{of}: {attribute.name} must look like {form}, got {shown(value)}",
                f"Write it as: {attribute.name}={form}",
            )

    return check


def called(spec: Any) -> str:
    """What errors call a spec."""
    return f"{type(spec).__name__} {spec.name!r}"


HOW_TO_READ = "Write them as: reads=('response', 'references')"


def check_reads_form(spec: Any, attribute: Any, value: object) -> None:
    """Raise a `ManifestError` unless a value is a tuple of names."""
    if not isinstance(value, tuple) or not all(isinstance(name, str) for name in value):
        raise ManifestError(
            f"{called(spec)}: reads must be a tuple of names of fields, got {shown(value)}",
            HOW_TO_READ,
        )


_ALIASES = "Write them as: aliases=('other_name',)"


def check_aliases(spec: Any, attribute: Any, value: object) -> None:
    """Raise a `ManifestError` unless a value is a tuple of words."""
    if not isinstance(value, tuple):
        raise ManifestError(
            f"{called(spec)}: aliases must be a tuple of words, got {shown(value)}", _ALIASES
        )
    for word in value:
        if not isinstance(word, str) or not _ALIAS.fullmatch(word):
            raise ManifestError(
                f"{called(spec)}: aliases must be words of letters, digits, '_' and '-' that "
                f"begin with a letter, got {shown(word)}",
                _ALIASES,
            )


def check_parameters_form(spec: Any, attribute: Any, value: object) -> None:
    """Raise a `ManifestError` unless a value is a parameter class or its place in the code."""
    if isinstance(value, str) and IMPLEMENTATION.fullmatch(value):
        return
    if not isinstance(value, type):
        raise ManifestError(
            f"{called(spec)}: parameters must be a class or look like "
            f"'package.parameters:Class', got {shown(value)}",
            "Write it as: parameters='package.parameters:Class'",
        )
    spec.check_parameter_class(value)


def name_form(form: str) -> Any:
    """What raises a `ManifestError` unless a value is a name in a namespace, as in the form."""
    return _matches(_NAME, form)


place_form: Any = _matches(IMPLEMENTATION, "'package.module:name'")
"""Raises a `ManifestError` unless a value is a place in the code."""
