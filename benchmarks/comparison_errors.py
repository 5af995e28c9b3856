"""Error rates of comparisons by simulation: python benchmarks/comparison_errors.py [SIMULATIONS].

Each cell draws the items of two models that are equally good, 10,000 times, and counts how often a
test finds a difference at the level of 95 %. Items have a difficulty that both models share.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations
from time import perf_counter

import numpy as np
from attrs import frozen
from numpy.typing import NDArray
from scipy.stats import t as student
from valor_intervals.comparison.leaderboard import rank_intervals
from valor_intervals.comparison.resampling import approximate_randomization, means, paired_bootstrap
from valor_intervals.comparison.significance import corrected, mcnemar
from valor_intervals.differences import Pair, encoded, group_difference
from valor_intervals.resamples import encoded_resamples

GROUPS, RESAMPLES = 100, 500
SIZES = (50, 200, 1000)
LEVEL = 0.95
FAMILY = 20
AT_ONCE = 500
Floats = NDArray[np.float64]


@frozen
class Case:
    """A statistic that is a function of sums over items.

    Parameters
    ----------
    name : str
        Statistic and population.
    draw : callable
        Function of a generator, of a number of data sets and of items that returns the columns of
        two equally good models, with shape (2, sets, items, columns).
    statistic : callable
        Function of sums, with columns on the last axis, that returns the number.
    """

    name: str
    draw: Callable[[np.random.Generator, int, int], Floats]
    statistic: Callable[[Floats], Floats]


def right(share: float) -> Callable[[np.random.Generator, int, int], Floats]:
    """Draw items that are right with a probability that depends on their difficulty."""

    def draw(random: np.random.Generator, sets: int, items: int) -> Floats:
        easy = random.beta(4 * share, 4 * (1 - share), (1, sets, items))
        found = random.random((2, sets, items)) < easy
        return np.stack([found, np.ones_like(found)], axis=-1).astype(float)

    return draw


def scores(skewed: bool) -> Callable[[np.random.Generator, int, int], Floats]:
    """Draw scores of items, the sum of their difficulty and of noise."""

    def draw(random: np.random.Generator, sets: int, items: int) -> Floats:
        found = random.normal(size=(1, sets, items)) + random.normal(size=(2, sets, items))
        found = np.exp(found) if skewed else found
        return np.stack([found, np.ones_like(found)], axis=-1)

    return draw


def word_errors(random: np.random.Generator, sets: int, items: int) -> Floats:
    """Draw numbers of errors and words."""
    words = random.integers(3, 40, (1, sets, items))
    errors = random.poisson(words * random.gamma(1, 0.1, (1, sets, items)), (2, sets, items))
    return np.stack([errors, np.broadcast_to(words, errors.shape)], axis=-1).astype(float)


def decisions(positive: float) -> Callable[[np.random.Generator, int, int], Floats]:
    """Draw true positives and the numbers of true and of predicted positives."""

    def draw(random: np.random.Generator, sets: int, items: int) -> Floats:
        truth = random.random((1, sets, items)) < positive
        visible = truth + random.normal(0, 0.4, (1, sets, items))
        predicted = visible + random.normal(0, 0.4, (2, sets, items)) > 0.5
        truth = np.broadcast_to(truth, predicted.shape)
        return np.stack([truth & predicted, truth, predicted], axis=-1).astype(float)

    return draw


def ratio(sums: Floats) -> Floats:
    """Return the ratio of two sums."""
    found: Floats = sums[..., 0] / sums[..., 1]
    return found


def f1(sums: Floats) -> Floats:
    """Return F1 of sums of true positives, of true and of predicted labels."""
    found: Floats = 2 * sums[..., 0] / np.maximum(sums[..., 1] + sums[..., 2], 1)
    return found


CASES = (
    Case("share of right items, 0.5", right(0.5), ratio),
    Case("share of right items, 0.9", right(0.9), ratio),
    Case("mean score, normal", scores(skewed=False), ratio),
    Case("mean score, lognormal", scores(skewed=True), ratio),
    Case("word error rate", word_errors, ratio),
    Case("F1, 50 % positive", decisions(0.5), f1),
    Case("F1, 10 % positive", decisions(0.1), f1),
)


def p_values(
    case: Case, sets: int, items: int, seed: int, resamples: int = 0
) -> Iterator[float | None]:
    """Yield the paired p-value of groups for each data set, or None without a test."""
    random = np.random.default_rng(seed)
    for start in range(0, sets, AT_ONCE):
        count = min(AT_ONCE, sets - start)
        columns = case.draw(random, count, items)
        groups = random.integers(GROUPS, size=(count, items))
        bins = (groups + GROUPS * np.arange(count)[:, None]).ravel()
        sums = [
            [
                np.bincount(bins, columns[model, ..., i].ravel(), count * GROUPS)
                for i in range(columns.shape[-1])
            ]
            for model in (0, 1)
        ]
        of_groups = np.moveaxis(np.array(sums), 1, -1).reshape(2, count, GROUPS, -1)
        total = of_groups.sum(2)
        numbers = case.statistic(total)
        without = case.statistic(total[:, :, None] - of_groups)
        is_used = np.bincount(bins, minlength=count * GROUPS).reshape(count, GROUPS) > 0
        for i in range(count):
            first, second = (
                {"without": encoded(without[model, i, is_used[i]].tolist())} for model in (0, 1)
            )
            if resamples:
                weights = random.poisson(1, (resamples, GROUPS)).astype(float)
                for model, row in enumerate((first, second)):
                    row["resampled"] = encoded_resamples(
                        case.statistic(weights @ of_groups[model, i])
                    )
            pair = Pair(float(numbers[0, i]), float(numbers[1, i]), first, second)
            found = group_difference(pair, LEVEL)
            yield None if found is None else found.p


@cache
def exact(only_first: int, only_second: int) -> float:
    """Return the p-value of McNemar's exact test."""
    return mcnemar(only_first, only_second)


