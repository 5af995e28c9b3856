"""RepeatedScores: the scores that several judges, in several repeats, gave the same items."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.results import exact_mean, first_line

Numbers = NDArray[np.float64]


@frozen(eq=False)
class RepeatedScores:
    """Scores of items by judge and repeat.

    Parameters
    ----------
    judges : tuple of str
        Names of the judges.
    values : ndarray of float64, of shape (items, judges, repeats)
        The scores; NaN if missing.
    failures : tuple of Counter of str
        For each judge, reasons of failed scorings with their numbers.

    Examples
    --------
    >>> one = {"scorings": [{"judge": "a", "value": 1.0}, {"judge": "b", "error": "no reply"}]}
    >>> found = RepeatedScores.of([one])
    >>> found.judges, found.values.tolist(), found.failed
    (('a', 'b'), [[[1.0], [nan]]], (0, 1))
    """

    judges: tuple[str, ...]
    values: Numbers
    failures: tuple[Counter[str], ...]

    @classmethod
    def of(cls, details: Iterable[Mapping[str, Any]]) -> RepeatedScores:
        """Collect the scorings in details of items; items that were scored once have none."""
        rows = [own for one in details if (own := one.get("scorings"))]
        judges = {name: n for n, name in enumerate(dict.fromkeys(_of_all(rows, "judge", "")))}
        repeats = max(_of_all(rows, "repeat", 1), default=0)
        values = np.full((len(rows), len(judges), repeats), np.nan)
        failures: tuple[Counter[str], ...] = tuple(Counter() for _ in judges)
        for number, row in enumerate(rows):
            for scoring in row:
                judge = judges[scoring.get("judge", "")]
                if "value" in scoring:
                    values[number, judge, scoring.get("repeat", 1) - 1] = scoring["value"]
                if "error" in scoring:
                    failures[judge][first_line(scoring["error"])] += 1
        return cls(tuple(judges), values, failures)

    @property
    def failed(self) -> tuple[int, ...]:
        """Number of failed scorings by judge."""
        return tuple(reasons.total() for reasons in self.failures)

    @property
    def by_judge(self) -> Numbers:
        """Mean of each item's repeats, of shape (items, judges); NaN if there is none."""
        means = np.full(self.values.shape[:2], np.nan)
        for place in zip(*np.nonzero(~np.isnan(self.values).all(axis=2)), strict=True):
            own = self.values[place]
            means[place] = exact_mean(own[~np.isnan(own)].tolist())
        return means

    @property
    def spread(self) -> float | None:
        """Standard deviation of an item's repeats by a judge, on average; None of no repeats."""
        deviations = [float(np.std(own, ddof=1)) for own in self._repeated()]
        return exact_mean(deviations) if deviations else None

    @property
    def flip_rate(self) -> float | None:
        """Share of the pairs of repeats, by a judge of an item, whose scores differ."""
        pairs = flipped = 0
        for own in self._repeated():
            _, counts = np.unique(own, return_counts=True)
            pairs += math.comb(len(own), 2)
            flipped += math.comb(len(own), 2) - sum(math.comb(n, 2) for n in counts.tolist())
        return flipped / pairs if pairs else None

    def _repeated(self) -> Iterable[Numbers]:
        for item in self.values:
            for own in item:
                present = own[~np.isnan(own)]
                if len(present) > 1:
                    yield present


def most_frequent(failures: Iterable[Counter[str]]) -> dict[str, str]:
    """The reason that most failures have, as an entry of a report's table; empty without any.

    Examples
    --------
    >>> most_frequent([Counter({"busy": 2}), Counter({"no reply": 3})])
    {'most_frequent_failure': 'no reply'}
    """
    together: Counter[str] = sum(failures, Counter())
    if not together:
        return {}
    return {"most_frequent_failure": min(together, key=lambda reason: (-together[reason], reason))}


def _of_all(rows: Iterable[Iterable[Mapping[str, Any]]], name: str, otherwise: Any) -> list[Any]:
    return [scoring.get(name, otherwise) for row in rows for scoring in row]
