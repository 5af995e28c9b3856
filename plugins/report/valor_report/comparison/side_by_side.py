"""Answers of two models to the items that changed most, side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from valor_report.comparison.item_changes import ItemChange, Prediction
from valor_report.gallery.pictures import MarkedPiece, MarkedTexts, Picture
from valor_report.tables.text_table import number_text

if TYPE_CHECKING:
    from valor_report.comparison.two_reports import Comparison

MOST_PAIRS = 12
"""Maximum number of items side by side."""

_SHORT = 40
_MOST_WORDS = 3_000
_PARTS = re.compile(r"\s+|\w+|[^\w\s]")

CHANGED = "changed"
"""Meaning of words that only one of two texts has."""


@frozen
class Side:
    """Answer of one model.

    Parameters
    ----------
    name : str
        Name of the report.
    about : str
        Value, score and error in words.
    image : bytes, optional
        Thumbnail of a picture.
    pieces : sequence of MarkedPiece
        Parts of a text; those that the other model does not have are marked.
    notes : sequence of str
        Remarks of the gallery.
    wide : bool
        Whether the picture has several images side by side.
    """

    name: str
    about: str
    image: bytes | None = None
    pieces: Sequence[MarkedPiece] = ()
    notes: Sequence[str] = ()
    wide: bool = False

    @property
    def is_small(self) -> bool:
        """True for a picture of which several fit into a row."""
        return self.image is not None and not self.wide


@frozen
class ItemPair:
    """Item with the answers of both models.

    Parameters
    ----------
    change : ItemChange
        The item.
    sides : tuple of Side
        Answer of the first and of the second model.
    shared : tuple of (str, str)
        Texts of the item that both reports have, with their titles.
    """

    change: ItemChange
    sides: tuple[Side, Side]
    shared: tuple[tuple[str, str], ...] = ()


def item_pairs(found: Comparison, names: Sequence[str]) -> list[ItemPair]:
    """Return the items that changed most, with drawings, or texts of some length.

    Parameters
    ----------
    found : Comparison
        Comparison of two reports.
    names : sequence of str
        Names of the reports.
    """
    if found.items is None:
        return []
    pairs = []
    for change in found.items.most_changed(MOST_PAIRS):
        drawn = found.drawings.items.get(change.uid)
        pictures = tuple(one.picture for one in drawn) if drawn else ()
        pair = _pictures(change, names, pictures) or _texts(change, names)
        pair = pair or _marked(change, names, pictures)
        if pair is not None:
            pairs.append(pair)
    return pairs


def changed_words(first: str, second: str) -> tuple[list[MarkedPiece], list[MarkedPiece]]:
    """Return both texts in parts; words that only one of them has, in their order, are marked.

    Examples
    --------
    >>> before, after = changed_words("a red car", "a blue car")
    >>> [(piece.text, piece.meaning) for piece in after]
    [('a ', None), ('blue', 'changed'), (' car', None)]
    """
    parts = [_PARTS.findall(text) for text in (first, second)]
    if max(map(len, parts)) > _MOST_WORDS:
        return [MarkedPiece(first)], [MarkedPiece(second)]
    blocks = SequenceMatcher(None, parts[0], parts[1], autojunk=False).get_matching_blocks()
    kept = [{start + step for start, step in _steps(blocks, side)} for side in (0, 1)]
    before, after = (
        [
            MarkedPiece("".join(text for _, text in group), None if is_kept else CHANGED)
            for is_kept, group in groupby(
                enumerate(each),
                lambda one, kept=common: one[0] in kept,  # type: ignore[misc]
            )
        ]
        for each, common in zip(parts, kept, strict=True)
    )
    return before, after


def _steps(blocks: Sequence[Sequence[int]], side: int) -> Iterator[tuple[int, int]]:
    for block in blocks:
        yield from ((block[side], step) for step in range(block[2]))


def _pictures(
    change: ItemChange, names: Sequence[str], drawn: Sequence[Picture | MarkedTexts]
) -> ItemPair | None:
    """Sides of pictures; None without any."""
    sides = []
    predictions = (change.first, change.second)
    for name, prediction, one in zip(names, predictions, drawn, strict=False):
        if isinstance(one, Picture):
            counts = [f"{word} {n:,}" for word, n in one.counts.items() if n]
            about = ", ".join([_value(prediction), *counts]) if counts else _about(prediction)
            sides.append(Side(name, about, image=one.thumbnail, notes=one.notes, wide=one.wide))
    return ItemPair(change, (sides[0], sides[1])) if len(sides) == 2 else None


def _texts(change: ItemChange, names: Sequence[str]) -> ItemPair | None:
    """Sides of predictions that are texts; None for short ones, which a table shows."""
    first, second = change.first.text, change.second.text
    if max(len(first), len(second)) <= _SHORT:
        return None
    pieces = changed_words(first, second)
    return _pair(change, names, pieces)


def _marked(
    change: ItemChange, names: Sequence[str], drawn: Sequence[Picture | MarkedTexts]
) -> ItemPair | None:
    """Sides of texts of a gallery: those that differ side by side, the others once."""
    first, second = (
        {title: "".join(piece.text for piece in pieces) for title, pieces in one.texts.items()}
        for one in (drawn if len(drawn) == 2 else (MarkedTexts({}, {}), MarkedTexts({}, {})))
        if isinstance(one, MarkedTexts)
    )
    titles = list(dict.fromkeys([*first, *second]))
    differing = [title for title in titles if first.get(title) != second.get(title)]
    before, after = list[MarkedPiece](), list[MarkedPiece]()
    for title in differing:
        one, two = changed_words(first.get(title, ""), second.get(title, ""))
        head = [MarkedPiece(f"{title}: ")] if len(differing) > 1 else []
        before += [*head, *one, MarkedPiece("\n")]
        after += [*head, *two, MarkedPiece("\n")]
    if not titles:
        return None
    shared = tuple((title, first[title]) for title in titles if title not in differing)
    return evolve(_pair(change, names, (before, after)), shared=shared)


def _pair(
    change: ItemChange,
    names: Sequence[str],
    pieces: tuple[Sequence[MarkedPiece], Sequence[MarkedPiece]],
) -> ItemPair:
    one, two = (
        Side(name, _about(prediction), pieces=each)
        for name, prediction, each in zip(names, (change.first, change.second), pieces, strict=True)
    )
    return ItemPair(change, (one, two))


def _about(prediction: Prediction) -> str:
    score = "" if prediction.score is None else f"score {number_text(prediction.score)}"
    return ", ".join(filter(None, [_value(prediction), score, prediction.wrong]))


def _value(prediction: Prediction) -> str:
    return "" if prediction.value is None else number_text(prediction.value)
