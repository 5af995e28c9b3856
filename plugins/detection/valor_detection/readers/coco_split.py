"""Split COCO's files into byte ranges per partition.

Records are located without parsing them again: the pattern ``}, {`` separates two records. If it
occurs once less than there are records, every occurrence is a separator.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec
import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.errors import ReadError
from valor_core.schemas import Codes
from valor_detection.coco_json import scan
from valor_detection.coco_json.records import (
    BOX,
    ID,
    NEGATIVE,
    SEGMENTATION,
    AscendingIds,
    Document,
)
from valor_detection.coco_json.text import Text
from valor_detection.readers.coco_parts import CocoFiles, CocoPart, Ranges

_BETWEEN = re.compile(rb"\}[ \t\n\r]*,[ \t\n\r]*(?=\{)")


def split(files: CocoFiles, images: int) -> Sequence[CocoPart]:
    """Split into parts of `images` images; return none for one part or unexpected files."""
    try:
        return _parts(files, images)
    except (ReadError, msgspec.MsgspecError, _Unsplittable):
        return ()


class _Unsplittable(Exception):
    """Raised for files whose parts would be read differently than the file."""


class _Members(msgspec.Struct):
    images: msgspec.Raw = msgspec.Raw()
    annotations: msgspec.Raw = msgspec.Raw()
    categories: msgspec.Raw = msgspec.Raw()


@frozen(eq=False)
class _Records:
    """Byte ranges of the records of a list, and the part of each."""

    starts: Codes
    stops: Codes
    parts: Codes

    @classmethod
    def of(cls, text: Text, start: int, stop: int, parts: Codes) -> _Records:
        """Locate the records of the list between two positions of a text."""
        between = [match.span() for match in _BETWEEN.finditer(text.view, start, stop)]
        edges = np.array(between, np.int64).reshape(-1, 2)
        if len(parts) != len(edges) + 1 and (len(parts) or len(edges)):
            raise _Unsplittable
        if not len(parts):
            return cls(parts, parts, parts)
        # A separator starts with the brace of a record; the list's brackets belong to no record.
        starts = np.concatenate([[start + 1], edges[:, 1]])
        stops = np.concatenate([edges[:, 0] + 1, [stop - 1]])
        return cls(starts, stops, parts)

    def of_part(self, order: Codes, first: int, last: int) -> Ranges:
        """Return the records of a part, with positions ``order[first:last]``."""
        rows = order[first:last]
        is_break = np.diff(rows) != 1
        begins, ends = np.append(True, is_break)[: len(rows)], np.append(is_break, True)
        return Ranges(self.starts[rows[begins]], self.stops[rows[ends[: len(rows)]]], rows)

    def split(self, count: int) -> list[Ranges]:
        """Return the records of each of `count` parts."""
        order = np.argsort(self.parts, kind="stable")
        ends = np.cumsum(np.bincount(self.parts, minlength=count))
        return [
            self.of_part(order, int(end - size), int(end))
            for end, size in zip(ends, np.diff(ends, prepend=0), strict=True)
        ]


def _parts(files: CocoFiles, step: int) -> Sequence[CocoPart]:
    """Return parts of `step` images; empty if both files have at most one part."""
    text = Text.read(files.groundtruths)
    document = scan(text)
    ids = _image_ids(document)
    ordered = np.sort(ids)
    numbering = AscendingIds.of(ordered)

    def parts_of(images: Codes) -> Codes:
        # the first part reports or counts annotations of unknown images
        return np.maximum(numbering.positions(images), 0) // step

    members = msgspec.json.decode(text.view[text.start :], type=_Members)
    images = _Records.of(text, *_span(text, members.images), parts_of(ids))
    rows = parts_of(_images_of(document, ID))
    truths = _Records.of(text, *_span(text, members.annotations), rows)
    found = Text.read(files.predictions)
    results = scan(found)
    images_found = _images_of(results, BOX | SEGMENTATION)
    if len(images_found) and (numbering.positions(images_found) < 0).all():
        raise _Unsplittable  # image ids may be file names
    content = found.view[found.start :]
    listed = (
        msgspec.json.decode(content, type=msgspec.Raw)
        if results.is_list
        else msgspec.json.decode(content, type=_Members).annotations
    )
    predictions = _Records.of(found, *_span(found, listed), parts_of(images_found))
    count = -(-len(ids) // step)
    if count <= 1:
        return ()
    records = (lists.split(count) for lists in (images, truths, predictions))
    fields = () if document.images is None else document.images.fields
    return tuple(
        CocoPart(
            files,
            int(ordered[number * step]),
            int(ordered[min((number + 1) * step, len(ids)) - 1]),
            image_ranges,
            true_ranges,
            ranges,
            bytes(members.categories),
            fields,
        )
        for number, (image_ranges, true_ranges, ranges) in enumerate(zip(*records, strict=True))
    )


def _image_ids(document: Document) -> Codes:
    images = document.images
    if images is None or (images.found & ID == 0).any() or not _are_distinct(images.ids):
        raise _Unsplittable
    lists = images.found & NEGATIVE
    if (lists != lists[:1]).any():
        raise _Unsplittable
    return images.ids


def _images_of(document: Document, bits: int) -> Codes:
    """Return the image of every annotation; all must have the same fields of `bits`."""
    annotations = document.annotations
    kinds = annotations.found & np.uint16(bits)
    if (kinds != kinds[:1]).any() or ((kinds & ID).any() and not _are_distinct(annotations.ids)):
        raise _Unsplittable
    return annotations.images


def _are_distinct(ids: Codes) -> bool:
    return len(np.unique(ids)) == len(ids)


def _span(text: Text, raw: msgspec.Raw) -> tuple[int, int]:
    """Return start and end of a raw value in the text it was decoded from."""
    if not raw:
        raise _Unsplittable
    value: NDArray[np.uint8] = np.frombuffer(raw, np.uint8)
    start = value.ctypes.data - text.padded.ctypes.data
    return start, start + len(value)
