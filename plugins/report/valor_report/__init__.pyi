from valor_report.baselines import interval_settings
from valor_report.comparison.two_reports import Comparison, compare
from valor_report.drawing.canvas import Canvas
from valor_report.drawing.images import image_bytes, thumbnail
from valor_report.drawing.panels import Panel, panel_sheet, panel_size
from valor_report.drawing.photos import check_photo_folder, photo
from valor_report.gallery.pictures import Gallery, MarkedPiece, MarkedTexts, Picture
from valor_report.item_file import load_report
from valor_report.requirements import parse_requirements
from valor_report.scalar_keys import scalars
from valor_report.selection import select
from valor_report.tables.sections import requirement_table
from valor_report.tables.slice_tables import WorstSlice, worst_slices
from valor_report.tables.text_table import MISSING, Cell, TextColumn, TextTable, number_text
from valor_report.text import troubles

__all__ = [
    "MISSING",
    "Canvas",
    "Cell",
    "Comparison",
    "Gallery",
    "MarkedPiece",
    "MarkedTexts",
    "Panel",
    "Picture",
    "TextColumn",
    "TextTable",
    "WorstSlice",
    "check_photo_folder",
    "compare",
    "image_bytes",
    "interval_settings",
    "load_report",
    "number_text",
    "panel_sheet",
    "panel_size",
    "parse_requirements",
    "photo",
    "requirement_table",
    "scalars",
    "select",
    "thumbnail",
    "troubles",
    "worst_slices",
]
