"""HTML page of a gallery's pictures or texts.

Thumbnails are embedded and link to picture files in the same folder. The page has no scripts and
loads nothing from the network.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from attrs import frozen

from valor_core.schemas import Uid
from valor_report.gallery.pictures import MarkedPiece, MarkedTexts, Picture
from valor_report.pages.templates import render

_GENERATOR = "Valor gallery"
_PICTURE = re.compile(r' href="(\d{3,}-[A-Za-z0-9_-]*\.png)">')

_STYLE = """
.wall { display: grid; grid-template-columns: repeat(auto-fill, minmax(250px, 1fr)); gap: 20px;
  margin-top: 24px; }
.wall figure { display: flex; flex-direction: column; max-width: none; background: var(--sheet);
  border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }
.wall a { display: block; background: var(--paper); border-bottom: 1px solid var(--line); }
.wall a:focus-visible { outline: 3px solid var(--accent); outline-offset: -3px; }
.wall img { width: 100%; max-height: 400px; object-fit: contain; display: block; }
.wall .wide { grid-column: 1 / -1; }
.wall figcaption { margin: 0; padding: 10px 14px 13px; }
.wall b { overflow-wrap: anywhere; }
.wall span { margin-right: 14px; white-space: nowrap; font-variant-numeric: tabular-nums; }
.wall small { display: block; margin-top: 4px; font-size: 12px; overflow-wrap: anywhere; }
.wall figure:has(.texts) { grid-column: 1 / -1; }
.groups { display: flex; flex-wrap: wrap; gap: 4px 18px; margin-top: 14px; font-size: 14px; }
@media print { .groups { display: none; } }
@media print { .wall a { break-inside: avoid; } }
"""


@frozen
class GalleryItem:
    """Item on the page.

    Parameters
    ----------
    file : str or None
        File name of the picture; None for texts.
    uid : str or int
        Uid of the item.
    picture : Picture or MarkedTexts
        Drawing of the item.
    """

    file: str | None
    uid: Uid
    picture: Picture | MarkedTexts


def html(entries: Sequence[GalleryItem], legend: Mapping[str, str], task: str) -> str:
    """Render the page of a gallery.

    Parameters
    ----------
    entries : sequence of GalleryItem
        Items, most errors first.
    legend : mapping of str to str
        CSS color of each word in the legend.
    task : str
        Task of the items.

    Examples
    --------
    >>> picture = Picture(b"", b"", {"missed": 2})
    >>> page = html([GalleryItem("001-a.png", "a", picture)], {"missed": "gold"}, "detection")
    >>> 'href="001-a.png"' in page, "missed 2" in page, "<script" in page
    (True, True, False)
    """
    count = len(entries)
    about = (
        f"The {count:,} item{'' if count == 1 else 's'} with the most errors, the worst first"
        if count
        else "No item has an error"
    )
    groups = Counter(group for one in entries if (group := _group(one)) is not None)
    numbers = {group: f"g{number}" for number, group in enumerate(groups, 1)}
    return render(
        "gallery.html",
        style=f"{_STYLE}{_rules(numbers.values())}",
        script="",
        generator=_GENERATOR,
        title=f"Gallery: {task}",
        about=about,
        legend=legend,
        labels=dict(pair for one in entries for pair in _colors(one)),
        groups=groups,
        numbers=numbers,
        entries=entries,
        address=data_url,
        columns=columns_of,
    )


def is_gallery_page(page: Path) -> bool:
    """Return True if a file is the page of a gallery."""
    head = page.read_text(encoding="utf-8", errors="replace")[:500]
    return f'content="{_GENERATOR}"' in head


def pictures(page: Path) -> list[str]:
    """Names of the picture files of a page."""
    return _PICTURE.findall(page.read_text(encoding="utf-8"))


def _colors(entry: GalleryItem) -> Iterable[tuple[str, str]]:
    """Legend of a single picture."""
    return entry.picture.colors.items() if isinstance(entry.picture, Picture) else ()


def _group(entry: GalleryItem) -> str | None:
    return entry.picture.group if isinstance(entry.picture, MarkedTexts) else None


def _rules(names: Collection[str]) -> str:
    """CSS rules that hide the figures of unselected groups."""
    return "".join(
        f"main:has(#{name}:checked) figure:not(.{name}) {{ display: none; }}\n"
        for name in names
        if len(names) > 1
    )


def columns_of(rows: Sequence[Mapping[str, MarkedPiece]]) -> list[str]:
    """Return the columns of a table, in the order of their first cells."""
    return list(dict.fromkeys(column for row in rows for column in row))


def data_url(image: bytes) -> str:
    """Return an image as an address that contains it."""
    kind = "jpeg" if image.startswith(b"\xff\xd8") else "png"
    return f"data:image/{kind};base64,{b64encode(image).decode('ascii')}"
