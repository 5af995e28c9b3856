"""PNG images as whole numbers: label images, and colors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import ReadError
from valor_core.schemas.segmentation import Image
from valor_segmentation.readers.png_files import GRAY, GRAY_ALPHA, INDICES, PngFile


def label_image(path: Path, remedy: str | None = None) -> Image:
    """Gray levels or palette indices, as they are stored in the file.

    Parameters
    ----------
    path : Path
        A PNG image.
    remedy : str, optional
        Remedy for an image in colors.

    Raises
    ------
    ReadError
        If it cannot be read, is damaged, or is in colors.
    """
    png = PngFile.read(path)
    if png.color_type not in (GRAY, INDICES):
        raise ReadError(
            f"{path}: expected gray levels or indices of a palette, found colors ({png.mode})",
            remedy,
        )
    return png.samples()


def color_image(path: Path) -> NDArray[np.uint32]:
    """Colors as numbers, red in the lowest byte, like panoptic ids. Alpha is ignored.

    Raises
    ------
    ReadError
        If the image cannot be read, is damaged, or has colors of more than 8 bits.
    """
    png = PngFile.read(path)
    if png.depth > 8:
        raise ReadError(
            f"{path}: expected colors of 8 bits, found {png.depth} bits",
            "Convert the image to 8 bits a channel.",
        )
    values = png.samples()
    if png.color_type == INDICES:
        return _palette_colors(png)[_valid(values, png)]
    if png.color_type in (GRAY, GRAY_ALPHA):
        gray = values[..., 0] if png.color_type == GRAY_ALPHA else values
        return gray.astype(np.uint32) * np.uint32(0x010101 * (255 // (2**png.depth - 1)))
    packed = np.zeros((png.height, png.width, 4), np.uint8)
    packed[..., :3] = values[..., :3]
    return packed.view("<u4")[..., 0].astype(np.uint32, copy=False)


def _palette_colors(png: PngFile) -> NDArray[np.uint32]:
    parts = np.frombuffer(png.palette, np.uint8).reshape(-1, 3).astype(np.uint32)
    return parts @ np.array([1, 1 << 8, 1 << 16], np.uint32)


def _valid(values: Image, png: PngFile) -> Image:
    """Palette indices, all of which have a color."""
    size = len(png.palette) // 3
    if values.max(initial=0) >= size:
        row, column = np.argwhere(values >= size)[0].tolist()
        raise ReadError(
            f"{png.path}, row {row}, column {column}: expected an index of the palette's {size:,} "
            f"colors, found {values[row, column]}",
            "Write the image again with a palette that has all of its colors.",
        )
    return values
