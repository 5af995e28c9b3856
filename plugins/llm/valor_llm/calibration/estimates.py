"""Estimate: a number with the interval that it lies in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from attrs import frozen
from numpy.typing import NDArray
from valor_intervals import LEVEL, wilson_interval

from valor_core.results import Undefined


@frozen
class Estimate:
    """An estimate with its interval.

    Parameters
    ----------
    value : float
        The estimate.
    low, high : float, optional
        Ends of the interval, if there is one.
    """

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def interval(self) -> list[float] | None:
        """Both ends of the interval."""
        return None if self.low is None or self.high is None else [self.low, self.high]


def standard_errors(level: float) -> float:
    """Return the half-width of an interval in standard errors.

    Examples
    --------
    >>> round(standard_errors(0.95), 4)
    1.96
    """
    return NormalDist().inv_cdf(0.5 + level / 2)


Numbers = NDArray[np.float64]


def prediction_powered_mean(
    human: Sequence[float],
    judge: Sequence[float],
    unlabelled: Sequence[float],
    level: float = LEVEL,
) -> Estimate:
    """Estimate the mean of human labels from a few labels and the judge's scores of all items.

    The labels show the judge's bias; its scores of the other items make the mean more precise. The
    weight of these scores is estimated from the labels: it is 0 for a judge that is unrelated to
    them, which leaves the mean of the labels.

    Parameters
    ----------
    human : sequence of float
        Labels, at least one.
    judge : sequence of float
        The judge's scores of the labelled items.
    unlabelled : sequence of float
        The judge's scores of unlabelled items from the same source.
    level : float
        Level of the interval.

    Notes
    -----
    A. N. Angelopoulos, J. C. Duchi and T. Zrnic (2023), PPI++: Efficient prediction-powered
    inference, sections 3 and 6. The results equal those of the package ppi_py with its default,
    which estimates lambda. If lambda is undefined, since the judge scores all items alike or none
    is without a label, they are the mean of the labels and its interval.

    Examples
    --------
    The judge says yes to 7 of 8 items, one of which a human labelled no:

    >>> found = prediction_powered_mean([1, 0, 1, 0], [1, 1, 1, 0], [1, 1, 1, 1, 0, 1, 1, 1])
    >>> round(found.value, 4)
    0.5688
    """
    labels, judged, unlabelled_scores = (
        np.asarray(values, np.float64) for values in (human, judge, unlabelled)
    )
    weight = _weight(labels, judged, unlabelled_scores)
    apart = labels - weight * judged
    value, error = float(apart.mean()), _variance(apart) / len(apart)
    if len(unlabelled_scores):
        value += weight * float(unlabelled_scores.mean())
        error += weight**2 * _variance(unlabelled_scores) / len(unlabelled_scores)
    half = standard_errors(level) * math.sqrt(error)
    return Estimate(value, value - half, value + half)


def _weight(labels: Numbers, judged: Numbers, unlabelled: Numbers) -> float:
    """Return the weight of the judge's scores, from 0 to 1, that minimizes the interval."""
    everything = np.concatenate([judged, unlabelled])
    spread = _variance(everything)
    if not len(unlabelled) or spread == 0:
        return 0.0
    spread *= len(everything) / (len(everything) - 1)
    together = float(((labels - labels.mean()) * (judged - judged.mean())).mean())
    return min(1.0, max(0.0, together / ((1 + len(labels) / len(unlabelled)) * spread)))


def _variance(numbers: Numbers) -> float:
    return float(numbers.var())


