"""Tables, pages, plots, comparisons and galleries of Valor reports.

Examples
--------
>>> from valor_report import Cell, TextTable
>>> print(TextTable("Colors", ["name", "share"], [["red", Cell("0.5")]]).plain())
Colors
<BLANKLINE>
name  share
----  -----
red   0.5
"""

from typing import TYPE_CHECKING

from valor_core.plugin import published_later

if TYPE_CHECKING:
    from valor_report.comparison import Comparison, compare
    from valor_report.gallery.pictures import Gallery, MarkedTexts, Picture, Piece
    from valor_report.tables.text_table import (
        MISSING,
        Cell,
        TextColumn,
        TextTable,
        number_text,
    )

__all__ = [
    "MISSING",
    "Cell",
    "Comparison",
    "Gallery",
    "MarkedTexts",
    "Picture",
    "Piece",
    "TextColumn",
    "TextTable",
    "compare",
    "number_text",
]

_LATER = {
    "comparison": ("Comparison", "compare"),
    "gallery.pictures": ("Gallery", "MarkedTexts", "Picture", "Piece"),
    "tables.text_table": ("MISSING", "Cell", "TextColumn", "TextTable", "number_text"),
}

if not TYPE_CHECKING:  # which would take any name for one of this module
    __getattr__, __dir__ = published_later(__name__, _LATER)
