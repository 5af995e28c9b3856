"""Objects of all images and their pairs, in an order independent of their arrival."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from valor_core.schemas import Codes, Floats, Label, Uids, natural_order
from valor_core.schemas.columns import is_ascending
from valor_core.schemas.datum import check_unique
from valor_core.schemas.geometry.shapes import ends, gathered
from valor_core.states.memo import cached, memoized
from valor_detection.kernels import matching as kernels
from valor_detection.matching.image_objects import (
    NOTHING,
    ImageObjects,
    Images,
    SelectedImages,
)

Flags = NDArray[np.bool_]

KEY, LABEL = "key", "label"
"""Scopes of matching: objects of one label key, or of one label."""


@frozen(eq=False, slots=False, repr=False)
class Pairs:
    """Overlapping pairs of a prediction and a ground truth, in the order of matching.

    Parameters
    ----------
    rows : ndarray of int64, shape (p,)
        Rows of the predictions with pairs.
    starts : ndarray of int64, shape (p + 1,)
        First pair of each of these predictions, and the number of pairs.
    truths : ndarray of int64, shape (n,)
        Row of the ground truth of each pair.
    ious : ndarray of float64, shape (n,)
        IoU of each pair.
    """

    rows: Codes
    starts: Codes
    truths: Codes
    ious: Floats

    def reorder(self, positions: Codes) -> Pairs:
        """Return the pairs of the predictions at positions in `rows`."""
        chosen, starts = gathered(self.starts, positions)
        return Pairs(self.rows[positions], starts, self.truths[chosen], self.ious[chosen])

    def filter(self, wanted: Flags) -> Pairs:
        """Return the wanted pairs, without predictions that lose all their pairs."""
        owners = self.owners[wanted]
        is_first = np.ones(len(owners), dtype=bool)
        is_first[1:] = owners[1:] != owners[:-1]
        first = np.flatnonzero(is_first)
        starts = np.append(first, len(owners))
        return Pairs(owners[first], starts, self.truths[wanted], self.ious[wanted])

    @cached
    def owners(self) -> Codes:
        """Row of the prediction of each pair."""
        return np.repeat(self.rows, np.diff(self.starts))


@frozen(kw_only=True, slots=False, eq=False, repr=False)
class Table:
    """Objects and pairs of all images, sorted by image. Labels are in the order of results.

    Objects of one image are in the order of the data.

    Parameters
    ----------
    labels : tuple of Label
        Labels; codes are positions.
    scope : str
        Scope of the pairs: `KEY` or `LABEL`.
    iou_thresholds : tuple of float
        Thresholds of the matchings, ascending.
    objects : ImageObjects or SelectedImages
        Objects and pairs.
    label_groups : tuple of str
        Group of each label, empty for labels of no group or of several; without entries if no
        label has one.
    is_federated : bool
        True if annotators searched for a part of the labels in each image.
    whole : Table, optional
        Table of more images, from which `objects` selects images. Matching an image does not
        depend on other images, so results are read from that table.
    weights : ImageWeights, optional
        Number of times that each image of `whole` is selected, in a resample.
    """

    labels: tuple[Label, ...]
    scope: str
    iou_thresholds: tuple[float, ...]
    objects: Images
    label_groups: tuple[str, ...] = ()
    is_federated: bool = False
    whole: Table | None = None
    weights: ImageWeights | None = None

    @classmethod
    def of(
        cls,
        objects: ImageObjects | None,
        labels: Sequence[Label],
        label_ids: Mapping[int, int],
        iou_thresholds: tuple[float, ...],
        scope: str,
        label_groups: Mapping[int, str] = MappingProxyType({}),
        is_federated: bool = False,
    ) -> Table:
        """Create a table of objects in any order.

        Parameters
        ----------
        objects : ImageObjects, optional
            All objects.
        labels : sequence of Label
            Labels by code.
        label_ids : mapping of int to int
            Numbers of labels by code. Numbered labels come first, in the order of their numbers.
        iou_thresholds, scope, is_federated
            As for the class.
        label_groups : mapping of int to str
            Groups of labels by code.
        """
        order = sorted(
            range(len(labels)),
            key=lambda code: (code not in label_ids, label_ids.get(code, 0), labels[code]),
        )
        renamed = np.empty(len(labels), np.int64)
        renamed[order] = np.arange(len(labels))
        objects = _sorted(NOTHING if objects is None else objects)
        if not is_ascending(renamed):
            objects = objects.relabel(renamed)
        return cls(
            labels=tuple(labels[code] for code in order),
            scope=scope,
            iou_thresholds=iou_thresholds,
            objects=objects,
            label_groups=tuple(label_groups.get(code, "") for code in order if label_groups),
            is_federated=is_federated,
        )

    def part_of(self, uids: Uids) -> Table | None:
        """Return the table of selected images, or None if an image is missing here."""
        images = self.images(uids)
        if images is None:
            return None
        return evolve(self, objects=SelectedImages(self.objects.gathered(), images), whole=self)

    def resampled(self, weights: ImageWeights) -> Table:
        """Return the table in which images occur as often as their weight."""
        images = np.repeat(np.arange(len(self.objects.uids)), weights.of_images)
        objects = SelectedImages(self.objects.gathered(), images)
        return evolve(self, objects=objects, whole=self, weights=weights)

    @property
    def selection(self) -> SelectedImages:
        """Objects as rows of `whole`."""
        assert isinstance(self.objects, SelectedImages)
        return self.objects

    @cached
    def largest_area(self) -> float:
        """Largest area of any object, in all images of `whole`."""
        if self.whole is not None:
            return self.whole.largest_area
        sides = self.objects.true_areas, self.objects.areas
        return max(float(areas.max(initial=0.0)) for areas in sides)

    @cached
    def most_predictions(self) -> int:
        """Largest number of predictions in an image."""
        return int(np.diff(self.objects.image_starts[1]).max(initial=0))

    @property
    def keys(self) -> tuple[str, ...]:
        """Label keys, sorted."""
        return tuple(sorted({label.key for label in self.labels}))

    @cached
    def seen(self) -> dict[str, list[int]]:
        """Codes of the labels of any object, in order, by label key; keys are sorted."""
        codes = np.flatnonzero(self._objects_by_label()).tolist()
        return {
            key: [code for code in codes if self.labels[code].key == key]
            for key in sorted({self.labels[code].key for code in codes})
        }

    def _objects_by_label(self) -> Codes:
        if self.weights is not None:
            return self.weights.sums(self.weights.groups.objects)
        sides, count = (self.objects.true_labels, self.objects.labels), len(self.labels)
        true, seen = (np.bincount(codes, minlength=count) for codes in sides)
        return true + seen

    def images(self, uids: Uids) -> Codes | None:
        """Return the positions of images, ascending, or None if one is missing here."""
        names = self.objects.uids
        if not len(names):
            return None if len(uids) else np.empty(0, np.int64)
        positions = np.searchsorted(names, uids, sorter=self._uid_order)
        images: Codes = self._uid_order[np.minimum(positions, len(names) - 1)]
        return np.sort(images) if np.array_equal(names[images], uids) else None

    @cached
    def _uid_order(self) -> Codes:
        return np.argsort(self.objects.uids, kind="stable")

    def key_codes(self, labels: Codes) -> Codes:
        """Return the position in `keys` of the key of each label code."""
        positions = {key: position for position, key in enumerate(self.keys)}
        codes = np.array([positions[label.key] for label in self.labels], np.int64)
        return codes[labels] if len(codes) else labels

    @cached
    def order(self) -> Codes:
        """Predictions by label and descending score; equal scores by image and position."""
        return kernels.score_order(self.objects.labels, self.objects.scores, len(self.labels))

    @cached
    def label_starts(self) -> Codes:
        """First prediction of each label in `order`, and the number of predictions."""
        return ends(np.bincount(self.objects.labels, minlength=len(self.labels)))

    @cached
    def ranks(self) -> NDArray[np.int32]:
        """Rank of each prediction among those of its label and image, from 0."""
        if self.whole is not None:
            return self.whole.ranks[self.selection.rows]
        return kernels.ranks(self.order, self.objects.labels, self.objects.datums)

    @cached
    def top_label_rows(self) -> Codes | None:
        """Row of the best-scoring label of each prediction's annotation and label key.

        None if no annotation has several labels.
        """
        objects, rows = self.objects, np.arange(len(self.objects.labels))
        next_ = np.flatnonzero(objects.annotations[1:] == objects.annotations[:-1])
        if not (objects.datums[next_] == objects.datums[next_ + 1]).any():
            return None
        columns = (objects.datums, objects.annotations, self.key_codes(objects.labels))
        order = np.lexsort((rows, -objects.scores, *columns[::-1]))
        is_first = np.ones(len(rows), dtype=bool)
        is_first[1:] = np.any([np.diff(column[order]) != 0 for column in columns], axis=0)
        top_rows = np.empty_like(rows)
        top_rows[order] = order[is_first][np.cumsum(is_first) - 1]
        return top_rows

    @cached
    def unranked_pairs(self) -> Pairs:
        """All pairs by row of the prediction, including predictions without pairs."""
        objects = self.objects
        return Pairs(np.arange(len(objects.labels)), objects.starts, objects.truths, objects.ious)

    @memoized
    def pairs(self, scope: str) -> Pairs:
        """Return the pairs with the predictions in the order of matching, by descending score.

        Parameters
        ----------
        scope : str
            `LABEL` for pairs of one label, sorted by label; `KEY` for all pairs, sorted by image.
        """
        objects = self.objects
        if scope == LABEL:
            order, groups, true_groups = self.order, objects.labels, objects.true_labels
        else:
            # Image by image, for locality of memory.
            rows = np.flatnonzero(objects.starts[1:] > objects.starts[:-1])
            images = objects.datums[rows]
            order = rows[kernels.score_order(images, objects.scores[rows], len(objects.uids))]
            groups, true_groups = np.zeros_like(objects.labels), np.zeros_like(objects.true_labels)
        chosen = objects.starts, objects.truths, objects.ious
        return Pairs(*kernels.chosen_pairs(order, *chosen, groups, true_groups))


@frozen(eq=False, slots=False, repr=False)
class ImageGroups:
    """Groups of images that are resampled together, for intervals.

    Parameters
    ----------
    table : Table
        Table of all images.
    codes : ndarray of int32, shape (n_images,)
        Group of each image.
    count : int
        Number of groups.
    """

    table: Table
    codes: NDArray[np.int32]
    count: int

    @cached
    def objects(self) -> Floats:
        """Number of objects of both sides by group and label."""
        chunk = self.table.objects
        true = self._by_label(chunk.true_datums, chunk.true_labels)
        return true + self._by_label(chunk.datums, chunk.labels)

    @memoized
    def positives(self, area_range: tuple[float, float], counts_crowds: bool) -> Floats:
        """Return the number of counted ground truths by group and label."""
        chunk, (low, high) = self.table.objects, area_range
        uncounted = chunk.ignored if counts_crowds else chunk.uncounted
        counts = ~(uncounted | (chunk.true_areas < low) | (chunk.true_areas > high))
        return self._by_label(chunk.true_datums[counts], chunk.true_labels[counts])

    def _by_label(self, datums: Codes, labels: Codes) -> Floats:
        width = len(self.table.labels)
        cells = self.codes[datums].astype(np.int64) * width + labels
        counts = np.bincount(cells, minlength=self.count * width)
        return counts.astype(np.float64).reshape(self.count, width)


@frozen(eq=False, repr=False)
class ImageWeights:
    """Weight of each group of images in a resample.

    Parameters
    ----------
    groups : ImageGroups
        Groups of the images.
    weights : ndarray of int64, shape (n_groups,)
        Number of times that the images of each group occur.
    """

    groups: ImageGroups
    weights: Codes

    @property
    def of_images(self) -> Codes:
        """Weight of each image."""
        return self.weights[self.groups.codes]

    def sums(self, counts: Floats) -> Codes:
        """Add up counts by group and label."""
        return (self.weights.astype(np.float64) @ counts).astype(np.int64)

    def positives(self, area_range: tuple[float, float], counts_crowds: bool) -> Codes:
        """Return the number of counted ground truths by label."""
        return self.sums(self.groups.positives(area_range, counts_crowds))


def _sorted(objects: ImageObjects) -> ImageObjects:
    """Sort images by name."""
    check_unique(objects.uids)
    order = natural_order(objects.uids)
    if is_ascending(order):
        return objects
    return SelectedImages(objects, order).gathered()
