"""Contents of files in memory, padded for the scanners."""

from __future__ import annotations

from codecs import getincrementaldecoder
from functools import cached_property, partial
from pathlib import Path

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray
from valor_files import checked_size, gzip_bytes, unreadable_error

from valor_core.kernels import in_threads, thread_count
from valor_detection.kernels.pages import paged

PADDING = 64  # zero bytes that end every loop of a scanner
_BLOCK = 1 << 18  # bytes read and checked at a time, few enough for the cache
_LAST_OF_ASCII = 127
_READ = 8 << 20  # least bytes read per thread

_MARK = b"\xef\xbb\xbf"


@frozen(eq=False)
class Text:
    """Bytes of a file.

    Parameters
    ----------
    source : str
        Name of the file in messages.
    padded : ndarray of uint8
        The bytes, followed by `PADDING` zeros.
    is_ascii : bool
        True if all bytes are ASCII.

    Examples
    --------
    >>> Text.of(b"[]").cut(0, 1)
    b'['
    """

    source: str
    padded: NDArray[np.uint8]
    is_ascii: bool
    size: int = field(init=False)
    """Number of bytes without the padding."""

    @size.default
    def _without_padding(self) -> int:
        return len(self.padded) - PADDING

    @classmethod
    def of(cls, content: bytes, source: str = "text") -> Text:
        """Copy bytes that are already in memory."""
        return cls(source, np.frombuffer(content + bytes(PADDING), np.uint8), content.isascii())

    @classmethod
    def read(cls, path: Path) -> Text:
        """Read a file, and decompress it if its name ends in ``.gz``.

        Raises
        ------
        ReadError
            If the file is missing, empty, or cannot be decompressed.
        """
        size = checked_size(path)
        if path.suffix.lower() == ".gz":
            return cls.of(gzip_bytes(path), str(path))
        padded = paged(size + PADDING, np.uint8)
        step = max(_READ, -(-size // thread_count()))
        parts = [
            partial(_fill, path, padded[start : min(start + step, size)], start)
            for start in range(0, size, step)
        ]
        try:
            is_ascii = all(in_threads(parts))
        except OSError as error:
            raise unreadable_error(path, error) from error
        return cls(str(path), padded, is_ascii)

    @cached_property
    def view(self) -> memoryview:
        """The bytes without the padding."""
        return self.padded.data[: self.size]

    @property
    def start(self) -> int:
        """Offset of the text after an optional byte order mark."""
        return len(_MARK) if self.cut(0, len(_MARK)) == _MARK else 0

    @property
    def is_utf8(self) -> bool:
        """True if the bytes are valid UTF-8."""
        if self.is_ascii:
            return True
        decoder = getincrementaldecoder("utf-8")()
        try:
            for start in range(0, self.size, _BLOCK):
                block = self.padded[start : min(start + _BLOCK, self.size)]
                if block.max() > _LAST_OF_ASCII or decoder.getstate()[0]:
                    decoder.decode(block.data)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
        return True

    def cut(self, start: int, stop: int) -> bytes:
        """Return the bytes from `start` to `stop`."""
        return self.padded[start : min(stop, self.size)].tobytes()


def _fill(path: Path, into: NDArray[np.uint8], start: int) -> bool:
    """Read a part of a file; return True if it is ASCII."""
    done, is_ascii = 0, True
    with path.open("rb", buffering=0) as stream:
        stream.seek(start)
        while done < len(into) and (count := stream.readinto(into[done : done + _BLOCK].data)):
            # Checked while the block is in the cache of the processor.
            is_ascii = is_ascii and bool(into[done : done + count].max() <= _LAST_OF_ASCII)
            done += count
    into[done:] = 0  # the file has been truncated meanwhile
    return is_ascii
