"""Pairing: labels beside what a judge says of the same items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import define, field

from valor_core.errors import ReadError, shown
from valor_core.specs import Range
from valor_llm.calibration.judged_items import JudgedItem
from valor_llm.calibration.labels import Label
from valor_llm.records.record import LEAST_LABELS, Pair


@define
class Pairs:
    """Labels of one metric beside the judge.

    Parameters
    ----------
    items : list of Pair
        Scores of items.
    verdicts : list of Pair
        Verdicts on items.
    unscored : int
        How many items have a label and no score.
    """

    items: list[Pair] = field(factory=list)
    verdicts: list[Pair] = field(factory=list)
    unscored: int = 0

    @property
    def labelled(self) -> int:
        """How many items have a label and a score."""
        return len({pair.item for pair in (*self.items, *self.verdicts)})

    def check_enough(self, metric: str) -> None:
        """Raise a `ReadError` if there are too few labels."""
        if self.labelled < LEAST_LABELS:
            without = f", {self.unscored} more have no score" if self.unscored else ""
            raise ReadError(
                f"{metric}: expected labels of at least {LEAST_LABELS} items, found "
                f"{self.labelled}{without}",
                f"Label {LEAST_LABELS - self.labelled} more items, drawn at random from the data.",
            )


def paired(labels: Sequence[Label], judged: Mapping[str, JudgedItem | None], range: Range) -> Pairs:
    """Labels beside what the judge says of the same items.

    All verdicts of an item together are its score too, if that is their share of yes and has no
    label of its own.

    Parameters
    ----------
    labels : sequence of Label
        The labels of one metric.
    judged : mapping of str to JudgedItem or None
        The items of the data by uid; None of one without a score.
    range : Range
        Where scores lie.

    Raises
    ------
    ReadError
        If a label is of an item or a verdict that there is none of, or lies outside the range.
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
    for uid, told in verdicts.items():
        item = judged[uid]
        assert item is not None
        for number, value in sorted(told.items()):
            said = float(item.verdicts[number - 1])
            found.verdicts.append(Pair(item.item, said, value))
        if uid not in scored and item.is_share and len(told) == len(item.verdicts):
            share = sum(told.values()) / len(told)
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
            "Number the verdicts as they stand in the report with: items: true; label items "
            "without verdicts, or of several judges and repeats, by their score",
        )
