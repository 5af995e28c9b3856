"""Pairs of human labels and the judge's scores of the same items."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import define, field, frozen

from valor_core.errors import ReadError, shown
from valor_core.results import ItemRow
from valor_core.specs import Range
from valor_llm.calibration.labels import Label
from valor_llm.calibration.record import LEAST_LABELS, Pair


@frozen
class JudgedItem:
    """Score and verdicts of a judge on one item.

    Parameters
    ----------
    uid : str
        The item's name.
    item : str
        A digest of its content.
    score : float
        Its score.
    verdicts : tuple of bool
        For each verdict, whether it is yes.
    """

    uid: str
    item: str
    score: float
    verdicts: tuple[bool, ...] = ()

    @property
    def is_share(self) -> bool:
        """True if the score is the share of verdicts that are yes."""
        count = len(self.verdicts)
        return bool(count) and math.isclose(self.score, sum(self.verdicts) / count, abs_tol=1e-9)


def judged_items(rows: Iterable[ItemRow]) -> list[JudgedItem]:
    """Return the items that have a score."""
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
    """Return whether each verdict of an item is yes; empty if the item was scored several times."""
    return tuple(row.get("verdict") == "yes" for row in details.get("verdicts", ()))


def are_shares(items: Sequence[JudgedItem]) -> bool:
    """Return whether the scores of all items with verdicts are their shares of yes."""
    judged = [item for item in items if item.verdicts]
    return bool(judged) and all(item.is_share for item in judged)


@define
class Pairs:
    """Labels of one metric, paired with the judge's scores.

    Parameters
    ----------
    items : list of Pair
        Scores of items.
    verdicts : list of Pair
        Verdicts on items.
    unscored : int
        Number of labelled items without a score.
    """

    items: list[Pair] = field(factory=list)
    verdicts: list[Pair] = field(factory=list)
    unscored: int = 0

    @property
    def labelled(self) -> int:
        """Number of items with a label and a score."""
        return len({pair.item for pair in (*self.items, *self.verdicts)})

    def check_enough(self, metric: str) -> None:
        """Raise a `ReadError` if there are not enough labels."""
        if self.labelled < LEAST_LABELS:
            without = f", {self.unscored} more have no score" if self.unscored else ""
            raise ReadError(
                f"{metric}: expected labels of at least {LEAST_LABELS} items, found "
                f"{self.labelled}{without}",
                f"Label {LEAST_LABELS - self.labelled} more items, drawn at random from the data.",
            )


def paired(labels: Sequence[Label], judged: Mapping[str, JudgedItem | None], range: Range) -> Pairs:
    """Pair labels with the judge's scores of the same items.

    All verdicts of an item together are its score too, if that is their share of yes and has no
    separate label.

    Parameters
    ----------
    labels : sequence of Label
        The labels of one metric.
    judged : mapping of str to JudgedItem or None
        The items of the data by uid; None of one without a score.
    range : Range
        Range of the scores.

    Raises
    ------
    ReadError
        If a label names an unknown item or verdict, or is outside the range.
    """
    found = Pairs()
    unscored = set()
    scored: set[str] = set()
    verdicts: dict[str, dict[int, float]] = {}
    for label in labels:
        if label.uid not in judged:
            raise ReadError(
                f"{label.place}: uid: expected an item of the data, found {shown(label.uid)}",
                "Label items that the config reads, or take the line out.",
            )
        item = judged[label.uid]
        if item is None:
            unscored.add(label.uid)
        elif label.verdict is None:
            if label.value not in range:
                raise ReadError(
                    f"{label.place}: label: expected a score of {range}, found {label.value:g}"
                )
            found.items.append(Pair(item.item, item.score, label.value))
            scored.add(label.uid)
        else:
            _check_verdict(label, item)
            verdicts.setdefault(label.uid, {})[label.verdict] = label.value
    for uid, labelled in verdicts.items():
        item = judged[uid]
        assert item is not None
        for number, value in sorted(labelled.items()):
            said = float(item.verdicts[number - 1])
            found.verdicts.append(Pair(item.item, said, value))
        if uid not in scored and item.is_share and len(labelled) == len(item.verdicts):
            share = sum(labelled.values()) / len(labelled)
            found.items.append(Pair(item.item, item.score, share))
    found.unscored = len(unscored)
    return found


def _check_verdict(label: Label, item: JudgedItem) -> None:
    assert label.verdict is not None
    if label.verdict > len(item.verdicts):
        there = f"of {len(item.verdicts)}" if item.verdicts else "of none"
        raise ReadError(
            f"{label.place}: verdict: expected one {there} of item {shown(label.uid)}, found "
            f"{label.verdict}",
            "Number the verdicts in the order of a report with items: true; label items "
            "without verdicts, or of several judges and repeats, by their score",
        )
