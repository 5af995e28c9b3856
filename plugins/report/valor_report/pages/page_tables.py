"""Tables and sections of a page, ready for its template."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from functools import partial

from attrs import evolve, field, frozen

from valor_report.pages.item_links import ItemLinks
from valor_report.plots.charts import Figure
from valor_report.tables.sections import Directions
from valor_report.tables.structures import NO_GROUND_TRUTH, NO_PREDICTION
from valor_report.tables.text_table import Cell, TextColumn, TextTable

_LONG = 40
NO_LINKS = ItemLinks()
"""Links of a page without items."""

_FEWEST_SORTED = 2

Attributes = dict[str, str | int | None]


@frozen
class PageCell:
    """Cell of a table with its HTML tag.

    Parameters
    ----------
    text : str
        Text of the cell.
    tag : str
        ``"th"`` or ``"td"``.
    attributes : dict
        HTML attributes; None for attributes without a value.
    link : str, optional
        Address that the text leads to.
    metric : str
        Name of the metric in small letters, if `text` is the name in the request.
    """

    text: str
    tag: str
    attributes: Attributes
    link: str | None = None
    metric: str = ""


@frozen(kw_only=True)
class PageTable:
    """Table of a page.

    Parameters
    ----------
    title, caption : str
        Title and the text above the rows.
    heads : tuple of PageCell
        Titles of the columns.
    body, foot : sequence of tuple of PageCell
        Rows, and rows at the end that summarize the others.
    notes : tuple of str
        Footnotes.
    """

    title: str
    caption: str
    heads: tuple[PageCell, ...]
    body: Sequence[tuple[PageCell, ...]]
    foot: Sequence[tuple[PageCell, ...]]
    notes: tuple[str, ...]

    @classmethod
    def of(
        cls,
        table: TextTable,
        directions: Directions | None = None,
        links: ItemLinks = NO_LINKS,
        *,
        is_matrix: bool = False,
        is_stacked: bool = False,
    ) -> PageTable:
        """Return the table with a bar for each share and a whisker for its interval.

        Parameters
        ----------
        table : TextTable
            The table.
        directions : mapping of str to bool or None, optional
            Whether higher is better by metric name. If given, the worst rows by the first column
            with a direction are first.
        links : ItemLinks, optional
            Links of labels, slices and confusions to their items.
        is_matrix : bool
            Whether rows are ground truths and columns are predictions.
        is_stacked : bool
            Whether phones show the cells of a row below each other, each with its column's title.

        Examples
        --------
        >>> shares = TextColumn("F1", numeric=True)
        >>> rows = [["cat", Cell("0.5000", 0.5)], ["dog", Cell("0.7500", 0.75)]]
        >>> PageTable.of(TextTable("Results", ["label", shares], rows)).body[0][1].attributes
        {'scope': None, 'class': 'n bar', 'style': '--share:50.0%'}
        """
        barred = [
            column.bars and _is_share(table.rows, place)
            for place, column in enumerate(table.columns)
        ]
        directions = directions or {}
        sorted_by, body = _worst_first(table, directions)
        metrics = {name.rpartition(".")[2] for name in directions}
        cut = len(body) - table.foot
        rows = [
            _row(
                row, table.columns, barred, _links(row, table, links, is_matrix) if at < cut else ()
            )
            for at, row in enumerate(body)
        ]
        if is_stacked:
            rows = [_titled(row, table.columns) for row in rows]
        heads = [_head(one, sorted_by) for one in table.columns]
        return cls(
            title=table.title,
            caption=table.caption,
            heads=tuple(_with_metric(one, metrics) for one in heads),
            body=[(_with_metric(row[0], metrics), *row[1:]) for row in rows[:cut]],
            foot=rows[cut:],
            notes=table.numbered_notes,
        )

    @property
    def is_long(self) -> bool:
        """True if the table scrolls inside the page."""
        return len(self.body) + len(self.foot) > _LONG


@frozen(kw_only=True)
class Section:
    """Section of a page with drawings and tables.

    Parameters
    ----------
    title : str
        Title of the section.
    anchor : str
        Id of the section, for links.
    figures : tuple of Figure
        Drawings, above the tables.
    tables : tuple of (str, PageTable)
        Tables with their titles, which may be empty.
    numbers : PageTable, optional
        Table that is folded below the drawings.
    """

    title: str
    anchor: str = field()
    figures: tuple[Figure, ...] = ()
    tables: tuple[tuple[str, PageTable], ...] = ()
    numbers: PageTable | None = None

    @anchor.default
    def _anchor(self) -> str:
        return anchor_of(self.title)

    @classmethod
    def of(
        cls, table: TextTable, directions: Directions | None = None, links: ItemLinks = NO_LINKS
    ) -> Section:
        """Return a section of one table, with parameters as for `PageTable.of`."""
        return cls(title=table.title, tables=(("", PageTable.of(table, directions, links)),))


def anchor_of(title: str) -> str:
    """Return the id of a section for links.

    Examples
    --------
    >>> anchor_of("Results by label, ink"), anchor_of("混淆")
    ('results-by-label-ink', '混淆')
    """
    return re.sub(r"\W+", "-", title.casefold()).strip("-") or "section"


_Sorted = tuple[TextColumn, str] | None
"""Column by which the rows are sorted, and the order as ``aria-sort`` names it."""


def _worst_first(
    table: TextTable, directions: Directions
) -> tuple[_Sorted, Sequence[Sequence[Cell]]]:
    """Return the column and the order of the sorted rows; those without a number are last."""
    cut = len(table.rows) - table.foot
    for place, column in enumerate(table.columns):
        higher_is_better = directions.get(column.metric)
        if higher_is_better is None or cut < _FEWEST_SORTED:
            continue
        sign = 1 if higher_is_better else -1
        ranked = sorted(table.rows[:cut], key=partial(_rank, place=place, sign=sign))
        return (column, "ascending" if higher_is_better else "descending"), (
            *ranked,
            *table.rows[cut:],
        )
    return None, table.rows


def _rank(row: Sequence[Cell], place: int, sign: int) -> tuple[bool, float]:
    number = row[place].number
    return (True, 0.0) if number is None else (False, sign * number)


def _head(column: TextColumn, sorted_by: _Sorted) -> PageCell:
    attributes: Attributes = {"scope": "col", "class": "n" if column.numeric else None}
    if sorted_by is not None and column is sorted_by[0]:
        attributes["aria-sort"] = sorted_by[1]
    return PageCell(column.title, "th", attributes)


def _with_metric(cell: PageCell, metrics: Container[str]) -> PageCell:
    """Separate the name in the request from that of its metric: ``mAP50 (mAP)``."""
    found = re.fullmatch(r"(.+?) \((\w+)\)(.*)", cell.text, re.DOTALL)
    if found is None or found[2] not in metrics:
        return cell
    return evolve(cell, text=f"{found[1]}{found[3]}", metric=found[2])


def _titled(cells: Sequence[PageCell], columns: Sequence[TextColumn]) -> tuple[PageCell, ...]:
    """Add the title of its column to each cell but the first."""
    first, *others = cells
    named = [
        evolve(cell, attributes={**cell.attributes, "data-name": column.title})
        for cell, column in zip(others, columns[1:], strict=True)
    ]
    return (first, *named)


def _is_share(rows: Sequence[Sequence[Cell]], place: int) -> bool:
    """Return True if a column contains measures from 0 to 1, which are shown as bars."""
    numbers = [row[place].number for row in rows if row[place].number is not None]
    measured = any("." in row[place].text for row in rows)
    return len(numbers) > 1 and measured and all(0 <= n <= 1 for n in numbers if n is not None)


_NAMES = {"ground truth": "truth"}
"""Columns of items by the column of another table with the same values."""


def _linked(links: ItemLinks, values: Iterable[tuple[str, str]]) -> str | None:
    """Link to the items with values in columns, without the names of missing labels."""
    no_label = (NO_GROUND_TRUTH, NO_PREDICTION)
    kept = {_NAMES.get(title, title): text for title, text in values if text not in no_label}
    return links.to_values(kept)


def _links(
    row: Sequence[Cell], table: TextTable, links: ItemLinks, is_matrix: bool
) -> list[str | None]:
    """Links of the cells of a row to their items."""
    first, *others = row
    titles = [column.title for column in table.columns]
    if is_matrix:
        pairs = zip(titles[1:], others, strict=True)
        shown = [
            [("truth", first.text), ("prediction", to)] if one.number else [] for to, one in pairs
        ]
        return [None, *(_linked(links, pair) for pair in shown)]
    if titles[0] == "label" and (link := links.to_label(first.text)):
        return [link]
    keys = zip(titles[: table.keys], row, strict=False)
    return [_linked(links, ((title, cell.text) for title, cell in keys))]


def _row(
    row: Sequence[Cell],
    columns: Sequence[TextColumn],
    barred: Sequence[bool],
    links: Sequence[str | None] = (),
) -> tuple[PageCell, ...]:
    cells = []
    for place, (cell, column) in enumerate(zip(row, columns, strict=True)):
        bar = barred[place] and cell.number is not None
        ends = cell.interval if bar else None
        names = ("n" if column.numeric else "", "bar" if bar else "", "range" if ends else "")
        attributes: Attributes = {
            "scope": None if place else "row",
            "class": " ".join(filter(None, [*names, cell.tone])) or None,
            "style": f"--share:{cell.number or 0:.1%}{_whisker(ends)}" if bar else None,
        }
        link = links[place] if place < len(links) else None
        cells.append(PageCell(cell.text, "td" if place else "th", attributes, link))
    return tuple(cells)


def _whisker(ends: tuple[float, float] | None) -> str:
    return "" if ends is None else f";--low:{max(ends[0], 0):.1%};--high:{min(ends[1], 1):.1%}"
