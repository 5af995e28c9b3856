"""Compiled scanner of COCO's JSON; scans spans of a file in threads."""

from __future__ import annotations

import json
import math
import re
from collections import deque
from contextlib import suppress
from enum import IntEnum
from functools import cache
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from valor_core.kernels import in_threads, thread_count
from valor_core.schemas import Codes
from valor_detection.coco_json.records import Annotations, Document, Images
from valor_detection.coco_json.text import Text
from valor_detection.kernels import KERNELS
from valor_detection.kernels.pages import paged
from valor_detection.kernels.segmentations import Segmentations

__all__ = ["scan"]

_DONE, _FULL, _BAD = map(KERNELS.constant, ("scan_done", "scan_full", "scan_bad"))
_LEAST_SPAN, _MOST_SPAN = 1 << 18, 4 << 20  # bytes of a span
_LARGE = 1 << 16  # least elements of a column with separate memory pages
_LARGE_PAGE = 1 << 18  # numbers of a page of 2 MB
_BYTES_OF_POINT = 9  # of an x, a y and a visibility of one digit each, with commas and spaces
_SPACE = re.compile(rb"[ \t\n\r]*")
_KEY = re.compile(rb'"([^"\\\x00-\x1f]*)"[ \t\n\r]*:')
_BETWEEN = re.compile(rb"\}[ \t\n\r]*,[ \t\n\r]*(?=\{)")


class Slot(IntEnum):
    """Indices in the state of the scanner in C: its position, and sizes and limits of columns."""

    POSITION = KERNELS.constant("slot_position")
    STOP = KERNELS.constant("slot_stop")
    CLOSED = KERNELS.constant("slot_closed")
    ROWS = KERNELS.constant("slot_rows")
    RINGS = KERNELS.constant("slot_rings")
    NUMBERS = KERNELS.constant("slot_numbers")
    COUNTS = KERNELS.constant("slot_counts")
    LETTERS = KERNELS.constant("slot_letters")
    POINTS = KERNELS.constant("slot_points")
    HARD = KERNELS.constant("slot_hard")
    NAMES = KERNELS.constant("slot_names")
    LISTED = KERNELS.constant("slot_listed")
    LACKING = KERNELS.constant("slot_lacking")


_BYTES_OF_ONE = {
    Slot.ROWS: 48,
    Slot.RINGS: 48,
    Slot.NUMBERS: 5,
    Slot.COUNTS: 3,
    Slot.LETTERS: 2,
    Slot.POINTS: 5,
    Slot.HARD: 1024,
}
"""Approximate minimum bytes of text per element, to allocate columns."""


class _Unclear(Exception):
    """Raised for text that the compiled scanner leaves to the reference scanner."""


_scan_annotations = KERNELS.function("scan_annotations")
_scan_images = KERNELS.function("scan_images")
_scan_value = KERNELS.function("scan_value")


@cache
def _fives() -> NDArray[np.uint64]:
    """First 128 bits of the powers of five from -342 to 308, for Lemire's algorithm."""
    words = [word for q in range(-342, 309) for word in divmod(_five(q), 1 << 64)]
    return np.array(words, np.uint64)


def _five(q: int) -> int:
    power: int = 5 ** abs(q)
    if q >= 0:
        excess = power.bit_length() - 128
        return power >> excess if excess > 0 else power << -excess
    bits = (power - 1).bit_length()
    inverse = (1 << (bits + 127 if q >= -27 else 2 * bits + 128)) // power + 1
    return inverse >> max(0, inverse.bit_length() - 128)


Shared = tuple[NDArray[np.float64], int]
"""Array of the points of all spans, and the index of the first of a span."""


