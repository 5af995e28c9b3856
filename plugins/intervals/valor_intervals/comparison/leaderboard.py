"""Leaderboard of several reports: ranks with intervals.

The differences between all pairs of reports are tested. A model cannot rank above those that are
significantly better, nor below those that are significantly worse, so it ranks between one plus the
number of the former, and the number of reports minus that of the latter. With Holm's correction for
all pairs, all of these intervals contain the true ranks together with the given probability.

References
----------
Mogstad, Romano, Shaikh and Wilhelm, 'Inference for ranks with applications to mobility across
neighbourhoods and academic achievement across countries', Review of Economic Studies 91, 2024.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from attrs import evolve, field, frozen

from valor_core import Registry, Report
from valor_core.errors import ConfigError
from valor_intervals.comparison.compare import ComparedNumber, Comparison, compare
from valor_intervals.comparison.paired_rows import direction_of
from valor_intervals.comparison.resampling import SEED
from valor_intervals.comparison.significance import corrected
from valor_intervals.differences import Difference
from valor_intervals.intervals import LEVEL


@frozen
class Ranked:
    """A report in the order of one number.

    Parameters
    ----------
    name : str
        Name of the report.
    value : float
        Its number.
    rank : int
        One plus the number of reports with a better number.
    low, high : int
        Ends of the interval of its true rank.
    """

    name: str
    value: float
    rank: int
    low: int
    high: int

    def to_dict(self) -> dict[str, Any]:
        """Return the rank as JSON values."""
        return {
            "report": self.name,
            "value": self.value,
            "rank": self.rank,
            "interval": [self.low, self.high],
        }


@frozen
class Ranking:
    """Ranks of reports by one number.

    Parameters
    ----------
    number : ComparedNumber
        Number of the first two reports, with its metric, parameters and part.
    higher_is_better : bool
        Direction of the metric.
    rows : tuple of Ranked
        Reports, the best first.
    tests : mapping of (str, str) to Difference
        Difference of two reports by their names, second minus first, in the order of the reports.
        P-values are corrected for all pairs. A pair without a test is missing.
    """

    number: ComparedNumber
    higher_is_better: bool
    rows: tuple[Ranked, ...]
    tests: Mapping[tuple[str, str], Difference] = field(factory=dict)

    def difference(self, one: str, other: str) -> Difference | None:
        """Return the difference of two reports, `other` minus `one`; None without a test."""
        found = self.tests.get((other, one))
        if found is None:
            return self.tests.get((one, other))
        return evolve(found, low=-found.high, high=-found.low)

    def to_dict(self) -> dict[str, Any]:
        """Return the ranks as JSON values."""
        named = self.number.to_dict()
        part = {"part": named["part"]} if "part" in named else {}
        return {
            "type": named["type"],
            "metric": named["metric"],
            "parameters": named["parameters"],
            **part,
            "ranks": [one.to_dict() for one in self.rows],
            "tests": [
                {"first": one, "second": two, **test.to_dict()}
                for (one, two), test in self.tests.items()
            ],
        }


@frozen(repr=False)
class Leaderboard:
    """Ranks of several reports.

    Parameters
    ----------
    rankings : tuple of Ranking
        Ranks by each number that all reports have, that has a direction, and that is tested.
    incomparable : tuple of str
        Reasons why numbers of two reports are not comparable.
    level : float
        Probability that all intervals of a ranking contain the true ranks.
    names : tuple of str
        Names of the reports.
    """

    rankings: tuple[Ranking, ...]
    incomparable: tuple[str, ...]
    level: float
    names: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the leaderboard as JSON values."""
        return {
            "level": self.level,
            "incomparable": list(self.incomparable),
            "rankings": [one.to_dict() for one in self.rankings],
        }

    def __repr__(self) -> str:
        count = len(self.rankings)
        rankings = f"{count:,} ranking{'' if count == 1 else 's'}"
        return f"<Leaderboard of {rankings}; print(leaderboard) lists them>"

    def __str__(self) -> str:
        lines = []
        for ranking in self.rankings:
            lines.append(ranking.number.name)
            lines += [
                f"  {one.rank}  {one.name}: {one.value:.4g}, rank {one.low} to {one.high}"
                for one in ranking.rows
            ]
        return "\n".join([*lines, *self.incomparable])


