"""Scanner of COCO's JSON by msgspec."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from operator import attrgetter
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from valor_core.schemas.arrays import Codes
from valor_detection.kernels import stdlib_scanning
from valor_detection.kernels.records import (
    AREA,
    BOX,
    CATEGORY,
    COMPRESSED,
    CROWD,
    HEIGHT,
    ID,
    IMAGE,
    NO_MASK,
    POLYGONS,
    RUNS,
    SCORE,
    SEGMENTATION,
    WIDTH,
    Annotations,
    Document,
    Images,
    Segmentations,
    plain_fields,
)
from valor_detection.kernels.texts import Text

__all__ = ["grouped_order", "scan"]

_BITS = {
    "id": ID,
    "image_id": IMAGE,
    "category_id": CATEGORY,
    "area": AREA,
    "iscrowd": CROWD,
    "score": SCORE,
}


class _Runs(msgspec.Struct, gc=False):
    size: tuple[int, int]
    counts: list[int] | str


class _Annotation(msgspec.Struct, gc=False):
    id: int | None = None
    image_id: int | None = None
    category_id: int | None = None
    bbox: list[float] | None = None
    area: float | None = None
    iscrowd: bool | float | None = None
    score: float | None = None
    segmentation: msgspec.Raw = msgspec.Raw()


class _MaskedAnnotation(msgspec.Struct, gc=False):
    id: int | None = None
    image_id: int | None = None
    category_id: int | None = None
    bbox: list[float] | None = None
    area: float | None = None
    iscrowd: bool | float | None = None
    score: float | None = None
    segmentation: list[list[float]] | _Runs | None = None


class _Image(msgspec.Struct, gc=False):
    id: int | None = None
    height: int | None = None
    width: int | None = None


class _DataSet(msgspec.Struct):
    annotations: msgspec.Raw = msgspec.Raw()
    images: msgspec.Raw = msgspec.Raw()
    categories: msgspec.Raw = msgspec.Raw()


class _Unclear(Exception):
    """Nothing that msgspec can tell."""


def scan(text: Text, *, masks: bool = False) -> Document:
    """What a file of COCO's JSON holds.

    Parameters
    ----------
    text : Text
        The file.
    masks : bool
        Whether segmentations are wanted.

    Raises
    ------
    ReadError
        If it is no such file; names the place.
    """
    try:
        with _no_collection():
            return _document(text, masks)
    except (msgspec.MsgspecError, _Unclear, ValueError, RecursionError, OverflowError):
        return stdlib_scanning.scan(text, masks=masks)


@contextmanager
def _no_collection() -> Iterator[None]:
    """No search for unused cycles in between: there are none in what is read, which is much."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _document(text: Text, masks: bool) -> Document:
    if not text.is_utf8:
        raise _Unclear
    content = text.view[text.start :]
    if bytes(content[:64]).lstrip()[:1] == b"[":
        return Document(text.source, _annotations(content, masks))
    members = msgspec.json.decode(content, type=_DataSet)
    return Document(
        text.source,
        _annotations(members.annotations or b"[]", masks),
        False,
        _images(members.images) if members.images else None,
        bytes(members.images),
        bytes(members.categories),
        bool(members.annotations),
    )


def _images(content: Any) -> Images:
    images = msgspec.json.decode(content, type=list[_Image])
    names = {"id": ID, "height": HEIGHT, "width": WIDTH}
    columns = dict(zip(names, _columns(images, tuple(names)), strict=True))
    found = _found(len(images), [(column, names[name]) for name, column in columns.items()])
    ids, heights, widths = (_integers(column) for column in columns.values())
    records = msgspec.json.decode(content, type=list[dict[str, Any]])
    return Images(found, ids, np.stack([heights, widths], axis=1), plain_fields(records))


