"""Pictures side by side under titles, with a legend."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import frozen
from PIL import Image, ImageDraw, ImageFont

from valor_report.drawing.images import magnification

SHORTEST, LONGEST = 320, 640
"""Range of the longer side of a panel, in pixels."""

_GAP, _LETTER = 8, 16
_PAPER, _INK = "#1c2024", "#ffffff"


@frozen
class Panel:
    """Picture with a title.

    Parameters
    ----------
    title : str
        Text above the picture.
    image : Image or ndarray of uint8, shape (height, width, 3)
        Picture.
    """

    title: str
    image: Any


def panel_size(height: int, width: int) -> tuple[int, int]:
    """Return width and height of the panel of an image.

    Examples
    --------
    >>> panel_size(10, 20), panel_size(1280, 640)
    ((320, 160), (320, 640))
    """
    scale = magnification(height, width, SHORTEST, LONGEST)
    return max(round(width * scale), 1), max(round(height * scale), 1)


def panel_sheet(
    rows: Sequence[Sequence[Panel]], size: tuple[int, int], legend: Sequence[tuple[str, str]]
) -> Image.Image:
    """Draw rows of panels of one size, and a legend below.

    Parameters
    ----------
    rows : sequence of sequence of Panel
        Panels.
    size : (int, int)
        Width and height of a panel.
    legend : sequence of (str, str)
        Pairs of a text and its color. May be empty.

    Examples
    --------
    >>> panel = Panel("true", np.zeros((4, 4, 3), np.uint8))
    >>> panel_sheet([[panel, panel]], (40, 40), [("dog", "#ff0000")]).size[0]
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


def _lines(
    legend: Sequence[tuple[str, str]], font: Any, width: int
) -> list[list[tuple[float, str, str]]]:
    """Break the legend into lines, and return the position of each text."""
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
