"""Label codes: integers of class names in the columns of a module."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Self

from attrs import frozen

from valor_core.errors import SchemaError, short_repr

_WHOLE = re.compile(r"[+-]?[0-9]+", re.ASCII)


def is_whole(name: str) -> bool:
    """Return True if a name is an integer.

    Examples
    --------
    >>> is_whole("-3"), is_whole("3.0")
    (True, False)
    """
    return _WHOLE.fullmatch(name) is not None


@frozen
class LabelCodes:
    """Class names and their codes.

    Parameters
    ----------
    names : tuple of str
        All names, in the order of their codes.
    are_numbers : bool
        True if the names are integers, which are their own codes.
    is_explicit : bool
        True if the order is certain: the user set it, or the names are integers.
    """

    names: tuple[str, ...]
    are_numbers: bool = False
    is_explicit: bool = False

    @classmethod
    def of(cls, found: Iterable[str], given: Sequence[str] = ()) -> Self:
        """Make codes of the names in the data, or of the names that the user set.

        Examples
        --------
        >>> LabelCodes.of(["spam", "ham"]).names
        ('ham', 'spam')
        >>> LabelCodes.of(["10", "9"]).encoded(["9", "10"])
        [9, 10]
        """
        if given:
            return cls(tuple(given), is_explicit=True)
        names = sorted(set(found))
        if names and all(map(is_whole, names)):
            return cls(tuple(sorted(names, key=int)), are_numbers=True, is_explicit=True)
        return cls(tuple(names))

    @property
    def positive(self) -> str:
        """Positive one of two classes.

        Raises
        ------
        SchemaError
            If there are not exactly two classes.
        """
        if self.are_numbers and {int(name) for name in self.names} <= {0, 1}:
            return "1"
        if len(self.names) == 2:
            return self.names[1]
        raise SchemaError(
            f"labels: expected two classes, of which one is positive, found {self._found}",
            "Name both, the positive one last: labels: [NEGATIVE, POSITIVE]",
        )

    @property
    def _found(self) -> str:
        shortened = ", ".join(self.names[:5]) + (", …" if len(self.names) > 5 else "")
        return f"{len(self.names):,} ({shortened})" if self.names else "none"

    def check_two(self) -> None:
        """Reject a single class if a code identifies the positive one.

        Raises
        ------
        SchemaError
            If the data have one class, and the user did not set the others.
        """
        if len(self.names) < 2 and not self.is_explicit:
            raise SchemaError(
                f"labels: expected two or more classes to identify the positive one, found "
                f"{self._found}",
                "Name all in the order of their codes: labels: [NEGATIVE, POSITIVE]",
            )

    def encoded(self, names: Sequence[str]) -> list[int]:
        """Return the codes of names.

        Raises
        ------
        SchemaError
            If a name has no code.
        """
        if self.are_numbers:
            return [int(name) for name in names]
        codes = {name: code for code, name in enumerate(self.names)}
        try:
            return [codes[name] for name in names]
        except KeyError as error:
            raise SchemaError(
                f"labels: expected one of {', '.join(self.names)}, "
                f"found {short_repr(error.args[0])}",
                "Add it to labels: [...]",
            ) from None

    def in_options(self, options: dict[str, Any]) -> dict[str, Any]:
        """Replace class names by their codes in options that expect classes."""

        def code(value: Any) -> Any:
            is_name = isinstance(value, str) and value in self.names
            return self.encoded([value])[0] if is_name else value

        coded = dict(options)
        if "pos_label" in coded:
            coded["pos_label"] = code(coded["pos_label"])
        if isinstance(coded.get("labels"), (list, tuple)):
            coded["labels"] = [code(value) for value in coded["labels"]]
        return coded
