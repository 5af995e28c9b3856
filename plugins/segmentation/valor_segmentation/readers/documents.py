"""Validated records of COCO's JSON."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen
from valor_detection.coco_json import Categories, Text, check_once, integer64, scan_records

from valor_core.errors import ReadError, short_repr
from valor_core.schemas import FileRow, Label

Record = Mapping[str, Any]


@frozen
class Annotation:
    """One annotation and its position in a file.

    Parameters
    ----------
    list_name : str
        File and list.
    index : int
        Index in the list.
    record : mapping
        Its fields.
    """

    list_name: str
    index: int
    record: Record

    @property
    def where(self) -> str:
        """Position for messages: ``a.json, annotations[7]``."""
        return f"{self.list_name}[{self.index}]"

    @property
    def row(self) -> FileRow:
        """Position for warnings."""
        return self.list_name, self.index

    def integer(self, name: str) -> int:
        """Return a field that is an integer.

        Raises
        ------
        ReadError
            If the field is missing or has another type.

        Examples
        --------
        >>> Annotation("a.json, annotations", 0, {"image_id": 7}).integer("image_id")
        7
        """
        return integer64(self.record.get(name), f"{self.where}, {name}")


@frozen
class Document:
    """A data set, or results on one.

    Parameters
    ----------
    path : Path
        The file.
    content : mapping
        Its fields; empty for a list of results.
    annotations : tuple of Annotation
        Annotations of the images.
    """

    path: Path
    content: Record
    annotations: tuple[Annotation, ...]

    @classmethod
    def read(cls, path: Path) -> Document:
        """Read a file.

        Raises
        ------
        ReadError
            If it cannot be read or has no annotations.
        """
        content = scan_records(Text.read(path))
        is_list = isinstance(content, list)
        if not is_list and "annotations" not in content:
            raise ReadError(
                f"{path}: expected COCO's JSON with a list of annotations, found fields "
                f"{', '.join(map(repr, content))}"
            )
        name = f"{path}, {'results' if is_list else 'annotations'}"
        records = content if is_list else content["annotations"]
        annotations = tuple(Annotation(name, i, one) for i, one in enumerate(records))
        return cls(path, {} if is_list else content, annotations)

    @property
    def is_panoptic(self) -> bool:
        """True if segments are in PNG images.

        Raises
        ------
        ReadError
            If annotations are of both kinds; names the first that differs.
        """
        kinds = ["segments_info" in one.record for one in self.annotations]
        if len(set(kinds)) > 1:
            strange = self.annotations[kinds.index(not kinds[0])]
            what = "segments_info" if kinds[0] else "a segmentation"
            raise ReadError(
                f"{strange.where}: expected {what}, as {self.annotations[0].where} has it",
                "Give each kind of annotation a separate file.",
            )
        return any(kinds)

    def by_image(self) -> dict[int, tuple[Annotation, ...]]:
        """Annotations of each image, in the order of the file."""
        found: dict[int, list[Annotation]] = {}
        for one in self.annotations:
            found.setdefault(one.integer("image_id"), []).append(one)
        return {image: tuple(records) for image, records in found.items()}

    def images(self) -> dict[int, Record]:
        """Images by id, in the order of the ids.

        Raises
        ------
        ReadError
            If there is no list of images, an id is repeated, or a height or width is no integer.
        """
        where = f"{self.path}, images"
        records = self.content.get("images")
        if records is None:
            raise ReadError(
                f"{where}: expected a list, found None",
                'Write it as "images": [{"id": 1, "height": 480, "width": 640}, ...] in the file '
                "of data.groundtruths.",
            )
        ids = [integer64(one.get("id"), f"{where}[{i}], id") for i, one in enumerate(records)]
        for i, one in enumerate(records):
            for side in ("height", "width"):
                integer64(one.get(side) or 0, f"{where}[{i}], {side}")
        check_once(np.array(ids, np.int64), where)
        return dict(sorted(zip(ids, records, strict=True)))

    def labels(self, key: str) -> dict[int, Label]:
        """Labels of the categories by id, in the order of the ids.

        Raises
        ------
        ReadError
            If there is no list of categories, or an id or a name is repeated.
        """
        categories = Categories.of(self.content.get("categories"), str(self.path), key)
        return dict(zip(categories.ids.tolist(), categories.labels, strict=True))

    def stuff(self) -> frozenset[int]:
        """Ids of the categories that are regions, not objects: those with ``"isthing": 0``.

        Raises
        ------
        ReadError
            If `isthing` of a category is neither 0 nor 1.
        """
        records = self.content["categories"]
        for i, record in enumerate(records):
            if record.get("isthing", 1) not in (0, 1):
                raise ReadError(
                    f"{self.path}, categories[{i}], isthing: expected 0 or 1, found "
                    f"{short_repr(record['isthing'])}"
                )
        return frozenset(int(one["id"]) for one in records if not one.get("isthing", 1))
