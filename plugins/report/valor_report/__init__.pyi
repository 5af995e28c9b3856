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
