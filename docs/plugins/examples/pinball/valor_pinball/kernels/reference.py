"""Kernels in NumPy, which read like their definitions."""

import numpy as np
from numpy.typing import NDArray


def pinball_losses(
    truths: NDArray[np.float64], predictions: NDArray[np.float64], quantile: float
) -> NDArray[np.float64]:
    """Pinball loss of each item."""
    errors = truths - predictions
    return np.where(errors > 0, quantile * errors, (1 - quantile) * -errors)
