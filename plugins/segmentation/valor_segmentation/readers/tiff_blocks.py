"""Verification of the compressed blocks (tiles or strips) of a TIFF."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from attrs import define, field, frozen

from valor_core.errors import ReadError
from valor_core.kernels import in_threads

_PIECE = 1 << 20  # most bytes that are decompressed at a time
_DEFLATED = "DEFLATE"
_REMEDY = "Copy the file again from its source, or write it again."


@frozen
class _Block:
    """One block: position, offset and size in the file, least and most bytes of its pixels."""

    column: int
    row: int
    offset: int
    size: int
    least: int
    most: int


@define
class TiffBlocks:
    """Blocks of one band of a TIFF, each of which is verified once.

    GDAL stops reading a deflated block at its last pixel, before the checksum. Blocks of other
    compressions have no checksum, but must lie in the file. A block without a size is sparse: GDAL
    fills it with the nodata value, or with 0 if there is none.

    Parameters
    ----------
    path : Path
        The file.
    source : Any
        The raster, opened by rasterio.
    band : int
        The band; the first is 1.
    """

    path: Path
    source: Any
    band: int
    _rows: int = field(default=0, init=False)  # rows of blocks that have been verified
    _lock: Lock = field(factory=Lock, init=False, repr=False)

    def verify(self, last: int) -> None:
        """Verify all blocks above pixel row `last` that have not been verified yet.

        Raises
        ------
        ReadError
            If a block is short, fails its checksum, or lies outside of the file.
        """
        height, _ = self.source.block_shapes[self.band - 1]
        first, end = self._rows, -(-last // height)
        if self.source.driver != "GTiff" or end <= first:
            return
        with self.path.open("rb") as stream:
            in_threads([partial(self._verify, one, stream) for one in self._blocks(first, end)])
        self._rows = end

    def _blocks(self, first: int, end: int) -> Iterator[_Block]:
        source, band = self.source, self.band
        height, width = source.block_shapes[band - 1]
        tags = source.tags(band, ns="IMAGE_STRUCTURE")
        bits = int(tags.get("NBITS", 8 * np.dtype(source.dtypes[band - 1]).itemsize))
        samples = source.count if self._tag("INTERLEAVE") == "PIXEL" else 1
        line = (width * bits * samples + 7) // 8
        for row in range(first, end):
            is_tile = width != source.width  # the last strip may be short, the last tile may not
            rows = height if is_tile else min(height, source.height - row * height)
            for column in range(-(-source.width // width)):
                offset, size = (
                    int(source.get_tag_item(f"BLOCK_{what}_{column}_{row}", "TIFF", bidx=band) or 0)
                    for what in ("OFFSET", "SIZE")
                )
                if size:
                    yield _Block(column, row, offset, size, rows * line, height * line)

    def _verify(self, block: _Block, stream: Any) -> None:
        compression = self._tag("COMPRESSION")
        if compression == _DEFLATED:
            with self._lock:
                stream.seek(block.offset)
                content = stream.read(block.size)
            if len(content) == block.size:
                self._inflate(block, content)
                return
        if block.offset + block.size > self.path.stat().st_size:
            raise self._broken(block, "the end of the file")
        if compression is None and block.size < block.least:
            raise self._broken(block, f"{block.size:,} of {block.least:,} bytes")

    def _inflate(self, block: _Block, content: bytes) -> None:
        stream, size = zlib.decompressobj(), 0
        try:
            while not stream.eof and content and size <= block.most:
                size += len(stream.decompress(content, _PIECE))
                content = stream.unconsumed_tail
        except zlib.error as error:
            raise self._broken(block, f"damaged data: {error}") from error
        if size < block.least:
            raise self._broken(block, f"{size:,} of {block.least:,} bytes")
        if size > block.most:
            raise self._broken(block, f"more than {block.most:,} bytes")
        if not stream.eof:
            raise self._broken(block, "no checksum at its end")

    def _tag(self, name: str) -> str | None:
        found: str | None = self.source.tags(ns="IMAGE_STRUCTURE").get(name)
        return found

    def _broken(self, block: _Block, found: str) -> ReadError:
        return ReadError(
            f"{self.path}, band {self.band}, block in row {block.row:,} and column "
            f"{block.column:,}: expected whole pixel data, found {found}",
            _REMEDY,
        )
