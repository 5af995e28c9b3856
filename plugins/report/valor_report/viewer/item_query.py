"""Query of items in an address: filters, order and page.

Filters have the names of columns: ``truth=cat&prediction=dog``, ``score=0.2..0.5``; ``label`` is
the truth or the prediction, ``wrong=*`` any text. ``q`` has words that an item contains, ``sort`` a
column, with ``-`` for the other direction, ``page`` a number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from typing import Self
from urllib.parse import parse_qsl, unquote_plus, urlencode

import numpy as np
from attrs import evolve, frozen

from valor_core.errors import ReportError, did_you_mean, short_repr
from valor_core.schemas import Codes
from valor_report.tables.item_tables import NAMED
from valor_report.viewer.item_columns import Column, ItemColumns, ItemNumbers, Mask

PAGE = 50
"""Number of items on a page."""

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_RANGE = re.compile(rf"({_NUMBER})?\.\.({_NUMBER})?|({_NUMBER})")
_WORDS, _SORT, _NUMBERED, _UID = "q", "sort", "page", "uid"
_LABEL = "label"
ANY = "*"
"""Value of a filter for all texts that are not empty."""

ITEM = "item"
"""Name of the order of the report."""

_MOST = 40
"""Maximum number of filters in an address."""


@frozen
class ItemQuery:
    """Selection and order of items.

    Parameters
    ----------
    filters : tuple of (str, str)
        Columns and values. An item has one of the values of each column.
    words : str
        Words that an item contains, in its uid or a text.
    sort : str
        Column to sort by, or ``item``, with ``-`` for descending order; empty for the worst first.
    page : int
        Number of the page, from 1.

    Examples
    --------
    >>> query = ItemQuery.parse("truth=cat&sort=-score&page=2")
    >>> query.filters, query.sort, query.page, query.address(page=1)
    ((('truth', 'cat'),), '-score', 2, 'truth=cat&sort=-score')
    """

    filters: tuple[tuple[str, str], ...] = ()
    words: str = ""
    sort: str = ""
    page: int = 1

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the query of an address; empty values are ignored.

        Raises
        ------
        ReportError
            If it has too many filters, or the page is not a number.
        """
        try:
            pairs = parse_qsl(text, max_num_fields=_MOST, encoding="utf-8", errors="replace")
        except ValueError as error:
            raise ReportError(f"items: expected at most {_MOST} filters, got more") from error
        # As on the page in one file, a part without a name has words.
        bare = [unquote_plus(part) for part in text.split("&") if part and "=" not in part]
        named = dict(pairs)
        page = named.get(_NUMBERED, "1")
        if not re.fullmatch(r"[1-9]\d{0,8}", page, re.ASCII):
            raise ReportError(
                f"items: page: expected a number from 1, got {short_repr(page)}",
                "Open the address without page.",
            )
        reserved = (_WORDS, _SORT, _NUMBERED, _UID)
        filters = tuple(pair for pair in dict.fromkeys(pairs) if pair[0] not in reserved)
        words = " ".join(filter(None, [named.get(_WORDS, ""), *bare]))
        return cls(filters, words, named.get(_SORT, ""), int(page))

    def address(self, *, page: int | None = None, sort: str | None = None, uid: str = "") -> str:
        """Return the query as part of an address, optionally with another page, order or item."""
        changed = evolve(
            self, page=self.page if page is None else page, sort=self.sort if sort is None else sort
        )
        pairs = [*changed.filters]
        pairs += [(_WORDS, changed.words)] if changed.words else []
        pairs += [(_SORT, changed.sort)] if changed.sort else []
        pairs += [(_NUMBERED, str(changed.page))] if changed.page > 1 and not uid else []
        pairs += [(_UID, uid)] if uid else []
        return urlencode(pairs)

    def of(self, name: str) -> str:
        """Return the first value that a column is filtered by, or an empty text."""
        return next((value for key, value in self.filters if key == name), "")

    def positions(self, items: ItemColumns) -> Codes:
        """Return the positions of the selected items in order.

        Raises
        ------
        ReportError
            If a column does not exist, or its numbers are compared with a text.
        """
        kept = np.ones(len(items), bool)
        for name in dict.fromkeys(name for name, _ in self.filters):
            values = [value for key, value in self.filters if key == name]
            found = np.zeros(len(items), bool)
            for column, value in product(_columns(items, name), values):
                if isinstance(column, ItemNumbers):
                    found |= _within(column, value)
                else:
                    found |= column.is_given if value == ANY else column.equal(value)
            kept &= found
        for word in self.words.casefold().split():
            kept &= _containing(items, word)
        if not self.sort:
            return items.worst_first[kept[items.worst_first]]
        chosen = np.flatnonzero(kept)
        if self.sort.removeprefix("-") == ITEM:
            return chosen[::-1] if self.sort.startswith("-") else chosen
        column = _columns(items, self.sort.removeprefix("-"))[0]
        ranks = column.ranks(descending=self.sort.startswith("-"))
        return chosen[np.argsort(ranks[chosen], kind="stable")]


def _columns(items: ItemColumns, name: str) -> list[Column]:
    """Columns of a name, ignoring case: several for ``label``, the truth or the prediction."""
    found = [one for one in items.columns.values() if one.name.casefold() == name.casefold()]
    if not found and name == _LABEL:
        found = [items.columns[one] for one in NAMED[:2] if one in items.columns]
    if not found:
        names: Sequence[str] = list(items.columns)
        raise ReportError(
            f"items: no column {short_repr(name)}",
            did_you_mean(name, names) or f"Columns: {', '.join(names) or 'none'}.",
        )
    return found


def _within(column: ItemNumbers, text: str) -> Mask:
    """Return a mask of the numbers in a range such as ``0.2..0.5``, or equal to a number."""
    found = _RANGE.fullmatch(text.strip())
    if found is None or text.strip() == "..":
        raise ReportError(
            f"items: {column.name}: expected a number or a range, got {short_repr(text)}",
            "Write it as: 0.2..0.5, ..0.5 or 0.2..",
        )
    low, high, number = found.groups()
    low, high = (number, number) if number is not None else (low, high)
    values = column.values
    mask = ~np.isnan(values)
    if low is not None:
        mask &= values >= float(low)
    if high is not None:
        mask &= values <= float(high)
    return mask


def _containing(items: ItemColumns, word: str) -> Mask:
    found: Mask = np.char.find(items.lower_uids, word) >= 0
    for column in items.columns.values():
        if not isinstance(column, ItemNumbers):
            found |= column.containing(word)
    return found