def _annotations(content: Any, masks: bool) -> Annotations:
    kind = _MaskedAnnotation if masks else _Annotation
    rows: list[Any] = msgspec.json.decode(content, type=list[kind])  # type: ignore[valid-type]
    *values, boxes, segmentations = _columns(rows, (*_BITS, "bbox", "segmentation"))
    columns = dict(zip(_BITS, values, strict=True))
    if {len(box) for box in boxes if box} - {4}:
        raise _Unclear
    has_mask = [_is_there(own) for own in segmentations]
    found = _found(len(rows), [(column, _BITS[name]) for name, column in columns.items()])
    found |= np.where([bool(box) for box in boxes], BOX, 0).astype(np.uint16)
    found |= np.where(has_mask, SEGMENTATION, 0).astype(np.uint16)
    no_box = (0.0,) * 4
    flat = np.fromiter(chain.from_iterable(box or no_box for box in boxes), float, 4 * len(rows))
    return Annotations(
        found=found,
        ids=_integers(columns["id"]),
        images=_integers(columns["image_id"]),
        categories=_integers(columns["category_id"]),
        boxes=flat.reshape(-1, 4),
        areas=_floats(columns["area"]),
        scores=_floats(columns["score"]),
        crowd=np.array([bool(flag) for flag in columns["iscrowd"]], np.uint8),
        masks=_segmentations(segmentations) if masks else None,
    )


def _columns(rows: Sequence[Any], names: Sequence[str]) -> list[list[Any]]:
    """Fields of all rows, by name."""
    return [list(map(attrgetter(name), rows)) for name in names]


def _is_there(segmentation: Any) -> bool:
    if isinstance(segmentation, msgspec.Raw):
        return bytes(segmentation) not in (b"", b"null") and not _is_empty(segmentation)
    return segmentation is not None and segmentation != []


def _is_empty(raw: msgspec.Raw) -> bool:
    return len(raw) < 16 and bytes(raw).translate(None, b" \t\r\n") == b"[]"


def _found(count: int, columns: Sequence[tuple[list[Any], int]]) -> NDArray[np.uint16]:
    found = np.zeros(count, np.uint16)
    for column, bit in columns:
        found += np.fromiter((value is not None for value in column), bool, count) * np.uint16(bit)
    return found


def _integers(column: list[int | None]) -> Codes:
    return np.fromiter((value or 0 for value in column), np.int64, len(column))


def _floats(column: list[float | None]) -> NDArray[np.float64]:
    # Not `value or 0.0`: -0.0 is a number of its own.
    filled = (0.0 if value is None else value for value in column)
    return np.fromiter(filled, np.float64, len(column))


def _segmentations(column: Sequence[Any]) -> Segmentations:
    kinds = [_kind(own) for own in column]
    rings = [own if kind == POLYGONS else () for own, kind in zip(column, kinds, strict=True)]
    runs = [own.counts if kind == RUNS else () for own, kind in zip(column, kinds, strict=True)]
    texts = [
        _letters(own.counts) if kind == COMPRESSED else b""
        for own, kind in zip(column, kinds, strict=True)
    ]
    sizes = [own.size if isinstance(own, _Runs) else (0, 0) for own in column]
    ring_lengths = [len(ring) for own in rings for ring in own]
    numbers = chain.from_iterable(ring for own in rings for ring in own)
    ends = [list(map(len, parts)) for parts in (rings, runs, texts)]
    counts = np.fromiter(chain.from_iterable(runs), np.int64)
    if counts.size and (counts.min() < 0 or counts.max() >= 1 << 32):
        raise _Unclear
    return Segmentations(
        np.array(kinds, np.uint8),
        np.array(sizes, np.int64).reshape(-1, 2),
        np.cumsum(np.array(ends, np.int64).T.reshape(-1, 3), axis=0),
        np.cumsum(np.array(ring_lengths, np.int64)),
        np.fromiter(numbers, np.float64),
        counts.astype(np.uint32),
        np.frombuffer(b"".join(texts), np.uint8),
    )


def _kind(segmentation: Any) -> int:
    if isinstance(segmentation, _Runs):
        return RUNS if isinstance(segmentation.counts, list) else COMPRESSED
    return POLYGONS if segmentation else NO_MASK


def _letters(counts: str) -> bytes:
    if not counts.isascii() or not counts.isprintable():
        raise _Unclear
    return counts.encode()


def grouped_order(groups: Codes, count: int) -> Codes:
    """Order of rows by group, rows of a group as they stand.

    Parameters
    ----------
    groups : ndarray of int64, shape (n,)
        Group of each row, below `count`.
    count : int
        Number of groups.

    Examples
    --------
    >>> grouped_order(np.array([1, 0, 1]), 2)
    array([1, 0, 2])
    """
    return np.argsort(groups, kind="stable")
