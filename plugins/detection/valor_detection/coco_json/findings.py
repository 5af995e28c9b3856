"""Findings: counts of unusual annotations, for the warnings of a report."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from valor_core.schemas import Codes, FileRow
from valor_detection.coco_json.records import Document

_LVIS = (
    "images of a data set in LVIS's format, evaluated by COCO's rules: predictions of labels that "
    "were not verified in an image count as false. Use the package lvis for LVIS's AP"
)


class Findings(dict[str, int]):
    """Number of annotations of each kind, as `DetectionBatch.left_out` has them.

    Examples
    --------
    >>> found = Findings()
    >>> found.add("boxes without a name", np.array([3, 2]), "gt.json, annotations")
    >>> found, found.first
    ({'boxes without a name': 2}, {'boxes without a name': ('gt.json, annotations', 2)})
    """

    def __init__(self) -> None:
        super().__init__()
        self.first: dict[str, FileRow] = {}
        self._rows: Codes | None = None

    def of_rows(self, rows: Codes | None) -> Findings:
        """The same findings; positions of rows that are added from now on are looked up in some."""
        self._rows = rows
        return self

    def count(self, what: str, is_one: NDArray[np.bool_], place: str) -> None:
        """Add the rows of a list for which a flag is set."""
        self.add(what, np.flatnonzero(is_one), place)

    def add(self, what: str, rows: Codes, place: str) -> None:
        """Add some rows of a list."""
        if len(rows):
            self[what] = len(rows)
            self.first[what] = place, int((rows if self._rows is None else self._rows[rows]).min())


def federated(document: Document) -> dict[str, int]:
    """How many images have the fields of LVIS, whose labels are verified in some images only.

    Examples
    --------
    >>> from valor_detection.coco_json.scanner import scan
    >>> from valor_detection.coco_json.text import Text
    >>> federated(scan(Text.of(b'{"images": [], "categories": [{"frequency": "r"}]}')))
    {}
    """
    if b'"frequency"' not in document.category_text:
        return {}
    names = (b'"neg_category_ids"', b'"not_exhaustive_category_ids"')
    count = max(document.image_text.count(name) for name in names)
    return {_LVIS: count} if count else {}
