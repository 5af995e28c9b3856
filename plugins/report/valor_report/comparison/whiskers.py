"""Rows of differences with whiskers: the interval of a difference on a scale around 0."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import frozen

from valor_report.comparison.changes import Change
from valor_report.comparison.comment import difference_text
from valor_report.comparison.difference_tables import TONES
from valor_report.comparison.main_numbers import names_of, slice_name
from valor_report.tables.text_table import (
    MISSING,
    Tone,
    number_text,
    probability_text,
)

ARROWS = {True: "↑", False: "↓", None: ""}
"""Arrow of a metric: ↑ if higher is better."""


@frozen
class Whisker:
    """Interval of a difference, in percent of a scale with 0 in the middle.

    Parameters
    ----------
    low, at, high : float
        Ends of the interval and the difference. Without an interval, all are the difference.
    tone : {"", "good", "bad", "faint"}
        Meaning of the difference.
    """

    low: float
    at: float
    high: float
    tone: Tone


@frozen
class DifferenceRow:
    """Row of a table of differences.

    Parameters
    ----------
    name, about : str
        Metric, and what distinguishes the number, such as its label or slice.
    arrow : str
        Direction of the metric.
    items : str
        Number of items of its slice.
    first, second, difference, p, verdict : str
        Texts of the cells.
    tone : {"", "good", "bad", "faint"}
        Meaning of the verdict.
    whisker : Whisker, optional
        Drawing of the difference.
    """

    name: str
    about: str
    arrow: str
    items: str
    first: str
    second: str
    difference: str
    p: str
    verdict: str
    tone: Tone
    whisker: Whisker | None


def difference_rows(changes: Sequence[Change]) -> list[DifferenceRow]:
    """Return rows of numbers.

    Measures from 0 to 1 share one scale, and numbers of another metric have their own.

    Examples
    --------
    >>> difference_rows([])
    []
    """
    scales: dict[str, float] = {}
    for change in changes:
        ends = [abs(end) for end in _ends(change)]
        scales[_scale(change)] = max([scales.get(_scale(change), 0.0), *ends])
    name = names_of(changes)
    rows = []
    for change in changes:
        tone = TONES.get(change.verdict, "bad" if change.verdict == "vanished" else "")
        rows.append(
            DifferenceRow(
                change.title,
                ", ".join(filter(None, [slice_name(change), name(change)])),
                ARROWS[change.higher_is_better],
                "" if change.items is None else f"{change.items:,}",
                _value(change.a, change.a_reason),
                _value(change.b, change.b_reason),
                difference_text(change),
                "" if change.p is None else probability_text(change.p),
                change.verdict,
                tone,
                _whisker(change, scales[_scale(change)], tone),
            )
        )
    return rows


def percent_of(low: float, at: float, high: float, most: float, tone: Tone) -> Whisker | None:
    """Return the whisker of a difference on a scale from -most to most.

    Examples
    --------
    >>> percent_of(-0.25, 0.0, 0.25, 0.5, "")
    Whisker(low=25.0, at=50.0, high=75.0, tone='')
    """
    if not most:
        return None
    low, at, high = (round(50 + 50 * one / most, 2) for one in (low, at, high))
    return Whisker(low, at, high, tone)


def _scale(change: Change) -> str:
    is_share = all(one is None or 0 <= one <= 1 for one in (change.a, change.b))
    is_whole = any(type(one) is int for one in (change.a, change.b))
    return "" if is_share and not is_whole else change.title


def _ends(change: Change) -> Iterable[float]:
    if change.difference is None:
        return ()
    return (change.difference, *(change.interval or ()))


def _whisker(change: Change, most: float, tone: Tone) -> Whisker | None:
    difference = change.difference
    if difference is None:
        return None
    low, high = change.interval or (difference, difference)
    return percent_of(low, difference, high, most, tone)


def _value(value: float | None, reason: str | None) -> str:
    if value is None:
        return f"{MISSING} {reason.splitlines()[0]}" if reason else MISSING
    return number_text(value)