def leaderboard(
    reports: Mapping[str, Report],
    *,
    test: Any = "auto",
    correction: str = "holm",
    level: float | None = None,
    seed: int = SEED,
    registry: Registry | None = None,
    labels: bool = False,
) -> Leaderboard:
    """Rank several reports on the same items, with an interval of each rank.

    Parameters
    ----------
    reports : mapping of str to Report
        Two reports or more by their names, with intervals or rows of items.
    test, seed, registry : optional
        As in `compare`.
    correction : str
        Correction of the p-values of all pairs of reports, as in `corrected`.
    level : float, optional
        Confidence level. Defaults to that of the first report, or 0.95.
    labels : bool
        Whether to rank numbers of single labels too.

    Raises
    ------
    ConfigError
        If there are fewer than two reports, or there is no such test or correction.

    Examples
    --------
    >>> from valor_core import Text, evaluate
    >>> def asked(right):
    ...     texts = [Text(i, response="yes" if i < right else "no", references="yes")
    ...              for i in range(40)]
    ...     return evaluate(texts, ["text.ExactMatch"], items=True)
    >>> found = leaderboard({"small": asked(15), "medium": asked(30), "large": asked(32)})
    >>> print(found)
    ExactMatch
      1  large: 0.8, rank 1 to 2
      2  medium: 0.75, rank 1 to 2
      3  small: 0.375, rank 3 to 3
    """
    if len(reports) < 2:
        raise ConfigError(
            f"leaderboard: expected two reports or more, got {len(reports)}",
            "Pass reports by name: leaderboard({'small': small, 'large': large})",
        )
    registry = registry or Registry()
    names = list(reports)
    pairs = {
        (one, two): compare(
            reports[one],
            reports[two],
            test=test,
            correction="none",
            level=level,
            seed=seed,
            registry=registry,
        )
        for one, two in combinations(names, 2)
    }
    first = next(iter(pairs.values()))
    level = first.level if level is None else level
    found = {
        pair: {one.key: one for one in comparison.numbers} for pair, comparison in pairs.items()
    }
    rankings: list[Ranking] = []
    for number in first.numbers:
        if number.result.slice or not (labels or number.result.parameters.get("label") is None):
            continue
        of_pairs = {pair: keyed.get(number.key) for pair, keyed in found.items()}
        direction = direction_of(number.key[0], number.result.parameters, registry)
        if direction is not None:
            rankings += _ranking(number, of_pairs, names, direction, level, correction)
    return Leaderboard(tuple(rankings), _incomparable(pairs), level, tuple(names))


def rank_intervals(
    values: Sequence[float],
    p_values: Mapping[tuple[int, int], float],
    level: float = LEVEL,
    *,
    higher_is_better: bool = True,
) -> list[tuple[int, int]]:
    """Return the interval of the rank of each model from p-values of pairs.

    Parameters
    ----------
    values : sequence of float
        Number of each model.
    p_values : mapping of (int, int) to float
        Corrected p-value of the difference between two models. A pair without one does not differ.
    level : float
        Confidence level.
    higher_is_better : bool
        Whether the model with the highest number ranks first.

    Examples
    --------
    >>> rank_intervals([0.9, 0.8, 0.5], {(0, 1): 0.4, (0, 2): 0.001, (1, 2): 0.02})
    [(1, 2), (1, 2), (3, 3)]
    """
    better, worse = [0] * len(values), [0] * len(values)
    for (one, two), p in p_values.items():
        if p >= 1 - level or values[one] == values[two]:
            continue
        wins = (values[one] > values[two]) is higher_is_better
        winner, loser = (one, two) if wins else (two, one)
        better[loser] += 1
        worse[winner] += 1
    return [(1 + above, len(values) - below) for above, below in zip(better, worse, strict=True)]


def _ranking(
    number: ComparedNumber,
    pairs: Mapping[tuple[str, str], ComparedNumber | None],
    names: Sequence[str],
    higher_is_better: bool,
    level: float,
    correction: str,
) -> Iterator[Ranking]:
    """Yield the ranks by one number, unless a report lacks it or no pair is tested."""
    values: dict[str, float] = {}
    tests: list[Difference | None] = []
    for (one, two), compared in pairs.items():
        if compared is None:
            return
        values |= {one: compared.a, two: compared.b}
        tests.append(compared.test)
    if not any(tests):
        return
    # A pair without a test counts as one that does not differ.
    p_values = corrected([1.0 if one is None else one.uncorrected for one in tests], correction)
    places = [(names.index(one), names.index(two)) for one, two in pairs]
    numbers = [values[name] for name in names]
    intervals = rank_intervals(
        numbers,
        dict(zip(places, p_values, strict=True)),
        level,
        higher_is_better=higher_is_better,
    )
    sign = -1 if higher_is_better else 1
    ranked = [
        Ranked(name, value, 1 + sum(sign * other < sign * value for other in numbers), *ends)
        for name, value, ends in zip(names, numbers, intervals, strict=True)
    ]
    differences = {
        pair: evolve(test, p=p, is_clear=p < 1 - level)
        for pair, test, p in zip(pairs, tests, p_values, strict=True)
        if test is not None
    }
    rows = tuple(sorted(ranked, key=lambda one: one.rank))
    yield Ranking(number, higher_is_better, rows, differences)


def _incomparable(pairs: Mapping[tuple[str, str], Comparison]) -> tuple[str, ...]:
    return tuple(
        f"{one}, then {two}: {reason}"
        for (one, two), comparison in pairs.items()
        for reason in comparison.incomparable
    )
