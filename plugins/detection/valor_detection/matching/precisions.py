"""Recalls at which average precision reads the precision."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from valor_core.schemas import Codes, Floats
from valor_detection.kernels import matching as kernels

ALMOST_ONE = 1 - 1e-10
"""Greatest IoU that pycocotools requires."""

RECALLS: tuple[float, ...] = tuple(i / 100 for i in range(101))
"""Recalls 0, 0.01 … 1 as decimals."""

_ROUNDED = np.linspace(0, 1, 101)


@frozen
class AtHundredths:
    """Greatest precision at a recall of at least 0, 0.01 … 1; average precision is their mean.

    Parameters
    ----------
    rounded : bool
        If True, numbers have the rounding errors of pycocotools: recalls are the doubles of
        ``numpy.linspace`` and quotients are rounded, which needs one more true positive at ten of
        them, and the denominator of a precision has an epsilon. Otherwise they are exact.
    """

    rounded: bool = False

    def needed(self, positives: Codes) -> Codes:
        """Return the true positives needed for each recall, by group.

        Parameters
        ----------
        positives : ndarray of int64, shape (k,)
            Ground truths of each group.

        Returns
        -------
        ndarray of int64, shape (k, 101)
            Ascending. Column 0 is 0.

        Examples
        --------
        >>> positives = np.array([100])
        >>> AtHundredths().needed(positives)[0, 35], AtHundredths(True).needed(positives)[0, 35]
        (np.int64(35), np.int64(36))
        """
        return kernels.needed(positives, _ROUNDED if self.rounded else None)

    def quotients(self, precisions: Floats) -> Floats:
        """Return the precisions of the kernels without their epsilon if numbers are exact.

        The epsilon of pycocotools changes only the quotient 1/1.
        """
        return precisions if self.rounded else np.where(precisions > ALMOST_ONE, 1.0, precisions)
