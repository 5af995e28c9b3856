"""Splitting COCO's files: which record of both belongs to which images.

Records are told apart without reading them once more: between two of them there is always the
pattern ``}, {``. Where it stands as often as there are records but one, it stands nowhere else.
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
from valor_detection.coco_json.records import BOX, ID, SEGMENTATION, AscendingIds, Document
from valor_detection.coco_json.scanner import scan
from valor_detection.coco_json.text import Text
from valor_detection.readers.coco_parts import CocoFiles, CocoPart, Ranges

_BETWEEN = re.compile(rb"\}[ \t\n\r]*,[ \t\n\r]*(?=\{)")


def split(files: CocoFiles, images: int) -> Sequence[CocoPart]:
    """Parts of so many images; none where that is one part, or the files are odd."""
    try:
        split = _Split.of(files, images)
    except (ReadError, msgspec.MsgspecError, _Odd):
        return ()
    return split.parts() if split.count > 1 else ()


class _Odd(Exception):
    """Something by which a part of a file would be understood otherwise than the whole."""


class _Members(msgspec.Struct):
    images: msgspec.Raw = msgspec.Raw()
    annotations: msgspec.Raw = msgspec.Raw()
    categories: msgspec.Raw = msgspec.Raw()


@frozen(eq=False)
class _Records:
    """Where the records of a list are, and to which part each belongs."""

    starts: Codes
    stops: Codes
    parts: Codes

    @classmethod
    def of(cls, text: Text, start: int, stop: int, parts: Codes) -> _Records:
        """The records of the list between two positions of a text."""
        between = [match.span() for match in _BETWEEN.finditer(text.view, start, stop)]
        edges = np.array(between, np.int64).reshape(-1, 2)
        if len(parts) != len(edges) + 1 and (len(parts) or len(edges)):
            raise _Odd
        if not len(parts):
            return cls(parts, parts, parts)
        # A separator is one brace and what follows it; the brackets are not of a record.
        starts = np.concatenate([[start + 1], edges[:, 1]])
        stops = np.concatenate([edges[:, 0] + 1, [stop - 1]])
        return cls(starts, stops, parts)

    def of_part(self, order: Codes, first: int, last: int) -> Ranges:
        """The records of a part, whose positions stand in some of the order."""
        rows = order[first:last]
        is_break = np.diff(rows) != 1
        begins, ends = np.append(True, is_break)[: len(rows)], np.append(is_break, True)
        return Ranges(self.starts[rows[begins]], self.stops[rows[ends[: len(rows)]]], rows)

    def split(self, count: int) -> list[Ranges]:
        """The records of each of so many parts."""
        order = np.argsort(self.parts, kind="stable")
        ends = np.cumsum(np.bincount(self.parts, minlength=count))
        return [
            self.of_part(order, int(end - size), int(end))
            for end, size in zip(ends, np.diff(ends, prepend=0), strict=True)
        ]


@frozen(eq=False)
class _Split:
    """Both files, and which record of them belongs to which part."""

    files: CocoFiles
    step: int
    ids: Codes
    images: _Records
    truths: _Records
    results: _Records
    categories: bytes
    fields: tuple[str, ...]

    @classmethod
    def of(cls, files: CocoFiles, step: int) -> _Split:
        text = Text.read(files.groundtruths)
        document = scan(text)
        ids = _image_ids(document)
        ordered = np.sort(ids)
        numbering = AscendingIds.of(ordered)

        def parts_of(images: Codes) -> Codes:
            # What belongs to an unknown image is told of, or counted, by the first part.
            return np.maximum(numbering.positions(images), 0) // step

        members = msgspec.json.decode(text.view[text.start :], type=_Members)
        images = _Records.of(text, *_span(text, members.images), parts_of(ids))
        rows = parts_of(_images_of(document, ID))
        truths = _Records.of(text, *_span(text, members.annotations), rows)
        found = Text.read(files.predictions)
        results = scan(found)
        images_found = _images_of(results, BOX | SEGMENTATION)
        if len(images_found) and (numbering.positions(images_found) < 0).all():
            raise _Odd  # images may be called by the names of their files
        rows = parts_of(images_found)
        content = found.view[found.start :]
        whole = (
            msgspec.json.decode(content, type=msgspec.Raw)
            if results.is_list
            else msgspec.json.decode(content, type=_Members).annotations
        )
        return cls(
            files,
            step,
            ordered,
            images,
            truths,
            _Records.of(found, *_span(found, whole), rows),
            bytes(members.categories),
            () if document.images is None else document.images.fields,
        )

    @property
    def count(self) -> int:
        """How many parts there are."""
        return -(-len(self.ids) // self.step)

    def parts(self) -> Sequence[CocoPart]:
        """The parts."""
        records = (own.split(self.count) for own in (self.images, self.truths, self.results))
        return tuple(
            CocoPart(
                self.files,
                int(self.ids[number * self.step]),
                int(self.ids[min((number + 1) * self.step, len(self.ids)) - 1]),
                images,
                truths,
                results,
                self.categories,
                self.fields,
            )
            for number, (images, truths, results) in enumerate(zip(*records, strict=True))
        )


def _image_ids(document: Document) -> Codes:
    images = document.images
    if images is None or (images.found & ID == 0).any() or not _are_distinct(images.ids):
        raise _Odd
    return images.ids


def _images_of(document: Document, bits: int) -> Codes:
    """The image of every annotation, if all of them have the same ones of some fields."""
    own = document.annotations
    kinds = own.found & np.uint16(bits)
    if (kinds != kinds[:1]).any() or ((kinds & ID).any() and not _are_distinct(own.ids)):
        raise _Odd
    return own.images


def _are_distinct(ids: Codes) -> bool:
    return len(np.unique(ids)) == len(ids)


def _span(text: Text, raw: msgspec.Raw) -> tuple[int, int]:
    """Where a value begins and ends in a text that it was decoded of."""
    if not raw:
        raise _Odd
    value: NDArray[np.uint8] = np.frombuffer(raw, np.uint8)
    start = value.ctypes.data - text.padded.ctypes.data
    return start, start + len(value)
