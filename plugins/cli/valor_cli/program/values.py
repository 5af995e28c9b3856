"""Values: what options take, refused with what was expected and what was found."""

from __future__ import annotations

from typing import Any

import click

from valor_core.errors import shown


class WholeNumber(click.IntRange):
    """A whole number from `low` on.

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

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; a `BadParameter` where it is none."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            wanted = f"a whole number of at least {self.min}"
            self.fail(f"expected {wanted}, got {shown(value)}", param, ctx)


class Number(click.FloatRange):
    """A number from `low` on.

    Examples
    --------
    >>> Number(0).convert("0.5", None, None)
    0.5
    """

    def __init__(self, low: float) -> None:
        super().__init__(low)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; a `BadParameter` where it is none."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"expected a number of at least {self.min}, got {shown(value)}", param, ctx)


class OneOf(click.Choice):  # type: ignore[type-arg]
    """One of some words.

    Examples
    --------
    >>> OneOf(["worse", "differ"]).convert("worse", None, None)
    'worse'
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The word; a `BadParameter` where it is another."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"expected {' or '.join(self.choices)}, got {shown(value)}", param, ctx)
