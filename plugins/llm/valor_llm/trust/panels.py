"""Scores of several judges and repeats: agreement, and warnings about judges and models."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from statistics import median, multimode
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.resources.bound import BoundResource, ProvidedClient
from valor_core.results import Undefined, exact_mean
from valor_core.results.result import first_line
from valor_llm.parameters.judge import Combination
from valor_llm.trust.agreement import krippendorff_alpha

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
        rows = [scorings for one in details if (scorings := one.get("scorings"))]
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
        for index in zip(*np.nonzero(~np.isnan(self.values).all(axis=2)), strict=True):
            repeats = self.values[index]
            means[index] = exact_mean(repeats[~np.isnan(repeats)].tolist())
        return means

    @property
    def spread(self) -> float | None:
        """Standard deviation of an item's repeats by a judge, on average; None of no repeats."""
        deviations = [float(np.std(repeats, ddof=1)) for repeats in self._repeated()]
        return exact_mean(deviations) if deviations else None

    @property
    def flip_rate(self) -> float | None:
        """Share of the pairs of repeats, by a judge of an item, whose scores differ."""
        pairs = flipped = 0
        for repeats in self._repeated():
            _, counts = np.unique(repeats, return_counts=True)
            pairs += math.comb(len(repeats), 2)
            flipped += math.comb(len(repeats), 2) - sum(math.comb(n, 2) for n in counts.tolist())
        return flipped / pairs if pairs else None

    def _repeated(self) -> Iterable[Numbers]:
        for item in self.values:
            for scores in item:
                present = scores[~np.isnan(scores)]
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


def combined(scores: Iterable[float], combine: Combination) -> float:
    """Combine the scores of several judges.

    Parameters
    ----------
    scores : iterable of float
        One of each judge; at least one.
    combine : {"mean", "median", "majority"}
        ``"majority"`` uses the most frequent score; the mean of those that are
        often.

    Examples
    --------
    >>> [combined([1.0, 1.0, 0.0], how) for how in ("mean", "median", "majority")]
    [0.6666666666666666, 1.0, 1.0]
    >>> combined([2.0, 3.0], "majority")
    2.5
    """
    scores = list(scores)
    if combine == "mean":
        return exact_mean(scores)
    return float(median(scores)) if combine == "median" else exact_mean(multimode(scores))


def mean_of(scores: Numbers, combine: Combination) -> float | None:
    """Return the mean over items of the combined scores of judges; None without scores.

    Parameters
    ----------
    scores : ndarray of float64, of shape (items, judges)
        NaN if a judge has no score.
    combine : {"mean", "median", "majority"}
        How they become one.
    """
    present = [judge_scores[~np.isnan(judge_scores)].tolist() for judge_scores in scores]
    means = [combined(judge_scores, combine) for judge_scores in present if judge_scores]
    return exact_mean(means) if means else None


def weighted_kappa(one: Numbers, other: Numbers) -> float | None:
    """Cohen's kappa of two judges with quadratic weights; None if both are constant and equal.

    Two scores that are close count as nearly the same. Of scores that are 0 or 1, it is kappa.

    Notes
    -----
    J. Cohen (1968), Weighted kappa, Psychological Bulletin 70. Without classes, the squared
    differences expected by chance are those between all scores of one judge and all scores of the
    second, which makes it Lin's concordance correlation.

    Examples
    --------
    >>> weighted_kappa(np.array([1.0, 0, 0, 0]), np.array([1.0, 0, 0, 1]))
    0.5
    """
    both = ~(np.isnan(one) | np.isnan(other))
    one, other = one[both], other[both]
    if not len(one):
        return None
    by_chance = np.var(one) + np.var(other) + (one.mean() - other.mean()) ** 2
    return None if by_chance == 0 else float(1 - np.mean((one - other) ** 2) / by_chance)


