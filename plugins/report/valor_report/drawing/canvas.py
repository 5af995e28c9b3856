"""Canvas for shapes and words over an image."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont, ImageOps

from valor_core.schemas.geometry import Box, Geometry, Mask, Shapes
from valor_core.schemas.geometry.shapes import polygons_of
from valor_report.drawing.images import image_bytes, magnification, thumbnail

Point = tuple[float, float]
Span = tuple[float, float, float, float]

SHORTEST, LONGEST = 800, 1600
"""Range of the longer side of a picture, in pixels."""

THUMBNAIL = 420
"""Maximum width and height of a thumbnail."""
_PAPER = "#e9ebee"
_FOOT, _INK = "#1c2024", "#ffffff"
_DASH, _GAP = 9, 6


class Canvas:
    """Image to draw on, in the coordinates of the data.

    Parameters
    ----------
    width, height : float
        Size in pixels of the data.
    image : Image, optional
        Background. Grey by default.

    Examples
    --------
    >>> canvas = Canvas(4, 2)
    >>> canvas.outline(Box(0, 0, 2, 1), "#d62728")
    >>> canvas.png()[1:4]
    b'PNG'
    """

    def __init__(self, width: float, height: float, image: Any = None) -> None:
        self.scale = magnification(height, width, SHORTEST, LONGEST)
        size = (math.ceil(width * self.scale) or 1, math.ceil(height * self.scale) or 1)
        self.image = Image.new("RGB", size, _PAPER) if image is None else _resized(image, size)
        self._letter = max(15, max(size) // 55)
        self._font = ImageFont.load_default(self._letter)
        self._words: list[Span] = []

    def outline(
        self, geometry: Geometry, color: str, *, width: int = 3, dashed: bool = False
    ) -> None:
        """Draw the outline of a shape."""
        if isinstance(geometry, Mask):
            area, corner = self._pixels(geometry)
            self.image.paste(color, corner, _edge(area, width, dashed=dashed))
            return
        pen = ImageDraw.Draw(self.image)
        for ring in self._rings(geometry):
            closed = [*ring, ring[0]]
            lines = list(_dashes(closed, self.image.size)) if dashed else [closed]
            for line in lines:
                pen.line(line, fill=color, width=width, joint="curve")

    def fill(self, geometry: Geometry, color: str, opacity: float = 0.25) -> None:
        """Tint the inside of a shape, except of a box."""
        if isinstance(geometry, Box):
            return
        if isinstance(geometry, Mask):
            area, corner = self._pixels(geometry)
        else:
            area, corner = Image.new("L", self.image.size), (0, 0)
            for polygon in polygons_of(geometry):
                area = ImageChops.lighter(area, self._area(polygon.rings))
        self.image.paste(color, corner, area.point(lambda level: round(level * opacity)))

    def write(self, text: str, geometry: Geometry, color: str) -> None:
        """Write words next to a shape, if possible where no other words are."""
        pen = ImageDraw.Draw(self.image)
        left, top, right, bottom = pen.textbbox((0, 0), text, font=self._font)
        wide, high = right - left + 8, bottom - top + 7
        spots = [self._inside(spot, wide, high) for spot in self._spots(geometry, wide, high)]
        span = next((spot for spot in spots if not self._is_occupied(spot)), spots[0])
        self._words.append(span)
        pen.rectangle(span, fill=color)
        pen.text((span[0] + 4 - left, span[1] + 3 - top), text, fill=_on(color), font=self._font)

    def foot(self, counts: Mapping[str, float], colors: Mapping[str, str]) -> None:
        """Add a legend with counts below the image."""
        words = [(f"{word} {count:,}", colors[word]) for word, count in counts.items()]
        square, high = round(self._letter * 0.8), round(self._letter * 2.1)
        whole = Image.new("RGB", (self.image.width, self.image.height + high), _FOOT)
        whole.paste(self.image)
        pen = ImageDraw.Draw(whole)
        x, middle = float(square), self.image.height + high / 2
        for text, color in words:
            pen.rectangle((x, middle - square / 2, x + square, middle + square / 2), fill=color)
            pen.text((x + square * 1.6, middle), text, fill=_INK, font=self._font, anchor="lm")
            x += square * 3.2 + pen.textlength(text, font=self._font)
        self.image = whole

    def png(self) -> bytes:
        """Encode the picture as a PNG file."""
        return image_bytes(self.image, "PNG")

    def thumbnail(self) -> bytes:
        """Encode a small picture as a JPEG file."""
        return thumbnail(self.image, (THUMBNAIL, THUMBNAIL))

    def _rings(self, geometry: Geometry) -> Iterator[list[Point]]:
        if isinstance(geometry, Box):
            left, top = geometry.xmin, geometry.ymin
            right, bottom = geometry.xmax, geometry.ymax
            rings: list[Any] = [[(left, top), (right, top), (right, bottom), (left, bottom)]]
        else:
            rings = [ring.tolist() for each in polygons_of(geometry) for ring in each.rings]
        for ring in rings:
            if ring:
                yield [(x * self.scale, y * self.scale) for x, y in ring]

    def _area(self, rings: Sequence[NDArray[np.float64]]) -> Image.Image:
        area = Image.new("L", self.image.size)
        pen = ImageDraw.Draw(area)
        for number, ring in enumerate(rings):
            corners = [(x * self.scale, y * self.scale) for x, y in ring.tolist()]
            if len(corners) > 1:
                pen.polygon(corners, fill=0 if number else 255)
        return area

    def _pixels(self, mask: Mask) -> tuple[Image.Image, tuple[int, int]]:
        """Return the scaled pixels of a mask's bounding box, and its upper left corner."""
        left, top, right, bottom = (int(edge) for edge in around(mask))
        pixels = Image.fromarray(mask.array[top:bottom, left:right].astype(np.uint8) * 255)
        x, y, end_x, end_y = (round(edge * self.scale) for edge in (left, top, right, bottom))
        size = (max(end_x - x, 1), max(end_y - y, 1))
        if not pixels.width or not pixels.height:
            return Image.new("L", (1, 1)), (x, y)
        return pixels.resize(size, Image.Resampling.NEAREST), (x, y)

    def _spots(self, geometry: Geometry, wide: float, high: float) -> Iterator[Point]:
        """Yield upper left corners for words next to a shape, the best first."""
        left, top, right, bottom = (edge * self.scale for edge in around(geometry))
        yield left - 1, top - high - 1
        yield left - 1, bottom + 2
        yield right - wide + 1, top - high - 1
        yield right - wide + 1, bottom + 2
        yield left + 3, top + 3
        yield left + 3, bottom - high - 3
        yield right + 3, top

    def _inside(self, spot: Point, wide: float, high: float) -> Span:
        """Return the rectangle of words at a corner, moved into the picture."""
        x = max(min(spot[0], self.image.width - wide - 1), 0)
        y = max(min(spot[1], self.image.height - high - 1), 0)
        return (x, y, x + wide, y + high)

    def _is_occupied(self, span: Span) -> bool:
        left, top, right, bottom = span
        return any(
            left < other[2] and other[0] < right and top < other[3] and other[1] < bottom
            for other in self._words
        )


