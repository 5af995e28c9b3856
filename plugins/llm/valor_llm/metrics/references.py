"""Scores of comparing an item with each of its references, and the best of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import field, frozen

from valor_core.results import ItemScore, Undefined


@frozen
class Compared:
    """Result of comparing with one reference.

    Parameters
    ----------
    score : float or Undefined
        The score.
    parts : mapping
        Parts of the score, for the details.
    verdicts, ratings : sequence of dict
        Rows for the details.
    """

    score: float | Undefined
    parts: Mapping[str, Any] = field(factory=dict)
    verdicts: Sequence[Mapping[str, Any]] = ()
    ratings: Sequence[Mapping[str, Any]] = ()

    def row(self, number: int) -> dict[str, Any]:
        """The row of the reference in the details."""
        if isinstance(self.score, Undefined):
            return {"reference": number, "undefined": self.score.reason, **self.parts}
        return {"reference": number, "score": self.score, **self.parts}


def best_of(compared: Sequence[Compared]) -> ItemScore:
    """The best score of all references, the first of several; undefined if none has one.

    Examples
    --------
    >>> best = best_of([Compared(Undefined("the reference is blank")), Compared(0.8)])
    >>> best.value, best.details["best"]
    (0.8, 2)
    >>> best.details["references"][0]
    {'reference': 1, 'undefined': 'the reference is blank'}
    """
    details: dict[str, Any] = {
        "references": [one.row(number) for number, one in enumerate(compared, 1)]
    }
    for key in ("verdicts", "ratings"):
        rows = [
            {**row, "reference": number}
            for number, one in enumerate(compared, 1)
            for row in getattr(one, key)
        ]
        if rows:
            details[key] = rows
    scores = {
        number: one.score
        for number, one in enumerate(compared, 1)
        if not isinstance(one.score, Undefined)
    }
    if not scores:
        reasons = dict.fromkeys(row["undefined"] for row in details["references"])
        return ItemScore(Undefined("; ".join(reasons)), details)
    best = max(scores, key=lambda number: scores[number])
    return ItemScore(scores[best], {**details, "best": best})
