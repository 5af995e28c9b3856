"""Score thresholds in the type of the compared scores."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_classification.kernels.values import Scores


def in_type(thresholds: NDArray[np.float64], dtype: np.dtype[Any]) -> Scores:
    """Round thresholds to the type of the scores, so that a printed score reaches itself.

    A threshold above 0 stays above 0; a threshold outside the range of the type becomes infinite.

    Parameters
    ----------
    thresholds : ndarray of float64, shape (t,)
        Thresholds.
    dtype : dtype
        float32 or float64.

    Examples
    --------
    >>> in_type(np.array([-1e300, 1e-300, 0.5]), np.dtype(np.float32)).tolist()
    [-inf, 1.401298464324817e-45, 0.5]
    """
    with np.errstate(over="ignore"):
        limits: Scores = thresholds.astype(dtype)
    limits[(limits == 0) & (thresholds > 0)] = np.finfo(dtype).smallest_subnormal
    return limits
