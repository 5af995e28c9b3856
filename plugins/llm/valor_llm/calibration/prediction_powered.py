"""Prediction-powered inference: the mean of human labels, with a judge's help."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from valor_llm.calibration.estimate import LEVEL, Estimate, standard_errors

Numbers = NDArray[np.float64]


def prediction_powered_mean(
    human: Sequence[float],
    judge: Sequence[float],
    unlabelled: Sequence[float],
    level: float = LEVEL,
) -> Estimate:
    """The mean that humans would give all items, from the labels of a few.

    Labels say by how much the judge is off, and the judge's scores of all other items make the
    mean more precise. How far they are relied on is estimated from the labels: of a judge that has
    nothing to do with them, the mean of the labels alone is left.

    Parameters
    ----------
    human : sequence of float
        Labels, at least one.
    judge : sequence of float
        What the judge says of the same items.
    unlabelled : sequence of float
        What the judge says of items without a label, drawn from the same source.
    level : float
        Level of the interval.

    Notes
    -----
    A. N. Angelopoulos, J. C. Duchi and T. Zrnic (2023), PPI++: Efficient prediction-powered
    inference, sections 3 and 6. The numbers are those of the package ppi_py at its default,
    which estimates lambda. Where that has none, since the judge says the same of all items or none
    is without a label, they are the mean of the labels and its interval.

    Examples
    --------
    The judge says yes to 7 of 8 items, and once where a human said no:

    >>> found = prediction_powered_mean([1, 0, 1, 0], [1, 1, 1, 0], [1, 1, 1, 1, 0, 1, 1, 1])
    >>> round(found.value, 4)
    0.5688
    """
    labels, said, others = (np.asarray(own, np.float64) for own in (human, judge, unlabelled))
    weight = _weight(labels, said, others)
    apart = labels - weight * said
    value, error = float(apart.mean()), _variance(apart) / len(apart)
    if len(others):
        value += weight * float(others.mean())
        error += weight**2 * _variance(others) / len(others)
    half = standard_errors(level) * math.sqrt(error)
    return Estimate(value, value - half, value + half)


def _weight(labels: Numbers, said: Numbers, others: Numbers) -> float:
    """How far the judge is relied on, from 0 to 1: what makes the interval the shortest."""
    everything = np.concatenate([said, others])
    spread = _variance(everything)
    if not len(others) or spread == 0:
        return 0.0
    spread *= len(everything) / (len(everything) - 1)
    together = float(((labels - labels.mean()) * (said - said.mean())).mean())
    return min(1.0, max(0.0, together / ((1 + len(labels) / len(others)) * spread)))


def _variance(numbers: Numbers) -> float:
    return float(numbers.var())
