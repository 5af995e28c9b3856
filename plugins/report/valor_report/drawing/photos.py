"""Photos below the drawings of a gallery."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

from PIL import Image

from valor_core.errors import ReadError

_SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # of a pixel, by color type of PNG
_ADAM7 = (  # first row, first column, step of rows, step of columns
    (0, 0, 8, 8),
    *(one for n in (4, 2, 1) for one in ((0, n, 2 * n, 2 * n), (n, 0, 2 * n, n))),
)


def check_photo_folder(folder: Path | None, gallery: str) -> None:
    """Raise a `ReadError` if the folder of a gallery's photos does not exist."""
    if folder is not None and not folder.is_dir():
        raise ReadError(
            f"{gallery}: expected a folder of images, got {folder}",
            "Set gallery.images to the folder that file names of images are relative to.",
        )


def photo(folder: Path, name: str, path: Path | None) -> tuple[Image.Image | None, str]:
    """Read a photo, or return None and the reason for the caption.

    Parameters
    ----------
    folder : Path
        Folder of the photos.
    name : str
        Name of the photo in the data.
    path : Path or None
        Its path below the folder; None if the name leads out of the folder.

    Examples
    --------
    >>> photo(Path("images"), "a.png", Path("images/a.png"))
    (None, 'no image: no such file: images/a.png')
    """
    if path is None:
        return None, f"no image: {name} leads out of the folder {folder.name}"
    try:
        return _complete(path), ""
    except FileNotFoundError:
        shown = path
        if path.is_relative_to(folder):
            shown = Path(folder.name) / path.relative_to(folder)
        return None, f"no image: no such file: {shown}"
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        return None, f"no image: {path.name} cannot be read, {error}"


def _complete(path: Path) -> Image.Image:
    """Read an image and verify its checksums, if the format has any."""
    with Image.open(path) as image:
        kind = image.format
        image.verify()
    if kind == "PNG":
        _check_rows(path)
    with Image.open(path) as image:  # verify() consumes the file
        return image.convert("RGB")


def _check_rows(path: Path) -> None:
    """Raise a `ValueError` if a PNG image lacks rows, which Pillow would fill with zeros."""
    content = path.read_bytes()
    width, height, depth, kind, _, _, interlace = struct.unpack_from(">IIBBBBB", content, 16)
    bits = depth * _SAMPLES[kind]
    size, start = 0, 8
    for row, column, down, across in _ADAM7 if interlace else ((0, 0, 1, 1),):
        rows, columns = -((row - height) // down), -((column - width) // across)
        size += rows * (1 + (columns * bits + 7) // 8) if columns > 0 else 0
    stream, found = zlib.decompressobj(), 0
    while start < len(content) and found < size:
        length = int.from_bytes(content[start : start + 4], "big")
        if content[start + 4 : start + 8] == b"IDAT":
            found += len(stream.decompress(content[start + 8 : start + 8 + length], size))
        start += 12 + length
    if found < size:
        raise ValueError(f"found {found:,} of {size:,} bytes of its rows")
