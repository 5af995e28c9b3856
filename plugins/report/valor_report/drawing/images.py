"""Sizes and file formats of pictures."""

from __future__ import annotations

import io
import math
from typing import Any

from PIL import Image


def magnification(height: float, width: float, shortest: int, longest: int) -> float:
    """Return the factor that brings the longer side of an image into a range.

    Images are enlarged by a whole number, so every pixel of the data is a square of the picture.

    Examples
    --------
    >>> magnification(10, 30, 320, 640), magnification(1280, 640, 320, 640)
    (11, 0.5)
    """
    side = max(height, width, 1)
    return max(math.ceil(shortest / side), 1) * min(longest / side, 1)


def image_bytes(image: Image.Image, kind: str, **options: Any) -> bytes:
    """Encode an image as a file.

    Examples
    --------
    >>> image_bytes(Image.new("RGB", (1, 1)), "PNG")[1:4]
    b'PNG'
    """
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def thumbnail(image: Image.Image, size: tuple[int, int]) -> bytes:
    """Encode an image as a JPEG file within a width and height."""
    small = image.copy()
    small.thumbnail(size)
    return image_bytes(small, "JPEG", quality=82)
