"""Tables of the differences between two reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from valor_core.errors import and_more
from valor_core.results import Result
from valor_core.results.entries import ROW_NAMES, grouped, pairs
from valor_report.comparison.changes import Change
from valor_report.tables.pivot import text_of
from valor_report.tables.text_table import (
    MISSING,
    Cell,
    Row,
    TextColumn,
    TextTable,
    Tone,
    number_text,
    probability_text,
)

TONES: Mapping[str, Tone] = {"better": "good", "worse": "bad", "unclear": "faint", "same": "faint"}
"""Tone of each verdict."""


def change_table(changes: Sequence[Change], same: int) -> TextTable:
    """Table of numbers in both reports.

    Parameters
    ----------
    changes : sequence of Change
        Numbers to list.
    same : int
        Number of equal numbers that are not listed.
    """
    constant = constant_parameters([change.entry.result for change in changes])
    has_p = any(change.p is not None for change in changes)
    rows: list[Row] = []
    for change in changes:
        result = change.entry.result
        varying = {k: v for k, v in result.parameters.items() if k not in constant}
        rows.append(
            [
                change.title,
                coordinates(result.slice, varying),
                _value(change.a),
                _value(change.b),
                _difference(change),
                *([_probability(change)] if has_p else []),
                Cell(change.shown_verdict, tone=_tone(change)),
            ]
        )
    titles = ["first", "second", "difference", *(["p"] if has_p else [])]
    numeric = [TextColumn(title, numeric=True, bars=title != "p") for title in titles]
    methods = dict.fromkeys(change.method for change in changes if change.method is not None)
    caption = [
        coordinates({}, constant),
        f"tests: {' and '.join(methods)}" if methods else "",
        f"{same:,} more are the same" if same else "",
    ]
    return TextTable(
        "Comparison",
        ["metric", "of", *numeric, "verdict"],
        rows,
        caption="; ".join(filter(None, caption)),
        keys=2,
    )


def other_results(
    structures: Iterable[Result], only_a: Iterable[Result], only_b: Iterable[Result]
) -> list[TextTable]:
    """Table of curves and matrices that differ, and of results in one report only."""
    others = [
        *((one, "differs") for one in structures),
        *((one, "only in the first") for one in only_a),
        *((one, "only in the second") for one in only_b),
    ]
    rows: list[Row] = [
        [one.type, coordinates(one.slice, one.parameters), note] for one, note in others
    ]
    return [TextTable("Other results", ["metric", "of", "outcome"], rows)] if rows else []


def flip_table(flips: Sequence[Any]) -> list[TextTable]:
    """Table of the items that changed by metric; empty if none changed."""
    rows: list[Row] = [
        [
            f"{one.metric.rpartition('.')[2]} {one.part}".rstrip(),
            *map(_count, (one.better, one.worse, one.wrong)),
            _listed(one.better),
            _listed(one.worse),
        ]
        for one in distinct_flips(flips)
    ]
    counts = [TextColumn(name, numeric=True) for name in ("better", "worse", "wrong in both")]
    columns: list[str | TextColumn] = ["metric", *counts, "uids better", "uids worse"]
    return [TextTable("Items that changed", columns, rows, keys=1)] if rows else []


def distinct_flips(flips: Sequence[Any]) -> list[Any]:
    """Return the first of several numbers with the same items, such as those of ROUGE."""
    found: dict[Any, Any] = {}
    for one in flips:
        if one.better or one.worse:
            found.setdefault((one.better, one.worse), one)
    return list(found.values())


def _count(uids: Sequence[Any] | None) -> Cell:
    return Cell("") if uids is None else Cell(f"{len(uids):,}", len(uids))


def _listed(uids: Sequence[Any]) -> str:
    return ", ".join(map(str, uids[:_MOST_UIDS])) + and_more(len(uids) - _MOST_UIDS)


_MOST_UIDS = 5


def constant_parameters(results: Sequence[Result]) -> dict[str, Any]:
    """Parameters, except labels, with one value in all results of the metrics that have them."""
    values: dict[str, list[Any]] = {}
    uneven: set[str] = set()
    for alike in grouped(results, lambda one: one.type).values():
        names = [set(one.parameters) for one in alike]
        uneven |= names[0].union(*names) - names[0].intersection(*names)
        for one in alike:
            for name, value in one.parameters.items():
                values.setdefault(name, []).append(value)
    return {
        name: found[0]
        for name, found in values.items()
        if name not in {*ROW_NAMES, *uneven}
        and len(found) > 1
        and all(value == found[0] for value in found)
    }


def coordinates(slice: Mapping[str, Any], parameters: Mapping[str, Any]) -> str:
    """Return the slice and parameters of a result in words."""
    words = pairs(slice)
    for name, value in parameters.items():
        if name == "label":
            words.append(text_of(value))
        elif name == "average":
            words.append(f"{value} average")
        elif (name, value) != ("label_key", "class"):
            words.append(f"{name} {text_of(value)}")
    return ", ".join(words)


def _value(value: float | None) -> Cell:
    return Cell(MISSING, tone="faint") if value is None else Cell(number_text(value), value)


def _probability(change: Change) -> Cell:
    if change.p is None:
        return Cell("")
    return Cell(probability_text(change.p), change.p)


def _tone(change: Change) -> Tone:
    """Tone of a verdict; none for a difference that no test says is more than chance."""
    return "" if change.shown_verdict != change.verdict else TONES.get(change.verdict, "")


def _difference(change: Change) -> Cell:
    difference = change.difference
    if difference is None:
        return Cell("")
    sign = "+" if difference > 0 else ""
    tone = _tone(change)
    text = "0" if difference == 0 else f"{sign}{number_text(difference)}"
    if change.interval is not None:
        low, high = change.interval
        text += f" ± {number_text((high - low) / 2)}"
    return Cell(text, difference, tone)
