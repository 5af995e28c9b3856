"""Chunks: the objects of some images as they arrived, and their pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import asdict, evolve, fields, frozen
from numpy.typing import NDArray

from valor_core.errors import StateError
from valor_core.schemas import Codes, Floats, Uids
from valor_core.schemas.detection import DetectionBatch
from valor_core.schemas.geometry import ends, gathered
from valor_core.states import Content, saved_column, saved_offsets, saved_positions, saved_uids
from valor_detection.matching.once import once

Flags = NDArray[np.bool_]
Ragged = tuple[Codes, Codes, Floats]
"""Pairs of each prediction: where they begin, rows of true objects, overlaps."""

_MOST_OVERLAP = 2
"""More than any of a saved pair: rounding makes a little more than 1 of some."""


@frozen(kw_only=True, slots=False, eq=False, repr=False)
class Chunk:
    """Objects of some images, as they arrived, and their pairs.

    Parameters
    ----------
    uids : ndarray
        Names of the images.
    true_datums, datums : ndarray of int64, shapes (g,) and (d,)
        Image of each true and predicted object, ascending.
    true_labels, labels : ndarray of int64
        Label codes.
    true_areas, areas : ndarray of float64
        Areas, in square pixels.
    crowd : ndarray of bool, shape (g,)
        Whether a true object is a crowd.
    scores : ndarray of float64, shape (d,)
        Scores.
    annotations : ndarray of int64
        Position of each predicted object's annotation in its image.
    starts, truths, ious : ndarray
        Pairs of each predicted object: where they begin, rows of the true objects, overlaps.
    """

    uids: Uids
    true_datums: Codes
    true_labels: Codes
    true_areas: Floats
    crowd: Flags
    datums: Codes
    labels: Codes
    scores: Floats
    areas: Floats
    annotations: Codes
    starts: Codes
    truths: Codes
    ious: Floats

    @classmethod
    def of(cls, batch: DetectionBatch, pairs: Ragged) -> Chunk:
        """The objects of a batch, in columns without gaps, which kernels read."""
        truths, predictions = batch.groundtruths, batch.predictions
        starts, true_rows, overlaps = pairs
        columns: dict[str, Any] = {
            "uids": batch.datums.uids,
            "true_datums": truths.datums,
            "true_labels": truths.labels,
            "true_areas": truths.areas,
            "crowd": truths.crowd,
            "datums": predictions.datums,
            "labels": predictions.labels,
            "scores": predictions.scores,
            "areas": predictions.areas,
            "annotations": predictions.annotations,
            "starts": starts,
            "truths": true_rows,
            "ious": overlaps,
        }
        return cls(**{name: np.ascontiguousarray(column) for name, column in columns.items()})

    def dump(self) -> Content:
        """The columns, by name."""
        return asdict(self, recurse=False)

    @classmethod
    def restored(cls, content: Content, groups: Codes) -> Chunk:
        """What `dump` described.

        Parameters
        ----------
        content : mapping
            The columns.
        groups : ndarray of int64
            For each label code, the group of labels whose objects can be pairs.

        Raises
        ------
        StateError
            If a column is not what a chunk holds, or does not fit the others.
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
            datums=datums,
            labels=saved_column(content, "labels", shape=shape, **codes),
            scores=saved_column(content, "scores", np.float64, shape=shape),
            areas=saved_column(content, "areas", np.float64, shape=shape),
            annotations=saved_column(content, "annotations", np.int64, shape=shape, low=0),
            starts=saved_offsets(content, "starts", len(datums), len(truths)),
            truths=truths,
            ious=saved_column(
                content, "ious", np.float64, shape=truths.shape, low=0, high=_MOST_OVERLAP
            ),
        )
        restored._check_pairs(groups)
        return restored

    def _check_pairs(self, groups: Codes) -> None:
        """Raise a `StateError` if a pair is of two images, or of labels that are never paired."""
        owners = np.repeat(np.arange(len(self.datums)), np.diff(self.starts))
        if not np.array_equal(self.true_datums[self.truths], self.datums[owners]):
            raise StateError("truths: expected pairs of objects of one image")
        own, true = groups[self.labels], groups[self.true_labels]
        if not np.array_equal(true[self.truths], own[owners]):
            raise StateError("truths: expected pairs of objects that may be compared")

    def copy(self) -> Chunk:
        """The same, in arrays of its own."""
        return Chunk(**{name: getattr(self, name).copy() for name in _COLUMNS})

    def relabel(self, codes: Codes) -> Chunk:
        """The same under other label codes."""
        if _are_same(codes):
            return self
        return evolve(self, true_labels=codes[self.true_labels], labels=codes[self.labels])

    def gathered(self) -> Chunk:
        """The same; it holds no more than its own images."""
        return self

    @once
    def image_starts(self) -> tuple[Codes, Codes]:
        """Where the true and the predicted objects of each image begin."""
        count = len(self.uids)
        true, predicted = (
            ends(np.bincount(datums, minlength=count)) for datums in (self.true_datums, self.datums)
        )
        return true, predicted


