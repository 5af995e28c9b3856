"""Protocol of a gallery, and the pictures and texts that it returns.

A plugin declares its gallery with a `GallerySpec`. The module `worst_items` finds the items with
the most errors, calls the gallery to draw them and writes the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from attrs import field, frozen


@frozen
class Picture:
    """A drawn item.

    Parameters
    ----------
    image : bytes
        PNG file.
    thumbnail : bytes
        PNG or JPEG file in the size of the page.
    counts : mapping of str to number
        Errors of the item for the caption, such as ``{"missed": 2}``.
    notes : sequence of str
        More lines of the caption, such as the reason for a missing background.
    colors : mapping of str to str
        Legend of colors that not every picture has, such as colors of labels: CSS color by word.
    wide : bool
        Whether the picture fills a row of the page, as several images side by side do.

    Examples
    --------
    >>> Picture(b"...", b"...", {"missed": 2}).counts["missed"]
    2
    """

    image: bytes = field(repr=False)
    thumbnail: bytes = field(repr=False)
    counts: Mapping[str, float]
    notes: Sequence[str] = ()
    colors: Mapping[str, str] = field(factory=dict)
    wide: bool = False


@frozen
class MarkedPiece:
    """Part of a text, which may be marked.

    Parameters
    ----------
    text : str
        The text.
    meaning : str, optional
        Word of the legend that sets the color. Without it, the part is not marked.
    """

    text: str
    meaning: str | None = None


@frozen
class MarkedTexts:
    """Item that is shown as texts side by side.

    Parameters
    ----------
    texts : mapping of str to sequence of Piece
        Parts of each text by title. The page escapes HTML and keeps white space.
    counts : mapping of str to number
        Errors of the item for the caption, such as ``{"missing": 2}``.
    notes : sequence of str
        More lines of the caption.
    tables : mapping of str to sequence of mapping
        Tables below the texts by title. A row maps columns to cells.
    group : str, optional
        Group of the item, such as ``"failed"``. With several groups, the page has a filter.

    Examples
    --------
    >>> shown = MarkedTexts({"response": [MarkedPiece("a "),
    ...             MarkedPiece("b", "extra")]}, {"extra": 1})
    >>> shown.counts["extra"]
    1
    """

    texts: Mapping[str, Sequence[MarkedPiece]] = field(repr=False)
    counts: Mapping[str, float]
    notes: Sequence[str] = ()
    tables: Mapping[str, Sequence[Mapping[str, MarkedPiece]]] = field(factory=dict, repr=False)
    group: str | None = None


class Gallery(Protocol):
    """Drawings of a task's items, ranked by their errors.

    A gallery that reuses the item rows of a metric has two more attributes: ``shows``, the full
    name of the metric, and the method ``take(rows)``, which is called with its `ItemRows` before
    the other methods.
    """

    @property
    def legend(self) -> Mapping[str, str]:
        """CSS color of each word in the legend."""

    def errors(self, batch: Any) -> Sequence[float]:
        """Return the errors of each item in a batch; items with 0 errors are not drawn."""

    def draw(self, batch: Any) -> Picture | MarkedTexts:
        """Draw a batch of one item."""
