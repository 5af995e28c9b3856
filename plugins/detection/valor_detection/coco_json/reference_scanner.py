"""Reference scanner of COCO's JSON with the standard library; reports errors.

The compiled scanner falls back to it for text that it does not understand. It reads one record at a
time to save memory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from attrs import define

from valor_core.errors import ReadError, short_repr
from valor_detection.coco_json.numbers import DECODER, finite, integer64
from valor_detection.coco_json.records import (
    AREA,
    BOX,
    CATEGORY,
    CATEGORY_LISTS,
    CROWD,
    HEIGHT,
    ID,
    IGNORE,
    IMAGE,
    KEYPOINTS,
    NUM_KEYPOINTS,
    SCORE,
    SEGMENTATION,
    WIDTH,
    Annotations,
    Document,
    Images,
    Row,
    plain_fields,
)
from valor_detection.coco_json.text import Text
from valor_detection.kernels.segmentations import COMPRESSED, POLYGONS, RUNS, Segmentation

_SPACE = re.compile(r"[ \t\n\r]*")
_NOTHING = Segmentation()
_CUT_OFF = "The file may have been cut off: write or copy it again."


ImageOf = Callable[[str | int, str], int]
"""Returns the id of an image from the value of ``image_id`` and its location in messages."""


_FLAT_POINTS = (
    'Write x, y and visibility of each point in one list: "keypoints": [x1, y1, v1, x2, y2, v2, …].'
)
_IDS = {
    "id": "Number them: 1, 2, 3 and so on. Names of images belong under file_name.",
    "image_id": "Write the id that the image has in the data set, a number.",
    "category_id": "Write the id that the category has in the data set, a number.",
}


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

    Examples
    --------
    >>> scan(Text.of(b'[{"image_id": 7, "score": 0.5}]')).annotations.images
    array([7])
    """
    return _Walk(text, masks, keypoints, _decoded(text)).document()


def scan_named(
    text: Text, image_of: ImageOf, *, masks: bool = False, keypoints: bool = False
) -> Document:
    """Scan a file with file names as ``image_id``.

    Parameters
    ----------
    text : Text
        The file.
    image_of : callable
        Returns the id for a value of ``image_id``.
    masks : bool
        If True, read segmentations.
    keypoints : bool
        If True, read keypoints.

    Raises
    ------
    ReadError
        For the same errors as `scan`, except strings as ``image_id``.

    Examples
    --------
    >>> found = Text.of(b'[{"image_id": "a", "score": 0.5}]')
    >>> scan_named(found, lambda name, where: 7).annotations.images
    array([7])
    """
    return _Walk(text, masks, keypoints, _decoded(text), image_of).document()


def scan_records(text: Text) -> Any:
    """Parse a file of COCO's JSON without interpreting its records.

    Returns
    -------
    dict or list
        The file as in `json.loads`.

    Raises
    ------
    ReadError
        If the file is not JSON, or its annotations, categories, images or results are not a list
        of tables of fields.

    Examples
    --------
    >>> scan_records(Text.of(b'[{"image_id": 7}]'))
    [{'image_id': 7}]
    """
    walk = _RecordWalk(text, False, False, _decoded(text))
    members = walk.members()
    return members["annotations"] if walk.is_list else members


def _decoded(text: Text) -> str:
    raw = text.cut(text.start, text.size)
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ReadError(
            f"{text.source}, line {line}: expected UTF-8, found the byte {raw[error.start]:#04x}",
            "Save the file as UTF-8.",
        ) from error


