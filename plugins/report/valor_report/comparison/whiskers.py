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
    """Interval of a difference, in percent of a scale.

    Parameters
    ----------
    low, at, high : float
        Ends of the interval and the difference. Without an interval, all are the difference.
    zero : float
        Position of 0.
    tone : {"", "good", "bad", "faint"}
        Meaning of the difference.
    """

    low: float
    at: float
    high: float
    zero: float
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


def difference_rows(changes: Sequence[Change], *, has_tests: bool = False) -> list[DifferenceRow]:
    """Return rows of numbers. Whiskers of the same metric share a scale.

    Parameters
    ----------
    changes : sequence of Change
        Numbers in both reports.
    has_tests : bool
        Whether the comparison has tests, so that the verdict of a number without one says so.

    Examples
    --------
    >>> difference_rows([])
    []
    """
    scales: dict[str, float] = {}
    for change in changes:
        ends = [abs(end) for end in _ends(change)]
        scales[change.title] = max([scales.get(change.title, 0.0), *ends])
    name = names_of(changes)
    rows = []
    for change in changes:
        tone = TONES.get(change.verdict, "bad" if change.verdict == "vanished" else "")
        tone = "faint" if has_tests and not change.is_tested and tone else tone
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
                change.shown_verdict if has_tests else change.verdict,
                tone,
                _whisker(change, scales[change.title], tone),
            )
        )
    return rows


def percent_of(
    ends: tuple[float, float, float], scale: tuple[float, float], tone: Tone
) -> Whisker | None:
    """Return the whisker of a difference; None for a scale without extent.

    Parameters
    ----------
    ends : (float, float, float)
        Lower end, difference, and upper end.
    scale : (float, float)
        Ends of the scale.
    tone : {"", "good", "bad", "faint"}
        Meaning of the difference.

    Examples
    --------
    >>> percent_of((-0.25, 0.0, 0.25), (-0.5, 0.5), "")
    Whisker(low=25.0, at=50.0, high=75.0, zero=50.0, tone='')
    """
    start, extent = scale[0], scale[1] - scale[0]
    if not extent:
        return None
    low, at, high, zero = (round(100 * (one - start) / extent, 2) for one in (*ends, 0.0))
    return Whisker(low, at, high, zero, tone)


def _ends(change: Change) -> Iterable[float]:
    if change.difference is None:
        return ()
    return (change.difference, *(change.interval or ()))


def _whisker(change: Change, most: float, tone: Tone) -> Whisker | None:
    difference = change.difference
    if difference is None:
        return None
    low, high = change.interval or (difference, difference)
    return percent_of((low, difference, high), (-most, most), tone)


def _value(value: float | None, reason: str | None) -> str:
    if value is None:
        return f"{MISSING} {reason.splitlines()[0]}" if reason else MISSING
    return number_text(value)
