"""Headline of a report: its main numbers, each with its direction and its interval."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attrs import frozen

from valor_core.errors import ReportError
from valor_core.results import Report
from valor_core.results.entries import Entry, entries_of
from valor_report.selection import selected
from valor_report.tables.pivot import (
    distinguishing,
    first_of_each,
    half_width,
    headlines,
    interval_of,
    titles_of,
)
from valor_report.tables.slice_tables import direction
from valor_report.tables.text_table import number_text

MOST_CARDS = 8

DIRECTIONS = {True: "higher is better", False: "lower is better"}
"""Words for whether higher is better."""


@frozen
class Card:
    """One of the main numbers of a report.

    Parameters
    ----------
    name, value : str
        Name and number.
    half : str
        Half of the width of its interval, such as ``" ± 0.0100"``.
    about : str
        Parameters that distinguish it, and whether higher is better.
    metric : str
        Name of the metric, if `name` is the name in the request, such as ``mAP50-95``.
    """

    name: str
    value: str
    half: str
    about: str
    metric: str = ""


def cards_of(report: Report) -> list[Card]:
    """Return the main numbers: those with a requirement first, then in the order of the config.

    Equal numbers are listed once.

    Examples
    --------
    >>> from valor_core import Result
    >>> cards_of(Report(results=[Result(type="Accuracy", value=0.75)]))
    [Card(name='Accuracy', value='0.7500', half='', about='', metric='')]
    """
    entries = list(entries_of(report.results))
    summary = headlines(entries)
    shown = main_numbers(report)
    called, differing = titles_of(entries), distinguishing(summary)
    cards = []
    for entry in shown:
        better = direction(entry)
        words = [*([entry.name] if entry.name else []), *differing(entry)]
        words += [] if better is None else [DIRECTIONS[better]]
        asked = entry.result.asked
        name = f"{asked or called(entry)} {entry.part}".rstrip()
        half = half_width(interval_of(entry))
        metric = entry.result.type if asked else ""
        cards.append(Card(name, number_text(entry.value), half, ", ".join(words), metric))
    return cards


def main_numbers(report: Report) -> list[Entry]:
    """Return the entries of the main numbers, at most `MOST_CARDS`."""
    summary = headlines(list(entries_of(report.results)))
    measures = {one.value: one for one in reversed(summary) if isinstance(one.value, float)}
    several = [one for one in summary if measures.get(one.value) is one]
    required = [one for one in _required(report) if isinstance(one.value, float)]
    seen = {one.value for one in required}
    others = first_of_each([one for one in several if one.value not in seen], MOST_CARDS)
    return [*required, *_by_metric(report, others)][:MOST_CARDS]


def _required(report: Report) -> list[Entry]:
    """Entries of the numbers with a requirement, each once."""
    found: dict[Any, Entry] = {}
    for outcome in report.requirements:
        try:
            entry = selected(outcome.name, report.results)
        except ReportError:  # of a slice, or a name without a number
            continue
        found.setdefault(entry.value, entry)
    return list(found.values())


def _by_metric(report: Report, entries: Iterable[Entry]) -> list[Entry]:
    """Entries in the order in which the results have their metrics."""
    metrics = dict.fromkeys(entry.metric for entry in entries_of(report.results))
    order = {metric: place for place, metric in enumerate(metrics)}
    return sorted(entries, key=lambda one: order[one.metric])
