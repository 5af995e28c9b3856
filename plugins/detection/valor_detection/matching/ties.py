"""Orders of predictions with equal scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from valor_core.schemas import Codes, Floats
from valor_detection.matching.table import Pairs


class Ties:
    """Order of predictions with equal scores: that of the data, unless a method is overridden."""

    needs_pairs: ClassVar[bool] = False
    """True if the order depends on the overlaps of a prediction."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def in_matching(self, pairs: Pairs, scores: Floats) -> Pairs:
        """Return pairs, which are by descending score, in the order of matching."""
        return pairs

    def overlaps(self, pairs: Pairs, matched: Callable[[], Codes]) -> Floats | None:
        """Return the overlap by which equal scores descend, for each prediction with pairs.

        Parameters
        ----------
        pairs : Pairs
            Pairs in the order of matching.
        matched : callable
            Returns the matched pair of each prediction, -1 without one, for a choice that does not
            depend on IoU thresholds.

        Returns
        -------
        ndarray of float64, or None
            None for the order of the data.
        """
        return None


class ByData(Ties):
    """Equal scores in the order of images, and of the objects in an image."""


class ByBestOverlap(Ties):
    """Equal scores by descending overlap with the best ground truth."""

    needs_pairs: ClassVar[bool] = True

    def in_matching(self, pairs: Pairs, scores: Floats) -> Pairs:
        """Sort the predictions by score and best overlap."""
        best = self._best(pairs)
        return pairs.reorder(np.lexsort((pairs.rows, -best, -scores[pairs.rows])))

    def overlaps(self, pairs: Pairs, matched: Callable[[], Codes]) -> Floats | None:
        """Return the best overlap of each prediction."""
        return self._best(pairs)

    def _best(self, pairs: Pairs) -> Floats:
        if not len(pairs.rows):
            return pairs.ious
        best: Floats = np.maximum.reduceat(pairs.ious, pairs.starts[:-1])
        return best


class ByMatchedOverlap(Ties):
    """Equal scores by descending overlap with the matched ground truth, 0 without a match."""

    needs_pairs: ClassVar[bool] = True

    def overlaps(self, pairs: Pairs, matched: Callable[[], Codes]) -> Floats | None:
        """Return the overlap of each prediction with its match."""
        found = matched()
        return np.append(pairs.ious, 0.0)[found]
