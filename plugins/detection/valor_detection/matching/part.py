"""Parts: images of a larger table, from which they take what images decide for themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from valor_core.schemas import Codes
from valor_detection.matching.image_objects import SomeImages

if TYPE_CHECKING:
    from valor_detection.matching.table import Table


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
