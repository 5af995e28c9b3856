"""Metadata of COCO's images, and image ids by file name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import PurePosixPath
from types import GenericAlias
from typing import Any
from unicodedata import normalize

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from valor_core.errors import ReadError, short_repr
from valor_core.schemas import Codes, LazyColumns
from valor_detection.coco_json.numbers import DECODER
from valor_detection.coco_json.records import Document
from valor_detection.coco_json.text import Text

_NAME, _ADDRESS = "file_name", "coco_url"


def image_facts(document: Document, order: Codes) -> Mapping[str, NDArray[Any]]:
    """Return lazy columns of the fields of images without lists or tables.

    LVIS has no names of files: there, ``file_name`` is the end of ``coco_url``, with the folder.

    Parameters
    ----------
    document : Document
        The data set.
    order : ndarray of int64, shape (n,)
        Order of the images in the columns.

    Examples
    --------
    >>> from valor_detection.coco_json import scan
    >>> from valor_detection.coco_json.text import Text
    >>> images = b'[{"id": 2, "weather": "rain", "tags": ["a"]}, {"id": 1}]'
    >>> facts = image_facts(scan(Text.of(b'{"images": %b}' % images)), np.array([1, 0]))
    >>> list(facts), facts["weather"]
    (['weather'], array([None, 'rain'], dtype=object))
    """
    names = () if document.images is None else document.images.fields
    names = tuple(name for name in names if name != "id")
    if _ADDRESS in names and _NAME not in names:
        names = (*names, _NAME)
    return LazyColumns(names, _Images(document.image_text, document.source, order).column)


@frozen(eq=False, slots=False, repr=False)
class _Images:
    """JSON of the images, parsed on first access."""

    text: bytes
    source: str
    order: Codes

    def column(self, name: str) -> NDArray[Any]:
        facts = self._facts(name)
        if name == _NAME and facts.count(None) == len(facts):
            facts = [_end(address) for address in self._facts(_ADDRESS)]
        return _objects(facts)[self.order]

    def _facts(self, name: str) -> list[Any]:
        """Decode one field of all images, without objects of the other fields."""
        import msgspec

        try:
            image = msgspec.defstruct(
                "Image", [("fact", Any, None)], rename={"fact": name}, gc=False
            )
            records = msgspec.json.decode(self.text, type=GenericAlias(list, (image,)))
            return [record.fact for record in records]
        except ValueError:  # NaN and names that a struct rejects; the standard library reads them
            return [record.get(name) for record in self._records]

    @cached_property
    def _records(self) -> list[dict[str, Any]]:
        try:
            records: list[dict[str, Any]] = DECODER.decode(self.text.decode())
        except ValueError as error:
            where = f"{self.source}, images"
            raise ReadError(f"{where}: expected JSON, found: {error}") from error
        return records


def _end(address: Any) -> str | None:
    """Return the last folder of an address and the name of the file in it."""
    return "/".join(address.split("/")[-2:]) if isinstance(address, str) else None


def _objects(column: list[Any]) -> NDArray[Any]:
    array = np.empty(len(column), dtype=object)
    array[:] = column
    return array


_SEVERAL = -1


@frozen(eq=False, slots=False)
class ImageNames:
    """Ids of a data set's images by file name.

    Parameters
    ----------
    source : str
        Name of the data set in messages.
    ids : frozenset of int
        Ids of all images.
    tables : tuple of dict of str to int
        Positions in `numbers` by full name, base name and name without suffix; -1 for ambiguous
        names.
    numbers : list of int
        Id of each image.

    Examples
    --------
    >>> names = ImageNames.of("gt.json", [7, 8], ["a/x.jpg", "b/y.jpg"])
    >>> names.id_of("x", "dt.json, results[0], image_id"), names.id_of("8", "…")
    (7, 8)
    """

    source: str
    ids: frozenset[int]
    tables: tuple[dict[str, int], ...]
    numbers: list[int]

    @classmethod
    def of(cls, source: str, ids: Iterable[int], names: Iterable[Any]) -> ImageNames:
        """Index names of images; None for images without a name."""
        numbers = list(ids)
        tables: tuple[dict[str, int], ...] = ({}, {}, {})
        for position, name in enumerate(names):
            if isinstance(name, str) and name:
                for table, form in zip(tables, _forms(name), strict=True):
                    table[form] = position if form not in table else _SEVERAL
        return cls(source, frozenset(numbers), tables, numbers)

    def id_of(self, value: str | int, where: str) -> int | None:
        """Return the id of the image with a name or number; None for no such image.

        Raises
        ------
        ReadError
            If the name is ambiguous.
        """
        text = str(value)
        number = int(text) if text.isascii() and text.strip().isdigit() else None
        found = self._named(text, where) if isinstance(value, str) else None
        if found is None and number is not None:
            found = self._numbered(number, where)
        if number not in self.ids:
            return found
        if found not in (None, number):
            raise ReadError(
                f"{where}: expected the id or the file_name of one image, "
                f"found {short_repr(value)}, "
                f"the id of one image of {self.source} and the file_name of another",
                "Write the ids of the data set, as numbers.",
            )
        return number

    def _numbered(self, number: int, where: str) -> int | None:
        """Return the id of the image with a numeric file name: ``000139.jpg`` for 139."""
        return self._id_at(self.by_number.get(number), str(number), where)

    def _id_at(self, position: int | None, name: str, where: str) -> int | None:
        if position == _SEVERAL:
            raise ReadError(
                f"{where}: expected the file_name of one image of {self.source}, found "
                f"{short_repr(name)}, a name of several images",
                "Write the id of the image, or its full file_name with the folder.",
            )
        return None if position is None else self.numbers[position]

    @cached_property
    def by_number(self) -> dict[int, int]:
        """Positions in `numbers` by numeric file name."""
        found: dict[int, int] = {}
        for stem, position in self.tables[-1].items():
            if stem.isascii() and stem.isdigit():
                found[int(stem)] = position if int(stem) not in found else _SEVERAL
        return found

    def _named(self, name: str, where: str) -> int | None:
        forms = _forms(name)
        for table, form in zip(self.tables, forms, strict=True):
            number = self._id_at(table.get(form), name, where)
            if number is not None:
                return number
        # a stem that contains a dot
        return self._id_at(self.tables[-1].get(forms[1]), name, where)

    def unknown(self, found: Any, where: str) -> ReadError:
        """Return the error for a name or number of no image."""
        return ReadError(
            f"{where}: expected the id or the file_name of one of the {len(self.ids):,} images of "
            f"{self.source}, found {short_repr(found)}",
            "Check that both files are of the same data set, or set data.unknown: skip. A "
            "file_name is matched in full, without its folder, or without its suffix.",
        )


def named_results(
    text: Text, names: ImageNames, skip: bool, *, masks: bool, keypoints: bool = False
) -> tuple[Document, int]:
    """Scan results with file names as ``image_id``; also return the number of matched names.

    Parameters
    ----------
    text : Text
        The file.
    names : ImageNames
        Names of the data set's images.
    skip : bool
        If True, allow unknown images.
    masks : bool
        If True, read segmentations.
    keypoints : bool
        If True, read keypoints.

    Raises
    ------
    ReadError
        If the file cannot be read, or an id matches no image or several.
    """
    from valor_detection.coco_json import reference_scanner

    unknown_id = max(names.ids, default=0) + 1
    by_name = 0

    def id_of(value: str | int, where: str) -> int:
        nonlocal by_name
        found = names.id_of(value, where)
        if found is None and not skip:
            raise names.unknown(value, where)
        by_name += found is not None and str(found) != str(value).strip()
        return unknown_id if found is None else found

    document = reference_scanner.scan_named(text, id_of, masks=masks, keypoints=keypoints)
    return document, by_name


def numbered_results(document: Document, names: ImageNames) -> tuple[Document, int]:
    """Replace image ids that are numeric file names; also return the number of replaced ids.

    Examples
    --------
    >>> from valor_detection.coco_json import scan
    >>> found = scan(Text.of(b'[{"image_id": 139, "score": 0.5}]'))
    >>> found, count = numbered_results(found, ImageNames.of("gt.json", [7], ["000139.jpg"]))
    >>> found.annotations.images, count
    (array([7]), 1)
    """
    annotations = document.annotations
    numbers, rows = np.unique(annotations.images, return_inverse=True)
    positions = [names.by_number.get(number, _SEVERAL) for number in numbers.tolist()]
    ids = [
        number if position == _SEVERAL else names.numbers[position]
        for number, position in zip(numbers.tolist(), positions, strict=True)
    ]
    by_name = np.array(positions, np.int64)[rows] != _SEVERAL
    if not by_name.any():
        return document, 0
    renamed = evolve(annotations, images=np.array(ids, np.int64)[rows])
    return evolve(document, annotations=renamed), int(by_name.sum())


def _forms(name: str) -> tuple[str, str, str]:
    """Return a name in full, without its folder, and without folder and suffix."""
    full = normalize("NFC", name).replace("\\", "/")
    path = PurePosixPath(full)
    return full, path.name, path.stem
