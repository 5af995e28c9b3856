"""Kernels, compiled or in NumPy, with identical results."""

import numpy as np
from numpy.typing import NDArray
from valor_core.kernels import load_kernels

from valor_pinball.kernels import reference

KERNELS = load_kernels("valor_pinball._kernels")
_compiled = None if KERNELS.library is None else KERNELS.function("pinball_losses")


def pinball_losses(
    truths: NDArray[np.float64], predictions: NDArray[np.float64], quantile: float
) -> NDArray[np.float64]:
    """Pinball loss of each item.

    Parameters
    ----------
    truths, predictions : ndarray of float64
        True and predicted numbers.
    quantile : float
        Weight of predictions that are too low, from 0 to 1.
    """
    if _compiled is None:
        return reference.pinball_losses(truths, predictions, quantile)
    losses = np.empty(len(truths))
    _compiled(truths, predictions, len(truths), quantile, losses)
    return losses
