"""Counts of unusual annotations, for the warnings of a report."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from valor_core.schemas import Codes, FileRow


class Findings(dict[str, int]):
    """Number of annotations by warning, in the layout of `DetectionBatch.left_out`.

    Examples
    --------
    >>> found = Findings()
    >>> found.add("boxes without a name", np.array([3, 2]), "gt.json, annotations")
    >>> found, found.first
    ({'boxes without a name': 2}, {'boxes without a name': ('gt.json, annotations', 2)})
    """

    def __init__(self) -> None:
        super().__init__()
        self.first: dict[str, FileRow] = {}
        self._rows: Codes | None = None

    def of_rows(self, rows: Codes | None) -> Findings:
        """Map rows added from now on through `rows`, the positions in the file."""
        self._rows = rows
        return self

    def count(self, what: str, flags: NDArray[np.bool_], where: str) -> None:
        """Count the rows of a list with a flag set."""
        self.add(what, np.flatnonzero(flags), where)

    def add(self, what: str, rows: Codes, where: str) -> None:
        """Count rows of a list, and record the first."""
        if len(rows):
            self[what] = len(rows)
            self.first[what] = where, int((rows if self._rows is None else self._rows[rows]).min())