@define(repr=False)
class _SpanColumns:
    """Columns of a span that can grow."""

    text: Text
    with_masks: bool
    with_keypoints: bool
    limits: Codes
    shared: Shared | None = None
    columns: dict[str, NDArray[Any]] = field(factory=dict)

    _SHAPES: ClassVar[tuple[tuple[str, int, Any, int], ...]] = (
        ("hard", Slot.HARD, np.int64, 4),
        ("ids", Slot.ROWS, np.int64, 1),
        ("images", Slot.ROWS, np.int64, 1),
        ("categories", Slot.ROWS, np.int64, 1),
        ("boxes", Slot.ROWS, np.float64, 4),
        ("areas", Slot.ROWS, np.float64, 1),
        ("scores", Slot.ROWS, np.float64, 1),
        ("crowd", Slot.ROWS, np.uint8, 1),
        ("found", Slot.ROWS, np.uint16, 1),
        ("kinds", Slot.ROWS, np.uint8, 1),
        ("sizes", Slot.ROWS, np.int64, 2),
        ("row_ends", Slot.ROWS, np.int64, 3),
        ("ring_ends", Slot.RINGS, np.int64, 1),
        ("numbers", Slot.NUMBERS, np.float64, 1),
        ("counts", Slot.COUNTS, np.uint32, 1),
        ("letters", Slot.LETTERS, np.uint8, 1),
        ("points", Slot.POINTS, np.float64, 1),
        ("point_counts", Slot.ROWS, np.int64, 1),
        ("labeled", Slot.ROWS, np.int64, 1),
    )
    _OF_MASKS: ClassVar[frozenset[str]] = frozenset(
        ("kinds", "sizes", "row_ends", "ring_ends", "numbers", "counts", "letters")
    )
    _OF_KEYPOINTS: ClassVar[frozenset[str]] = frozenset(("points", "point_counts", "labeled"))

    @classmethod
    def of(cls, scan: _Scan, start: int, stop: int) -> _SpanColumns:
        limits = np.zeros(len(Slot), np.int64)
        for slot, bytes_of_one in _BYTES_OF_ONE.items():
            limits[slot] = (stop - start) // bytes_of_one + 16
        room = cls(scan.text, scan.with_masks, scan.with_keypoints, limits)
        for name, what, dtype, width in cls._SHAPES:
            rows = int(limits[what]) if room._has(name) else 0
            room.columns[name] = _empty((rows, width) if width > 1 else (rows,), dtype)
        first, last = scan.first_point(start), scan.first_point(stop)
        if scan.points is not None and last > first:
            room.columns["points"] = scan.points[first:last]
            room.limits[Slot.POINTS] = last - first
            room.shared = scan.points, first
        return room

    def _has(self, name: str) -> bool:
        if name in self._OF_KEYPOINTS:
            return self.with_keypoints
        return self.with_masks or name not in self._OF_MASKS

    def grow(self, what: int) -> None:
        self.limits[what] *= 2
        for name, slot, dtype, _ in self._SHAPES:
            old = self.columns[name]
            if slot == what and self._has(name):
                new = _empty((int(self.limits[what]), *old.shape[1:]), dtype)
                new[: len(old)] = old
                self.columns[name] = new
                if what == Slot.POINTS:
                    self.shared = None

    def scan(self, state: Codes) -> int:
        columns = KERNELS.struct(
            "Columns",
            text=self.text.padded,
            room=self.limits,
            state=state,
            fives=_fives(),
            with_masks=self.with_masks,
            with_keypoints=self.with_keypoints,
            code=_BAD,
            **self.columns,
        )
        code: int = _scan_annotations(columns)
        return code

    def annotations(self, state: Codes) -> Annotations:
        """Return the scanned rows."""
        self._finish(int(state[Slot.HARD]))
        filled = {
            name: self.columns[name][: int(state[what])] for name, what, *_ in self._SHAPES[1:]
        }
        masks = {name: filled.pop(name) for name in self._OF_MASKS}
        found = Annotations(**filled, masks=Segmentations(**masks) if self.with_masks else None)
        if self.shared is not None:
            found.points, first = self.shared
            found.point_starts = found.point_starts + first
        return found

    def _finish(self, count: int) -> None:
        """Parse the numbers that need Python's rounding."""
        slots = ("boxes", "areas", "scores", "numbers", "points")
        for slot, index, start, stop in self.columns["hard"][:count].tolist():
            number = float(self.text.cut(start, stop))
            if math.isinf(number):
                raise _Unclear
            self.columns[slots[slot]].reshape(-1)[index] = number