@frozen(slots=False, eq=False, repr=False)
class SomeImages:
    """Some images of a chunk, in another order; their columns are gathered when asked for.

    Parameters
    ----------
    chunk : Chunk
        Objects of more images.
    images : ndarray of int64
        Positions of these.
    """

    chunk: Chunk
    images: Codes

    @once
    def uids(self) -> Uids:
        """Names of the images."""
        return self.chunk.uids[self.images]

    @once
    def _places(self) -> tuple[tuple[Codes, Codes], tuple[Codes, Codes]]:
        """Rows in the chunk, and where those of each image begin, of both sides."""
        true, predicted = (gathered(starts, self.images) for starts in self.chunk.image_starts)
        return true, predicted

    @property
    def true_rows(self) -> Codes:
        """Row in the chunk of each true object."""
        return self._places[0][0]

    @property
    def rows(self) -> Codes:
        """Row in the chunk of each prediction."""
        return self._places[1][0]

    @property
    def image_starts(self) -> tuple[Codes, Codes]:
        """Where the true and the predicted objects of each image begin."""
        return self._places[0][1], self._places[1][1]

    @once
    def true_datums(self) -> Codes:
        """Image of each true object."""
        return np.repeat(np.arange(len(self.images)), np.diff(self.image_starts[0]))

    @once
    def true_labels(self) -> Codes:
        """Label of each true object."""
        return self.chunk.true_labels[self.true_rows]

    @once
    def true_areas(self) -> Floats:
        """Area of each true object."""
        return self.chunk.true_areas[self.true_rows]

    @once
    def crowd(self) -> Flags:
        """Whether each true object is a crowd."""
        return self.chunk.crowd[self.true_rows]

    @once
    def datums(self) -> Codes:
        """Image of each prediction."""
        return np.repeat(np.arange(len(self.images)), np.diff(self.image_starts[1]))

    @once
    def labels(self) -> Codes:
        """Label of each prediction."""
        return self.chunk.labels[self.rows]

    @once
    def scores(self) -> Floats:
        """Score of each prediction."""
        return self.chunk.scores[self.rows]

    @once
    def areas(self) -> Floats:
        """Area of each prediction."""
        return self.chunk.areas[self.rows]

    @once
    def annotations(self) -> Codes:
        """Position of each prediction's annotation in its image."""
        return self.chunk.annotations[self.rows]

    @once
    def _pairs(self) -> tuple[Codes, Codes]:
        """Places of the pairs in the chunk, and where those of each prediction begin."""
        return gathered(self.chunk.starts, self.rows)

    @property
    def starts(self) -> Codes:
        """Where the pairs of each prediction begin."""
        return self._pairs[1]

    @once
    def truths(self) -> Codes:
        """Row here of the true object of each pair."""
        return self.true_places(self.chunk.truths[self._pairs[0]])

    @once
    def ious(self) -> Floats:
        """Overlap of each pair."""
        return self.chunk.ious[self._pairs[0]]

    def true_places(self, rows: Codes) -> Codes:
        """Rows here of true objects of these images by their rows in the chunk, -1 for -1."""
        places = np.empty(len(self.chunk.true_labels) + 1, np.int64)
        places[self.true_rows] = np.arange(len(self.true_rows))
        places[-1] = -1
        return places[rows]

    def gathered(self) -> Chunk:
        """A chunk of these images alone."""
        return Chunk(**{name: getattr(self, name) for name in _COLUMNS})

    def copy(self) -> Chunk:
        """The same, in arrays of its own."""
        return self.gathered()

    def relabel(self, codes: Codes) -> Chunk | SomeImages:
        """The same under other label codes."""
        return self if _are_same(codes) else self.gathered().relabel(codes)


Images = Chunk | SomeImages


def _are_same(codes: Codes) -> bool:
    return bool((codes == np.arange(len(codes))).all())


_COLUMNS = tuple(attribute.name for attribute in fields(Chunk))


def join(parts: Sequence[Images]) -> Chunk | None:
    """One chunk of several, one behind the other; None of none."""
    chunks = _reunited(parts)
    if len(chunks) < 2:
        return chunks[0] if chunks else None
    columns = {name: [getattr(chunk, name) for chunk in chunks] for name in _COLUMNS}
    _shift(columns, ("true_datums", "datums"), [len(uids) for uids in columns["uids"]])
    _shift(columns, ("truths",), [len(rows) for rows in columns["true_labels"]])
    _shift(columns, ("starts",), [len(pairs) for pairs in columns["truths"]])
    columns["starts"] = [
        starts if i == 0 else starts[1:] for i, starts in enumerate(columns["starts"])
    ]
    return Chunk(**{name: np.concatenate(parts) for name, parts in columns.items()})


def _reunited(parts: Sequence[Images]) -> list[Chunk]:
    """The chunks; images of one chunk that are all there are that chunk again."""
    found: list[Chunk] = [part for part in parts if isinstance(part, Chunk)]
    some: dict[int, list[SomeImages]] = {}
    for part in parts:
        if isinstance(part, SomeImages):
            some.setdefault(id(part.chunk), []).append(part)
    for siblings in some.values():
        chunk = siblings[0].chunk
        images = np.sort(np.concatenate([part.images for part in siblings]))
        is_all = np.array_equal(images, np.arange(len(chunk.uids)))
        found.append(chunk if is_all else SomeImages(chunk, images).gathered())
    return found


def _shift(columns: dict[str, list[Any]], names: Sequence[str], counts: Sequence[int]) -> None:
    """Make positions in the parts positions in the whole."""
    before = ends(counts)[:-1].tolist()
    for name in names:
        columns[name] = [part + shift for part, shift in zip(columns[name], before, strict=True)]


_CODES, _FLOATS = np.empty(0, np.int64), np.empty(0)
NOTHING = Chunk(
    uids=_CODES,
    true_datums=_CODES,
    true_labels=_CODES,
    true_areas=_FLOATS,
    crowd=np.empty(0, np.bool_),
    datums=_CODES,
    labels=_CODES,
    scores=_FLOATS,
    areas=_FLOATS,
    annotations=_CODES,
    starts=np.zeros(1, np.int64),
    truths=_CODES,
    ious=_FLOATS,
)
