"""Numberings: positions of ids among those that are known."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from valor_core.schemas import Codes

_SPREAD = 64  # a table is made for ids up to as many times as far apart as there are ids


@frozen(eq=False, repr=False)
class Numbering:
    """Positions of ids in an ascending column.

    Parameters
    ----------
    ids : ndarray of int64, shape (n,)
        The ids, ascending.
    table : ndarray of int64, optional
        Position of every number from the least id to the greatest one, -1 where it is none.
    """

    ids: Codes
    table: Codes | None

    @classmethod
    def of(cls, ids: Codes) -> Numbering:
        """The numbering of an ascending column.

        Examples
        --------
        >>> Numbering.of(np.array([3, 7])).positions(np.array([7, 5, 3, -2]))
        array([ 1, -1,  0, -1])
        """
        if not len(ids) or int(ids[-1]) - int(ids[0]) >= _SPREAD * len(ids) + (1 << 20):
            return cls(ids, None)
        table = np.full(int(ids[-1]) - int(ids[0]) + 1, -1)
        table[ids - ids[0]] = np.arange(len(ids))
        return cls(ids, table)

    @property
    def count(self) -> int:
        """Number of ids."""
        return len(self.ids)

    def positions(self, values: Codes) -> Codes:
        """Position of each value, -1 where it is no known id."""
        if self.count == 0 or not len(values):
            return np.full(len(values), -1)
        if self.table is None:
            found = np.minimum(np.searchsorted(self.ids, values), self.count - 1)
            return np.where(self.ids[found] == values, found, -1)
        if values.min() >= self.ids[0] and values.max() <= self.ids[-1]:
            positions: Codes = self.table[values - self.ids[0]]
            return positions
        is_inside = (values >= self.ids[0]) & (values <= self.ids[-1])
        return np.where(is_inside, self.table[np.where(is_inside, values - self.ids[0], 0)], -1)
