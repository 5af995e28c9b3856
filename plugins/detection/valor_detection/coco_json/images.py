"""Facts about images: what COCO's JSON says of them beside their ids, as metadata."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import GenericAlias
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.errors import ReadError
from valor_core.schemas import Codes, LazyColumns
from valor_detection.coco_json.records import Document
from valor_detection.coco_json.reference_scanner import DECODER


def image_facts(document: Document, order: Codes) -> Mapping[str, NDArray[Any]]:
    """Columns of the fields of images that have plain values, made when one is first asked for.

    Parameters
    ----------
    document : Document
        The data set.
    order : ndarray of int64, shape (n,)
        In which order the images are wanted.

    Examples
    --------
    >>> from valor_detection.coco_json.scanner import scan
    >>> from valor_detection.coco_json.text import Text
    >>> images = b'[{"id": 2, "weather": "rain", "tags": ["a"]}, {"id": 1}]'
    >>> facts = image_facts(scan(Text.of(b'{"images": %b}' % images)), np.array([1, 0]))
    >>> list(facts), facts["weather"]
    (['weather'], array([None, 'rain'], dtype=object))
    """
    names = () if document.images is None else document.images.fields
    names = tuple(name for name in names if name != "id")
    return LazyColumns(names, _Images(document.image_text, document.source, order).column)


@frozen(eq=False, slots=False, repr=False)
class _Images:
    """Images as they stand in the file, read when a fact about them is first asked for."""

    text: bytes
    source: str
    order: Codes

    def column(self, name: str) -> NDArray[Any]:
        return _objects(self._facts(name))[self.order]

    def _facts(self, name: str) -> list[Any]:
        """The fact of all images, without objects for what else the file says of them."""
        import msgspec

        try:
            image = msgspec.defstruct(
                "Image", [("fact", Any, None)], rename={"fact": name}, gc=False
            )
            records = msgspec.json.decode(self.text, type=GenericAlias(list, (image,)))
            return [record.fact for record in records]
        except ValueError:  # of NaN and of strange names, which the standard library reads
            return [record.get(name) for record in self._records]

    @cached_property
    def _records(self) -> list[dict[str, Any]]:
        try:
            records: list[dict[str, Any]] = DECODER.decode(self.text.decode())
        except ValueError as error:
            place = f"{self.source}, images"
            raise ReadError(f"{place}: expected JSON, found: {error}") from error
        return records


def _objects(column: list[Any]) -> NDArray[Any]:
    array = np.empty(len(column), dtype=object)
    array[:] = column
    return array
