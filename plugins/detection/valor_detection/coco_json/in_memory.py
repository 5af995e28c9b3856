"""Convert in-memory records of a COCO data set to columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import ReadError, and_more, short_repr
from valor_core.schemas import Codes
from valor_core.schemas.columns import as_float
from valor_detection.coco_json.numbers import integer64
from valor_detection.coco_json.records import (
    AREA,
    BOX,
    CATEGORY,
    CROWD,
    ID,
    IMAGE,
    KEYPOINTS,
    NUM_KEYPOINTS,
    SCORE,
    SEGMENTATION,
    Annotations,
    Document,
    Images,
)
from valor_detection.coco_json.reference_scanner import segmentation
from valor_detection.kernels.segmentations import Segmentation, Segmentations

Record = Mapping[str, Any]
Flags = NDArray[np.bool_]


def document_of(
    records: Sequence[Record],
    source: str,
    *,
    is_list: bool,
    masks: bool = False,
    keypoints: bool = False,
) -> Document:
    """Convert annotations to the columns that the scanner returns for a file.

    Parameters
    ----------
    records : sequence of mapping
        Annotations of a data set, or results.
    source : str
        Name of the records in messages.
    is_list : bool
        True if the records are a list of results.
    masks : bool
        If True, read segmentations.
    keypoints : bool
        If True, read keypoints.

    Raises
    ------
    ReadError
        If a field has an unexpected type.

    Examples
    --------
    >>> document_of([{"image_id": 7, "score": 0.5}], "results", is_list=True).annotations.scores
    array([0.5])
    """
    found = np.zeros(len(records), np.uint16)
    where = _where(source, is_list)
    fields = _Fields(records, found, where)
    fields.has("segmentation", SEGMENTATION)
    fields.has("keypoints", KEYPOINTS)
    segmentations = fields.masks() if masks else None
    points = fields.keypoints() if keypoints else {}
    annotations = Annotations(
        found,
        fields.integers("id", ID),
        fields.integers("image_id", IMAGE),
        fields.integers("category_id", CATEGORY),
        fields.boxes(),
        fields.numbers("area", AREA),
        fields.numbers("score", SCORE),
        (fields.numbers("iscrowd", CROWD) != 0).view(np.uint8),
        segmentations,
        **points,
    )
    return Document(source, annotations, is_list)


def images_of(records: Sequence[Record], source: str) -> Images:
    """Convert ids and sizes of images to columns.

    Raises
    ------
    ReadError
        If one is not an integer.
    """
    found = np.zeros(len(records), np.uint16)
    fields = _Fields(records, found, lambda row: f"{source}, images[{row}]")
    sizes = [fields.integers(side, 0) for side in ("height", "width")]
    return Images(found, fields.integers("id", ID), np.stack(sizes, axis=1))


def _where(source: str, is_list: bool) -> Callable[[int], str]:
    kind = "results" if is_list else "annotations"
    return lambda row: f"{source}, {kind}[{row}]"


class _Fields:
    """Columns of fields; a missing field is 0 and its bit in `found` is not set."""

    def __init__(
        self, records: Sequence[Record], found: NDArray[np.uint16], where: Callable[[int], str]
    ) -> None:
        self.records = records
        self.found = found
        self.where = where

    def integers(self, name: str, bit: int) -> Codes:
        array = self._column(name, bit)
        if array.dtype.kind in "ib":
            return array.astype(np.int64)
        given = self._values(name, bit, 0)
        return np.array(
            [
                integer64(_scalar(value), f"{self.where(i)}, {name}")
                for i, value in enumerate(given)
            ],
            np.int64,
        )

    def numbers(self, name: str, bit: int) -> NDArray[np.float64]:
        array = self._column(name, bit)
        if array.dtype.kind == "O":
            array = np.array([as_float(value) for value in array.tolist()])
        array = array.astype(np.float64)
        self._check(np.isfinite(array), name, "a finite number")
        return array

    def boxes(self) -> NDArray[np.float64]:
        values = self._values("bbox", BOX, (0.0, 0.0, 0.0, 0.0))
        try:
            array = np.array(values, np.float64).reshape(len(values), -1)
        except (TypeError, ValueError):
            array = np.empty((len(values), 0))
        if array.shape[1] != 4 and len(values):
            row = next((i for i, value in enumerate(values) if not _is_box(value)), 0)
            raise ReadError(
                f"{self.where(row)}, bbox: expected [x, y, width, height], "
                f"found {short_repr(values[row])}"
            )
        boxes = array.reshape(-1, 4)
        self._check(np.all(np.isfinite(boxes), axis=1), "bbox", "finite numbers")
        return boxes

    def keypoints(self) -> dict[str, NDArray[Any]]:
        """Return the columns of keypoints by name."""
        values = self._values("keypoints", KEYPOINTS, ())
        points = []
        for row, value in enumerate(values):
            try:
                points.append(np.asarray(value, np.float64))
            except (TypeError, ValueError):
                points.append(np.empty(0))
            if points[-1].ndim != 1 or len(points[-1]) != len(value):
                raise ReadError(
                    f"{self.where(row)}, keypoints: expected a list of numbers, "
                    f"found {short_repr(value)}"
                )
            if not np.isfinite(points[-1]).all():
                raise ReadError(
                    f"{self.where(row)}, keypoints: expected finite numbers, "
                    f"found {short_repr(value)}"
                )
        return {
            "points": np.concatenate([np.empty(0), *points]),
            "point_counts": np.array([len(one) for one in points], np.int64),
            "labeled": self.integers("num_keypoints", NUM_KEYPOINTS),
        }

    def masks(self) -> Segmentations:
        values = self._values("segmentation", SEGMENTATION, None)
        return Segmentations.of(
            [
                Segmentation()
                if value is None
                else segmentation(_as_json(value), f"{self.where(row)}, segmentation")
                for row, value in enumerate(values)
            ]
        )

    def _column(self, name: str, bit: int) -> NDArray[Any]:
        values = self._values(name, bit, 0)
        try:
            array = np.array(values) if values else np.empty(0, np.int64)
        except ValueError:
            array = np.empty(0, object)
        if array.ndim == 1 and array.dtype.kind in "iufb":
            return array
        row = next((i for i, value in enumerate(values) if not _is_number(value)), None)
        if row is None:  # integers of more than 64 bits
            return np.array(values, dtype=object)
        raise ReadError(
            f"{self.where(row)}, {name}: expected a number, found {short_repr(values[row])}"
        )

    def _values(self, name: str, bit: int, absent: Any) -> list[Any]:
        present = self.has(name, bit)
        if present.all():
            return [record[name] for record in self.records]
        return [
            record[name] if has else absent
            for record, has in zip(self.records, present.tolist(), strict=True)
        ]

    def has(self, name: str, bit: int) -> Flags:
        """Return which records have a field; null and an empty list count as missing."""
        present = np.array([not _is_empty(record.get(name)) for record in self.records], bool)
        self.found[present] |= np.uint16(bit)
        return present

    def _check(self, is_good: Flags, name: str, expected: str) -> None:
        if is_good.all():
            return
        bad = np.flatnonzero(~is_good)
        row = int(bad[0])
        raise ReadError(
            f"{self.where(row)}, {name}: expected {expected}, "
            f"found {short_repr(self.records[row].get(name))}{and_more(len(bad) - 1)}"
        )


def _scalar(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number, np.bool_))


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, (list, tuple, np.ndarray)) and len(value) == 0)


def _is_box(value: Any) -> bool:
    return bool(np.shape(value) == (4,))


def _as_json(value: Any) -> Any:
    """Convert a segmentation to JSON types: pycocotools returns compressed counts as bytes."""
    if isinstance(value, Mapping):
        counts = value.get("counts")
        if isinstance(counts, bytes):
            counts = counts.decode("ascii", "replace")
        elif isinstance(counts, np.ndarray):
            counts = counts.tolist()
        size = value.get("size")
        return {"size": None if size is None else [int(side) for side in size], "counts": counts}
    return [ring.tolist() if isinstance(ring, np.ndarray) else list(ring) for ring in value]
