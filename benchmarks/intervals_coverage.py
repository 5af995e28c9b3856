"""Coverage of 95 % intervals by simulation: python benchmarks/intervals_coverage.py [SIMULATIONS].

Each cell draws data sets of n items, divides the items into 100 groups at random, as
`valor_intervals` does by hashes of uids, and counts how often the interval contains the value of
the population. Columns: leaving out each group, and 500 resamples of the groups.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray
from scipy.stats import norm
from valor_classification.metrics.calibration_error import CalibrationError
from valor_intervals.confidence import FEWEST_EFFECTIVE, FEWEST_GROUPS
from valor_intervals.estimates import extreme_estimate, interval_of, is_extreme

from valor_core.specs import Range

GROUPS, RESAMPLES = 100, 500
SIZES = (20, 50, 200, 1000)
LEVEL = 0.95
UNIT = Range(0, 1)
Floats = NDArray[Any]
Items = tuple[Floats, ...]
Draw = Callable[[np.random.Generator, int], Items]
Statistic = Callable[..., Floats]
"""Function of weights, shape (n_replicates, n_items), and of columns: a number per replicate."""


@frozen
class Case:
    """A statistic of a population.

    Parameters
    ----------
    name : str
        Statistic and population.
    draw : callable
        Function of a generator and a number of items that returns columns.
    statistic : callable
        Function of weights and columns. NaN is undefined.
    range : Range
        Range of the statistic.
    value : float
        Value of the population.
    is_average : bool
        Whether it averages labels.
    least_items : int
        Fewest items without a warning.
    """

    name: str
    draw: Draw
    statistic: Statistic
    range: Range
    value: float = field()
    is_average: bool = False
    least_items: int = 0

    @value.default
    def _of_a_million(self) -> float:
        columns = self.draw(np.random.default_rng(1), 1_000_000)
        return float(self.statistic(np.ones((1, 1_000_000)), *columns)[0])


def mean(weights: Floats, scores: Floats) -> Floats:
    """Return the mean."""
    return weights @ scores / weights.sum(axis=1)


def ratio(weights: Floats, part: Floats, whole: Floats) -> Floats:
    """Return the ratio of two sums, as for word error rates."""
    return weights @ part / (weights @ whole)


def f1(weights: Floats, true: Floats, predicted: Floats) -> Floats:
    """Return F1 of one label."""
    return 2 * (weights @ (true * predicted)) / (weights @ (true + predicted))


def macro_f1(weights: Floats, true: Floats, predicted: Floats) -> Floats:
    """Return the mean F1 of five labels."""
    numbers = [f1(weights, 1.0 * (true == k), 1.0 * (predicted == k)) for k in range(5)]
    return np.mean(numbers, axis=0)


def roc_auc(weights: Floats, true: Floats, scores: Floats) -> Floats:
    """Return the area under the ROC curve of scores without ties."""
    order = np.argsort(scores)
    weights, true = weights[:, order], true[order]
    negatives = weights * (1 - true)
    below = np.cumsum(negatives, axis=1)
    positives = weights * true
    return (positives * below).sum(axis=1) / (positives.sum(axis=1) * negatives.sum(axis=1))


def average_precision(weights: Floats, true: Floats, scores: Floats) -> Floats:
    """Return the average precision of scores without ties."""
    order = np.argsort(-scores)
    weights = weights[:, order]
    positives = weights * true[order]
    precisions = np.cumsum(positives, axis=1) / np.maximum(np.cumsum(weights, axis=1), 1)
    return (positives * precisions).sum(axis=1) / positives.sum(axis=1)


def mean_average_precision(weights: Floats, true: Floats, scores: Floats) -> Floats:
    """Return the mean average precision of five labels."""
    numbers = [average_precision(weights, true[:, k], scores[:, k]) for k in range(5)]
    return np.mean(numbers, axis=0)


def calibration_gaps(weights: Floats, hits: Floats, scores: Floats) -> tuple[Floats, Floats]:
    """Return the gap between scores and hits of ten bins, and the weights of the bins."""
    bins = 1.0 * (np.minimum(scores * 10, 9).astype(int)[:, None] == np.arange(10))
    sizes = weights @ bins
    gaps = abs(weights @ (bins * (hits - scores)[:, None])) / np.maximum(sizes, 1)
    return gaps, sizes


def ece(weights: Floats, hits: Floats, scores: Floats) -> Floats:
    """Return the expected calibration error."""
    gaps, sizes = calibration_gaps(weights, hits, scores)
    return (gaps * sizes).sum(axis=1) / sizes.sum(axis=1)


def mce(weights: Floats, hits: Floats, scores: Floats) -> Floats:
    """Return the maximum calibration error."""
    return calibration_gaps(weights, hits, scores)[0].max(axis=1)


def median(weights: Floats, scores: Floats) -> Floats:
    """Return the median."""
    order = np.argsort(scores)
    totals = np.cumsum(weights[:, order], axis=1)
    return scores[order][np.argmax(totals >= totals[:, -1:] / 2, axis=1)]


def binary(share: float, sharpness: float) -> Draw:
    """Return a function that draws labels, and scores that are higher for positives."""

    def draw(random: np.random.Generator, count: int) -> Items:
        true = 1.0 * (random.random(count) < share)
        return true, random.normal(size=count) + sharpness * true

    return draw


def multilabel(random: np.random.Generator, count: int) -> Items:
    """Draw five labels of an item, each of 20 % of the items, and their scores."""
    true = 1.0 * (random.random((count, 5)) < 0.2)
    return true, random.normal(size=true.shape) + 1.5 * true


def labels(share: float, right: float) -> Draw:
    """Return a function that draws labels and predictions of one label."""

    def draw(random: np.random.Generator, count: int) -> Items:
        true = random.random(count) < share
        return 1.0 * true, 1.0 * np.where(random.random(count) < right, true, ~true)

    return draw


def five_labels(random: np.random.Generator, count: int) -> Items:
    """Draw five labels of decreasing frequency, of which 80 % are predicted."""
    true = random.choice(5, count, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    other = random.choice(5, count)
    return 1.0 * true, 1.0 * np.where(random.random(count) < 0.8, true, other)


def word_errors(random: np.random.Generator, count: int) -> Items:
    """Draw numbers of words and of wrong words of sentences."""
    words = 1 + random.poisson(12, count)
    rates = random.beta(1, 9, count)
    return 1.0 * random.binomial(words, rates), 1.0 * words


def overconfident(random: np.random.Generator, count: int) -> Items:
    """Draw hits and scores that are too high."""
    scores = random.beta(4, 1.5, count)
    return 1.0 * (random.random(count) < scores**1.5), scores


def share_of(share: float) -> Draw:
    """Return a function that draws hits."""
    return lambda random, count: (1.0 * (random.random(count) < share),)


def cases() -> Iterator[Case]:
    """Yield the cases of the table."""
    for share in (0.5, 0.9, 0.98):
        yield Case(f"share of {share}", share_of(share), mean, UNIT, share)
    yield Case("mean, normal", lambda r, n: (r.normal(size=n),), mean, Range(), 0.0)
    lognormal: Draw = lambda r, n: (r.lognormal(size=n),)  # noqa: E731
    yield Case("mean, lognormal", lognormal, mean, Range(0), float(np.exp(0.5)))
    yield Case("mean, beta(5, 1)", lambda r, n: (r.beta(5, 1, n),), mean, UNIT, 5 / 6)
    yield Case("word error rate", word_errors, ratio, Range(0))
    for share in (0.5, 0.1):
        yield Case(f"F1, {share:.0%} positive", labels(share, 0.9), f1, UNIT)
    yield Case("macro F1, 5 labels", five_labels, macro_f1, UNIT, is_average=True)
    for name, statistic in (("ROC AUC", roc_auc), ("average precision", average_precision)):
        for share in (0.5, 0.1, 0.02):
            yield Case(f"{name}, {share:.0%} positive", binary(share, 1.5), statistic, UNIT)
    yield Case("mean AP of 5 labels", multilabel, mean_average_precision, UNIT, is_average=True)
    least = CalibrationError.least_items["ece"]
    yield Case("ECE, 10 bins", overconfident, ece, UNIT, least_items=least)
    yield Case("MCE, 10 bins (never shown)", overconfident, mce, UNIT)
    yield Case("median, lognormal (never shown)", lognormal, median, Range(0), 1.0)


@frozen
class Outcome:
    """Intervals of one method in a cell.

    Parameters
    ----------
    covered, count, warned : int
        Intervals that contain the value, intervals, and intervals with a warning.
    """

    covered: int = 0
    count: int = 0
    warned: int = 0

    def and_one(self, covers: bool, warns: bool) -> Outcome:
        """Return the outcome with another interval."""
        return Outcome(self.covered + covers, self.count + 1, self.warned + warns)

    def text(self, simulations: int) -> str:
        """Return the coverage, with a mark outside of 93 to 97 %."""
        if not self.count:
            return "none"
        coverage, missing = self.covered / self.count, 1 - self.count / simulations
        mark = "" if 0.93 <= coverage <= 0.97 else " *"
        warned = self.warned / self.count >= 0.5
        gaps = f" ({missing:.0%} none)" if missing >= 0.005 else ""
        return f"{coverage:.1%}{mark}{' w' if warned else ''}{gaps}"


def cell(case: Case, size: int, simulations: int) -> tuple[Outcome, Outcome]:
    """Return the outcome of leaving out groups and of resamples."""
    random = np.random.default_rng(size)
    found = [Outcome(), Outcome()]
    for _ in range(simulations):
        columns = case.draw(random, size)
        codes, of_items = np.unique(random.integers(GROUPS, size=size), return_inverse=True)
        groups = len(codes)
        (value,) = case.statistic(np.ones((1, size)), *columns).tolist()
        without = case.statistic((1 - np.eye(groups))[:, of_items], *columns)
        weights = random.poisson(1, (RESAMPLES, groups))[:, of_items]
        resampled = case.statistic(weights.astype(np.float64), *columns)
        if np.isnan(value):
            continue
        for method, numbers in enumerate((np.empty(0), resampled)):
            one = interval_of(value, without, numbers, case.range, LEVEL)
            if is_extreme(value, one, case.range) and not case.is_average:
                alone = case.statistic(np.eye(groups)[:, of_items], *columns)
                one = extreme_estimate(value, int((~np.isnan(alone)).sum()), LEVEL)
            if one.interval is not None:
                low, high = one.interval
                few = groups < FEWEST_GROUPS or one.effective < FEWEST_EFFECTIVE
                few = few or size < case.least_items
                found[method] = found[method].and_one(low <= case.value <= high, few)
    return found[0], found[1]


def main(simulations: int) -> None:
    """Print the table."""
    np.seterr(divide="ignore", invalid="ignore")
    error = norm.ppf(0.975) * np.sqrt(LEVEL * (1 - LEVEL) / simulations)
    print(f"{simulations:,} data sets a cell: the error of a coverage is {error:.1%}")
    print("| statistic | method | " + " | ".join(f"n = {size:,}" for size in SIZES) + " |")
    print("| --- | --- |" + " --- |" * len(SIZES))
    for case in cases():
        rows = zip(*(cell(case, size, simulations) for size in SIZES), strict=True)
        for method, row in zip(("leaving out", "resamples"), rows, strict=True):
            texts = (one.text(simulations) for one in row)
            print(f"| {case.name} | {method} | " + " | ".join(texts) + " |", flush=True)
    print("A star marks a coverage outside 93 to 97 %, w that most intervals have a warning;")
    print("*none* is the share without an interval.")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