def _empty(shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    size = math.prod(shape)
    return paged(size, dtype).reshape(shape) if size > _LARGE else np.empty(shape, dtype)


@frozen(repr=False)
class _Span:
    """Result of scanning annotations from a position."""

    start: int
    stop: int
    position: int
    is_closed: bool
    annotations: Annotations | None


def _span(scan: _Scan, start: int, stop: int) -> _Span:
    state = np.zeros(len(Slot), np.int64)
    state[Slot.POSITION], state[Slot.STOP] = start, stop
    room = _SpanColumns.of(scan, start, stop)
    while (code := room.scan(state)) == _FULL:
        room.grow(int(state[Slot.LACKING]))
    try:
        found = None if code == _BAD else room.annotations(state)
    except _Unclear:
        found = None
    return _Span(start, stop, int(state[Slot.POSITION]), bool(state[Slot.CLOSED]), found)


@frozen(repr=False)
class _Scan:
    """One pass over a file."""

    text: Text
    with_masks: bool
    with_keypoints: bool
    points: NDArray[np.float64] | None = None
    """Array of all spans' points, with a range for each, so that none is copied."""

    def document(self) -> Document:
        if not self.text.is_utf8:
            raise _Unclear
        start = self._space(self.text.start)
        if self._letter(start) == b"[":
            annotations, end = self._annotations(start)
            members: dict[str, Any] = {"annotations": annotations}
        else:
            members, end = self._members(start)
        if self._space(end) != self.text.size:
            raise _Unclear
        images, image_text = members.get("images", (None, b""))
        return Document(
            self.text.source,
            members.get("annotations", Annotations.none(self.with_masks)),
            self._letter(start) == b"[",
            images,
            image_text,
            members.get("categories", b""),
            "annotations" in members,
        )

    def _members(self, start: int) -> tuple[dict[str, Any], int]:
        """Return the members of the object at a position, and its end."""
        members: dict[str, Any] = {}
        end, between = start, b"{"
        while self._letter(end) == between:
            key = _KEY.match(self.text.view, self._space(end + 1))
            if key is None or (name := key[1].decode()) in members:
                raise _Unclear
            members[name], end = self._member(name, self._space(key.end()))
            end, between = self._space(end), b","
        if self._letter(end) != b"}" or end == start:
            raise _Unclear
        return members, end + 1

    def _member(self, name: str, position: int) -> tuple[Any, int]:
        if name == "annotations":
            return self._annotations(position)
        if name == "images":
            images, end = self._images(position)
            return (images, self.text.cut(position, end)), end
        end = _scan_value(self.text.padded, position)
        if end < 0:
            raise _Unclear
        return self.text.cut(position, end) if name == "categories" else None, end

    def _annotations(self, position: int) -> tuple[Annotations, int]:
        """Return the annotations of the list at a position, and its end."""
        first, is_empty = self._first(position)
        if is_empty:
            return Annotations.none(self.with_masks), first
        parts: list[Annotations] = []
        at = first
        for span in self._spans(first):
            if span.start < at and span.stop <= at:
                continue  # starts inside an annotation of an earlier span
            if span.start != at:
                span = _span(self, at, max(at + 1, span.stop))
            if span.annotations is None:
                raise _Unclear
            parts.append(span.annotations)
            at = span.position
            if span.is_closed:
                return Annotations.joined(parts), at
        raise _Unclear

    @property
    def _step(self) -> int:
        """Least number of bytes of a span."""
        return max(_LEAST_SPAN, min(_MOST_SPAN, self.text.size // (4 * thread_count())))

    def first_point(self, position: int) -> int:
        """Return the index in `points` from which a span that starts at a position writes.

        Long spans start at a large page. The system fills each page with zeros, also if a span
        writes only into its end.
        """
        index = 3 * (position // _BYTES_OF_POINT)
        is_short = 3 * (self._step // _BYTES_OF_POINT) < 4 * _LARGE_PAGE
        if self.points is None or is_short or position >= self.text.size:
            return index
        address = self.points.ctypes.data // self.points.itemsize
        aligned = (address + index) // _LARGE_PAGE * _LARGE_PAGE - address
        return 3 * -(-max(0, aligned) // 3)

    def _spans(self, first: int) -> list[_Span]:
        """Scan spans from a position to the end of the file, which may include other lists."""
        step = self._step
        starts = [first]
        while starts[-1] + step < self.text.size:
            cut = _BETWEEN.search(self.text.view, starts[-1] + step)
            if cut is None:
                break
            starts.append(cut.end())
        waiting = deque(enumerate(pairwise([*starts, self.text.size])))
        spans: dict[int, _Span] = {}

        def work() -> None:
            with suppress(IndexError):
                while True:
                    number, (start, stop) = waiting.popleft()
                    spans[number] = _span(self, start, stop)

        in_threads([work] * min(thread_count(), len(waiting)))
        return [spans[number] for number in sorted(spans)]

    def _images(self, position: int) -> tuple[Images, int]:
        first, is_empty = self._first(position)
        rows = self.text.size // 256 + 16
        while True:
            state = np.zeros(len(Slot), np.int64)
            state[Slot.POSITION], state[Slot.CLOSED] = first, is_empty
            room = np.full(len(Slot), rows)
            ids, sizes = np.empty(rows, np.int64), np.empty((rows, 2), np.int64)
            found = np.empty(rows, np.uint16)
            names, listed = np.empty((rows, 3), np.int64), np.empty((rows, 3), np.int64)
            columns = KERNELS.struct(
                "ImageColumns",
                text=self.text.padded,
                room=room,
                state=state,
                fives=_fives(),
                ids=ids,
                sizes=sizes,
                found=found,
                names=names,
                listed=listed,
            )
            code = _scan_images(columns)
            if code == _BAD:
                raise _Unclear
            count = int(state[Slot.ROWS])
            if code == _DONE:
                images = Images(
                    found[:count],
                    ids[:count],
                    sizes[:count],
                    self._fields(names[: int(state[Slot.NAMES])]),
                    listed[: int(state[Slot.LISTED])],
                )
                return images, int(state[Slot.POSITION])
            rows *= 4

    def _fields(self, names: Codes) -> tuple[str, ...]:
        """Return sorted names of fields without lists or tables in any image."""
        spelled: dict[str, bool] = {}
        for start, stop, is_nested in names.tolist():
            name = json.loads(b'"%b"' % self.text.cut(start, stop))
            spelled[name] = spelled.get(name, False) or bool(is_nested)
        return tuple(sorted(name for name, is_nested in spelled.items() if not is_nested))

    def _first(self, position: int) -> tuple[int, bool]:
        """Return the position of the first item (or the list end) and if the list is empty."""
        if self._letter(position) != b"[":
            raise _Unclear
        first = self._space(position + 1)
        is_empty = self._letter(first) == b"]"
        return first + is_empty, is_empty

    def _space(self, position: int) -> int:
        match = _SPACE.match(self.text.view, position)
        return position if match is None else match.end()

    def _letter(self, position: int) -> bytes:
        return bytes(self.text.view[position : position + 1])


def scan(text: Text, *, masks: bool = False, keypoints: bool = False) -> Document:
    """Scan a file of COCO's JSON.

    Parameters
    ----------
    text : Text
        The file.
    masks : bool
        If True, read segmentations.
    keypoints : bool
        If True, read keypoints.

    Raises
    ------
    ReadError
        If the file is not valid COCO JSON.
    """
    try:
        is_large = keypoints and text.size > _LEAST_SPAN
        points = paged(3 * (text.size // _BYTES_OF_POINT), np.float64) if is_large else None
        return _Scan(text, masks, keypoints, points).document()
    except (_Unclear, ValueError):  # ValueError: a name with invalid escapes
        from valor_detection.coco_json import reference_scanner

        return reference_scanner.scan(text, masks=masks, keypoints=keypoints)
