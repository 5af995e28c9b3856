"""Unpacking of compressed bodies, within a number of bytes."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

from urllib3.exceptions import DecodeError

_MOST_LAYERS = 3
_STEP = 2**16  # bytes that are unpacked at a time


def unpacked(blocks: Iterable[bytes], encodings: str, most: int) -> Iterator[bytes]:
    """Blocks of a body without its content encodings.

    Parameters
    ----------
    blocks : iterable of bytes
        The body as it came.
    encodings : str
        The header ``content-encoding``: ``"gzip"``, ``"deflate"``, or several of them.
    most : int
        Bytes of each layer at which unpacking ends, however much the rest would become.

    Raises
    ------
    DecodeError
        If an encoding was not asked for.

    Examples
    --------
    >>> packed = zlib.compress(bytes(1_000_000))
    >>> sum(map(len, unpacked([packed], "deflate", 1000))) <= 1000 + _STEP
    True
    """
    layers = [one.strip().casefold() for one in encodings.split(",") if one.strip()]
    layers = [one for one in layers if one != "identity"]
    if len(layers) > _MOST_LAYERS or not set(layers) <= {"gzip", "x-gzip", "deflate"}:
        raise DecodeError(f"content-encoding {encodings[:100]!r} was not asked for")
    for layer in reversed(layers):
        blocks = _layer(blocks, layer, most)
    yield from blocks


def _layer(blocks: Iterable[bytes], encoding: str, most: int) -> Iterator[bytes]:
    """Blocks without one encoding; a gzip body may have several members."""
    decoder, found = None, 0
    for block in blocks:
        rest = block
        while rest:
            if decoder is None:
                decoder = zlib.decompressobj(_window(encoding, rest))
            data = decoder.decompress(rest, _STEP)
            found += len(data)
            yield data
            if found >= most:
                return
            rest = decoder.unused_data if decoder.eof else decoder.unconsumed_tail
            if decoder.eof:
                decoder = None
                if encoding == "deflate":
                    return
    if decoder is not None:
        raise DecodeError("the compressed body ends early")


def _window(encoding: str, first: bytes) -> int:
    """Window bits of zlib; servers send ``deflate`` with a zlib header and without."""
    if encoding != "deflate":
        return 31
    return 15 if first[0] & 0x0F == 8 else -15
