"""HTML page of a gallery's pictures or texts.

Thumbnails are embedded and link to picture files in the same folder. The page has no scripts and
loads nothing from the network.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from attrs import frozen

from valor_core.errors import printable_lines
from valor_core.schemas import Uid
from valor_report.gallery.pictures import MarkedPiece, MarkedTexts, Picture
from valor_report.pages.assets import STYLE

_MARK = '<meta name="generator" content="Valor gallery">'
_PICTURE = re.compile(r'<a href="(\d{3,}-[A-Za-z0-9_-]*\.png)">')

_GALLERY_STYLE = """
.legend { display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 14px 0 0; padding: 0;
  list-style: none; font-size: 14px; }
.legend i { display: inline-block; width: 14px; height: 14px; margin-right: 7px;
  border-radius: 3px; vertical-align: -2px; }
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
.texts { display: grid; gap: 1px; background: var(--line);
  grid-template-columns: repeat(auto-fit, minmax(min(320px, 100%), 1fr)); }
.texts div { padding: 12px 16px; background: var(--sheet); }
.texts h3 { margin: 0 0 4px; font-size: 12px; font-weight: 500; color: var(--soft); }
.texts p { white-space: pre-wrap; overflow-wrap: anywhere; }
.texts mark, .below mark { color: #1c2024; border-radius: 3px; }
.below { padding: 0 16px 12px; overflow-x: auto; }
.below h3 { margin: 12px 0 4px; font-size: 12px; font-weight: 500; color: var(--soft); }
.below td { white-space: pre-wrap; overflow-wrap: anywhere; min-width: 60px; }
.below mark { padding: 0 6px; }
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
    labels = dict(pair for one in entries for pair in _colors(one))
    groups = Counter(group for one in entries if (group := _group(one)) is not None)
    numbers = {group: number for number, group in enumerate(groups, 1)}
    title = f"Gallery: {escape(task)}"
    return printable_lines(
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'{_MARK}\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}{_GALLERY_STYLE}{_rules(numbers)}</style>\n</head>\n<body>\n<main>\n"
        f'<header>\n<h1>{title}</h1>\n<p class="sub">{about}</p>\n'
        f"{_legend(legend)}{_legend(labels)}{_choice(groups, numbers)}</header>\n"
        f'<div class="wall">\n'
        f"{chr(10).join(_figure(one, legend, numbers) for one in entries)}\n</div>\n"
        "</main>\n</body>\n</html>\n"
    )


def is_gallery_page(page: Path) -> bool:
    """Return True if a file is the page of a gallery."""
    return _MARK in page.read_text(encoding="utf-8", errors="replace")[:500]


def pictures(page: Path) -> list[str]:
    """Names of the picture files of a page."""
    return _PICTURE.findall(page.read_text(encoding="utf-8"))


def _colors(entry: GalleryItem) -> Iterable[tuple[str, str]]:
    """Legend of a single picture."""
    return entry.picture.colors.items() if isinstance(entry.picture, Picture) else ()


def _legend(colors: Mapping[str, str]) -> str:
    keys = "".join(
        f'<li><i style="background: {escape(color)}"></i>{escape(words)}</li>'
        for words, color in colors.items()
    )
    return f'<ul class="legend">{keys}</ul>\n' if colors else ""


def _group(entry: GalleryItem) -> str | None:
    return entry.picture.group if isinstance(entry.picture, MarkedTexts) else None


def _choice(groups: Mapping[str, int], numbers: Mapping[str, int]) -> str:
    """Radio buttons that filter the items by group, if there are several."""
    if len(groups) < 2:
        return ""
    titles = ["all", *(f"{group} ({count:,})" for group, count in groups.items())]
    choices = "".join(
        f'<label><input type="radio" name="group" id="g{number}"{"" if number else " checked"}> '
        f"{escape(title)}</label>"
        for number, title in zip([0, *numbers.values()], titles, strict=True)
    )
    return f'<div class="groups">{choices}</div>\n'


def _rules(numbers: Mapping[str, int]) -> str:
    """CSS rules that hide the figures of unselected groups."""
    return "".join(
        f"main:has(#g{number}:checked) figure:not(.g{number}) {{ display: none; }}\n"
        for number in numbers.values()
        if len(numbers) > 1
    )


def _figure(entry: GalleryItem, legend: Mapping[str, str], numbers: Mapping[str, int]) -> str:
    picture = entry.picture
    counts = " ".join(
        f"<span>{escape(word)} {n:,}</span>" for word, n in picture.counts.items() if n
    )
    notes = "".join(f"<small>{escape(note)}</small>" for note in picture.notes)
    uid = escape(str(entry.uid), quote=True)
    caption = f"<figcaption><b>{uid}</b><div>{counts}</div>{notes}</figcaption>"
    if isinstance(picture, MarkedTexts):
        columns = (
            f"<div><h3>{escape(title)}</h3><p>{''.join(_piece(one, legend) for one in pieces)}</p>"
            "</div>"
            for title, pieces in picture.texts.items()
        )
        group = "" if picture.group is None else f' class="g{numbers[picture.group]}"'
        tables = "".join(
            f"<h3>{escape(title)}</h3>{_table(rows, legend)}"
            for title, rows in picture.tables.items()
        )
        below = f'<div class="below">{tables}</div>' if tables else ""
        texts = f'<div class="texts">{"".join(columns)}</div>'
        return f"<figure{group}>{texts}{below}{caption}</figure>"
    wide = ' class="wide"' if picture.wide else ""
    return (
        f'<figure{wide}><a href="{entry.file}">'
        f'<img alt="{uid}" src="{_data(picture.thumbnail)}"></a>{caption}</figure>'
    )


def _table(rows: Sequence[Mapping[str, MarkedPiece]], legend: Mapping[str, str]) -> str:
    columns = list(dict.fromkeys(column for row in rows for column in row))
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    lines = (
        "".join(
            f"<td>{_piece(row[column], legend) if column in row else ''}</td>" for column in columns
        )
        for row in rows
    )
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _piece(piece: MarkedPiece, legend: Mapping[str, str]) -> str:
    text = escape(piece.text)
    if piece.meaning is None:
        return text
    color, meaning = escape(legend[piece.meaning]), escape(piece.meaning)
    return f'<mark title="{meaning}" style="background: {color}">{text}</mark>'


def _data(image: bytes) -> str:
    """Data URL of an image."""
    kind = "jpeg" if image.startswith(b"\xff\xd8") else "png"
    return f"data:image/{kind};base64,{b64encode(image).decode('ascii')}"
