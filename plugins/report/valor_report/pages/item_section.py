"""Section of a page with the items of a report, their pictures, texts and details."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

from attrs import evolve, frozen

from valor_core.results import Report
from valor_report.gallery.drawn_items import DrawnItems, drawn_items
from valor_report.gallery.gallery_page import columns_of, data_url
from valor_report.gallery.pictures import MarkedPiece, MarkedTexts, Picture
from valor_report.pages.item_links import ANCHOR, ItemLinks
from valor_report.pages.page_tables import PageTable
from valor_report.pages.templates import fragment
from valor_report.tables.item_tables import ListedItems, listed_items
from valor_report.tables.pivot import text_of
from valor_report.tables.text_table import number_text

MOST_BYTES = 5_000_000
"""Size of a page up to which items are added to it."""

_MOST_ROWS = 20_000
_FIRST = 100
"""Rows that are shown without a script."""

_TAGS = 50
"""Bytes of the element around a panel, at most."""

_SHARE_OF_ROWS = 0.4
"""Share of the bytes for rows, if items have pictures or texts, which have the rest."""


@frozen
class Facts:
    """Details of an item in a panel.

    Parameters
    ----------
    texts : tuple of (str, str)
        Details that are single values, with their names.
    tables : mapping of str to sequence of mapping
        Details that are lists of records: cells by column.
    """

    texts: tuple[tuple[str, str], ...]
    tables: Mapping[str, Sequence[Mapping[str, MarkedPiece]]]

    @classmethod
    def of(cls, details: Mapping[str, Any], shown: Picture | MarkedTexts | None = None) -> Facts:
        """Return the details of an item as texts and tables, without tables that are also shown.

        Examples
        --------
        >>> Facts.of({"judge": "yes", "claims": [{"text": "a", "verdict": "no"}]}).texts
        (('judge', 'yes'),)
        """
        found = {name: value for name, value in details.items() if _are_records(value)}
        tables = {
            name: [{key: MarkedPiece(_text(one)) for key, one in row.items()} for row in rows]
            for name, rows in found.items()
        }
        others = [] if not isinstance(shown, MarkedTexts) else [*map(_texts, shown.tables.values())]
        return cls(
            tuple((name, _text(value)) for name, value in details.items() if name not in found),
            {name: rows for name, rows in tables.items() if _texts(rows) not in others},
        )


def _texts(rows: Sequence[Mapping[str, MarkedPiece]]) -> list[dict[str, str]]:
    return [{key: piece.text for key, piece in row.items()} for row in rows]


def _are_records(value: Any) -> bool:
    is_list = isinstance(value, (list, tuple)) and len(value) > 0
    return is_list and all(isinstance(one, Mapping) for one in value)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return number_text(value)
    return text_of(value)


@frozen(eq=False)
class ItemSection:
    """Items of a page.

    Parameters
    ----------
    listed : ListedItems
        Items, the worst first.
    table : PageTable
        Table of the first items, which is shown without a script.
    drawn : DrawnItems
        Pictures or texts of the items.
    """

    listed: ListedItems
    table: PageTable
    drawn: DrawnItems

    @classmethod
    def of(cls, report: Report) -> ItemSection | None:
        """Return the items of a report, or None without item rows."""
        drawn = drawn_items(report.items)
        listed = listed_items(report, _MOST_ROWS, drawn.pictures)
        if listed is None:
            return None
        first = evolve(listed.table, rows=listed.table.rows[:_FIRST], caption="", notes=())
        return cls(listed, PageTable.of(first, is_stacked=True), drawn)

    @property
    def links(self) -> ItemLinks:
        """Links to filtered items."""
        return ItemLinks(frozenset(column.title for column in self.listed.table.columns))

    def html(self, room: int) -> str:
        """Render the section.

        Parameters
        ----------
        room : int
            Number of bytes that the page has for it.
        """
        rows = [_row_json(row) for row in self.listed.table.rows]
        # The first rows are twice in the page, once with their markup.
        room -= 4 * sum(map(_size, rows[:_FIRST]))
        share = _SHARE_OF_ROWS if self._with_panel(len(rows)) else 1.0
        kept = max(_fitting(rows, int(room * share)), min(_FIRST, len(rows)))
        panels = self._panels(kept, room - sum(map(_size, rows[:kept])))
        return fragment(
            "items.html",
            anchor=ANCHOR,
            about=self._about(kept, panels),
            table=self.table,
            notes=self.listed.table.numbered_notes,
            rows=f"[{','.join(rows[:kept])}]",
            panels=panels,
            legend=self.drawn.legend,
        )

    def _about(self, kept: int, panels: Collection[Any]) -> str:
        count = self.listed.count
        parts = [f"{count:,} items, the worst first" if count > 1 else ""]
        if kept < count:
            parts.append(f"{kept:,} of them on this page; show all with: valor view report.json")
        elif len(panels) < self._with_panel(kept):
            parts.append(
                f"pictures and texts of {len(panels):,}; show all with: valor view report.json"
            )
        return "; ".join(filter(None, parts))

    def _with_panel(self, kept: int) -> int:
        return sum(self._has_panel(at) for at in range(kept))

    def _has_panel(self, at: int) -> bool:
        return bool(self.listed.details[at]) or str(self.listed.uids[at]) in self.drawn.pictures

    def _panels(self, kept: int, room: int) -> dict[int, str]:
        """Render the panels of the worst items by row, as many as fit into a number of bytes."""
        found: dict[int, str] = {}
        for at, text in self._rendered(kept):
            room -= _size(text) + _TAGS
            if room < 0:
                break
            found[at] = text
        return found

    def _rendered(self, kept: int) -> Iterator[tuple[int, str]]:
        order = sorted(
            range(kept), key=lambda at: str(self.listed.uids[at]) not in self.drawn.pictures
        )
        for at in filter(self._has_panel, order):
            yield at, self._panel(at)

    def _panel(self, at: int) -> str:
        uid, details = self.listed.uids[at], self.listed.details[at]
        picture = self.drawn.pictures.get(str(uid))
        return fragment(
            "panel.html",
            uid=uid,
            picture=picture,
            facts=Facts.of(details, picture),
            address=data_url,
            columns=columns_of,
            legend=self.drawn.legend,
        )


def _fitting(texts: Sequence[str], room: int) -> int:
    """Return the number of texts that fit into a number of bytes."""
    return sum(size <= room for size in accumulate(map(_size, texts)))


def _size(text: str) -> int:
    return len(text.encode()) + 1


def _row_json(row: Sequence[Any]) -> str:
    cells = [[cell.text, cell.tone] if cell.tone else cell.text for cell in row]
    text = json.dumps(cells, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
