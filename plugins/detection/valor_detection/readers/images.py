"""Sizes of images from a table or from the headers of image files."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO
from unicodedata import normalize

import numpy as np
from attrs import frozen
from valor_files import TableSource, columns_beside, read_table, unreadable_error

from valor_core.errors import MissingExtraError, ReadError, and_more
from valor_core.packages import install
from valor_core.schemas import Codes
from valor_detection.readers.text_files import text_of

_HEADERS = (".png", ".jpg", ".jpeg", ".jpe", ".jfif", ".mpo", ".bmp", ".gif", ".webp")
_PILLOW = (".tif", ".tiff", ".avif", ".jp2", ".ppm", ".pgm", ".pbm", ".pnm", ".tga", ".ico")
SUFFIXES = (*_HEADERS, *_PILLOW)
"""Suffixes of images with a readable size; those after WebP need Pillow."""


_PNG, _GIF = b"\x89PNG\r\n\x1a\n", (b"GIF87a", b"GIF89a")
_FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}  # JPEG segments that begin with the size
_ALONE = {0x01, *range(0xD0, 0xD9)}  # JPEG markers without a segment


@frozen(eq=False)
class ImageTable:
    """Table with one row per image.

    Parameters
    ----------
    uids : list of str
        Names of the images.
    sizes : ndarray of int64, shape (n, 2), or None
        Height and width, if the table has them.
    facts : dict of str to list
        Other columns.
    """

    uids: list[str]
    sizes: Codes | None
    facts: dict[str, list[Any]]

    @classmethod
    def read(cls, path: TableSource, uid: str) -> ImageTable:
        """Read a table; `uid` is the column of image names.

        Raises
        ------
        ReadError
            If a name is repeated, or a size is not positive.
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

    def sizes_of(self, uids: Sequence[str], source: TableSource) -> Codes:
        """Return height and width of images by name.

        Raises
        ------
        ReadError
            If the table has no sizes, or lacks an image.
        """
        if self.sizes is None:
            raise ReadError(f"{source}: expected columns 'width' and 'height'")
        rows = {normalize("NFC", uid): row for row, uid in enumerate(self.uids)}
        missing = [uid for uid in uids if uid not in rows]
        if missing:
            raise ReadError(
                f"{source}: expected width and height of every image, found none of "
                f"{missing[0]!r}{and_more(len(missing) - 1)}"
            )
        return self.sizes[[rows[uid] for uid in uids]]


def image_size(path: Path) -> tuple[int, int]:
    """Read height and width of an image from its header.

    Raises
    ------
    ReadError
        If the file is not an image with one of `SUFFIXES`, or is truncated.
    MissingExtraError
        If the format requires Pillow, which is not installed.
    """
    if path.suffix.lower() in _PILLOW:
        return _size_by_pillow(path)
    try:
        with path.open("rb") as stream:
            size = _size(stream)
    except OSError as error:
        raise unreadable_error(path, error) from error
    except (struct.error, IndexError):
        size = None
    if size is None or min(size) <= 0:
        raise ReadError(f"{path}: expected a complete PNG, JPEG, BMP, GIF or WebP image")
    return size


def _size_by_pillow(path: Path) -> tuple[int, int]:
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError as error:
        raise MissingExtraError(
            f"{path}: reading {path.suffix} images requires Pillow, which is not installed",
            f"Install it with: {install('pillow')}\n"
            "or set data.sizes to a table of uid, width and height",
        ) from error
    try:
        with Image.open(path) as image:
            width, height = image.size
    except UnidentifiedImageError as error:
        raise ReadError(f"{path}: expected an image that Pillow reads, found another file") from (
            error
        )
    except OSError as error:
        raise unreadable_error(path, error) from error
    return height, width


def _size(stream: BinaryIO) -> tuple[int, int] | None:
    head = stream.read(26)
    if head.startswith(_PNG):
        width, height = struct.unpack(">II", head[16:24])
    elif head.startswith(_GIF):
        width, height = struct.unpack("<HH", head[6:10])
    elif head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return _webp_size(head + stream.read(4))
    elif head.startswith(b"BM"):
        width, height = struct.unpack("<ii", head[18:26])
    elif head.startswith(b"\xff\xd8"):
        stream.seek(2)
        return _jpeg_size(stream)
    else:
        return None
    return abs(height), width


