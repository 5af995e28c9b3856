"""Approximate heights of the parts of a page on a wide screen, in pixels.

The first part of a page has two columns. Tables are listed below the shorter one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate

from valor_report.pages.headline import Card
from valor_report.pages.page_tables import PageCell, PageTable, Section
from valor_report.plots.charts import Drawing, Figure
from valor_report.tables.text_table import width

_LEFT, _RIGHT = 740.0, 560.0
"""Widths of the columns."""
_ROW = 32.0
_MOST_TABLE = 720.0
"""Height from which a table scrolls."""
_LINE = 21.0
_PADDING = 88.0
"""Border, padding and title of a section, and the space below it."""
_AXES = 90.0
"""Titles and ticks of the axes of a chart."""
_CARDS_IN_ROW = 4
_SLACK = 80.0
"""Height by which the left column may be taller than the right one."""


def fitting(sections: Iterable[Section], room: float) -> list[Section]:
    """Return the first sections of tables that fit below each other in the left column.

    Parameters
    ----------
    sections : iterable of Section
        Sections of a page. Those with drawings are left out.
    room : float
        Height that is left in the column.

    Examples
    --------
    >>> from valor_report.tables.text_table import TextTable
    >>> sections = [Section.of(TextTable(title, ["label"], [["cat"]] * 5)) for title in "abc"]
    >>> [one.title for one in fitting(sections, 500)], fitting(sections, 50)
    (['a', 'b'], [])
    """
    tables = [one for one in sections if not one.figures]
    ends = accumulate(section_height(one) if _is_narrow(one) else float("inf") for one in tables)
    count = sum(end <= room + _SLACK for end in ends)
    return tables[:count] if room > _SLACK else []


def section_height(section: Section) -> float:
    """Approximate height of a section."""
    drawn = sum(map(_figure_height, section.figures))
    tables = sum(map(_table_height, (table for _, table in section.tables)))
    return _PADDING + drawn + tables + (_ROW if section.numbers else 0.0)


def summary_height(cards: Sequence[Card], texts: Sequence[str]) -> float:
    """Approximate height of cards and a list of texts below them.

    Examples
    --------
    >>> summary_height([], []) < summary_height([], ["Lowest F1: cat"])
    True
    """
    tall = max(map(_card_height, cards), default=0.0)
    rows = -(-len(cards) // _CARDS_IN_ROW)
    lines = sum(1 + width(text) // 95 for text in texts)
    listed = _PADDING + _LINE * lines + 13 * len(texts) if texts else 0.0
    return tall * rows + listed


def _card_height(card: Card) -> float:
    # an interval is below its number
    lines = -(-width(card.about) // 24) + -(-(width(card.name) + width(card.metric)) // 22)
    return 70.0 + 17.0 * lines + (20.0 if card.half else 0.0)


def _table_height(table: PageTable) -> float:
    rows = _ROW * (1 + len(table.body) + len(table.foot))
    notes = _LINE * len(table.notes)
    return min(rows, _MOST_TABLE) + notes + (_LINE if table.caption else 0.0)


def _figure_height(figure: Figure) -> float:
    # a canvas is a square with a line below it
    canvas = 0.0 if figure.canvas is None else _RIGHT + 2 * _LINE
    return canvas + sum(map(_drawing_height, figure.drawings))


def _drawing_height(drawing: Drawing) -> float:
    across = sum(chart.width + _AXES for chart in drawing.charts)
    tall = max((chart.height + _AXES for chart in drawing.charts), default=0.0)
    scale = _RIGHT / across if across else 1.0
    return tall * (scale if drawing.has_full_width else min(scale, 1.0))


def _is_narrow(section: Section) -> bool:
    """Return True if no table of a section has to scroll sideways in the left column."""
    return all(_table_width(table) <= _LEFT for _, table in section.tables)


def _table_width(table: PageTable) -> float:
    rows = [table.heads, *table.body, *table.foot]
    return sum(20.0 + 7.5 * max(map(_cell_width, column)) for column in zip(*rows, strict=True))


def _cell_width(cell: PageCell) -> int:
    # bars have a fixed width
    return max(width(cell.text) + width(cell.metric), 12 if "style" in cell.attributes else 0)
