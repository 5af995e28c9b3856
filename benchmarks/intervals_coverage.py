"""Coverage of 95 % intervals by simulation: python benchmarks/intervals_coverage.py [SIMULATIONS].

Each cell draws data sets of n items, divides the items into 100 groups at random, as
`valor_intervals` does by hashes of uids, and counts how often the interval contains the value of
the population.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import numpy as np
from attrs import frozen
from numpy.typing import NDArray
from scipy.stats import norm, rankdata
from valor_intervals.jackknife import estimate

from valor_core.specs import Range

GROUPS = 100
SIZES = (20, 50, 200, 1000)
LEVEL = 0.95
Floats = NDArray[np.float64]
Items = tuple[Floats, ...]


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
        Function of columns that returns the number, or NaN if it is undefined.
    value : float
        Value of the population.
    range : Range
        Range of the statistic.
    """

    name: str
    draw: Callable[[np.random.Generator, int], Items]
    statistic: Callable[..., float]
    value: float
    range: Range


def mean(scores: Floats) -> float:
    """Return the mean."""
    return float(scores.mean()) if len(scores) else np.nan


def ratio(part: Floats, whole: Floats) -> float:
    """Return the ratio of two sums, as for word error rates."""
    return float(part.sum() / whole.sum()) if whole.sum() else np.nan


def f1(true: Floats, predicted: Floats) -> float:
    """Return F1 of one label."""
    both = true.sum() + predicted.sum()
    return float(2 * (true * predicted).sum() / both) if both else np.nan


def macro_f1(true: Floats, predicted: Floats) -> float:
    """Return the mean F1 of five labels."""
    return float(np.mean([f1(1.0 * (true == k), 1.0 * (predicted == k)) for k in range(5)]))


def roc_auc(true: Floats, scores: Floats) -> float:
    """Return the area under the ROC curve."""
    positives = int(true.sum())
    negatives = len(true) - positives
    if not positives or not negatives:
        return np.nan
    ranks = float(rankdata(scores)[true > 0].sum())
    return (ranks - positives * (positives + 1) / 2) / (positives * negatives)


def average_precision(true: Floats, scores: Floats) -> float:
    """Return the average precision."""
    if not true.sum():
        return np.nan
    hits = true[np.argsort(-scores, kind="stable")]
    precisions = np.cumsum(hits) / np.arange(1, len(hits) + 1)
    return float((precisions * hits).sum() / hits.sum())


def binary(share: float, sharpness: float) -> Callable[[np.random.Generator, int], Items]:
    """Return a function that draws labels, and scores that are higher for positives."""

    def draw(random: np.random.Generator, count: int) -> Items:
        true = 1.0 * (random.random(count) < share)
        return true, random.normal(size=count) + sharpness * true

    return draw


def labels(share: float, right: float) -> Callable[[np.random.Generator, int], Items]:
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


def population(
    draw: Callable[[np.random.Generator, int], Items], statistic: Callable[..., float]
) -> float:
    """Return the statistic of a million items."""
    return statistic(*draw(np.random.default_rng(1), 1_000_000))


def cases() -> Iterator[Case]:
    """Yield the cases of the table."""
    unit = Range(0, 1)
    for share in (0.5, 0.9, 0.98):
        yield Case(
            f"share of {share}",
            lambda random, count, share=share: (1.0 * (random.random(count) < share),),
            mean,
            share,
            unit,
        )
    yield Case("mean, normal", lambda r, n: (r.normal(size=n),), mean, 0.0, Range())
    yield Case("mean, lognormal", lambda r, n: (r.lognormal(size=n),), mean, np.exp(0.5), Range(0))
    yield Case("mean, beta(5, 1)", lambda r, n: (r.beta(5, 1, n),), mean, 5 / 6, unit)
    made = [("word error rate", word_errors, ratio, Range(0))]
    made += [(f"F1, {share:.0%} positive", labels(share, 0.9), f1, unit) for share in (0.5, 0.1)]
    made += [("macro F1, 5 labels", five_labels, macro_f1, unit)]
    for name, statistic in (("ROC AUC", roc_auc), ("average precision", average_precision)):
        made += [
            (f"{name}, {share:.0%} positive", binary(share, 1.5), statistic, unit)
            for share in (0.5, 0.1, 0.02)
        ]
    for name, draw, statistic, range in made:
        yield Case(name, draw, statistic, population(draw, statistic), range)


def cell(case: Case, size: int, simulations: int) -> tuple[float, float, float]:
    """Return the coverage, the share of data sets without an interval, and the mean width."""
    random = np.random.default_rng(size)
    covered, missing, widths = 0, 0, []
    for _ in range(simulations):
        columns = case.draw(random, size)
        whole = case.statistic(*columns)
        codes = random.integers(GROUPS, size=size)
        without = [
            case.statistic(*(column[codes != code] for column in columns))
            for code in np.unique(codes)
        ]
        if np.isnan(whole):
            missing += 1
            continue
        found = estimate(whole, [None if np.isnan(x) else x for x in without], case.range, LEVEL)
        if found.interval is None:
            missing += 1
            continue
        low, high = found.interval
        covered += low <= case.value <= high
        widths.append(high - low)
    count = simulations - missing
    return covered / max(count, 1), missing / simulations, float(np.mean(widths or [np.nan]))


def main(simulations: int) -> None:
    """Print the table."""
    error = norm.ppf(0.975) * np.sqrt(LEVEL * (1 - LEVEL) / simulations)
    print(f"{simulations:,} data sets a cell: the error of a coverage is {error:.1%}")
    print("| statistic | " + " | ".join(f"n = {size:,}" for size in SIZES) + " |")
    print("| --- |" + " --- |" * len(SIZES))
    for case in cases():
        texts = []
        for size in SIZES:
            coverage, missing, _ = cell(case, size, simulations)
            mark = "" if 0.93 <= coverage <= 0.97 else " *"
            gaps = f" ({missing:.0%} none)" if missing >= 0.005 else ""
            texts.append(f"{coverage:.1%}{mark}{gaps}")
        print(f"| {case.name} | " + " | ".join(texts) + " |", flush=True)
    print("A star marks a coverage outside 93 to 97 %; *none* is the share without an interval.")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
