"""Parts: images of a larger table, from which they take what images decide for themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.schemas.arrays import Codes
from valor_core.schemas.shapes import gathered
from valor_detection.once import once

if TYPE_CHECKING:
    from valor_detection.table import Table

Flags = NDArray[np.bool_]


@frozen(slots=False, eq=False)
class Part:
    """Where the objects of some images stand in a table of more images.

    Matches are found in every image for itself, so that those of the larger table are these, too.

    Parameters
    ----------
    whole : Table
        The larger table.
    true_rows, rows : ndarray of int64
        Its row of each true and predicted object, ascending.
    """

    whole: Table
    true_rows: Codes
    rows: Codes

    @classmethod
    def of(cls, uids: NDArray[Any], whole: Table) -> Part | None:
        """The part that some images are, None if they are not all in the larger table."""
        images = np.flatnonzero(np.isin(whole.chunk.uids, uids))
        if len(images) != len(uids):
            return None
        return cls(whole, *(gathered(starts, images)[0] for starts in whole.image_starts))

    @once
    def true_places(self) -> Codes:
        """Place here of each true object of the larger table, -1 for none; -1 for row -1, too."""
        return _inverse(self.true_rows, len(self.whole.chunk.true_labels))

    @once
    def places(self) -> Codes:
        """Place here of each prediction of the larger table, -1 for none."""
        return _inverse(self.rows, len(self.whole.chunk.labels))

    @once
    def is_own(self) -> Flags:
        """Whether each prediction of the larger table is one of these."""
        is_own = np.zeros(len(self.whole.chunk.labels), dtype=bool)
        is_own[self.rows] = True
        return is_own


def _inverse(rows: Codes, count: int) -> Codes:
    places = np.full(count + 1, -1, np.int64)
    places[rows] = np.arange(len(rows))
    return places
