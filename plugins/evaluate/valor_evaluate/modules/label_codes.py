"""Label codes: the whole numbers that stand for names of classes in a module's columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Self

from attrs import frozen

from valor_core.errors import SchemaError, shown

_WHOLE = re.compile(r"[+-]?[0-9]+", re.ASCII)


def is_whole(name: str) -> bool:
    """Whether a name is a whole number.

    Examples
    --------
    >>> is_whole("-3"), is_whole("3.0")
    (True, False)
    """
    return _WHOLE.fullmatch(name) is not None


@frozen
class LabelCodes:
    """Names of classes and their codes.

    Parameters
    ----------
    names : tuple of str
        All names, in the order of their codes.
    are_numbers : bool
        Whether the names are whole numbers, which are their own codes.
    told : bool
        Whether the order is known to be the one that is meant: somebody gave it, or the names are
        numbers.
    """

    names: tuple[str, ...]
    are_numbers: bool = False
    told: bool = False

    @classmethod
    def of(cls, found: Iterable[str], given: Sequence[str] = ()) -> Self:
        """Codes of the names that were found, or of those that were given.

        Examples
        --------
        >>> LabelCodes.of(["spam", "ham"]).names
        ('ham', 'spam')
        >>> LabelCodes.of(["10", "9"]).encoded(["9", "10"])
        [9, 10]
        """
        if given:
            return cls(tuple(given), told=True)
        names = sorted(set(found))
        if names and all(map(is_whole, names)):
            return cls(tuple(sorted(names, key=int)), are_numbers=True, told=True)
        return cls(tuple(names))

    @property
    def positive(self) -> str:
        """The positive one of two classes.

        Raises
        ------
        SchemaError
            If there are not two, or it is not known whether there are more.
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
        """Refuse to number a single class where a code stands for the positive one.

        Raises
        ------
        SchemaError
            If one class was found, and nobody said which others there are.
        """
        if len(self.names) < 2 and not self.told:
            raise SchemaError(
                f"labels: expected two classes or more to tell which is positive, found "
                f"{self._found}",
                "Name all in the order of their codes: labels: [NEGATIVE, POSITIVE]",
            )

    def encoded(self, names: Sequence[str]) -> list[int]:
        """The codes of some names.

        Raises
        ------
        SchemaError
            If one is not among those that were given.
        """
        if self.are_numbers:
            return [int(name) for name in names]
        codes = {name: code for code, name in enumerate(self.names)}
        try:
            return [codes[name] for name in names]
        except KeyError as error:
            raise SchemaError(
                f"labels: expected one of {', '.join(self.names)}, found {shown(error.args[0])}",
                "Name it too: labels: [...]",
            ) from None

    def in_options(self, options: dict[str, Any]) -> dict[str, Any]:
        """Options with names of classes as their codes, where modules take classes."""

        def code(value: Any) -> Any:
            known = isinstance(value, str) and value in self.names
            return self.encoded([value])[0] if known else value

        told = dict(options)
        if "pos_label" in told:
            told["pos_label"] = code(told["pos_label"])
        if isinstance(told.get("labels"), (list, tuple)):
            told["labels"] = [code(value) for value in told["labels"]]
        return told
