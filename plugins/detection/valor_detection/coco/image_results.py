"""Matches per category, area range and image, in the layout of pycocotools' ``evalImgs``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.schemas import Codes
from valor_core.schemas.geometry.shapes import ends
from valor_detection.coco.comparison import Comparison
from valor_detection.matching.protocols import AreaRange

ImageResult = dict[str, Any]


class ImageResults(Sequence[ImageResult | None]):
    """Matches by category, area range and image; None for images without objects.

    Entries are created lazily.

    Parameters
    ----------
    comparison : Comparison
        Annotations and their matches.
    area_ranges : sequence of (float, float)
        Ranges of areas.
    max_detections : int
        Maximum number of predictions per image and category.
    order : ndarray of int64
        Index of each requested IoU threshold among the ascending ones.
    """

    def __init__(
        self,
        comparison: Comparison,
        area_ranges: Sequence[Sequence[float]],
        max_detections: int,
        order: Codes,
    ) -> None:
        self.comparison = comparison
        self.area_ranges = area_ranges
        self.max_detections = max_detections
        self.order = order
        self._matches: dict[AreaRange, _Matches] = {}
        chunk, count = comparison.table.objects, len(comparison.images)
        self._truths = _Cells.of(
            chunk.true_labels, chunk.true_datums, np.zeros(len(chunk.true_labels)), count
        )
        self._predictions = _Cells.of(chunk.labels, chunk.datums, -chunk.scores, count)

    def __len__(self) -> int:
        comparison = self.comparison
        return len(comparison.categories) * len(self.area_ranges) * len(comparison.images)

    @overload
    def __getitem__(self, index: int) -> ImageResult | None: ...

    @overload
    def __getitem__(self, index: slice) -> list[ImageResult | None]: ...

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        rest, image = divmod(index % len(self), len(self.comparison.images))
        category, area = divmod(rest, len(self.area_ranges))
        return self._result(category, area, image)

    def __iter__(self) -> Iterator[ImageResult | None]:
        return map(self.__getitem__, range(len(self)))

    def _result(self, category: int, area: int, image: int) -> ImageResult | None:
        comparison, chunk = self.comparison, self.comparison.table.objects
        truths, rows = self._truths.rows(category, image), self._predictions.rows(category, image)
        if not len(truths) and not len(rows):
            return None
        rows = rows[: self.max_detections]
        bounds = self.area_ranges[area]
        found = self._matched((float(bounds[0]), float(bounds[1])))
        truths = truths[np.argsort(found.ignored[truths], kind="stable")]
        return {
            "image_id": comparison.images[image].item(),
            "category_id": comparison.categories[category].item(),
            "aRng": bounds,
            "maxDet": self.max_detections,
            "dtIds": comparison.ids[rows].tolist(),
            "gtIds": comparison.true_ids[truths].tolist(),
            "dtMatches": found.matches[:, rows],
            "gtMatches": found.true_matches[:, truths],
            "dtScores": chunk.scores[rows].tolist(),
            "gtIgnore": found.ignored[truths].astype(np.int64),
            "dtIgnore": found.ignored_match[:, rows],
        }

    def _matched(self, area_range: AreaRange) -> _Matches:
        if area_range not in self._matches:
            self._matches[area_range] = _Matches.of(
                self.comparison, area_range, self.max_detections, self.order
            )
        return self._matches[area_range]


@frozen(eq=False)
class _Matches:
    """Ids of the matched objects at each IoU threshold; 0 for unmatched objects."""

    ignored: NDArray[np.bool_]
    matches: NDArray[np.float64]
    true_matches: NDArray[np.float64]
    ignored_match: NDArray[np.bool_]

    @classmethod
    def of(cls, comparison: Comparison, area_range: AreaRange, most: int, order: Codes) -> _Matches:
        matched, table = comparison.matching(area_range), comparison.table
        ids, true_ids = comparison.ids, comparison.true_ids
        matches, true_matches = (
            np.zeros((len(order), len(ids))),
            np.zeros((len(order), len(true_ids))),
        )
        ignored_match = np.zeros(matches.shape, dtype=bool)
        choosing = np.argsort(-table.objects.scores, kind="stable")
        choosing = choosing[table.ranks[choosing] < most]
        for index, threshold in enumerate(order.tolist()):
            truths = matched.truths(table.iou_thresholds[threshold])
            rows = choosing[truths[choosing] >= 0]
            # pycocotools reports the last prediction matched to a crowd
            true_matches[index, truths[rows]] = ids[rows]
            matches[index, rows] = true_ids[truths[rows]]
            ignored_match[index] = ~matched.in_range
            ignored_match[index, rows] = matched.ignored[truths[rows]]
        return cls(matched.ignored, matches, true_matches, ignored_match)


@frozen(eq=False)
class _Cells:
    """Rows grouped by category and image."""

    order: Codes
    starts: Codes
    image_count: int

    @classmethod
    def of(cls, labels: Codes, datums: Codes, priority: NDArray[Any], image_count: int) -> _Cells:
        cells = labels * image_count + datums
        count = int(cells.max(initial=-1)) + 1
        order = np.lexsort((priority, cells))
        return cls(order, ends(np.bincount(cells, minlength=count)), image_count)

    def rows(self, category: int, image: int) -> Codes:
        cell = category * self.image_count + image
        if cell + 1 >= len(self.starts):
            return self.order[:0]
        return self.order[self.starts[cell] : self.starts[cell + 1]]
