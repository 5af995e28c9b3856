"""Answers of two models to the items that changed most, side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import TYPE_CHECKING

from attrs import frozen

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
    """

    name: str
    about: str
    image: bytes | None = None
    pieces: Sequence[MarkedPiece] = ()
    notes: Sequence[str] = ()


@frozen
class ItemPair:
    """Item with the answers of both models.

    Parameters
    ----------
    change : ItemChange
        The item.
    sides : tuple of Side
        Answer of the first and of the second model.
    """

    change: ItemChange
    sides: tuple[Side, Side]


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
        drawn = found.drawings.get(change.uid)
        sides = _drawn(change, names, *drawn) if drawn else _texts(change, names)
        if sides is not None:
            pairs.append(ItemPair(change, sides))
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


def _texts(change: ItemChange, names: Sequence[str]) -> tuple[Side, Side] | None:
    """Sides of predictions that are texts; None for short ones, which a table shows."""
    first, second = change.first.text, change.second.text
    if max(len(first), len(second)) <= _SHORT:
        return None
    pieces = changed_words(first, second)
    return (
        Side(names[0], _about(change.first), pieces=pieces[0]),
        Side(names[1], _about(change.second), pieces=pieces[1]),
    )


def _drawn(
    change: ItemChange,
    names: Sequence[str],
    first: Picture | MarkedTexts,
    second: Picture | MarkedTexts,
) -> tuple[Side, Side]:
    predictions = (change.first, change.second)
    one, two = (
        _side(name, prediction, drawn)
        for name, prediction, drawn in zip(names, predictions, (first, second), strict=True)
    )
    return one, two


def _side(name: str, prediction: Prediction, drawn: Picture | MarkedTexts) -> Side:
    about = _about(prediction)
    if isinstance(drawn, Picture):
        counts = ", ".join(f"{word} {n:,}" for word, n in drawn.counts.items() if n)
        words = ", ".join(filter(None, [about, counts]))
        return Side(name, words, image=drawn.thumbnail, notes=drawn.notes)
    titled = [
        piece
        for title, pieces in drawn.texts.items()
        for piece in (MarkedPiece(f"{title}: "), *pieces, MarkedPiece("\n"))
    ]
    return Side(name, about, pieces=titled, notes=drawn.notes)


def _about(prediction: Prediction) -> str:
    words = [] if prediction.value is None else [number_text(prediction.value)]
    words += [] if prediction.score is None else [f"score {number_text(prediction.score)}"]
    return ", ".join([*words, *([prediction.wrong] if prediction.wrong else [])])
