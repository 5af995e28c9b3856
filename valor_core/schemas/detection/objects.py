"""Columns of true and of predicted objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from attrs import Factory, evolve, field, frozen
from numpy.typing import NDArray

from valor_core.errors import SchemaError
from valor_core.schemas.columns import (
    BY_CONTENT,
    Codes,
    Floats,
    booleans,
    check_length,
    check_not_masked,
    codes,
    datum_codes,
    floats,
    is_ascending,
    label_codes,
    read_only,
    rows_of_datums,
    widen_as_printed,
)
from valor_core.schemas.geometry.shapes import Keypoints, Shapes


def _annotation_codes(values: Any) -> Codes:
    return codes(values, "annotations")


def _names(values: Any) -> NDArray[Any] | None:
    return None if values is None else read_only(np.asarray(values))


def _scores(values: Any) -> Floats:
    check_not_masked(values, "scores")
    array = np.asarray(values)
    widened = widen_as_printed(array) if array.dtype.kind == "f" else array.astype(np.float64)
    return floats(widened, "scores")


def _areas(values: Any) -> Floats:
    check_not_masked(values, "areas")
    return floats(np.asarray(values, dtype=np.float64), "areas")


def _one_by_one(rows: ObjectColumns) -> Codes:
    first = np.searchsorted(rows.datums, rows.datums)
    return np.arange(len(rows.datums)) - first


@frozen(kw_only=True, repr=False)
class ObjectColumns:
    """Columns shared by true and predicted objects: one row per label of an annotation.

    Parameters
    ----------
    datums : ndarray of int64, shape (n,)
        Position of the image, ascending.
    labels : ndarray of int64, shape (n,)
        Label code.
    shapes : Shapes
        Geometry of each row.
    annotations : ndarray of int64, shape (n,)
        Position of the annotation among those of its image and side, ascending in an image. Rows
        with the same position are labels of one annotation.
    uids : ndarray, shape (n,), optional
        Names of the annotations.
    keypoints : Keypoints, optional
        Keypoints of each row.
    """

    side: ClassVar[str]

    datums: Codes = field(eq=BY_CONTENT, converter=datum_codes)
    labels: Codes = field(eq=BY_CONTENT, converter=label_codes)
    shapes: Shapes
    annotations: Codes = field(
        default=Factory(_one_by_one, takes_self=True), eq=BY_CONTENT, converter=_annotation_codes
    )
    uids: NDArray[Any] | None = field(default=None, eq=BY_CONTENT, converter=_names)
    keypoints: Keypoints | None = None

    def __attrs_post_init__(self) -> None:
        for name in self._columns():
            column = getattr(self, name)
            if column is not None:
                check_length(column, f"{self.side}, {name}", len(self.datums))
        if not is_ascending(self.datums):
            raise SchemaError(f"{self.side}: expected rows sorted by datum")

    def __len__(self) -> int:
        return len(self.datums)

    @classmethod
    def _columns(cls) -> tuple[str, ...]:
        return ("labels", "shapes", "annotations", "uids", "keypoints")

    def take(self, rows: Codes, datums: Codes) -> Self:
        """Return the given rows with new datum positions."""
        columns = {name: _select(getattr(self, name), rows) for name in self._columns()}
        return evolve(self, datums=datums, **columns)

    def select(self, positions: Codes) -> Self:
        """Return the rows of the images at the given positions."""
        return self.take(*rows_of_datums(self.datums, positions))

    def renumber(self, positions: Sequence[Sequence[int]]) -> Self:
        """Return the same rows with new annotation positions, given by image and old position."""
        rows = zip(self.datums.tolist(), self.annotations.tolist(), strict=True)
        return evolve(self, annotations=[positions[datum][old] for datum, old in rows])

    def relabel(self, renamed: Codes, priority: NDArray[Any]) -> Self:
        """Return new label codes; of equal labels of an annotation, keep the least priority."""
        labels = renamed[self.labels]
        order = np.lexsort((priority, labels, self.annotations, self.datums))
        is_first = np.ones(len(order), dtype=bool)
        for column in (labels, self.annotations, self.datums):
            same = np.diff(column[order]) == 0
            is_first[1:] = ~same if column is labels else is_first[1:] | ~same
        kept = np.sort(order[is_first])
        return evolve(self.take(kept, self.datums[kept]), labels=labels[kept])

    def name(self, row: int) -> str:
        """Return the name of a row's annotation for error messages: ``predictions[3]``."""
        return f"{self.side}[{int(self.annotations[row])}]"


def _select(column: Any, rows: Codes) -> Any:
    if column is None:
        return None
    return column[rows] if isinstance(column, np.ndarray) else column.select(rows)


def _none_ignored(rows: ObjectColumns) -> NDArray[np.bool_]:
    return np.zeros(len(rows), bool)


@frozen(kw_only=True, repr=False)
class TrueObjects(ObjectColumns):
    """Columns of true objects.

    Parameters
    ----------
    crowd : ndarray of bool, shape (n,)
        Whether the object is a crowd.
    areas : ndarray of float64, shape (n,)
        Area that area ranges refer to, in square pixels.
    ignored : ndarray of bool, shape (n,), optional
        Whether the object counts neither way.
    """

    side: ClassVar[str] = "groundtruths"

    crowd: NDArray[np.bool_] = field(eq=BY_CONTENT, converter=booleans)
    areas: Floats = field(eq=BY_CONTENT, converter=_areas)
    ignored: NDArray[np.bool_] = field(
        default=Factory(_none_ignored, takes_self=True), eq=BY_CONTENT, converter=booleans
    )

    @classmethod
    def _columns(cls) -> tuple[str, ...]:
        return (*super()._columns(), "crowd", "areas", "ignored")


@frozen(kw_only=True, repr=False)
class PredictedObjects(ObjectColumns):
    """Columns of predicted objects.

    Parameters
    ----------
    scores : ndarray of float64, shape (n,)
        Finite scores. Narrower floats are converted to the decimals that print them.
    areas : ndarray of float64, shape (n,)
        Area of the shape, in square pixels.
    """

    side: ClassVar[str] = "predictions"

    scores: Floats = field(eq=BY_CONTENT, converter=_scores)
    areas: Floats = field(eq=BY_CONTENT, converter=_areas)

    @classmethod
    def _columns(cls) -> tuple[str, ...]:
        return (*super()._columns(), "scores", "areas")


def scores_outside(scores: Floats) -> dict[str, int]:
    """Return the number of scores outside [0, 1], as an entry of `DetectionBatch.left_out`.

    Examples
    --------
    >>> import numpy as np
    >>> scores_outside(np.array([0.5, 97.5]))
    {'predicted scores outside [0, 1]; score thresholds use them unchanged': 1}
    """
    if not len(scores) or (scores.min() >= 0 and scores.max() <= 1):
        return {}
    description = "predicted scores outside [0, 1]; score thresholds use them unchanged"
    return {description: int(np.count_nonzero((scores < 0) | (scores > 1)))}
