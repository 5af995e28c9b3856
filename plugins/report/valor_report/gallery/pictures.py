"""Drawings of items that a gallery returns, and the protocol of a gallery.

A plugin declares its gallery with a `GallerySpec`. `worst_items` finds the worst items, lets the
gallery draw them and writes a page of the pictures, or of texts with marked pieces.
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
        The picture, a PNG file.
    thumbnail : bytes
        A small one for the page, a PNG or JPEG file.
    counts : mapping of str to number
        What its caption counts, such as ``{"missed": 2}``.
    notes : sequence of str
        What else its caption says, such as why there is no background.
    colors : mapping of str to str
        What colors mean in it that not every picture has, such as those of labels: words, with
        the CSS color of each.
    wide : bool
        Whether it is several pictures side by side, which have a row of the page to themselves.

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
class Piece:
    """A piece of a text.

    Parameters
    ----------
    text : str
        What it says.
    meaning : str, optional
        Why it is marked, as the legend has it; None where it is not.
    """

    text: str
    meaning: str | None = None


@frozen
class MarkedTexts:
    """An item that is shown as texts, side by side.

    Parameters
    ----------
    texts : mapping of str to sequence of Piece
        The texts, cut into pieces, by what they are called. The page shows them as they are,
        whatever they hold.
    counts : mapping of str to number
        What its caption counts, such as ``{"missing": 2}``.
    notes : sequence of str
        What else its caption says.
    tables : mapping of str to sequence of mapping
        Tables below the texts, by title; a row has a cell for each of its columns.
    group : str, optional
        What the item belongs to, such as ``"failed"``; where there are several, the page can show
        one of them alone.

    Examples
    --------
    >>> shown = MarkedTexts({"response": [Piece("a "), Piece("b", "extra")]}, {"extra": 1})
    >>> shown.counts["extra"]
    1
    """

    texts: Mapping[str, Sequence[Piece]] = field(repr=False)
    counts: Mapping[str, float]
    notes: Sequence[str] = ()
    tables: Mapping[str, Sequence[Mapping[str, Piece]]] = field(factory=dict, repr=False)
    group: str | None = None


class Gallery(Protocol):
    """Draws the items of a task and says how wrong each of them is.

    A gallery that shows what a metric of the run has found, and does not compute it once more, has
    two more attributes: ``shows``, the metric's full name, and ``take(rows)``, which is called with
    its `ItemRows` before anything is drawn.
    """

    @property
    def legend(self) -> Mapping[str, str]:
        """What the colors mean: words, with the CSS color of each."""

    def errors(self, batch: Any) -> Sequence[float]:
        """How wrong each item of a batch is, in order; 0 for one that nothing is wrong with."""

    def draw(self, batch: Any) -> Picture | MarkedTexts:
        """The picture of the only item of a batch, or its texts."""
