"""Limits on the depth and size of configs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from valor_core.errors import ConfigError

DEEPEST: Final = 100
"""Maximum nesting depth of tables and lists."""
MOST: Final = 1_000_000
"""Maximum number of values, after YAML aliases are expanded."""


def parts_of(value: Any) -> Iterable[Any]:
    """Return the values in a table or a list."""
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list) else ()


def check_depth(value: Any, place: str, parts: Callable[[Any], Iterable[Any]] = parts_of) -> None:
    """Raise a `ConfigError` if a value exceeds the limits on depth or size.

    Parameters
    ----------
    value : object
        A config, or a YAML node.
    place : str
        Prefix of the error.
    parts : callable
        Returns the children of a value.

    Examples
    --------
    >>> itself = {}
    >>> itself["a"] = itself
    >>> check_depth(itself, "config.yaml")
    Traceback (most recent call last):
        ...
    valor_core.errors.ConfigError: config.yaml: expected at most 100 levels, found more
    Nest fewer tables and lists, and avoid recursive aliases.
    """
    waiting = [(value, 0)]
    count = 0
    while waiting:
        one, depth = waiting.pop()
        count += 1
        if depth > DEEPEST:
            raise nested_too_deeply(place)
        if count > MOST:
            raise ConfigError(
                f"{place}: expected at most {MOST:,} values, found more",
                "Use fewer aliases.",
            )
        waiting += [(part, depth + 1) for part in parts(one)]


def nested_too_deeply(place: str) -> ConfigError:
    """Return the error for too many levels."""
    return ConfigError(
        f"{place}: expected at most {DEEPEST} levels, found more",
        "Nest fewer tables and lists, and avoid recursive aliases.",
    )


def too_many_digits(place: str) -> ConfigError:
    """Return the error for an integer with more digits than Python parses."""
    return ConfigError(
        f"{place}: expected numbers, found an integer with too many digits",
        "Write it as a number such as 1e300, or as text in quotes.",
    )
