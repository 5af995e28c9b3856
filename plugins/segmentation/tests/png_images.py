"""PNG files of every kind, written independently of Pillow."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

SIGNATURE = b"\x89PNG\r\n\x1a\n"
PASSES = (
    (0, 0, 8, 8),
    *(one for n in (4, 2, 1) for one in ((0, n, 2 * n, 2 * n), (n, 0, 2 * n, n))),
)


def chunk(name: bytes, data: bytes, *, damage: int = 0) -> bytes:
    """A chunk, with a wrong checksum on request."""
    checksum = zlib.crc32(name + data) ^ damage
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", checksum)


def head(width: int, height: int, depth: int, kind: int, interlace: int = 0) -> bytes:
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, interlace))


def raw_rows(values: NDArray[Any], depth: int, filters: Sequence[int] = (0,)) -> bytes:
    """Filtered rows of samples (height, width, samples), with the filters in turn."""
    height, _, samples = values.shape
    if depth == 16:
        lines = values.astype(">u2").reshape(height, -1).view(np.uint8)
    elif depth == 8:
        lines = values.astype(np.uint8).reshape(height, -1)
    else:
        bits = (values.reshape(height, -1)[..., None] >> np.arange(depth - 1, -1, -1)) & 1
        lines = np.packbits(bits.astype(np.uint8).reshape(height, -1), axis=1)
    step = max(1, depth * samples // 8)
    found, above = [], np.zeros(lines.shape[1], int)
    for i, line in enumerate(lines.astype(int)):
        kind = filters[i % len(filters)]
        left = np.concatenate([np.zeros(step, int), line])[: len(line)]
        corner = np.concatenate([np.zeros(step, int), above])[: len(line)]
        found.append(
            bytes([kind])
            + ((line - predicted(kind, left, above, corner)) % 256).astype(np.uint8).tobytes()
        )
        above = line
    return b"".join(found)


def predicted(kind: int, left: Any, above: Any, corner: Any) -> Any:
    if kind == 4:
        guess = left + above - corner
        far = [abs(guess - one) for one in (left, above, corner)]
        return np.where(
            (far[0] <= far[1]) & (far[0] <= far[2]), left, np.where(far[1] <= far[2], above, corner)
        )
    return (0 * left, left, above, (left + above) // 2)[kind]


def rows_of(
    values: NDArray[Any], depth: int, interlace: int = 0, filters: Sequence[int] = (0,)
) -> bytes:
    """Filtered rows of an image, in the order of Adam7 on request."""
    if not interlace:
        return raw_rows(values, depth, filters)
    parts = (values[row::down, column::across] for row, column, down, across in PASSES)
    return b"".join(raw_rows(part, depth, filters) for part in parts if part.size)


def png(
    values: NDArray[Any],
    depth: int = 8,
    kind: int = 0,
    interlace: int = 0,
    filters: Sequence[int] = (0,),
    palette: bytes = b"",
) -> bytes:
    """A PNG file of samples (height, width) or (height, width, samples)."""
    values = values if values.ndim == 3 else values[..., None]
    height, width, _ = values.shape
    compressed = zlib.compress(rows_of(values, depth, interlace, filters))
    half = len(compressed) // 2
    return b"".join(
        [
            SIGNATURE,
            head(width, height, depth, kind, interlace),
            chunk(b"PLTE", palette) if palette else b"",
            chunk(b"IDAT", compressed[:half]),
            chunk(b"IDAT", compressed[half:]),
            chunk(b"IEND", b""),
        ]
    )


def damaged(content: bytes, random: np.random.Generator, times: int) -> Iterator[bytes]:
    """Copies that are cut, have a flipped bit, a range of zeros, or a range that is gone."""
    for _ in range(times):
        start = int(random.integers(1, len(content)))
        end = min(len(content), start + int(random.integers(1, 60)))
        yield content[:start]
        flipped = bytearray(content)
        flipped[start] ^= 1 << int(random.integers(8))
        yield bytes(flipped)
        yield content[:start] + bytes(end - start) + content[end:]
        yield content[:start] + content[end:]
