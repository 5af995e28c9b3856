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

from valor_core.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(__name__)
