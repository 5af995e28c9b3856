"""Judged items: their scores and verdicts, as calibrations read them off a metric's rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import frozen

from valor_core.results import ItemRow


@frozen
class JudgedItem:
    """What a judge says of one item.

    Parameters
    ----------
    uid : str
        The item's name.
    item : str
        A digest of its content.
    score : float
        Its score.
    verdicts : tuple of bool
        Which of its verdicts are yes.
    """

    uid: str
    item: str
    score: float
    verdicts: tuple[bool, ...] = ()

    @property
    def is_share(self) -> bool:
        """Whether the score is the share of verdicts that are yes."""
        count = len(self.verdicts)
        return bool(count) and math.isclose(self.score, sum(self.verdicts) / count, abs_tol=1e-9)


def judged_items(rows: Iterable[ItemRow]) -> list[JudgedItem]:
    """The items that have a score; the others say nothing of the judge."""
    return [
        JudgedItem(
            str(row.uid),
            str(row.details.get("item", row.uid)),
            row.value,
            verdicts_of(row.details),
        )
        for row in rows
        if isinstance(row.value, float)
    ]


def verdicts_of(details: Mapping[str, Any]) -> tuple[bool, ...]:
    """Which verdicts of an item's details are yes; none where it was scored several times."""
    return tuple(row.get("verdict") == "yes" for row in details.get("verdicts", ()))


def are_shares(items: Sequence[JudgedItem]) -> bool:
    """Whether all scores that come from verdicts are the share that are yes."""
    judged = [item for item in items if item.verdicts]
    return bool(judged) and all(item.is_share for item in judged)
