"""Images as other files tell of them: a table of sizes and facts, or the images' first bytes."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from attrs import frozen

from valor_core.plugin import (
    ReadError,
    TableSource,
    and_more,
    columns_beside,
    read_table,
    unreadable,
)
from valor_core.schemas.columns import Codes

SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".gif")
"""Kinds of images whose size can be read."""

_PNG, _GIF = b"\x89PNG\r\n\x1a\n", (b"GIF87a", b"GIF89a")
_FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}  # JPEG segments that begin with the size
_ALONE = {0x01, *range(0xD0, 0xD9)}  # JPEG markers without a segment


@frozen(eq=False)
class ImageTable:
    """A table with a row for each image.

    Parameters
    ----------
    uids : list of str
        Names of the images.
    sizes : ndarray of int64, shape (n, 2), or None
        Height and width, if the table has them.
    facts : dict of str to list
        Its other columns.
    """

    uids: list[str]
    sizes: Codes | None
    facts: dict[str, list[Any]]

    @classmethod
    def read(cls, path: TableSource, uid: str) -> ImageTable:
        """The table that a file holds; `uid` is the column with the names.

        Raises
        ------
        ReadError
            If a name stands there twice, or a size is none; names the row.
        """
        table = read_table(path)
        uids = table.uids(uid).tolist()
        sizes = None
        if table.has("width") and table.has("height"):
            sizes = np.stack([table.integers("height"), table.integers("width")], axis=1)
            bad = np.flatnonzero((sizes <= 0).any(axis=1))
            if len(bad):
                name = "height" if sizes[bad[0], 0] <= 0 else "width"
                raise ReadError(
                    f"{table.place(int(bad[0]), name)}: expected a number of pixels, found "
                    f"{sizes[bad[0]].min()}{and_more(len(bad) - 1)}"
                )
        return cls(uids, sizes, columns_beside(table, own=(uid,)))

    def sizes_of(self, uids: Sequence[str], source: Path) -> Codes:
        """Height and width of some images.

        Raises
        ------
        ReadError
            If the table has no sizes, or not all of these images; names the first one.
        """
        if self.sizes is None:
            raise ReadError(f"{source}: expected columns 'width' and 'height'")
        rows = {uid: row for row, uid in enumerate(self.uids)}
        missing = [uid for uid in uids if uid not in rows]
        if missing:
            raise ReadError(
                f"{source}: expected width and height of every image, found none of "
                f"{missing[0]!r}{and_more(len(missing) - 1)}"
            )
        return self.sizes[[rows[uid] for uid in uids]]


def image_size(path: Path) -> tuple[int, int]:
    """Height and width of a PNG, JPEG, BMP or GIF, from its first bytes.

    Raises
    ------
    ReadError
        If it is none of these, or cut off.
    """
    try:
        with path.open("rb") as stream:
            size = _size(stream)
    except OSError as error:
        raise unreadable(path, error) from error
    except (struct.error, IndexError):
        size = None
    if size is None or min(size) <= 0:
        raise ReadError(f"{path}: expected a whole PNG, JPEG, BMP or GIF image")
    return size


def _size(stream: BinaryIO) -> tuple[int, int] | None:
    head = stream.read(26)
    if head.startswith(_PNG):
        width, height = struct.unpack(">II", head[16:24])
    elif head.startswith(_GIF):
        width, height = struct.unpack("<HH", head[6:10])
    elif head.startswith(b"BM"):
        width, height = struct.unpack("<ii", head[18:26])
    elif head.startswith(b"\xff\xd8"):
        stream.seek(2)
        return _jpeg_size(stream)
    else:
        return None
    return abs(height), width


def _jpeg_size(stream: BinaryIO) -> tuple[int, int] | None:
    """Height and width in the first frame, behind whatever segments come before it."""
    while stream.read(1) == b"\xff":
        marker = stream.read(1)[0]
        while marker == 0xFF:
            marker = stream.read(1)[0]
        if marker in _ALONE:
            continue
        (length,) = struct.unpack(">H", stream.read(2))
        if marker in _FRAMES:
            height, width = struct.unpack(">xHH", stream.read(5))
            return height, width
        stream.seek(length - 2, 1)
    return None


def images_of(folder: Path) -> dict[str, Path]:
    """Images of a folder and those below it, by their names without the suffix."""
    return files_of(folder, SUFFIXES)


def files_of(folder: Path, suffixes: Sequence[str]) -> dict[str, Path]:
    """Files of a folder and those below it, by their names without the suffix.

    Raises
    ------
    ReadError
        If there is no such folder.
    """
    if not folder.is_dir():
        found = "a file" if folder.exists() else "nothing there"
        raise ReadError(f"{folder}: expected a folder, found {found}")
    files = (path for path in folder.rglob("*") if path.suffix.lower() in suffixes)
    return {path.relative_to(folder).with_suffix("").as_posix(): path for path in sorted(files)}