def panel_details(scorings: RepeatedScores, combine: Combination) -> dict[str, Any]:
    """Return the details of a panel: its agreement, each judge, and each pair of judges."""
    scores = scorings.by_judge
    alpha = krippendorff_alpha(scores.T, "interval")
    return {
        "panel": {
            "judges": len(scorings.judges),
            "combined_by": combine,
            "krippendorff_alpha": None if isinstance(alpha, Undefined) else alpha,
        },
        "panel_judges": [
            {
                "judge": judge,
                "mean": mean_of(scores[:, [number]], combine),
                "scored": int((~np.isnan(scores[:, number])).sum()),
                "failed": scorings.failed[number],
                "mean_without": mean_of(np.delete(scores, number, axis=1), combine),
                **most_frequent([scorings.failures[number]]),
            }
            for number, judge in enumerate(scorings.judges)
        ],
        "panel_pairs": [
            {
                "judges": f"{scorings.judges[one]} and {scorings.judges[other]}",
                "items": int((~np.isnan(scores[:, [one, other]])).all(axis=1).sum()),
                "weighted_kappa": weighted_kappa(scores[:, one], scores[:, other]),
            }
            for one, other in combinations(range(len(scorings.judges)), 2)
        ],
    }


def panel_warnings(metric: str, scorings: RepeatedScores) -> tuple[str, ...]:
    """Warn of each judge without scores, if another judge has scores.

    Examples
    --------
    >>> scored, failed = {"judge": "a", "value": 1.0}, {"judge": "b", "error": "no such model"}
    >>> panel_warnings("llm.Bias", RepeatedScores.of([{"scorings": [scored, failed]}]))
    ("llm.Bias: the judge 'b' scored no item, the others' scores stand alone: no such model",)
    """
    scored: list[bool] = np.any(~np.isnan(scorings.by_judge), axis=0).tolist()
    if not any(scored):
        return ()
    judges = zip(scorings.judges, scored, scorings.failures, strict=True)
    return tuple(
        f"{metric}: the judge {judge!r} scored no item, the others' scores stand alone"
        + "".join(f": {reason}" for reason in most_frequent([failures]).values())
        for judge, has_scored, failures in judges
        if not has_scored
    )


_FLOATING = re.compile(r"(^|[-:@_])latest$")
_DATED = re.compile(r"[-@:_]v?\d[\w.-]*")


def asked_models(judge: BoundResource) -> list[str]:
    """Return the models that the clients of a judge request."""
    found = []
    for kind in judge.kinds:
        holder = kind.made if isinstance(kind, ProvidedClient) else kind.parameters
        found.append(getattr(holder, "model", None))
    return [name for name in found if isinstance(name, str)]


def model_warnings(asked: Iterable[str], details: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Warn of models whose scores may not be comparable with those of another day.

    Parameters
    ----------
    asked : iterable of str
        Models that the judge's clients request.
    details : iterable of mapping
        Details of scored items, whose steps name the models as the endpoint calls them.

    Examples
    --------
    >>> details = [{"steps": [{"model": "m-2026-05-01"}]}]
    >>> model_warnings(["m"], details)[0]
    "judge: the model 'm' is a name for changing models, 'm-2026-05-01' answered; ask for that one"
    >>> model_warnings(["m-2026-05-01"], details)
    ()
    """
    answered: dict[str, set[str]] = {}
    for one in details:
        for step in one.get("steps", ()):
            answered.setdefault(str(step.get("judge", "")), set()).add(str(step["model"]))
    found = [warning for name in dict.fromkeys(asked) for warning in _floating(name, answered)]
    found += [
        f"judge: {len(models)} models answered for one, {_listed(models)}; their scores are "
        "averaged as if they were one's"
        for models in answered.values()
        if len(models) > 1
    ]
    return tuple(dict.fromkeys(found))


def _floating(name: str, answered: Mapping[str, set[str]]) -> Iterator[str]:
    """Yield a warning if a name may refer to another model in the future."""
    # A panel names its judges by their models, with the endpoint if that is ambiguous.
    answers = [
        models for judge, models in answered.items() if judge.partition(" at ")[0] in ("", name)
    ]
    returned = {model for models in answers for model in models}
    dated = {model for model in returned if _is_dated(model, name)}
    if dated or _FLOATING.search(name):
        concrete = dated or returned - {name}
        answered_by = f", {_listed(concrete)} answered; ask for that one" if concrete else ""
        yield f"judge: the model {name!r} is a name for changing models{answered_by}"


def _is_dated(model: str, name: str) -> bool:
    stem = _FLOATING.sub("", name)
    return model.startswith(stem) and bool(_DATED.fullmatch(model[len(stem) :]))


def _listed(models: Iterable[str]) -> str:
    return " and ".join(map(repr, sorted(models)))