def around(geometry: Geometry) -> Span:
    """Return left, top, right and bottom of the bounding box of a shape.

    Examples
    --------
    >>> around(Mask.of([[0, 1], [0, 1]]))
    (1.0, 0.0, 2.0, 2.0)
    """
    x, y, width, height = Shapes.of([geometry]).boxes[0].tolist()
    return x, y, x + width, y + height


def _resized(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    way = Image.Resampling.NEAREST if size > image.size else Image.Resampling.LANCZOS
    return image.convert("RGB").resize(size, way)


def _edge(area: Image.Image, width: int, *, dashed: bool) -> Image.Image:
    inner = ImageOps.expand(area, 1).filter(ImageFilter.MinFilter(2 * width - 1))
    edge = ImageChops.subtract(area, inner.crop((1, 1, area.width + 1, area.height + 1)))
    if not dashed:
        return edge
    x, y = np.meshgrid(np.arange(area.width), np.arange(area.height))
    shown = (x + y) % (_DASH + _GAP) < _DASH
    return ImageChops.multiply(edge, Image.fromarray(shown.astype(np.uint8) * 255))


def _dashes(line: Sequence[Point], size: tuple[int, int]) -> Iterator[list[Point]]:
    """Yield the dashes of a line that are visible in an image of a size."""
    for (x, y), (end_x, end_y) in pairwise(line):
        length = math.hypot(end_x - x, end_y - y)
        count = max(round(length / (_DASH + _GAP)), 1)
        share = _DASH / (_DASH + _GAP)
        start, stop = _visible((x, y), (end_x, end_y), size)
        for i in range(int(start * count), min(math.ceil(stop * count), count)):
            first, last = i / count, (i + share) / count
            yield [(x + (end_x - x) * part, y + (end_y - y) * part) for part in (first, last)]


def _visible(start: Point, end: Point, size: tuple[int, int]) -> tuple[float, float]:
    """Return the range of a line that can be visible, as shares of its length."""
    first, last = 0.0, 1.0
    for here, there, side in zip(start, end, size, strict=True):
        low, high = -_DASH - here, side + _DASH - here
        if here == there:
            last = last if low <= 0 <= high else 0.0
            continue
        parts = sorted((low / (there - here), high / (there - here)))
        first, last = max(first, parts[0]), min(last, parts[1])
    return (first, last) if first < last else (0.0, 0.0)


def _on(color: str) -> str:
    """Return black or white, whichever has more contrast to a color."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return "#000000" if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else "#ffffff"