def mcnemar_p_values(share: float, sets: int, items: int, seed: int) -> Iterator[float]:
    """Yield the p-value of McNemar's test for each data set."""
    random = np.random.default_rng(seed)
    for start in range(0, sets, AT_ONCE):
        first, second = right(share)(random, min(AT_ONCE, sets - start), items)[..., 0]
        only = (first > second).sum(1), (second > first).sum(1)
        yield from map(exact, only[0].tolist(), only[1].tolist())


def randomization_p_values(case: Case, sets: int, items: int, seed: int) -> Iterator[float]:
    """Yield the p-value of 999 swaps for each data set."""
    random = np.random.default_rng(seed)
    for i in range(sets):
        ((first,), (second,)) = case.draw(random, 1, items)
        yield approximate_randomization(first, second, means, trials=999, seed=seed + i)


def bootstrap_p_values(case: Case, sets: int, items: int, seed: int) -> Iterator[float]:
    """Yield the p-value of 200 resamples by the definition of sacrebleu for each data set."""
    random = np.random.default_rng(seed)
    for i in range(sets):
        ((first,), (second,)) = case.draw(random, 1, items)
        yield paired_bootstrap(first, second, means, resamples=200, seed=seed + i).p


def rate(found: Iterator[float | None]) -> str:
    """Return the share of p-values below 5 %, with the share of data sets without a test."""
    values = list(found)
    tested = [p for p in values if p is not None]
    share = 100 * sum(p < 1 - LEVEL for p in tested) / len(tested)
    none = 100 * (1 - len(tested) / len(values))
    return f"{share:.1f} %" + (f" ({none:.0f} % none)" if none >= 0.5 else "")


def families(
    random: np.random.Generator, families: int, differing: int, correlation: float, items: int
) -> Floats:
    """Return paired p-values, shape (families, FAMILY); the first `differing` models differ."""
    effect = np.where(np.arange(FAMILY) < differing, 3.0 / np.sqrt(items), 0.0)
    shared = np.sqrt(correlation) * random.normal(size=(families, items, 1))
    change = shared + np.sqrt(1 - correlation) * random.normal(size=(families, items, FAMILY))
    change += effect
    statistic = change.mean(1) / (change.std(1, ddof=1) / np.sqrt(items))
    found: Floats = 2 * student.sf(np.abs(statistic), items - 1)
    return found


