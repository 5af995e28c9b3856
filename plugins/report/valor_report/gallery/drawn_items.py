"""Drawn items of the reports in memory, so that pages of these reports contain them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from weakref import finalize

from attrs import evolve, field, frozen

from valor_core.results.report import ItemTable
from valor_report.gallery.gallery_page import GalleryItem
from valor_report.gallery.pictures import MarkedTexts, Picture


@frozen
class DrawnItems:
    """Pictures or texts of the worst items of a run.

    Parameters
    ----------
    pictures : mapping of str to Picture or MarkedTexts
        Drawings by uid. Pictures have thumbnails only.
    legend : mapping of str to str
        CSS color of each word in the legend.
    """

    pictures: Mapping[str, Picture | MarkedTexts] = field(factory=dict)
    legend: Mapping[str, str] = field(factory=dict)


_DRAWN: dict[int, DrawnItems] = {}
"""Drawn items by the identity of the rows of their items; they are removed with the rows."""


def keep_drawn(
    tables: Iterable[ItemTable], entries: Iterable[GalleryItem], legend: Mapping[str, str]
) -> None:
    """Keep the drawn items of a run as long as the rows of its items.

    Parameters
    ----------
    tables : iterable of ItemTable
        Rows of the items.
    entries : iterable of GalleryItem
        Drawn items.
    legend : mapping of str to str
        CSS color of each word in the legend.

    Examples
    --------
    >>> from valor_core.results import ItemRow, ItemRows
    >>> table = ItemTable("text.ROUGE@1", {}, ItemRows.of([ItemRow("a", 0.5)]))
    >>> keep_drawn([table], [GalleryItem("1.png", "a", Picture(b"", b"", {"missed": 1}))], {})
    >>> drawn_items([table]).pictures["a"].counts
    {'missed': 1}
    """
    found = DrawnItems({str(one.uid): _small(one.picture) for one in entries}, dict(legend))
    for table in tables:
        if id(table.rows) not in _DRAWN:
            finalize(table.rows, _DRAWN.pop, id(table.rows))
        _DRAWN[id(table.rows)] = found


def drawn_items(tables: Iterable[ItemTable]) -> DrawnItems:
    """Return the drawn items of the run that made the rows of items; empty if there are none."""
    found = (_DRAWN.get(id(table.rows)) for table in tables)
    return next((one for one in found if one is not None), DrawnItems())


def _small(picture: Picture | MarkedTexts) -> Picture | MarkedTexts:
    return evolve(picture, image=b"") if isinstance(picture, Picture) else picture
