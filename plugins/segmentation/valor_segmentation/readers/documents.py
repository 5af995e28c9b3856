"""Validated records of COCO's JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen
from valor_files import unreadable

from valor_core.errors import ReadError, and_more, shown
from valor_core.schemas import FileRow, Label

Record = Mapping[str, Any]


@frozen
class Annotation:
    """One annotation, with what messages call it.

    Parameters
    ----------
    place : str
        File and position.
    record : mapping
        Its fields.
    """

    place: str
    record: Record

    @property
    def row(self) -> FileRow:
        """The list that it is in, and its position there.

        Examples
        --------
        >>> Annotation("a.json, annotations[7]", {}).row
        ('a.json, annotations', 7)
        """
        name, _, position = self.place.removesuffix("]").rpartition("[")
        return name, int(position)

    def whole(self, name: str) -> int:
        """A field that is a whole number.

        Raises
        ------
        ReadError
            If it is missing or something else.

        Examples
        --------
        >>> Annotation("a.json, annotations[0]", {"image_id": 7}).whole("image_id")
        7
        """
        return whole(self.record, name, self.place)


@frozen
class Document:
    """A data set, or results on one.

    Parameters
    ----------
    path : Path
        The file.
    content : mapping
        Its fields; results that are a list are its annotations.
    annotations : tuple of Annotation
        Its records of images.
    """

    path: Path
    content: Record
    annotations: tuple[Annotation, ...]

    @classmethod
    def read(cls, path: Path) -> Document:
        """The document of a file.

        Raises
        ------
        ReadError
            If it cannot be read or has no annotations.
        """
        content = _json(path)
        if isinstance(content, list):
            return cls(path, {}, _annotations(content, f"{path}, item "))
        if not isinstance(content, dict) or not isinstance(content.get("annotations"), list):
            raise ReadError(
                f"{path}: expected COCO's JSON with a list of annotations, found "
                f"{_outline(content)}"
            )
        return cls(path, content, _annotations(content["annotations"], f"{path}, annotations["))

    @property
    def is_panoptic(self) -> bool:
        """True if segments are in PNG images.

        Raises
        ------
        ReadError
            If some annotations say so and others do not; names the first that differs.
        """
        kinds = ["segments_info" in one.record for one in self.annotations]
        if len(set(kinds)) > 1:
            strange = self.annotations[kinds.index(not kinds[0])]
            what = "segments_info" if kinds[0] else "a segmentation"
            raise ReadError(
                f"{strange.place}: expected {what}, as {self.annotations[0].place} has it",
                "Give each kind of annotation a separate file.",
            )
        return any(kinds)

    def by_image(self) -> dict[int, tuple[Annotation, ...]]:
        """Annotations of each image, in the order of the file."""
        found: dict[int, list[Annotation]] = {}
        for one in self.annotations:
            found.setdefault(one.whole("image_id"), []).append(one)
        return {image: tuple(those) for image, those in found.items()}

    def images(self) -> dict[int, Record]:
        """Images by their ids, in the order of these.

        Raises
        ------
        ReadError
            If there is no list of them, or an id occurs twice.
        """
        return dict(sorted(self._by_id("images", '{"id": 1, "height": 480, "width": 640}').items()))

    def labels(self, key: str) -> dict[int, Label]:
        """Labels of the categories by their ids, in the order of these.

        Raises
        ------
        ReadError
            If there is no list of them, or an id or a name occurs twice.
        """
        records = self._by_id("categories", '{"id": 1, "name": "road"}')
        names = {number: _name(one, f"{self.path}, categories") for number, one in records.items()}
        _check_once(list(names.values()), f"{self.path}, categories", "name")
        return {number: Label(key, names[number]) for number in sorted(names)}

    def stuff(self) -> frozenset[int]:
        """Ids of the categories that are regions, not objects: those with ``"isthing": 0``.

        Raises
        ------
        ReadError
            If a category says neither 0 nor 1.
        """
        records = self._by_id("categories", '{"id": 1, "name": "road"}')
        for number, record in records.items():
            if record.get("isthing", 1) not in (0, 1):
                raise ReadError(
                    f"{self.path}, categories, id {number}, isthing: expected 0 or 1, found "
                    f"{shown(record['isthing'])}"
                )
        return frozenset(n for n, record in records.items() if not record.get("isthing", 1))

    def _by_id(self, name: str, example: str) -> dict[int, Record]:
        records = self.content.get(name)
        if not isinstance(records, list):
            raise ReadError(
                f"{self.path}, {name}: expected a list, found {shown(records)}",
                f'Write it as "{name}": [{example}, ...] in the file of data.groundtruths.',
            )
        places = [f"{self.path}, {name}[{i}]" for i in range(len(records))]
        ids = [whole(one, "id", place) for one, place in zip(records, places, strict=True)]
        _check_once(ids, f"{self.path}, {name}", "id")
        return dict(zip(ids, records, strict=True))


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except RecursionError as error:
        raise ReadError(
            f"{path}: expected COCO's JSON, found lists in lists without end"
        ) from error
    except ValueError as error:
        raise ReadError(f"{path}: expected JSON, found: {error}") from error
    except OSError as error:
        raise unreadable(path, error) from error


def _outline(content: Any) -> str:
    return (
        f"fields {', '.join(map(repr, content))}" if isinstance(content, dict) else shown(content)
    )


def _annotations(records: Sequence[Any], place: str) -> tuple[Annotation, ...]:
    close = "]" if place.endswith("[") else ""
    found = tuple(Annotation(f"{place}{i}{close}", one) for i, one in enumerate(records))
    for one in found:
        if not isinstance(one.record, dict):
            raise ReadError(f"{one.place}: expected a table of fields, found {shown(one.record)}")
    return found


def whole(record: Any, name: str, place: str) -> int:
    """A field that is a whole number.

    Raises
    ------
    ReadError
        If it is missing or something else; names the place.

    Examples
    --------
    >>> whole({"id": 3}, "id", "a.json, images[0]")
    3
    """
    value = record.get(name) if isinstance(record, dict) else None
    if not isinstance(value, int) or isinstance(value, bool):
        raise ReadError(f"{place}, {name}: expected a whole number, found {shown(value)}")
    return value


def _name(record: Record, place: str) -> str:
    name = record.get("name")
    if not isinstance(name, str) or not name:
        raise ReadError(f"{place}, id {record['id']}, name: expected a name, found {shown(name)}")
    return name


def _check_once(values: Sequence[Any], place: str, what: str) -> None:
    twice = [value for value, count in Counter(values).items() if count > 1]
    if twice:
        raise ReadError(
            f"{place}: expected every {what} once, found {what} {twice[0]!r} "
            f"{values.count(twice[0])} times{and_more(len(twice) - 1)}"
        )
