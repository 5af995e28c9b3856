"""Option types whose errors state the expected and the actual value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from valor_core.errors import short_repr


class _Checked(click.ParamType):  # type: ignore[type-arg]
    """Mixin with custom error messages for a click type."""

    expected: str

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert a value, or raise a `BadParameter` worded as all other errors."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"expected {self.expected}, got {short_repr(value)}", param, ctx)


class WholeNumber(_Checked, click.IntRange):
    """Whole number of at least `low`.

    Examples
    --------
    >>> WholeNumber(1).convert("3", None, None)
    3
    >>> WholeNumber(1).convert("x", None, None)
    Traceback (most recent call last):
        ...
    click.exceptions.BadParameter: expected a whole number of at least 1, got 'x'
    """

    def __init__(self, low: int) -> None:
        super().__init__(low)
        self.expected = f"a whole number of at least {low}"


class Number(_Checked, click.FloatRange):
    """Number of at least `low`.

    Examples
    --------
    >>> Number(0).convert("0.5", None, None)
    0.5
    """

    def __init__(self, low: float) -> None:
        super().__init__(low)
        self.expected = f"a number of at least {low}"


class OneOf(_Checked, click.Choice):  # type: ignore[type-arg]
    """One of several words.

    Examples
    --------
    >>> OneOf(["worse", "differ"]).convert("worse", None, None)
    'worse'
    """

    def __init__(self, choices: Sequence[str]) -> None:
        super().__init__(choices)
        self.expected = " or ".join(choices)