def _webp_size(head: bytes) -> tuple[int, int] | None:
    """Read height and width of an extended, lossless or lossy WebP canvas."""
    kind = head[12:16]
    if kind == b"VP8X":
        width, height = (int.from_bytes(head[at : at + 3], "little") + 1 for at in (24, 27))
    elif kind == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    elif kind == b"VP8 " and head[23:26] == b"\x9d\x01\x2a":
        width, height = (side & 0x3FFF for side in struct.unpack("<HH", head[26:30]))
    else:
        return None
    return height, width


def _jpeg_size(stream: BinaryIO) -> tuple[int, int] | None:
    """Read height and width of the first frame; skips other segments."""
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
    """Return images of a folder and its subfolders by name without suffix."""
    return files_of(folder, SUFFIXES)


def files_of(folder: Path, suffixes: Sequence[str]) -> dict[str, Path]:
    """Return files of a folder and its subfolders by name without suffix.

    Names are in Unicode form NFC. Resource files of macOS (``._a.txt``, ``__MACOSX``) are
    ignored.

    Raises
    ------
    ReadError
        If there is no such folder.
    """
    if not folder.is_dir():
        found = "not a folder" if folder.exists() else "no such folder"
        raise ReadError(f"{folder}: {found}")
    files = (path for path in folder.rglob("*") if path.suffix.lower() in suffixes)
    named = ((path.relative_to(folder), path) for path in sorted(files))
    return {
        normalize("NFC", name.with_suffix("").as_posix()): path
        for name, path in named
        if not is_resource(name)
    }


def all_images(paths: Sequence[Path]) -> dict[str, Path]:
    """Return images of folders and of text files that list images, by name without suffix.

    Raises
    ------
    ReadError
        If a path does not exist, or two images have the same name.
    """
    return _merged((listed_images(path) if path.is_file() else images_of(path)) for path in paths)


def labels_of(paths: Sequence[Path]) -> dict[str, Path]:
    """Return text files of labels of folders, or of the images that text files list.

    Labels of a listed image are in the folder ``labels`` next to ``images``, as in YOLO's data
    sets; images without labels are omitted.

    Raises
    ------
    ReadError
        If a path does not exist, or two images have the same name.
    """
    found = _merged(
        {uid: label_file(image) for uid, image in listed_images(path).items()}
        if path.is_file()
        else files_of(path, [".txt"])
        for path in paths
    )
    return {uid: path for uid, path in found.items() if path.is_file()}


def _merged(parts: Iterable[Mapping[str, Path]]) -> dict[str, Path]:
    """Merge files by name; two files must not have the same name."""
    found: dict[str, Path] = {}
    for part in parts:
        for uid, path in part.items():
            if found.setdefault(uid, path) != path:
                raise ReadError(
                    f"{path}: expected each image once, found {uid!r} also as {found[uid]}",
                    "Rename one of them, or evaluate them one after another.",
                )
    return found


def listed_images(file: Path) -> dict[str, Path]:
    """Return the images that the lines of a text file name, by name without suffix.

    Paths are relative to the file, or else to the working directory.

    Raises
    ------
    ReadError
        If the file cannot be read, or two images have the same name.
    """
    paths = [Path(line.strip()) for line in text_of(file).splitlines() if line.strip()]
    beside = bool(paths) and (file.parent / paths[0]).exists()
    return _merged(
        {normalize("NFC", path.stem): file.parent / path if beside else path} for path in paths
    )


def label_file(image: Path) -> Path:
    """Return the text file of an image's labels: ``labels`` for the last folder ``images``.

    Examples
    --------
    >>> label_file(Path("data/images/val/a.jpg")).as_posix()
    'data/labels/val/a.txt'
    """
    *parts, name = image.parts
    for i in reversed(range(len(parts))):
        if parts[i] == "images":
            parts[i] = "labels"
            break
    return Path(*parts, name).with_suffix(".txt")


def is_resource(name: Path) -> bool:
    """Return True if a file is a macOS resource file, such as ``._a.txt``.

    Examples
    --------
    >>> is_resource(Path("labels/._a.txt")), is_resource(Path("labels/a.txt"))
    (True, False)
    """
    return name.name.startswith("._") or "__MACOSX" in name.parts
