"""PNG images as whole numbers: label images, and colors."""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from valor_core.plugin import ReadError, import_extra, unreadable
from valor_core.schemas.segmentation.pixels import Image

_GRAY = {"1", "L", "P", "I;16", "I;16B", "I"}
_BITS, _COLOR_TYPE = 24, 25  # where the header has the depth, and whether pixels are gray
_DEFLATE = 1040  # bytes that one compressed byte stands for at most
_SPREAD = {2: 85, 4: 17}  # by how much Pillow stretches gray levels of so many bits


def label_image(path: Path, remedy: str | None = None) -> Image:
    """Gray levels or indices of a palette, as the file has them.

    Parameters
    ----------
    path : Path
        A PNG image.
    remedy : str, optional
        What to do about an image in colors.

    Raises
    ------
    ReadError
        If it cannot be read or is in colors.
    """
    with _opened(path) as stream:
        image = _png(path, stream)
        if image.mode not in _GRAY:
            raise ReadError(
                f"{path}: expected gray levels or indices of a palette, found colors "
                f"({image.mode})",
                remedy,
            )
        values = _pixels(path, image)
        spread = _SPREAD.get(_depth(stream), 1)
    return values if spread == 1 else values // np.uint8(spread)


def color_image(path: Path) -> NDArray[np.uint32]:
    """Colors as numbers, red in the lowest byte, as panoptic ids are written; alpha is passed over.

    Raises
    ------
    ReadError
        If the image cannot be read, or has colors of more than 8 bits.
    """
    with _opened(path) as stream:
        image = _png(path, stream)
        if _head(stream)[_BITS] > 8:
            raise ReadError(
                f"{path}: expected colors of 8 bits, found {_head(stream)[_BITS]} bits",
                "Convert the image to 8 bits a channel.",
            )
        values = _pixels(path, image, "RGB")
    height, width, _ = values.shape
    packed = np.zeros((height, width, 4), np.uint8)
    packed[..., :3] = values
    return packed.view("<u4")[..., 0].astype(np.uint32, copy=False)


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise unreadable(path, error) from error


def _png(path: Path, stream: BinaryIO) -> Any:
    doing, extra = f"segmentation: reading {path}", "valor-segmentation[images]"
    # Not Image.open, whose limit of size is there for images from strangers.
    pngs = import_extra("PIL.PngImagePlugin", doing, extra, package="Pillow")
    _check_size(path, stream)
    try:
        return pngs.PngImageFile(stream)
    except Exception as error:  # broken bytes make Pillow raise many kinds
        raise _broken(path, error) from error


def _check_size(path: Path, stream: BinaryIO) -> None:
    """Raise a `ReadError` if the head names more pixels than the file can hold."""
    head, size = _head(stream), path.stat().st_size
    if len(head) > _COLOR_TYPE:
        width, height = (int.from_bytes(head[i : i + 4], "big") for i in (16, 20))
        if width * height * head[_BITS] // 8 > _DEFLATE * size:
            raise ReadError(
                f"{path}: expected a whole PNG image, found {size:,} bytes for {height:,} by "
                f"{width:,} pixels"
            )


def _pixels(path: Path, image: Any, mode: str | None = None) -> NDArray[Any]:
    try:
        values = np.asarray(image if mode in (None, image.mode) else image.convert(mode))
    except Exception as error:  # broken bytes make Pillow raise many kinds
        raise _broken(path, error) from error
    if values.dtype == np.bool_:
        return values.astype(np.uint8)
    return values.astype(values.dtype.newbyteorder("="), copy=False)


def _broken(path: Path, error: Exception) -> ReadError:
    return ReadError(f"{path}: expected a whole PNG image, found: {error}")


def _head(stream: BinaryIO) -> bytes:
    """The file up to the type of its colors; where Pillow reads is left alone."""
    place = stream.tell()
    stream.seek(0)
    head = stream.read(_COLOR_TYPE + 1)
    stream.seek(place)
    return head


def _depth(stream: BinaryIO) -> int:
    """Bits of a gray level that Pillow stretches to eight; 8 where it leaves values alone."""
    head = _head(stream)
    return head[_BITS] if head[_COLOR_TYPE] == 0 else 8
