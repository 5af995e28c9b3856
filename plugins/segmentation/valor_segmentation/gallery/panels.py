"""Panels: pictures side by side under their titles, with a line below that explains colors."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import frozen
from PIL import Image, ImageDraw, ImageFont

SHORTEST, LONGEST = 320, 640
"""Limits of the longer side of a panel, in pixels; pictures are enlarged or reduced to them."""

THUMBNAIL = (1280, 640)
"""Largest width and height of a small picture, several panels side by side."""
_GAP, _LETTER = 8, 16
_PAPER, _INK = "#1c2024", "#ffffff"


@frozen
class Panel:
    """A picture and its title.

    Parameters
    ----------
    title : str
        What stands above it.
    image : Image or ndarray of uint8, shape (height, width, 3)
        The picture.
    """

    title: str
    image: Any


def scaled(height: int, width: int) -> tuple[int, int]:
    """Width and height of the panel that shows an image of some size.

    Examples
    --------
    >>> scaled(10, 20), scaled(1280, 640)
    ((320, 160), (320, 640))
    """
    longest = max(height, width, 1)
    # Enlarged by a whole number, every pixel of the data is a square of the picture.
    scale = max(math.ceil(SHORTEST / longest), 1) * min(LONGEST / longest, 1)
    return max(round(width * scale), 1), max(round(height * scale), 1)


def sheet(
    rows: Sequence[Sequence[Panel]], size: tuple[int, int], legend: Sequence[tuple[str, str]]
) -> Image.Image:
    """Rows of panels of one size, and what colors mean below them.

    Parameters
    ----------
    rows : sequence of sequence of Panel
        The panels.
    size : (int, int)
        Width and height of each.
    legend : sequence of (str, str)
        Words, with the color of each; there may be none.

    Examples
    --------
    >>> panel = Panel("true", np.zeros((4, 4, 3), np.uint8))
    >>> sheet([[panel, panel]], (40, 40), [("dog", "#ff0000")]).size[0]
    104
    """
    font = ImageFont.load_default(_LETTER)
    title = _LETTER * 2
    width = max(len(row) for row in rows) * (size[0] + _GAP) + _GAP
    lines = _lines(legend, font, width)
    high = len(rows) * (size[1] + title) + _GAP + len(lines) * title
    whole = Image.new("RGB", (width, high), _PAPER)
    pen = ImageDraw.Draw(whole)
    for i, row in enumerate(rows):
        for j, panel in enumerate(row):
            corner = (_GAP + j * (size[0] + _GAP), title + i * (size[1] + title))
            whole.paste(_resized(panel.image, size), corner)
            middle = (corner[0], corner[1] - title / 2)
            pen.text(middle, panel.title, fill=_INK, font=font, anchor="lm")
    top = high - len(lines) * title
    for number, line in enumerate(lines):
        middle_y = top + (number + 0.5) * title
        for x, words, color in line:
            half = _LETTER * 0.4
            pen.rectangle((x, middle_y - half, x + 2 * half, middle_y + half), fill=color)
            pen.text((x + _LETTER * 1.2, middle_y), words, fill=_INK, font=font, anchor="lm")
    return whole


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    """The image as a file.

    Examples
    --------
    >>> encoded(Image.new("RGB", (1, 1)), "PNG")[1:4]
    b'PNG'
    """
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def thumbnail(image: Image.Image) -> bytes:
    """The image, small, as a JPEG file."""
    small = image.copy()
    small.thumbnail(THUMBNAIL)
    return encoded(small, "JPEG", quality=82)


def _lines(
    legend: Sequence[tuple[str, str]], font: Any, width: int
) -> list[list[tuple[float, str, str]]]:
    """Where the words of each line begin; a line that is full is followed by another."""
    lines: list[list[tuple[float, str, str]]] = []
    x = math.inf
    for words, color in legend:
        long = _LETTER * 2.4 + font.getlength(words)
        if x + long > width:
            lines.append([])
            x = _GAP
        lines[-1].append((x, words, color))
        x += long
    return lines


def _resized(image: Any, size: tuple[int, int]) -> Image.Image:
    picture = Image.fromarray(image) if isinstance(image, np.ndarray) else image
    if 0 in picture.size:
        return Image.new("RGB", size)
    is_larger = size[0] >= picture.width
    is_drawn = isinstance(image, np.ndarray)
    way = Image.Resampling.NEAREST if is_larger or is_drawn else Image.Resampling.LANCZOS
    return picture.convert("RGB").resize(size, way)
