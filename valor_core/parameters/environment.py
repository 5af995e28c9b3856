"""Environment variables in configs: ``${env:NAME}`` and ``${env:NAME:-default}``."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, Self

from valor_core.errors import ConfigError, short_repr

_VARIABLE = re.compile(
    r"\$\{env:([A-Za-z_][A-Za-z0-9_]*)(?::-((?:\$\{[^{}]*\}|[^{}])*))?\}", re.DOTALL
)
"""Reference to a variable; the default may itself contain a reference."""


_INVALID = re.compile(r"\$\{\s*(?:oc\.)?env\b[^\w}]*(\w*)", re.IGNORECASE)
"""Beginning of a reference to a variable."""


class FromEnvironment(str):
    """Text with environment variables filled in; a report records the reference instead.

    Parameters
    ----------
    text : str
        Text after substitution.
    reference : str
        Text in the config, ``"${env:NAME}"``.

    Examples
    --------
    >>> FromEnvironment("s3cret", "${env:KEY}")
    '${env:KEY}'
    """

    __slots__ = ("reference",)
    reference: str

    def __new__(cls, text: str, reference: str) -> Self:
        """Create the text with its reference."""
        self = super().__new__(cls, text)
        self.reference = reference
        return self

    def __repr__(self) -> str:
        return repr(self.reference)

    def __reduce__(self) -> tuple[object, ...]:
        return FromEnvironment, (str(self), self.reference)


def fill_in(value: Any, place: str = "", variables: Mapping[str, str] | None = None) -> Any:
    """Return the value with every ``${env:NAME}`` and ``${env:NAME:-default}`` replaced.

    As in a shell, the default replaces a variable that is not set or empty.

    Parameters
    ----------
    value : plain value
        Config or a part of it, not modified.
    place : str
        Location of the value, for errors.
    variables : mapping of str to str, optional
        Environment. Defaults to that of the process.

    Raises
    ------
    ConfigError
        If a variable without a default is not set, or a reference is malformed.

    Examples
    --------
    >>> print(fill_in({"data": "${env:ROOT}/a.csv"}, variables={"ROOT": "/data"})["data"])
    /data/a.csv
    >>> print(fill_in("${env:ROOT:-/data}/a.csv", variables={}))
    /data/a.csv
    """
    variables = os.environ if variables is None else variables
    if isinstance(value, Mapping):
        dot = "" if not place or place.endswith((": ", ".")) else "."
        return {key: fill_in(item, f"{place}{dot}{key}", variables) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [fill_in(item, f"{place}[{i}]", variables) for i, item in enumerate(value)]
    return _fill(value, place, variables) if isinstance(value, str) else value


def _fill(text: str, place: str, variables: Mapping[str, str]) -> str:
    def value_of(match: re.Match[str]) -> str:
        name, default = match.groups()
        if default is not None:
            return variables.get(name) or str(_fill(default, place, variables))
        if name not in variables:
            raise ConfigError(
                f"{place}: the environment variable {name} is not set",
                f"Set it with: export {name}=…",
            )
        return variables[name]

    invalid = _INVALID.search(_VARIABLE.sub("", text))
    if invalid is not None:
        raise ConfigError(
            f"{place}: expected ${{env:NAME}} or ${{env:NAME:-default}}, got {short_repr(text)}",
            f"Write it as: ${{env:{invalid[1] or 'NAME'}:-default}}",
        )
    filled = _VARIABLE.sub(value_of, text)
    return text if filled == text else FromEnvironment(filled, text)
