"""Pinball loss of predicted quantiles."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_pinball.kernels import pinball_losses
from valor_pinball.parameters import LossParameters


def score(batch: Any, parameters: LossParameters, resources: Any) -> NDArray[np.float64]:
    """Return the loss of each item of a batch of the task regression."""
    return pinball_losses(batch.truths, batch.predictions, parameters.quantile)