def family_row(sets: int, differing: int, correlation: float, correction: str) -> list[str]:
    """Return the rates of a correction: any false difference, share of false ones, and found."""
    random = np.random.default_rng(differing)
    any_false = share_false = found = 0.0
    for start in range(0, sets, AT_ONCE):
        count = min(AT_ONCE, sets - start)
        for values in families(random, count, differing, correlation, 100):
            clear = np.array(corrected(values.tolist(), correction)) < 1 - LEVEL
            false = int(clear[differing:].sum())
            any_false += false > 0
            share_false += false / max(int(clear.sum()), 1)
            found += clear[:differing].sum() / max(differing, 1)
    rates = [f"{100 * one / sets:.1f} %" for one in (any_false, share_false, found)]
    return rates if differing else [*rates[:2], ""]


def ranks_row(sets: int, spacing: float) -> list[str]:
    """Return how often all intervals of five models contain their true ranks, and their width."""
    random, models, items = np.random.default_rng(5), 5, 200
    covered = width = 0.0
    for _ in range(sets):
        noise = random.normal(size=(items, 1)) + random.normal(size=(items, models))
        columns = noise - spacing * np.arange(models)
        p = {}
        for one, two in combinations(range(models), 2):
            change = columns[:, one] - columns[:, two]
            statistic = change.mean() / (change.std(ddof=1) / np.sqrt(items))
            p[one, two] = float(2 * student.sf(abs(statistic), items - 1))
        p = dict(zip(p, corrected(list(p.values())), strict=True))
        intervals = rank_intervals(columns.mean(0).tolist(), p, LEVEL)
        # Without spacing, all models share the ranks 1 to 5, of which each interval needs all.
        true = [(i + 1, i + 1) if spacing else (1, models) for i in range(models)]
        covered += all(
            low <= first and last <= high
            for (low, high), (first, last) in zip(intervals, true, strict=True)
        )
        width += sum(high - low + 1 for low, high in intervals) / models
    return [f"{100 * covered / sets:.1f} %", f"{width / sets:.2f}"]


def table(title: list[str], rows: list[list[str]]) -> None:
    """Print a table in Markdown."""
    for row in (title, ["---"] * len(title), *rows):
        print("| " + " | ".join(row) + " |")
    print(flush=True)


def main(sets: int) -> None:
    """Print the three tables."""
    start = perf_counter()
    rows = [
        [case.name, "jackknife", *(rate(p_values(case, sets, items, items)) for items in SIZES)]
        for case in CASES
    ]
    rows += [
        [case.name, "resamples"]
        + [rate(p_values(case, sets // 5, items, items, RESAMPLES)) for items in SIZES]
        for case in CASES
    ]
    rows += [
        [f"share of right items, {share}", "McNemar"]
        + [rate(mcnemar_p_values(share, sets, items, items)) for items in SIZES]
        for share in (0.5, 0.9)
    ]
    rows += [
        [case.name, "randomization"]
        + [rate(randomization_p_values(case, sets, items, items)) for items in SIZES[:2]]
        + [""]
        for case in CASES[2:4]
    ]
    rows += [
        [case.name, "bootstrap of sacrebleu"]
        + [rate(bootstrap_p_values(case, sets // 5, items, items)) for items in SIZES[:2]]
        + [""]
        for case in CASES[2:4]
    ]
    table(["statistic", "test", *(f"n = {items:,}" for items in SIZES)], rows)
    rows = []
    for differing in (0, FAMILY // 2):
        for correlation in (0.0, 0.5):
            for correction in ("none", "holm", "bh"):
                rates = family_row(sets, differing, correlation, correction)
                rows.append([str(differing), str(correlation), correction, *rates])
    title = ["different", "correlation", "correction"]
    table([*title, "any false", "share of false", "found"], rows)
    rows = [
        [text, *ranks_row(sets // 5, spacing)]
        for text, spacing in (("equal", 0.0), ("0.1 apart", 0.1), ("0.3 apart", 0.3))
    ]
    table(["models", "all true ranks in intervals", "mean width"], rows)
    print(f"{perf_counter() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