@define(repr=False)
class _Walk:
    """One pass over a file, record by record."""

    text: Text
    masks: bool
    keypoints: bool
    content: str
    image_of: ImageOf | None = None
    position: int = 0
    is_list: bool = False

    def document(self) -> Document:
        members = self.members()
        images, image_text = members.get("images", (None, b""))
        return Document(
            self.text.source,
            members.get("annotations", Annotations.none(self.masks)),
            self.is_list,
            images,
            image_text,
            members.get("categories", b""),
            "annotations" in members,
        )

    def members(self) -> dict[str, Any]:
        """Return the members of the file; a list of results is the member ``annotations``."""
        self._space()
        self.is_list = self._letter() == "["
        if self.is_list:
            members = {"annotations": self._member("annotations")}
        elif self._letter() == "{":
            members = self._members()
        else:
            raise self._misplaced("a COCO data set or a list of results")
        self._space()
        if self._letter():
            raise self._misplaced("the end of the file")
        return members

    def _members(self) -> dict[str, Any]:
        members: dict[str, Any] = {}
        for _ in self._items("}"):
            if self._letter() != '"':
                raise self._misplaced("a name in quotes")
            name = self._value()
            self._space()
            if self._letter() != ":":
                raise self._misplaced("a colon")
            self.position += 1
            self._space()
            members[name] = self._member(name)
        return members

    def _member(self, name: str) -> Any:
        start = self.position
        if name == "annotations":
            return self._annotations()
        if name == "images":
            images = self._images()
            return images, self.content[start : self.position].encode()
        self._value()
        return self.content[start : self.position].encode() if name == "categories" else None

    def _annotations(self) -> Annotations:
        rows = (
            _row(_Fields(where, record, self.image_of), self.masks, self.keypoints)
            for where, record in self._records("results" if self.is_list else "annotations")
        )
        return Annotations.of(list(rows), self.masks, self.keypoints)

    def _images(self) -> Images:
        found, ids, sizes = [], [], []
        listed: list[tuple[int, int, int]] = []
        fields_of: dict[str, Any] = {}
        for row, (where, record) in enumerate(self._records("images")):
            nested: dict[str, Any] = {
                name: [] for name, value in record.items() if _is_nested(value)
            }
            fields_of = {**record, **fields_of, **nested}
            fields = _Fields(where, record)
            ids.append(fields.integer("id", ID))
            sizes.append((fields.integer("height", HEIGHT), fields.integer("width", WIDTH)))
            for name in filter(CATEGORY_LISTS.get, record):
                bit = CATEGORY_LISTS[name]
                listed += [(row, bit, category) for category in fields.integers(name, bit)]
            found.append(fields.found)
        for name in CATEGORY_LISTS:
            fields_of.pop(name, None)
        return Images(
            np.array(found, np.uint16),
            np.array(ids, np.int64),
            np.array(sizes, np.int64).reshape(-1, 2),
            plain_fields([fields_of]),
            np.array(listed, np.int64).reshape(-1, 3),
        )

    def _records(self, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the records of a list with their location in messages."""
        if self._letter() != "[":
            raise ReadError(
                f"{self.text.source}, {name}: expected a list, found {short_repr(self._value())}"
            )
        for count in self._items("]"):
            value = self._value()
            where = f"{self.text.source}, {name}[{count}]"
            if not isinstance(value, dict):
                raise ReadError(f"{where}: expected a table of fields, found {short_repr(value)}")
            yield where, value

    def _items(self, closing: str) -> Iterator[int]:
        """Yield once per item of the list or object at the position; then move past its end."""
        self.position += 1
        self._space()
        count = 0
        while count or self._letter() != closing:
            yield count
            count += 1
            self._space()
            if self._letter() == closing:
                break
            if self._letter() != ",":
                raise self._misplaced(f"',' or '{closing}'")
            self.position += 1
            self._space()
        self.position += 1

    def _value(self) -> Any:
        try:
            value, self.position = DECODER.raw_decode(self.content, self.position)
        except json.JSONDecodeError as error:
            self.position = error.pos
            if error.msg.startswith("Unterminated string") or error.pos >= len(self.content):
                self.position = len(self.content)
            raise self._misplaced("JSON") from error
        except RecursionError as error:
            raise ReadError(
                f"{self._line()}: expected JSON, found lists nested too deeply"
            ) from error
        return value

    def _space(self) -> None:
        match = _SPACE.match(self.content, self.position)
        self.position = match.end() if match else self.position

    def _letter(self) -> str:
        return self.content[self.position : self.position + 1]

    def _line(self) -> str:
        before = self.content[: self.position]
        column = self.position - (before.rfind("\n") + 1) + 1
        return f"{self.text.source}, line {before.count(chr(10)) + 1}, column {column}"

    def _misplaced(self, expected: str) -> ReadError:
        rest = self.content[self.position : self.position + 20]
        if rest:
            return ReadError(f"{self._line()}: expected {expected}, found {short_repr(rest)}")
        return ReadError(
            f"{self.text.source}: expected {expected}, the file ends in the middle", _CUT_OFF
        )


class _RecordWalk(_Walk):
    """Pass over a file that keeps all fields of records, as in `json.loads`."""

    def _member(self, name: str) -> Any:
        if name not in ("annotations", "categories", "images"):
            return self._value()
        return [record for _, record in self._records("results" if self.is_list else name)]


def _is_nested(value: Any) -> bool:
    return isinstance(value, (list, dict))


@define(repr=False)
class _Fields:
    """Fields of a record, validated on access."""

    where: str
    record: dict[str, Any]
    image_of: ImageOf | None = None
    found: int = 0

    def of(self, name: str, bit: int) -> Any:
        """Return a field; None if it is missing, null, or an empty box or segmentation."""
        value = self.record.get(name)
        if value is None or (bit & (BOX | SEGMENTATION | KEYPOINTS) and value == []):
            return None
        self.found |= bit
        return value

    def integer(self, name: str, bit: int) -> int:
        value = self.of(name, bit)
        if value is None:
            return 0
        where = f"{self.where}, {name}"
        if name == "image_id" and self.image_of is not None:
            return self.image_of(
                value if isinstance(value, str) else integer64(value, where), where
            )
        if isinstance(value, str):
            raise ReadError(
                f"{where}: expected a whole number, found {short_repr(value)}", _IDS.get(name)
            )
        return integer64(value, where)

    def integers(self, name: str, bit: int) -> list[int]:
        """Return a list of category ids; empty if the field is missing."""
        value = self.of(name, bit)
        where = f"{self.where}, {name}"
        if value is None:
            return []
        if not isinstance(value, list):
            raise ReadError(f"{where}: expected a list of category ids, found {short_repr(value)}")
        return [integer64(one, f"{where}[{i}]") for i, one in enumerate(value)]

    def number(self, name: str, bit: int) -> float:
        value = self.of(name, bit)
        return 0.0 if value is None else finite(value, f"{self.where}, {name}")

    def box(self) -> list[float]:
        value = self.of("bbox", BOX)
        if value is None:
            return [0.0] * 4
        if not isinstance(value, list) or len(value) != 4:
            raise ReadError(
                f"{self.where}, bbox: expected [x, y, width, height], found {short_repr(value)}"
            )
        return [finite(side, f"{self.where}, bbox[{i}]") for i, side in enumerate(value)]

    def points(self, requested: bool) -> list[float]:
        value = self.of("keypoints", KEYPOINTS)
        if value is None or not requested:
            return []
        where = f"{self.where}, keypoints"
        if not isinstance(value, list):
            raise ReadError(
                f"{where}: expected a list of numbers, found {short_repr(value)}", _FLAT_POINTS
            )
        for i, number in enumerate(value):
            if isinstance(number, list):
                raise ReadError(
                    f"{where}[{i}]: expected a number, found {short_repr(number)}", _FLAT_POINTS
                )
        return [finite(number, f"{where}[{i}]") for i, number in enumerate(value)]

    def crowd(self) -> bool:
        value = self.of("iscrowd", CROWD)
        if value is not None and not isinstance(value, (bool, int, float)):
            raise ReadError(f"{self.where}, iscrowd: expected 0 or 1, found {short_repr(value)}")
        return bool(value)

    def ignored(self) -> None:
        """Set the bit of `IGNORE` for a true value."""
        if self.record.get("ignore"):
            self.found |= IGNORE


def _row(fields: _Fields, masks: bool, keypoints: bool) -> Row:
    integers = (
        fields.integer("id", ID),
        fields.integer("image_id", IMAGE),
        fields.integer("category_id", CATEGORY),
    )
    floats = [*fields.box(), fields.number("area", AREA), fields.number("score", SCORE)]
    crowd = fields.crowd()
    fields.ignored()
    found = fields.of("segmentation", SEGMENTATION)
    where = f"{fields.where}, segmentation"
    mask = segmentation(found, where) if masks and found is not None else _NOTHING
    points = fields.points(keypoints)
    labeled = fields.of("num_keypoints", NUM_KEYPOINTS)
    if not keypoints or labeled is None:
        labeled = 0
    labeled = integer64(labeled, f"{fields.where}, num_keypoints")
    return Row(fields.found, integers, floats, crowd, mask, points, labeled)


def segmentation(value: Any, where: str) -> Segmentation:
    """Parse a segmentation: polygons, or run lengths as a list or as COCO's string.

    Raises
    ------
    ReadError
        If the value is not a segmentation; `where` is its location.
    """
    if isinstance(value, list):
        return Segmentation(POLYGONS, rings=[_ring(ring, where, i) for i, ring in enumerate(value)])
    if not isinstance(value, dict):
        raise ReadError(f"{where}: expected polygons or run lengths, found {short_repr(value)}")
    size, counts = value.get("size"), value.get("counts")
    if not isinstance(size, list) or len(size) != 2:
        raise ReadError(f"{where}, size: expected [height, width], found {short_repr(size)}")
    height, width = (integer64(side, f"{where}, size[{i}]") for i, side in enumerate(size))
    if isinstance(counts, str) and counts.isascii() and counts.isprintable():
        return Segmentation(COMPRESSED, (height, width), letters=counts.encode())
    if not isinstance(counts, list):
        raise ReadError(
            f"{where}, counts: expected run lengths as a list or as COCO's text, "
            f"found {short_repr(counts)}"
        )
    return Segmentation(RUNS, (height, width), counts=[_run(run, where) for run in counts])


def _ring(value: Any, where: str, position: int) -> list[float]:
    where = f"{where}[{position}]"
    if not isinstance(value, list):
        raise ReadError(
            f"{where}: expected a polygon as a list of numbers, found {short_repr(value)}",
            'Write a list of polygons, even for one: "segmentation": [[x1, y1, x2, y2, …]].',
        )
    return [finite(number, f"{where}[{i}]") for i, number in enumerate(value)]


def _run(value: Any, where: str) -> int:
    run = integer64(value, f"{where}, counts")
    if not 0 <= run < 1 << 32:
        raise ReadError(f"{where}, counts: expected non-negative run lengths, found {run}")
    return run