@frozen
class Share:
    """Share of yes, with the number of independent answers that it is worth.

    Parameters
    ----------
    value : float
        The share.
    size : float
        Number of independent yes/no answers that would estimate the share as precisely.
    """

    value: float
    size: float

    @classmethod
    def of_scores(cls, scores: Sequence[float]) -> Share:
        """The mean of items that score from 0 to 1.

        Examples
        --------
        >>> Share.of_scores([1, 0, 1, 1])
        Share(value=0.75, size=4.0)
        >>> Share.of_scores([0.5, 0.75, 0.5, 0.25])
        Share(value=0.5, size=32.0)
        """
        return cls._of([(score, 1) for score in scores])

    @classmethod
    def of_answers(cls, items: Sequence[Sequence[bool]]) -> Share:
        """Return the share of yes among all answers; errors of one item may be correlated.

        Examples
        --------
        >>> Share.of_answers([[True], [False], [True], [True]])
        Share(value=0.75, size=4.0)
        >>> Share.of_answers([[True, True], [False, False], [True, True], [True, True]])
        Share(value=0.75, size=4.0)
        """
        counts = [(sum(answers), len(answers)) for answers in items if answers]
        found = cls._of(counts)
        return cls(found.value, min(found.size, float(sum(whole for _, whole in counts))))

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        """Wilson's interval of the share.

        Examples
        --------
        >>> low, high = Share(0.75, 4).interval()
        >>> round(low, 4), round(high, 4)
        (0.3006, 0.9544)
        """
        return wilson_interval(self.value, self.size, level)

    @classmethod
    def _of(cls, counts: Sequence[tuple[float, float]]) -> Share:
        """Return a ratio over items, each of which is sampled as a cluster."""
        parts, wholes = np.array(counts, np.float64).T
        value = math.fsum(parts) / math.fsum(wholes)
        variance = math.fsum((parts - value * wholes) ** 2) / math.fsum(wholes) ** 2
        size = value * (1 - value) / variance if variance > 0 else 0.0
        return cls(value, size or float(len(counts)))


def rogan_gladen(
    said: Share, sensitivity: Share, specificity: Share, level: float = LEVEL
) -> Estimate | Undefined:
    """Estimate the share of yes by humans from the judge's share and its error rates.

    Parameters
    ----------
    said : Share
        The judge's share of yes.
    sensitivity : Share
        The judge's true positive rate.
    specificity : Share
        The judge's true negative rate.
    level : float
        Level of the interval.

    Returns
    -------
    Estimate or Undefined
        The share, from 0 to 1; undefined if the judge is not better than chance.

    Notes
    -----
    The estimate is that of W. J. Rogan and B. Gladen (1978), Estimating prevalence from the results
    of a screening test, American Journal of Epidemiology 107. The interval is that of Z. Lang and
    J. Reiczigel (2014), Confidence limits for prevalence of disease adjusted for estimated
    sensitivity and specificity, Preventive Veterinary Medicine 113, equation 16, which keeps its
    level with few labels, too. If answers about one item are correlated, it uses their effective
    number of independent answers, as proposed by E. L. Korn and B. I. Graubard
    (1998), Confidence intervals for proportions with small expected number of positive counts,
    Survey Methodology 24.

    Examples
    --------
    >>> found = rogan_gladen(Share(0.75, 200), Share(0.9, 50), Share(0.8, 50))
    >>> round(found.value, 4)  # (0.75 + 0.8 - 1) / (0.9 + 0.8 - 1)
    0.7857
    """
    better = sensitivity.value + specificity.value - 1
    if better <= 0:
        return Undefined("the judge's yes and no do not tell apart what humans tell apart")
    value = (said.value + specificity.value - 1) / better
    z = standard_errors(level)
    # As if z²/2 more items had a yes and as many a no, and one more label of each was right.
    said, sensitivity, specificity = (
        _with(said, z**2),
        _with(sensitivity, 2),
        _with(specificity, 2),
    )
    better = sensitivity.value + specificity.value - 1
    if better <= 0:  # too few labels to say that the judge is better than chance
        return Estimate(min(1.0, max(0.0, value)), 0.0, 1.0)
    middle = (said.value + specificity.value - 1) / better
    of_yes, of_no = _variance_of_share(sensitivity), _variance_of_share(specificity)
    variance = _variance_of_share(said) + middle**2 * of_yes + (1 - middle) ** 2 * of_no
    half = z * math.sqrt(variance) / better
    middle += 2 * z**2 * (middle * of_yes - (1 - middle) * of_no)
    return Estimate(*(min(1.0, max(0.0, one)) for one in (value, middle - half, middle + half)))


def _with(share: Share, more: float) -> Share:
    size = share.size + more
    return Share((share.value * share.size + more / 2) / size, size)


def _variance_of_share(share: Share) -> float:
    return share.value * (1 - share.value) / share.size
