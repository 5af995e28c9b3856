"""PNG files: chunks and pixel data with verified checksums and lengths."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray
from valor_files import unreadable_error

from valor_core.errors import ReadError
from valor_core.packages import import_extra

GRAY, COLORS, INDICES, GRAY_ALPHA, COLORS_ALPHA = 0, 2, 3, 4, 6
"""Color types of PNG."""

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_SAMPLES = {GRAY: 1, COLORS: 3, INDICES: 1, GRAY_ALPHA: 2, COLORS_ALPHA: 4}
_DEPTHS = {
    GRAY: (1, 2, 4, 8, 16),
    COLORS: (8, 16),
    INDICES: (1, 2, 4, 8),
    GRAY_ALPHA: (8, 16),
    COLORS_ALPHA: (8, 16),
}
_MODES = {GRAY: "L", COLORS: "RGB", INDICES: "P", GRAY_ALPHA: "LA", COLORS_ALPHA: "RGBA"}
_PASSES = (  # of Adam7: first row, first column, step of rows, step of columns
    (0, 0, 8, 8),
    (0, 4, 8, 8),
    (4, 0, 8, 4),
    (0, 2, 4, 4),
    (2, 0, 4, 2),
    (0, 1, 2, 2),
    (1, 0, 2, 1),
)
_SPREAD = {2: 85, 4: 17}  # factor by which Pillow stretches gray levels of 2 and 4 bits
_DEFLATE = 1040  # most bytes that one compressed byte expands to
_STORED = 65535  # most bytes of a stored block
_CONVERT = "Convert the file to PNG, which has a checksum and loses nothing, unlike JPEG."
_REMEDY = "Copy the file again from its source, or write it again."


@frozen(kw_only=True)
class PngFile:
    """Content of a PNG file whose checksums and lengths have been verified.

    Parameters
    ----------
    path : Path
        The file.
    width, height : int
        Size in pixels.
    depth : int
        Bits of a sample.
    color_type : int
        `GRAY`, `COLORS`, `INDICES`, `GRAY_ALPHA` or `COLORS_ALPHA`.
    is_interlaced : bool
        Whether the rows are in the order of Adam7.
    palette : bytes
        Red, green and blue of each color; empty if there is no palette.
    rows : bytes
        Filtered rows after decompression.
    checksum : bytes
        Adler-32 of `rows`.
    """

    path: Path
    width: int
    height: int
    depth: int
    color_type: int
    is_interlaced: bool
    palette: bytes = field(repr=False)
    rows: bytes = field(repr=False)
    checksum: bytes

    @classmethod
    def read(cls, path: Path) -> PngFile:
        """Read a file and verify it.

        Bytes after the chunk IEND are ignored, as other decoders do.

        Raises
        ------
        ReadError
            If the file cannot be read, is short, fails a checksum, or is no PNG image.
        """
        try:
            content = path.read_bytes()
        except OSError as error:
            raise unreadable_error(path, error) from error
        chunks = _chunks(path, content)
        head = chunks[0][1] if chunks else b""
        if not chunks or chunks[0][0] != b"IHDR" or len(head) != 13:
            raise _broken(path, "no header chunk IHDR at the start")
        width, height, depth, kind, compression, filters, interlace = struct.unpack(
            ">IIBBBBB", head
        )
        is_valid = width > 0 and height > 0 and depth in _DEPTHS.get(kind, ())
        if not is_valid or compression or filters or interlace > 1:
            raise _broken(path, f"an invalid header: {list(head)}")
        names = [name for name, _ in chunks]
        data = [part for name, part in chunks if name == b"IDAT"]
        if not data:
            raise _broken(path, "no pixel data (chunk IDAT)")
        start = names.index(b"IDAT")
        if names[start : start + len(data)] != [b"IDAT"] * len(data):
            raise _broken(path, "pixel data (chunks IDAT) with other chunks in between")
        palette = b"".join(part for name, part in chunks[:start] if name == b"PLTE")
        if len(palette) % 3 or len(palette) > 768 or (kind == INDICES and not palette):
            raise _broken(path, f"a palette (chunk PLTE) of {len(palette):,} bytes")
        compressed = data[0] if len(data) == 1 else b"".join(data)
        size = _raw_size(width, height, depth * _SAMPLES[kind], is_interlaced=bool(interlace))
        if size > _DEFLATE * len(content):
            found = f"{len(content):,} bytes for {height:,} by {width:,} pixels"
            raise _broken(path, found)
        return cls(
            path=path,
            width=width,
            height=height,
            depth=depth,
            color_type=kind,
            is_interlaced=bool(interlace),
            palette=palette,
            rows=_inflated(path, compressed, size),
            checksum=bytes(compressed[-4:]),
        )

    @property
    def mode(self) -> str:
        """Name of the color type in Pillow."""
        return _MODES[self.color_type]

    def samples(self) -> NDArray[Any]:
        """Samples of all pixels by row, column and, if pixels have several samples, sample.

        Raises
        ------
        ReadError
            If a row has an unknown filter.
        """
        shape = (self.height, self.width, _SAMPLES[self.color_type])
        values = self._unfiltered(shape) if self.depth == 8 and not self.is_interlaced else None
        if values is None:
            values = self._decoded()
        return values.reshape(shape[:2] if shape[2] == 1 else shape)

    def _unfiltered(self, shape: tuple[int, int, int]) -> NDArray[Any] | None:
        """Samples of 8 bits in rows without a filter; None if a row has one."""
        rows = np.frombuffer(self.rows, np.uint8).reshape(self.height, -1)
        return None if rows[:, 0].any() else np.ascontiguousarray(rows[:, 1:])

    def _decoded(self) -> NDArray[Any]:
        """Samples as Pillow decodes them."""
        doing = f"segmentation: reading {self.path}"
        images = import_extra("PIL.Image", doing, "valor-segmentation[images]", package="Pillow")
        mode, raw = self.mode, self.mode
        if self.depth == 16:
            mode, raw = ("I;16", "I;16B") if mode == "L" else (mode, f"{mode};16B")
        elif self.depth == 1 and mode == "L":
            mode = raw = "1"
        elif self.depth < 8:
            raw = f"{mode};{self.depth}"
        try:
            image = images.frombytes(
                mode,
                (self.width, self.height),
                _stored(self.rows, self.checksum),
                "zip",
                raw,
                int(self.is_interlaced),
            )
        except ValueError as error:
            raise _broken(self.path, "a row with an unknown filter") from error
        values: NDArray[Any] = np.asarray(image)
        if values.dtype == np.bool_:
            return values.astype(np.uint8)
        if mode == "L" and self.depth in _SPREAD:
            return values // np.uint8(_SPREAD[self.depth])
        return values.astype(values.dtype.newbyteorder("="), copy=False)


def _chunks(path: Path, content: bytes) -> list[tuple[bytes, memoryview]]:
    """Yield names and data of all chunks up to IEND, with verified checksums."""
    if content[: len(_SIGNATURE)] != _SIGNATURE:
        if content:
            raise ReadError(f"{path}: expected a PNG image, found another format", _CONVERT)
        raise _broken(path, "an empty file")
    found: list[tuple[bytes, memoryview]] = []
    view, start = memoryview(content), len(_SIGNATURE)
    while True:
        if start + 12 > len(content):
            raise _broken(path, f"its end at byte {len(content):,}, without the chunk IEND")
        length = int.from_bytes(content[start : start + 4], "big")
        name, end = content[start + 4 : start + 8], start + 8 + length
        if not name.isalpha():
            raise _broken(path, f"no chunk at byte {start:,}")
        if end + 4 > len(content):
            raise _broken(
                path,
                f"its end at byte {len(content):,}, in the chunk {name.decode()} that starts at "
                f"byte {start:,}",
            )
        if zlib.crc32(view[start + 4 : end]) != int.from_bytes(content[end : end + 4], "big"):
            raise _broken(path, f"a wrong checksum of the chunk {name.decode()} at byte {start:,}")
        if name == b"IEND":
            return found
        found.append((name, view[start + 8 : end]))
        start = end + 4


def _raw_size(width: int, height: int, bits: int, *, is_interlaced: bool) -> int:
    """Number of bytes of all filtered rows, for a number of bits per pixel.

    Examples
    --------
    >>> _raw_size(10, 4, 1, is_interlaced=False)
    12
    """
    if not is_interlaced:
        return height * (1 + (width * bits + 7) // 8)
    size = 0
    for row, column, down, across in _PASSES:
        rows, columns = -((row - height) // down), -((column - width) // across)
        if rows > 0 and columns > 0:
            size += rows * (1 + (columns * bits + 7) // 8)
    return size


def _inflated(path: Path, compressed: bytes | memoryview, size: int) -> bytes:
    """Decompress exactly `size` bytes of a zlib stream, with a verified checksum."""
    stream = zlib.decompressobj()
    try:
        rows = stream.decompress(compressed, size + 1)
    except zlib.error as error:
        raise _broken(path, f"damaged pixel data: {error}") from error
    if len(rows) != size:
        least = f"{size + 1:,} or more" if len(rows) > size else f"{len(rows):,}"
        raise _broken(path, f"pixel data of {least} bytes, not {size:,} as the header says")
    if not stream.eof:
        raise _broken(path, "pixel data without their checksum at the end")
    if stream.unused_data:
        raise _broken(path, f"{len(stream.unused_data):,} bytes after the pixel data")
    return rows


def _stored(rows: bytes, checksum: bytes) -> bytes:
    """Make a zlib stream of uncompressed blocks."""
    view = memoryview(rows)
    parts: list[bytes | memoryview] = [b"\x78\x01"]
    for start in range(0, len(rows), _STORED):
        block = view[start : start + _STORED]
        is_last = start + _STORED >= len(rows)
        parts += [struct.pack("<BHH", is_last, len(block), len(block) ^ 0xFFFF), block]
    return b"".join([*parts, checksum])


def _broken(path: Path, found: str) -> ReadError:
    return ReadError(f"{path}: expected a whole PNG image, found {found}", _REMEDY)
