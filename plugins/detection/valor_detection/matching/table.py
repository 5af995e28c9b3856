"""Objects of all images and their pairs, in an order independent of their arrival."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from valor_core.schemas import Codes, Floats, Label, Uids, check_unique, is_ascending, natural_order
from valor_core.schemas.geometry import ends, gathered
from valor_detection.kernels import matching as kernels
from valor_detection.matching.image_objects import NOTHING, Chunk, Images, SomeImages
from valor_detection.matching.once import once

Flags = NDArray[np.bool_]

KEY, LABEL = "key", "label"
"""Whether objects of one label key can be pairs, or only those of one label."""


@frozen(eq=False, slots=False, repr=False)
class Pairs:
    """Pairs of a predicted and a true object that overlap, predictions as they choose.

    Parameters
    ----------
    rows : ndarray of int64, shape (p,)
        Rows of the predictions that have any.
    starts : ndarray of int64, shape (p + 1,)
        Where the pairs of each of them begin.
    truths : ndarray of int64, shape (n,)
        Rows of the true objects.
    ious : ndarray of float64, shape (n,)
        Overlaps.
    """

    rows: Codes
    starts: Codes
    truths: Codes
    ious: Floats

    def take(self, places: Codes) -> Pairs:
        """The pairs of the predictions at some places."""
        chosen, starts = gathered(self.starts, places)
        return Pairs(self.rows[places], starts, self.truths[chosen], self.ious[chosen])

    def those(self, wanted: Flags) -> Pairs:
        """Some of the pairs; a prediction that has none left is left out."""
        owners = self.owners[wanted]
        is_first = np.ones(len(owners), dtype=bool)
        is_first[1:] = owners[1:] != owners[:-1]
        first = np.flatnonzero(is_first)
        starts = np.append(first, len(owners))
        return Pairs(owners[first], starts, self.truths[wanted], self.ious[wanted])

    @once
    def owners(self) -> Codes:
        """Row of the prediction of each pair."""
        return np.repeat(self.rows, np.diff(self.starts))


@frozen(kw_only=True, repr=False)
class Table:
    """Objects and pairs of all images. Images are sorted by name, labels by the order of metrics.

    Rows are sorted by image; those of an image are in the order in which the data list them.
    Columns are those of `Chunk`.

    Parameters
    ----------
    labels : tuple of Label
        Labels; codes are positions.
    scope : str
        Which objects can be pairs: `KEY` or `LABEL`.
    iou_thresholds : tuple of float
        Thresholds at which matchings are made, ascending.
    chunk : Chunk
        The objects.
    part : Part, optional
        Where they stand in a table of more images, which is asked for what it knows.
    """

    labels: tuple[Label, ...]
    scope: str
    iou_thresholds: tuple[float, ...]
    chunk: Images
    part: Part | None = None
    _kept: dict[Any, Any] = field(factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        chunk: Chunk | None,
        labels: Sequence[Label],
        label_ids: Mapping[int, int],
        iou_thresholds: tuple[float, ...],
        scope: str,
    ) -> Table:
        """The table of what has arrived.

        Parameters
        ----------
        chunk : Chunk, optional
            All objects.
        labels : sequence of Label
            Labels of its codes.
        label_ids : mapping of int to int
            Numbers of the labels' codes; a numbered label stands in their order, in front of
            those without one.
        iou_thresholds, scope
            As they are kept.
        """
        order = sorted(
            range(len(labels)),
            key=lambda code: (code not in label_ids, label_ids.get(code, 0), labels[code]),
        )
        renamed = np.empty(len(labels), np.int64)
        renamed[order] = np.arange(len(labels))
        chunk = _sorted(NOTHING if chunk is None else chunk)
        if not is_ascending(renamed):
            chunk = chunk.relabel(renamed)
        return cls(
            labels=tuple(labels[code] for code in order),
            scope=scope,
            iou_thresholds=iou_thresholds,
            chunk=chunk,
        )

    def part_of(self, uids: Uids) -> Table | None:
        """The table of some images, which takes from this one what it has worked out.

        None if some are not here.
        """
        images = self.images(uids)
        if images is None:
            return None
        chunk = SomeImages(self.chunk.gathered(), images)
        return evolve(self, chunk=chunk, part=Part(self, chunk), kept={})

    def kept(self, key: Any, make: Any) -> Any:
        """What was made under a key before, or is made now."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]

    @property
    def largest_area(self) -> float:
        """The greatest area of any object; of some images, that of the larger table."""
        if self.part is not None:
            return self.part.whole.largest_area
        largest: float = self.kept("largest area", self._largest_area)
        return largest

    def _largest_area(self) -> float:
        sides = self.chunk.true_areas, self.chunk.areas
        return max(float(areas.max(initial=0.0)) for areas in sides)

    @property
    def keys(self) -> tuple[str, ...]:
        """Label keys, sorted."""
        return tuple(sorted({label.key for label in self.labels}))

    @property
    def seen(self) -> dict[str, list[int]]:
        """By label key, sorted, the codes of the labels that any object has, in order."""
        seen: dict[str, list[int]] = self.kept("seen", self._seen)
        return seen

    def _seen(self) -> dict[str, list[int]]:
        sides, count = (self.chunk.true_labels, self.chunk.labels), len(self.labels)
        counts = sum(np.bincount(codes, minlength=count) for codes in sides)
        codes = np.flatnonzero(counts).tolist()
        return {
            key: [code for code in codes if self.labels[code].key == key]
            for key in sorted({self.labels[code].key for code in codes})
        }

    def images(self, uids: Uids) -> Codes | None:
        """Numbers, ascending, of the images with some names; None if some are not here."""
        own = self.chunk.uids
        if not len(own):
            return None if len(uids) else np.empty(0, np.int64)
        order: Codes = self.kept("uid_order", lambda: np.argsort(own, kind="stable"))
        places = np.searchsorted(own, uids, sorter=order)
        images: Codes = order[np.minimum(places, len(own) - 1)]
        return np.sort(images) if np.array_equal(own[images], uids) else None

    def key_codes(self, labels: Codes) -> Codes:
        """Position in `keys` of the key of each label code."""
        places = {key: place for place, key in enumerate(self.keys)}
        codes = np.array([places[label.key] for label in self.labels], np.int64)
        return codes[labels] if len(codes) else labels

    @property
    def order(self) -> Codes:
        """Predictions by label and descending score; of equal scores, by image and position."""
        order: Codes = self.kept("order", self._order)
        return order

    def _order(self) -> Codes:
        return kernels.score_order(self.chunk.labels, self.chunk.scores, len(self.labels))

    @property
    def label_starts(self) -> Codes:
        """Where the predictions of each label begin in `order`."""
        starts: Codes = self.kept(
            "label_starts",
            lambda: ends(np.bincount(self.chunk.labels, minlength=len(self.labels))),
        )
        return starts

    @property
    def ranks(self) -> NDArray[np.int32]:
        """How many predictions of its label and image rank before each prediction."""
        found: NDArray[np.int32] = self.kept("ranks", self._ranks)
        return found

    def _ranks(self) -> NDArray[np.int32]:
        if self.part is not None:
            return self.part.whole.ranks[self.part.rows]
        return kernels.ranks(self.order, self.chunk.labels, self.chunk.datums)

    @property
    def leaders(self) -> Codes | None:
        """For each prediction, the row of the best-scoring label of its annotation and key.

        None where no annotation has several labels, and each would be its own.
        """
        leaders: Codes | None = self.kept("leaders", self._leaders)
        return leaders

    def _leaders(self) -> Codes | None:
        chunk, rows = self.chunk, np.arange(len(self.chunk.labels))
        next_ = np.flatnonzero(chunk.annotations[1:] == chunk.annotations[:-1])
        if not (chunk.datums[next_] == chunk.datums[next_ + 1]).any():
            return None
        columns = (chunk.datums, chunk.annotations, self.key_codes(chunk.labels))
        order = np.lexsort((rows, -chunk.scores, *columns[::-1]))
        is_first = np.ones(len(rows), dtype=bool)
        is_first[1:] = np.any([np.diff(column[order]) != 0 for column in columns], axis=0)
        leaders = np.empty_like(rows)
        leaders[order] = order[is_first][np.cumsum(is_first) - 1]
        return leaders

    @property
    def unranked_pairs(self) -> Pairs:
        """All pairs, predictions by row; also of those that have none."""
        chunk = self.chunk
        pairs: Pairs = self.kept(
            "unranked_pairs",
            lambda: Pairs(np.arange(len(chunk.labels)), chunk.starts, chunk.truths, chunk.ious),
        )
        return pairs

    def pairs(self, scope: str) -> Pairs:
        """The pairs, predictions of an image as they choose: by descending score, then by row.

        Parameters
        ----------
        scope : str
            `LABEL` for the pairs of one label only, whose predictions come one label after
            another; `KEY` for all, whose predictions come one image after another.
        """
        pairs: Pairs = self.kept(("pairs", scope), lambda: self._pairs(scope))
        return pairs

    def _pairs(self, scope: str) -> Pairs:
        chunk = self.chunk
        if scope == LABEL:
            order, groups, true_groups = self.order, chunk.labels, chunk.true_labels
        else:
            # An image after the other, which is near in memory.
            rows = np.flatnonzero(chunk.starts[1:] > chunk.starts[:-1])
            images = chunk.datums[rows]
            order = rows[kernels.score_order(images, chunk.scores[rows], len(chunk.uids))]
            groups, true_groups = np.zeros_like(chunk.labels), np.zeros_like(chunk.true_labels)
        chosen = chunk.starts, chunk.truths, chunk.ious
        return Pairs(*kernels.chosen_pairs(order, *chosen, groups, true_groups))


def _sorted(chunk: Chunk) -> Chunk:
    """The chunk with its images in the order of their names."""
    check_unique(chunk.uids)
    order = natural_order(chunk.uids)
    if is_ascending(order):
        return chunk
    return SomeImages(chunk, order).gathered()


@frozen(eq=False, repr=False)
class Part:
    """Where the objects of some images stand in a table of more images.

    Matches are found in every image for itself, so that those of the larger table are these, too.

    Parameters
    ----------
    whole : Table
        The larger table.
    chunk : SomeImages
        The images, in its order.
    """

    whole: Table
    chunk: SomeImages

    @property
    def true_rows(self) -> Codes:
        """Row in the larger table of each true object, ascending."""
        return self.chunk.true_rows

    @property
    def rows(self) -> Codes:
        """Row in the larger table of each prediction, ascending."""
        return self.chunk.rows

    def true_places(self, rows: Codes) -> Codes:
        """Rows here of true objects of these images by their rows there, -1 for -1."""
        return self.chunk.true_places(rows)
