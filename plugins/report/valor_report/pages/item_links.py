"""Links to the items of a page, filtered by the values of columns."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from attrs import frozen

from valor_report.tables.item_tables import NAMED

ANCHOR = "items"
"""Id of the section of items."""


@frozen
class ItemLinks:
    """Links to the items of a page, filtered by the values of columns.

    Parameters
    ----------
    titles : frozenset of str
        Titles of the columns of the table of items; empty without items.
    address : str
        Address of the items without a filter.

    Examples
    --------
    >>> links = ItemLinks(frozenset({"truth", "prediction"}))
    >>> links.to(truth="cat & dog", prediction="cow")
    '#items?truth=cat%20%26%20dog&prediction=cow'
    >>> links.to(weather="rain") is None
    True
    """

    titles: frozenset[str] = frozenset()
    address: str = f"#{ANCHOR}"

    def to(self, **values: str) -> str | None:
        """Return the link to the items with values in columns, or None without such columns."""
        return self.to_values(values)

    def to_values(self, values: Mapping[str, str]) -> str | None:
        """Return the link to the items with values in columns, or None without such columns."""
        if not values or not values.keys() <= self.titles:
            return None
        return f"{self.address}?{filter_text(values)}"

    def to_label(self, label: str) -> str | None:
        """Return the link to the items with a label, as ground truth or prediction."""
        filtered = f"{self.address}?{filter_text({'label': label})}"
        return filtered if self.titles & {*NAMED[:2]} else None


def filter_text(values: Mapping[str, str]) -> str:
    """Return the part of an address that filters items.

    Examples
    --------
    >>> filter_text({"truth": "a/b", "score": "0.5..0.6"})
    'truth=a%2Fb&score=0.5..0.6'
    """
    return "&".join(
        f"{quote(name, safe='')}={quote(text, safe='')}" for name, text in values.items()
    )
