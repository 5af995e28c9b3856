"""Panels: how far several judges agree, and what the mean would be without each of them."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from valor_core.results import Undefined, exact_mean
from valor_llm.judge.panel import combined
from valor_llm.parameters.judge import Combination
from valor_llm.trust.agreement import krippendorff_alpha
from valor_llm.trust.scorings import Numbers, Scorings, most_frequent


def mean_of(scores: Numbers, combine: Combination) -> float | None:
    """The mean over items of what some judges' scores become together; None without any.

    Parameters
    ----------
    scores : ndarray of float64, of shape (items, judges)
        NaN where a judge gives none.
    combine : {"mean", "median", "majority"}
        How they become one.
    """
    present = [own[~np.isnan(own)].tolist() for own in scores]
    means = [combined(own, combine) for own in present if own]
    return exact_mean(means) if means else None


def weighted_kappa(one: Numbers, other: Numbers) -> float | None:
    """Cohen's kappa of two judges, with quadratic weights; None where both say one thing only.

    Two scores that are close count as nearly the same. Of scores that are 0 or 1, it is kappa.

    Notes
    -----
    J. Cohen (1968), Weighted kappa, Psychological Bulletin 70. Without classes, the squared
    differences that are expected by chance are those of every score of one with every score of the
    other, which makes it Lin's concordance correlation.

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


def panel_details(scorings: Scorings, combine: Combination) -> dict[str, Any]:
    """What a report says of a panel: its agreement, each judge, and each two of them."""
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


def panel_warnings(metric: str, scorings: Scorings) -> tuple[str, ...]:
    """A warning for each judge that scored nothing, though others did.

    Examples
    --------
    >>> scored, failed = {"judge": "a", "value": 1.0}, {"judge": "b", "error": "no such model"}
    >>> panel_warnings("llm.Bias", Scorings.of([{"scorings": [scored, failed]}]))
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
