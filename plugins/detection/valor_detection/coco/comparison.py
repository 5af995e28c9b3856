"""Annotations of the evaluated images and categories, in one table."""

from __future__ import annotations

import numpy as np
from attrs import evolve, field, frozen

from valor_core.errors import ConfigError
from valor_core.schemas import Codes, Datums, Label
from valor_core.schemas.detection import DetectionBatch
from valor_detection.arrays.objects import Rows, batch_of_rows
from valor_detection.coco.dataset import COCO, geometry
from valor_detection.coco.settings import Params, given_sigmas, ids
from valor_detection.coco_json.keypoints import keypoints_of
from valor_detection.coco_json.records import AscendingIds
from valor_detection.kernels import matching as kernels
from valor_detection.matching.candidate_pairs import Overlaps
from valor_detection.matching.matches import Matching
from valor_detection.matching.overlap.oks import OKS
from valor_detection.matching.overlap.shapes import ShapeIOU
from valor_detection.matching.protocols import COCO as PROTOCOL
from valor_detection.matching.protocols import AreaRange, below_one
from valor_detection.matching.table import LABEL, Table

_KEYPOINTS = "keypoints"

AT_GIVEN_THRESHOLDS = evolve(PROTOCOL, limits=below_one)
"""COCO's protocol with IoU thresholds as given, also if they are near those of ``linspace``."""


@frozen(eq=False)
class Comparison:
    """Annotations of the evaluated images and categories, and their matches.

    Parameters
    ----------
    images, categories : ndarray of int64
        Ids of images, and of the category of each label; -1 for all categories together.
    table : Table
        Objects and their overlapping pairs, with ascending IoU thresholds.
    true_ids, ids : ndarray of int64
        Id of each ground truth and prediction of the table.
    """

    images: Codes
    categories: Codes
    table: Table
    true_ids: Codes
    ids: Codes
    _matchings: dict[AreaRange, Matching] = field(factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, truths: COCO, predictions: COCO, chosen: Params) -> Comparison:
        """Build the comparison of a data set and results.

        Parameters
        ----------
        truths, predictions : COCO
            The data set and the results.
        chosen : Params
            Settings of the evaluation.
        """
        images = np.unique(ids(chosen.imgIds, "imgIds"))
        categories = _distinct(ids(chosen.catIds, "catIds"))
        if chosen.useCats:
            categories = np.sort(categories)
        index = IdIndex(images, categories)
        true_rows, true_ids = index.rows(truths, chosen)
        rows, row_ids = index.rows(predictions, chosen)
        if not chosen.useCats:
            categories = np.array([-1])
        batch = batch_of_rows(
            Datums(np.arange(len(images))),
            [Label("category", str(number)) for number in categories.tolist()],
            true_rows,
            rows,
            label_ids=np.arange(len(categories)),
        )
        table = _table(batch, chosen)
        return cls(images, categories, table, true_ids, row_ids)

    def matching(self, area_range: AreaRange) -> Matching:
        """Match predictions to ground truths; objects outside `area_range` are ignored."""
        if area_range not in self._matchings:
            self._matchings[area_range] = Matching(
                self.table, AT_GIVEN_THRESHOLDS, LABEL, area_range
            )
        return self._matchings[area_range]


@frozen(eq=False)
class IdIndex:
    """Evaluated images and categories, in the order of their annotations in a table.

    Parameters
    ----------
    images, categories : ndarray of int64
        Ids of images, ascending, and of categories.
    """

    images: Codes
    categories: Codes

    def rows(self, side: COCO, chosen: Params) -> tuple[Rows, Codes]:
        """Return the evaluated annotations of one side, grouped by image, and their ids."""
        keypoints = chosen.iouType == _KEYPOINTS
        document = side.columns(masks=chosen.iouType == "segm", keypoints=keypoints)
        annotations = document.annotations
        datums = AscendingIds.of(self.images).positions(annotations.images)
        labels = self._labels(annotations.categories)
        rows = self._order(datums, labels, by_label=not chosen.useCats)
        shapes, areas = geometry(
            document,
            rows,
            lambda: side.sizes(document),
            chosen.iouType,
            is_results=side.is_results,
        )
        columns = Rows(
            images=datums[rows],
            labels=labels[rows] if chosen.useCats else np.zeros(len(rows), np.int64),
            shapes=shapes,
            scores=annotations.scores[rows],
            crowd=annotations.crowd[rows] != 0,
            areas=areas,
            keypoints=keypoints_of(document, rows, document.where) if keypoints else None,
        )
        return columns, side.ids(document)[rows]

    def _labels(self, categories: Codes) -> Codes:
        ascending = np.argsort(self.categories, kind="stable")
        positions = AscendingIds.of(self.categories[ascending]).positions(categories)
        return np.where(positions < 0, -1, np.append(ascending, -1)[positions])

    def _order(self, datums: Codes, labels: Codes, *, by_label: bool) -> Codes:
        is_evaluated = (datums >= 0) & (labels >= 0)
        count = len(self.images)
        order = kernels.grouped_order(np.where(is_evaluated, datums, count), count + 1)
        order = order[: int(np.count_nonzero(is_evaluated))]
        if by_label:
            order = order[np.lexsort((labels[order], datums[order]))]
        return order


def _distinct(ids: Codes) -> Codes:
    _, first = np.unique(ids, return_index=True)
    return ids[np.sort(first)]


def _table(batch: DetectionBatch, chosen: Params) -> Table:
    thresholds = tuple(sorted(np.asarray(chosen.iouThrs, np.float64).ravel().tolist()))
    if not thresholds or not thresholds[0] > 0:
        raise ConfigError(f"iouThrs: expected IoU thresholds above 0, got {list(thresholds)}")
    lowest = float(AT_GIVEN_THRESHOLDS.limits(thresholds)[0])
    overlap = OKS(given_sigmas(chosen)) if chosen.iouType == _KEYPOINTS else ShapeIOU()
    state = Overlaps(overlap, thresholds, (lowest,), (LABEL,))
    state.update(batch)
    return state.table
