"""Columns of the objects of images and of their overlapping pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import asdict, evolve, fields, frozen
from numpy.typing import NDArray

from valor_core.errors import StateError
from valor_core.schemas import Codes, Floats, Uids
from valor_core.schemas.detection import DetectionBatch
from valor_core.schemas.geometry.shapes import ends, gathered
from valor_core.states import StateContent
from valor_core.states.memo import cached
from valor_core.states.saved_columns import saved_column, saved_offsets, saved_positions, saved_uids

Flags = NDArray[np.bool_]
Ragged = tuple[Codes, Codes, Floats]
"""Pairs by prediction: offsets, rows of ground truths, and IoUs."""

_MOST_OVERLAP = 2
"""Upper bound of saved IoUs, some of which rounding makes slightly greater than 1."""


@frozen(kw_only=True, slots=False, eq=False, repr=False)
class ImageObjects:
    """Objects and overlapping pairs of images, in the order of arrival.

    Parameters
    ----------
    uids : ndarray
        Uids of the images.
    true_datums, datums : ndarray of int64, shapes (g,) and (d,)
        Position of the image of each ground truth and prediction, ascending.
    true_labels, labels : ndarray of int64
        Label codes.
    true_areas, areas : ndarray of float64
        Areas in square pixels.
    crowd, ignored : ndarray of bool, shape (g,)
        True for crowds, and for other objects that count neither way.
    scores : ndarray of float64, shape (d,)
        Scores.
    annotations : ndarray of int64
        Position of each prediction's annotation in its image.
    searched : ndarray of bool, shape (d,)
        True for predictions of a label that annotators searched for in the image.
    starts, truths, ious : ndarray
        Pairs by prediction: offsets, rows of ground truths, and IoUs.
    """

    uids: Uids
    true_datums: Codes
    true_labels: Codes
    true_areas: Floats
    crowd: Flags
    ignored: Flags
    datums: Codes
    labels: Codes
    scores: Floats
    areas: Floats
    annotations: Codes
    searched: Flags
    starts: Codes
    truths: Codes
    ious: Floats

    @classmethod
    def of(cls, batch: DetectionBatch, pairs: Ragged) -> ImageObjects:
        """Create contiguous columns, as kernels need them, from a batch and its pairs."""
        truths, predictions = batch.groundtruths, batch.predictions
        starts, true_rows, overlaps = pairs
        columns: dict[str, Any] = {
            "uids": batch.datums.uids,
            "true_datums": truths.datums,
            "true_labels": truths.labels,
            "true_areas": truths.areas,
            "crowd": truths.crowd,
            "ignored": truths.ignored,
            "datums": predictions.datums,
            "labels": predictions.labels,
            "scores": predictions.scores,
            "areas": predictions.areas,
            "annotations": predictions.annotations,
            "searched": _searched(batch),
            "starts": starts,
            "truths": true_rows,
            "ious": overlaps,
        }
        return cls(**{name: np.ascontiguousarray(column) for name, column in columns.items()})

    def dump(self) -> StateContent:
        """Return the columns by name."""
        return asdict(self, recurse=False)

    @classmethod
    def restored(cls, content: StateContent, groups: Codes) -> ImageObjects:
        """Create objects from the columns that `dump` returned.

        Parameters
        ----------
        content : mapping
            Columns by name.
        groups : ndarray of int64
            Group of each label code. Objects of different groups cannot be pairs.

        Raises
        ------
        StateError
            If a column is invalid or does not match the others.
        """
        images = saved_uids(content, "uids")
        true_datums = saved_positions(content, "true_datums", len(images))
        datums = saved_positions(content, "datums", len(images))
        true_shape, shape = (len(true_datums),), (len(datums),)
        codes: dict[str, Any] = {"dtype": np.int64, "low": 0, "high": len(groups) - 1}
        truths = saved_column(content, "truths", np.int64, low=0, high=len(true_datums) - 1)
        restored = cls(
            uids=images,
            true_datums=true_datums,
            true_labels=saved_column(content, "true_labels", shape=true_shape, **codes),
            true_areas=saved_column(content, "true_areas", np.float64, shape=true_shape),
            crowd=saved_column(content, "crowd", np.bool_, shape=true_shape),
            ignored=_saved_flags(content, "ignored", true_shape, absent=False),
            datums=datums,
            labels=saved_column(content, "labels", shape=shape, **codes),
            scores=saved_column(content, "scores", np.float64, shape=shape),
            areas=saved_column(content, "areas", np.float64, shape=shape),
            annotations=saved_column(content, "annotations", np.int64, shape=shape, low=0),
            searched=_saved_flags(content, "searched", shape, absent=True),
            starts=saved_offsets(content, "starts", len(datums), len(truths)),
            truths=truths,
            ious=saved_column(
                content, "ious", np.float64, shape=truths.shape, low=0, high=_MOST_OVERLAP
            ),
        )
        restored._check_pairs(groups)
        return restored

    def _check_pairs(self, groups: Codes) -> None:
        """Raise a `StateError` if a pair is of two images or of two groups of labels."""
        owners = np.repeat(np.arange(len(self.datums)), np.diff(self.starts))
        if not np.array_equal(self.true_datums[self.truths], self.datums[owners]):
            raise StateError("truths: expected pairs of objects of one image")
        predicted, true = groups[self.labels], groups[self.true_labels]
        if not np.array_equal(true[self.truths], predicted[owners]):
            raise StateError("truths: expected pairs of objects that may be compared")

    def copy(self) -> ImageObjects:
        """Copy the arrays."""
        return ImageObjects(**{name: getattr(self, name).copy() for name in _COLUMNS})

    def relabel(self, codes: Codes) -> ImageObjects:
        """Replace the label codes."""
        if _are_same(codes):
            return self
        return evolve(self, true_labels=codes[self.true_labels], labels=codes[self.labels])

    def gathered(self) -> ImageObjects:
        """Return the objects without references to other images: this object."""
        return self

    @cached
    def image_starts(self) -> tuple[Codes, Codes]:
        """Offsets of the ground truths and of the predictions of each image."""
        count = len(self.uids)
        true, predicted = (
            ends(np.bincount(datums, minlength=count)) for datums in (self.true_datums, self.datums)
        )
        return true, predicted

    @cached
    def uncounted(self) -> Flags:
        """True for crowds and ignored objects, which are never positives."""
        return self.crowd | self.ignored


def _saved_flags(content: StateContent, name: str, shape: tuple[int], *, absent: bool) -> Flags:
    """Return a column of flags, all equal to `absent` in states saved before the column existed."""
    if name not in content:
        return np.full(shape, absent)
    flags: Flags = saved_column(content, name, np.bool_, shape=shape)
    return flags


def _searched(batch: DetectionBatch) -> Flags:
    """Return True for predictions of a label that annotators searched for in the image."""
    predictions = batch.predictions
    if batch.searched is None:
        return np.ones(len(predictions), bool)
    images, labels = batch.searched.T
    width = len(batch.labels)
    return np.isin(predictions.datums * width + predictions.labels, images * width + labels)


def _gathered(column: str, rows: str) -> Any:
    """Create a property that selects rows of a column on first access."""

    def gathered(self: SelectedImages) -> NDArray[Any]:
        values: NDArray[Any] = getattr(self.source, column)[getattr(self, rows)]
        return values

    gathered.__name__ = column
    return cached(gathered)


@frozen(slots=False, eq=False, repr=False)
class SelectedImages:
    """Objects of selected images, in a given order, with the columns of `ImageObjects`.

    Parameters
    ----------
    source : ImageObjects
        Objects of more images.
    images : ndarray of int64
        Positions of the selected images, each any number of times.
    """

    source: ImageObjects
    images: Codes

    @cached
    def uids(self) -> Uids:
        """Uids of the images."""
        return self.source.uids[self.images]

    @cached
    def _rows(self) -> tuple[tuple[Codes, Codes], tuple[Codes, Codes]]:
        """Rows in `source` and offsets of the images, for both sides."""
        true, predicted = (gathered(starts, self.images) for starts in self.source.image_starts)
        return true, predicted

    @property
    def true_rows(self) -> Codes:
        """Row of each ground truth in `source`."""
        return self._rows[0][0]

    @property
    def rows(self) -> Codes:
        """Row of each prediction in `source`."""
        return self._rows[1][0]

    @property
    def image_starts(self) -> tuple[Codes, Codes]:
        """Offsets of the ground truths and of the predictions of each image."""
        return self._rows[0][1], self._rows[1][1]

    @cached
    def true_datums(self) -> Codes:
        """Position of the image of each ground truth."""
        return np.repeat(np.arange(len(self.images)), np.diff(self.image_starts[0]))

    true_labels = _gathered("true_labels", "true_rows")
    true_areas = _gathered("true_areas", "true_rows")
    crowd = _gathered("crowd", "true_rows")
    ignored = _gathered("ignored", "true_rows")
    uncounted = _gathered("uncounted", "true_rows")

    @cached
    def datums(self) -> Codes:
        """Position of the image of each prediction."""
        return np.repeat(np.arange(len(self.images)), np.diff(self.image_starts[1]))

    labels = _gathered("labels", "rows")
    scores = _gathered("scores", "rows")
    areas = _gathered("areas", "rows")
    annotations = _gathered("annotations", "rows")
    searched = _gathered("searched", "rows")

    @cached
    def _pairs(self) -> tuple[Codes, Codes]:
        """Positions of the pairs in `source`, and offsets of the predictions."""
        return gathered(self.source.starts, self.rows)

    @property
    def starts(self) -> Codes:
        """Offsets of the pairs of each prediction."""
        return self._pairs[1]

    @cached
    def truths(self) -> Codes:
        """Row of the ground truth of each pair."""
        images = np.repeat(self.datums, np.diff(self.starts))
        return self.true_rows_of(self.source.truths[self._pairs[0]], images)

    @cached
    def ious(self) -> Floats:
        """IoU of each pair."""
        return self.source.ious[self._pairs[0]]

    def true_rows_of(self, source_rows: Codes, images: Codes) -> Codes:
        """Convert rows of ground truths in `source` to rows here; -1 stays -1.

        An image may be selected several times, so the positions here of their images are needed.
        """
        first = self.image_starts[0][images] - self.source.image_starts[0][self.images[images]]
        return np.where(source_rows < 0, -1, source_rows + first)

    def gathered(self) -> ImageObjects:
        """Copy the objects of the selected images."""
        return ImageObjects(**{name: getattr(self, name) for name in _COLUMNS})

    def copy(self) -> ImageObjects:
        """Copy the arrays."""
        return self.gathered()

    def relabel(self, codes: Codes) -> ImageObjects | SelectedImages:
        """Replace the label codes."""
        return self if _are_same(codes) else self.gathered().relabel(codes)


Images = ImageObjects | SelectedImages


def _are_same(codes: Codes) -> bool:
    return bool((codes == np.arange(len(codes))).all())


_COLUMNS = tuple(attribute.name for attribute in fields(ImageObjects))


def join(parts: Sequence[Images]) -> ImageObjects | None:
    """Concatenate objects; None without any."""
    objects = _reunited(parts)
    if len(objects) < 2:
        return objects[0] if objects else None
    columns = {name: [getattr(one, name) for one in objects] for name in _COLUMNS}
    _shift(columns, ("true_datums", "datums"), [len(uids) for uids in columns["uids"]])
    _shift(columns, ("truths",), [len(rows) for rows in columns["true_labels"]])
    _shift(columns, ("starts",), [len(pairs) for pairs in columns["truths"]])
    columns["starts"] = [
        starts if i == 0 else starts[1:] for i, starts in enumerate(columns["starts"])
    ]
    return ImageObjects(**{name: np.concatenate(parts) for name, parts in columns.items()})


def _reunited(parts: Sequence[Images]) -> list[ImageObjects]:
    """Replace selections that together have all images of their source by the source.

    Copying their columns would double the memory.
    """
    joined: list[ImageObjects] = [part for part in parts if isinstance(part, ImageObjects)]
    selections: dict[int, list[SelectedImages]] = {}
    for part in parts:
        if isinstance(part, SelectedImages):
            selections.setdefault(id(part.source), []).append(part)
    for siblings in selections.values():
        source = siblings[0].source
        images = np.sort(np.concatenate([part.images for part in siblings]))
        is_all = np.array_equal(images, np.arange(len(source.uids)))
        joined.append(source if is_all else SelectedImages(source, images).gathered())
    return joined


def _shift(columns: dict[str, list[Any]], names: Sequence[str], counts: Sequence[int]) -> None:
    """Convert positions in parts to positions in the concatenated columns."""
    before = ends(counts)[:-1].tolist()
    for name in names:
        columns[name] = [part + shift for part, shift in zip(columns[name], before, strict=True)]


_CODES, _FLOATS, _FLAGS = np.empty(0, np.int64), np.empty(0), np.empty(0, np.bool_)
NOTHING = ImageObjects(
    uids=_CODES,
    true_datums=_CODES,
    true_labels=_CODES,
    true_areas=_FLOATS,
    crowd=_FLAGS,
    ignored=_FLAGS,
    datums=_CODES,
    labels=_CODES,
    scores=_FLOATS,
    areas=_FLOATS,
    annotations=_CODES,
    searched=_FLAGS,
    starts=np.zeros(1, np.int64),
    truths=_CODES,
    ious=_FLOATS,
)
