"""Filters: which datums take part, written as a small expression over their metadata.

The language has comparisons (``==  !=  <  <=  >  >=``), ``in [...]``, ``is missing`` (or ``is
null``), ``and``, ``or``, ``not`` and parentheses. It has no calls and no attributes, and nothing
in it is ever evaluated as Python. ``uid`` is the name of the datum; every other name is a metadata
field, in backticks if it holds other characters than letters, digits, ``_`` and dots.

A missing value (None, or NaN among numbers) compares false with everything, also by ``!=`` and
``not in``; only ``is missing`` is true of it. ``not`` turns a whole result around, so
``not weather == "rain"`` keeps datums without a weather and ``weather != "rain"`` does not.

Text is compared with text, numbers with numbers, true and false with each other, dates and
timestamps with text in ISO 8601, as `dates` says. Anything else is an error rather than false, so
that ``year == 2020`` over a column of text does not go unnoticed.

Most evaluations have no filter: what reads and applies one is imported when there is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from valor_core.errors import ExpressionError, shown

if TYPE_CHECKING:
    from valor_core.filters.columns import RowMask
    from valor_core.filters.conditions import Condition

__all__ = ["UID", "Filter"]

UID: Final = "uid"
"""What an expression calls the name of a datum."""


@frozen(repr=False)
class Filter:
    """A parsed filter expression.

    Made by `Filter.parse`; equal where the text is equal, and picklable.

    Parameters
    ----------
    text : str
        The expression as it was written.
    fields : tuple of str
        The fields it reads, sorted; `uid` is among them if it is used.

    Examples
    --------
    >>> rainy = Filter.parse('weather == "rain" and year >= 2020')
    >>> rainy.fields
    ('weather', 'year')
    >>> columns = {"weather": np.array(["rain", "rain"]), "year": np.array([2019, 2021])}
    >>> rainy.mask(columns, uids=np.array(["a", "b"]), count=2)
    array([False,  True])
    """

    text: str
    fields: tuple[str, ...] = field(eq=False)
    _condition: Condition = field(eq=False, repr=False)

    @classmethod
    def parse(cls, text: str) -> Filter:
        """Filter written as `text`.

        Raises
        ------
        ExpressionError
            If the text is no filter expression; the message names the character.

        Examples
        --------
        >>> Filter.parse('city in ["Oslo", "Rome"] or not night').fields
        ('city', 'night')
        """
        from valor_core.filters.grammar import Parser

        if not isinstance(text, str):
            raise ExpressionError(f"filter: expected text, got {shown(text)}")
        parser = Parser(text)
        condition = parser.parse()
        return cls(text, tuple(sorted(parser.fields)), condition)

    def mask(self, columns: Mapping[str, NDArray[Any]], uids: NDArray[Any], count: int) -> RowMask:
        """Whether each datum passes.

        Parameters
        ----------
        columns : mapping of str to ndarray, shape (count,)
            Metadata by field: text, bool, integers, floats, dates, or objects with None where a
            value is missing.
        uids : ndarray, shape (count,)
            Names of the datums.
        count : int
            Number of datums.

        Returns
        -------
        ndarray of bool, shape (count,)

        Raises
        ------
        ExpressionError
            If there is no column of a field, it holds a value of another kind than it is
            compared with, or dates are compared with text that is none.
        SchemaError
            If a column that is needed has another length.

        Examples
        --------
        >>> night = {"night": np.array([True, None, False], dtype=object)}
        >>> Filter.parse("not night").mask(night, np.array(["a", "b", "c"]), 3)
        array([False,  True,  True])
        """
        from valor_core.filters.columns import Fields

        if count == 0:
            return np.zeros(0, dtype=np.bool_)
        return self._condition.mask(Fields(self.text, columns, uids, count))
