"""Scanner of COCO's JSON by msgspec."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, compress
from operator import attrgetter
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from valor_core.plugin import over
from valor_core.schemas.columns import Codes, Floats
from valor_core.schemas.geometry.shapes import ends
from valor_detection.kernels import stdlib_scanning
from valor_detection.kernels.numeric.rings import Rings, UnusualError
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
    "bbox": BOX,
    "segmentation": SEGMENTATION,
}


class _Runs(msgspec.Struct, gc=False):
    size: tuple[int, int]
    counts: list[int] | str


_KINDS = {list: RUNS, str: COMPRESSED, type(None): NO_MASK}


class _Annotation(msgspec.Struct, gc=False):
    id: int | None = None
    image_id: int | None = None
    category_id: int | None = None
    bbox: list[float] | None = None
    area: float | None = None
    iscrowd: bool | float | None = None
    score: float | None = None
    segmentation: msgspec.Raw = msgspec.Raw()


class _Image(msgspec.Struct, gc=False):
    id: int | None = None
    height: int | None = None
    width: int | None = None


class _DataSet(msgspec.Struct):
    annotations: list[_Annotation] | msgspec.UnsetType = msgspec.UNSET
    images: msgspec.Raw = msgspec.Raw()
    categories: msgspec.Raw = msgspec.Raw()


_ANNOTATIONS = msgspec.json.Decoder(list[_Annotation])
_DATA_SET = msgspec.json.Decoder(_DataSet)
_IMAGES = msgspec.json.Decoder(list[_Image])
_POLYGONS = msgspec.json.Decoder(list[list[list[float]]])
_RUNS = msgspec.json.Decoder(list[_Runs | None])

_ROWS = 8192  # of which segmentations are objects at a time
_BLOCK = 1024  # rows whose rings are read at a time, so that they stay near
_SPACE = b" \t\r\n"
_FIRST, _LAST = ord(" "), ord("~")  # of the letters that can be printed


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
        return Document(text.source, _annotations(_ANNOTATIONS.decode(content), masks))
    members = _DATA_SET.decode(content)
    rows = members.annotations
    return Document(
        text.source,
        _annotations([] if isinstance(rows, msgspec.UnsetType) else rows, masks),
        False,
        _images(members.images) if members.images else None,
        bytes(members.images),
        bytes(members.categories),
        isinstance(rows, list),
    )


def _images(content: Any) -> Images:
    images = _IMAGES.decode(content)
    found, columns = np.zeros(len(images), np.uint16), {}
    for name, bit in {"id": ID, "height": HEIGHT, "width": WIDTH}.items():
        columns[name], is_given = _integers(images, name)
        found |= is_given * np.uint16(bit)
    records = msgspec.json.decode(content, type=list[dict[str, Any]])
    sizes = np.stack([columns["height"], columns["width"]], axis=1)
    return Images(found, columns["id"], sizes, plain_fields(records))


def _annotations(rows: Sequence[_Annotation], masks: bool) -> Annotations:
    raws = _column(rows, "segmentation")
    segmentations = _segmentations(raws) if masks else None
    has = {"segmentation": _are_there(raws) if segmentations is None else segmentations.kinds > 0}
    columns: dict[str, NDArray[Any]] = {}
    columns["bbox"], has["bbox"] = _boxes(_column(rows, "bbox"))
    for name in ("id", "image_id", "category_id"):
        columns[name], has[name] = _integers(rows, name)
    for name in ("area", "iscrowd", "score"):
        columns[name], has[name] = _floats(rows, name)
    found = np.zeros(len(rows), np.uint16)
    for name, is_given in has.items():
        found |= is_given * np.uint16(_BITS[name])
    return Annotations(
        found=found,
        ids=columns["id"],
        images=columns["image_id"],
        categories=columns["category_id"],
        boxes=columns["bbox"],
        areas=columns["area"],
        scores=columns["score"],
        crowd=(columns["iscrowd"] != 0).astype(np.uint8),
        masks=segmentations,
    )


def _column(rows: Sequence[Any], name: str) -> list[Any]:
    return list(map(attrgetter(name), rows))


def _integers(rows: Sequence[Any], name: str) -> tuple[Codes, NDArray[np.bool_]]:
    """A field of all rows, 0 where it is not given; and where it is."""
    column = _column(rows, name)
    try:
        return np.fromiter(column, np.int64, len(column)), np.ones(len(column), bool)
    except TypeError:  # there is a None
        is_given = np.fromiter((value is not None for value in column), bool, len(column))
        return np.fromiter((value or 0 for value in column), np.int64, len(column)), is_given


def _floats(rows: Sequence[Any], name: str) -> tuple[Floats, NDArray[np.bool_]]:
    """A field of all rows, 0 where it is not given; and where it is."""
    values = np.fromiter(_column(rows, name), np.float64, len(rows))
    is_given = ~np.isnan(values)  # which JSON has not: None is made such
    values[~is_given] = 0
    return values, is_given


def _boxes(column: Sequence[list[float] | None]) -> tuple[Floats, NDArray[np.bool_]]:
    """Boxes, zeros where there is none; and where there is one."""
    given = [box or () for box in column]
    lengths = np.fromiter(map(len, given), np.int64, len(given))
    has_box = lengths == 4
    if (lengths[~has_box] != 0).any():
        raise _Unclear
    boxes = np.zeros((len(given), 4))
    sides = np.fromiter(chain.from_iterable(given), np.float64, lengths.sum())
    boxes[has_box] = sides.reshape(-1, 4)
    return boxes, has_box


def _are_there(raws: Sequence[msgspec.Raw]) -> NDArray[np.bool_]:
    return np.fromiter((bool(raw) and _is_there(raw) for raw in raws), bool, len(raws))


def _is_there(raw: msgspec.Raw) -> bool:
    return len(raw) > 16 or bytes(raw).translate(None, _SPACE) not in (b"null", b"[]")


def _segmentations(raws: Sequence[msgspec.Raw]) -> Segmentations:
    """Segmentations from their JSON, of which few are objects at the same time."""
    parts = [_some(raws[first : first + _ROWS]) for first in range(0, len(raws), _ROWS)]
    return Segmentations.joined(parts) if parts else Segmentations.of([])


def _some(raws: Sequence[bytes | msgspec.Raw]) -> Segmentations:
    raws = [raw or b"null" for raw in raws]
    are_rings = _are_lists(raws)
    rings = _rings(list(compress(raws, are_rings)))
    values = _RUNS.decode(_list(compress(raws, ~are_rings)))
    counts = [None if own is None else own.counts for own in values]
    lists = [own if isinstance(own, list) else () for own in counts]
    texts = [own if isinstance(own, str) else "" for own in counts]
    kinds = np.full(len(raws), POLYGONS, np.uint8)
    sizes, lengths = np.zeros((len(raws), 2), np.int64), np.zeros((len(raws), 3), np.int64)
    kinds[~are_rings] = [_KINDS[type(own)] for own in counts]
    own_sizes = [(0, 0) if own is None else own.size for own in values]
    sizes[~are_rings] = np.array(own_sizes, np.int64).reshape(-1, 2)
    lengths[are_rings, 0] = rings.counts
    lengths[~are_rings, 1:] = np.array([list(map(len, own)) for own in (lists, texts)], np.int64).T
    kinds[are_rings & (lengths[:, 0] == 0)] = NO_MASK
    return Segmentations(
        kinds,
        sizes,
        np.cumsum(lengths, axis=0),
        np.cumsum(rings.lengths),
        rings.numbers,
        _counts(lists),
        _letters("".join(texts)),
    )


def _are_lists(raws: Sequence[bytes | msgspec.Raw]) -> NDArray[np.bool_]:
    starts = ends(np.fromiter(map(len, raws), np.int64, len(raws)) + 1)[:-1]
    are_lists: NDArray[np.bool_] = np.frombuffer(b",".join(raws), np.uint8)[starts] == ord("[")
    return are_lists


def _rings(raws: Sequence[bytes | msgspec.Raw]) -> Rings:
    """Rings of rows that are lists; threads share the rows."""
    spans = [(first, first + _BLOCK) for first in range(0, len(raws), _BLOCK)]
    return Rings.joined(over(lambda first, last: _some_rings(raws[first:last]), spans))


def _some_rings(raws: Sequence[bytes | msgspec.Raw]) -> Rings:
    try:
        return Rings.read(raws)
    except UnusualError:
        return Rings.of(_POLYGONS.decode(_list(raws)))


def _list(values: Iterable[Any]) -> bytes:
    return b"[" + b",".join(values) + b"]"


def _counts(lists: Iterable[Iterable[int]]) -> NDArray[np.uint32]:
    counts = np.fromiter(chain.from_iterable(lists), np.int64)
    if counts.min(initial=0) < 0 or counts.max(initial=0) >= 1 << 32:
        raise _Unclear
    return counts.astype(np.uint32)


def _letters(texts: str) -> NDArray[np.uint8]:
    letters = np.frombuffer(texts.encode("ascii"), np.uint8)
    if letters.min(initial=_FIRST) < _FIRST or letters.max(initial=_LAST) > _LAST:
        raise _Unclear
    return letters


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
