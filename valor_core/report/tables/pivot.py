"""Pivot: from single results to rows and columns.

Metrics whose results vary in the same parameters share a table: one row per label or other
coordinate, one column per metric.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from attrs import define, field, frozen

from valor_core.metrics.result import Failed, Result, Undefined, first_line, is_number
from valor_core.report.tables.structures import named_numbers
from valor_core.report.tables.text_table import (
    MISSING,
    Cell,
    Row,
    TextColumn,
    TextTable,
    number_text,
    superscript,
)

MOST_NAMED_NUMBERS = 12
MOST_NOTES = 12
ROW_NAMES = ("label", "average")
ALIKE = "rows that are called the same are results that say the same of themselves"
_DEFAULT_KEY = "class"
_ROUND = 3


@frozen
class Entry:
    """One single number, or the reason why there is none."""

    result: Result
    part: str
    value: Any

    @property
    def metric(self) -> str:
        """The metric's name without its version."""
        return (self.result.metric or self.result.type).partition("@")[0]

    @property
    def name(self) -> str | None:
        """The label or average that it belongs to."""
        named = self.result.parameters
        if _is_name(named.get("label")):
            return str(named["label"])
        return f"{named['average']} average" if self.sums_up else None

    @property
    def sums_up(self) -> bool:
        """Whether it is an average over labels."""
        named = self.result.parameters
        return not _is_name(named.get("label")) and _is_name(named.get("average"))

    @property
    def others(self) -> dict[str, Any]:
        """Its parameters but the label and the average that it belongs to."""
        named = self.result.parameters.items()
        return {k: v for k, v in named if k not in ROW_NAMES or not (v is None or _is_name(v))}


def _is_name(value: Any) -> bool:
    """Whether it names one row; a metric that fails reports all that it was asked for."""
    return value is not None and not isinstance(value, (list, tuple, Mapping))


def entries_of(results: Iterable[Result]) -> Iterable[Entry]:
    """The single numbers of some results, with what stands in their place."""
    for result in results:
        parts = {"": result.value} if is_single(result.value) else parts_of(result.value)
        for part, single in parts.items():
            yield Entry(result, part, single)


def is_single(value: Any) -> bool:
    """Whether a value is one number, or stands in the place of one."""
    return value is None or is_number(value) or isinstance(value, (Undefined, Failed))


def parts_of(value: Any) -> dict[str, float | None]:
    """The named numbers of a value, where they are few enough to be columns."""
    named = named_numbers(value)
    return named if len(named) <= MOST_NAMED_NUMBERS else {}


@define
class Notes:
    """Footnotes of one table, numbered as they are first needed."""

    texts: list[str] = field(factory=list)
    left: int = 0

    def mark(self, text: str) -> str:
        """The number of a note; nothing where there are too many to be read."""
        if text not in self.texts:
            if len(self.texts) >= MOST_NOTES:
                self.left += 1
                return ""
            self.texts.append(text)
        return superscript(self.texts.index(text) + 1)

    @property
    def all(self) -> tuple[str, ...]:
        """The notes of the table."""
        if not self.left:
            return tuple(self.texts)
        return (*self.texts, f"{self.left:,} more reasons are in the JSON report")


def cell_of(entry: Entry, notes: Notes) -> Cell:
    """The cell of a value; the reason of one that is not there becomes a note."""
    value = entry.value
    gaps = "; ".join(f"{reason} ({n:,})" for reason, n in entry.result.left_out.items())
    if isinstance(value, Failed):
        reason = _joined(first_line(value.reason), gaps)
        return Cell(f"failed{notes.mark(reason)}", tone="bad")
    if isinstance(value, Undefined):
        reason = _joined(_about_this(entry, first_line(value.reason)), gaps)
        return Cell(f"{MISSING}{notes.mark(reason)}", tone="faint")
    if value is None:
        return Cell(MISSING, tone="faint")
    mark = notes.mark(f"left out of the mean: {gaps}") if gaps else ""
    return Cell(f"{number_text(value)}{mark}", float(value))


def _joined(reason: str, gaps: str) -> str:
    return f"{reason}: {gaps}" if gaps else reason


def _about_this(entry: Entry, reason: str) -> str:
    """The reason without the row's own label, so that all rows share a footnote."""
    label = entry.result.parameters.get("label")
    return reason if label is None else reason.replace(f"label {label!r}", "this label")


def text_of(value: Any) -> str:
    """A parameter's value, long lists cut in the middle."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        if len(value) > 5:
            return f"{text_of(value[0])} … {text_of(value[-1])} ({len(value)})"
        return f"[{', '.join(map(text_of, value))}]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, Mapping) else str(value)


def comparable(value: Any) -> str:
    """A parameter's value as something to compare by."""
    return json.dumps(value, ensure_ascii=False, default=str)


def varying_names(entries: Iterable[Entry]) -> tuple[str, ...]:
    """Names of the parameters that tell entries apart.

    A parameter that only some metrics have tells nothing; one that only some results of one
    metric have does.
    """
    values: dict[str, set[str]] = {}
    alike: dict[tuple[str, bool], list[set[str]]] = {}
    for entry in entries:
        alike.setdefault((entry.metric, entry.sums_up), []).append(set(entry.others))
        for name, value in entry.others.items():
            values.setdefault(name, set()).add(comparable(value))
    uneven: set[str] = set()
    for names in alike.values():
        uneven |= names[0].union(*names) - names[0].intersection(*names)
    return tuple(name for name, different in values.items() if len(different) > 1 or name in uneven)


def apart(entries: Iterable[Entry]) -> Callable[[Entry], list[str]]:
    """What tells an entry from the others of its metric, in words: ``["score_threshold 0.5"]``."""
    by_metric: dict[str, list[Entry]] = {}
    for entry in entries:
        by_metric.setdefault(entry.metric, []).append(entry)
    varying = {metric: varying_names(own) for metric, own in by_metric.items()}
    return lambda entry: [
        f"{name} {text_of(entry.others[name])}"
        for name in varying[entry.metric]
        if name in entry.others
    ]


def caption_of(entries: Sequence[Entry], besides: Iterable[str]) -> str:
    """Parameters with their values; those of some metrics only say which."""
    besides = {*besides, "label_key"}
    types = dict.fromkeys(entry.result.type for entry in entries)
    having: dict[tuple[str, str], dict[str, None]] = {}
    for entry in entries:
        for name, value in entry.others.items():
            if name not in besides:
                having.setdefault((name, text_of(value)), {})[entry.result.type] = None
    grouped: dict[tuple[str, ...], list[str]] = {}
    for (name, text), owners in having.items():
        grouped.setdefault(tuple(owners), []).append(f"{name} {text}")
    ordered = sorted(grouped.items(), key=lambda group: len(group[0]) < len(types))
    return "; ".join(f"{', '.join(said)}{_of(owners, types)}" for owners, said in ordered)


def _of(owners: Sequence[str], types: Iterable[str]) -> str:
    """Which metrics a parameter belongs to, said the short way."""
    others = [name for name in types if name not in owners]
    if not others:
        return ""
    return f" (not {others[0]})" if len(others) == 1 < len(owners) else f" ({', '.join(owners)})"


def of_key(entries: Iterable[Entry], varying: Iterable[str]) -> str:
    """What a title adds where all labels are of one key that is not the default."""
    keys = {str(entry.others["label_key"]) for entry in entries if "label_key" in entry.others}
    if "label_key" in varying or len(keys) != 1 or keys == {_DEFAULT_KEY}:
        return ""
    return f" of {keys.pop()!r}"


def titles_of(entries: Iterable[Entry]) -> Callable[[Entry], str]:
    """How to call a metric: by its short name, unless two namespaces share it."""
    owners: dict[str, set[str]] = {}
    for entry in entries:
        owners.setdefault(entry.result.type, set()).add(entry.metric)
    return lambda entry: entry.result.type if len(owners[entry.result.type]) == 1 else entry.metric


def headlines(entries: Sequence[Entry]) -> list[Entry]:
    """Numbers of no label, then for each metric the macro average, or else the others."""
    averages = [entry for entry in entries if entry.sums_up]
    macro = [entry for entry in averages if entry.result.parameters["average"] == "macro"]
    covered = {entry.metric for entry in macro}
    return [
        *(entry for entry in entries if entry.name is None),
        *macro,
        *(entry for entry in averages if entry.metric not in covered),
    ]


def several(entries: Sequence[Entry], most: int) -> list[Entry]:
    """The first entries, at most so many, and of a metric with many a few while others have any.

    Examples
    --------
    >>> value = {name: 0.5 for name in "abcde"}
    >>> entries = [*entries_of([Result(type="Many", value=value), Result(type="One", value=0.5)])]
    >>> [entry.part or entry.result.type for entry in several(entries, 5)]
    ['a', 'b', 'c', 'd', 'One']
    """
    before: dict[str, int] = {}
    rounds = []
    for place, entry in enumerate(entries):
        seen = before[entry.metric] = before.get(entry.metric, -1) + 1
        rounds.append((seen // _ROUND, place))
    return [entries[place] for place in sorted(place for _, place in sorted(rounds)[:most])]


def overall(entries: Sequence[Entry]) -> TextTable:
    """The table of results that belong to no label: one row each."""
    varying, called, notes = varying_names(entries), titles_of(entries), Notes()
    rows: list[Row] = [
        [
            f"{called(entry)} {entry.part}".rstrip(),
            *(text_of(entry.others[name]) if name in entry.others else "" for name in varying),
            cell_of(entry, notes),
        ]
        for entry in entries
    ]
    return TextTable(
        f"Results{of_key(entries, varying)}",
        [
            TextColumn("metric"),
            *(_parameter_column(name, entries) for name in varying),
            TextColumn("value", numeric=True),
        ],
        rows,
        caption=caption_of(entries, varying),
        notes=notes.all,
    )


def _parameter_column(name: str, entries: Iterable[Entry]) -> TextColumn:
    return TextColumn(name, all(is_number(e.others[name]) for e in entries if name in e.others))


def by_label(entries: Sequence[Entry]) -> list[TextTable]:
    """The tables of results by label: one for all metrics that vary in the same parameters."""
    by_metric: dict[str, list[Entry]] = {}
    for entry in entries:
        by_metric.setdefault(entry.metric, []).append(entry)
    alike: dict[tuple[str, ...], list[Entry]] = {}
    for own in by_metric.values():
        alike.setdefault(varying_names(own), []).extend(own)
    return [_pivot(together, varying) for varying, together in alike.items()]


_Cells = dict[tuple[str, str], Entry]
"""Entries of one row by metric and part."""


def _pivot(entries: Sequence[Entry], varying: tuple[str, ...]) -> TextTable:
    called, notes = titles_of(entries), Notes()
    titles = _column_titles(entries, called)
    grid: dict[tuple[Any, ...], list[_Cells]] = {}
    for entry in entries:
        own = entry.others
        coordinates = (comparable(own[name]) if name in own else "" for name in varying)
        _place(entry, grid.setdefault((entry.sums_up, entry.name, *coordinates), []))
    places = sorted(grid, key=lambda place: bool(place[0]))
    rows = [_pivot_row(each, varying, titles, notes) for place in places for each in grid[place]]
    alike = any(len(rows) > 1 for rows in grid.values())
    return TextTable(
        f"Results by label{of_key(entries, varying)}",
        [
            TextColumn("label"),
            *(_parameter_column(name, entries) for name in varying),
            *(TextColumn(title, True, metric) for (metric, _), title in titles.items()),
        ],
        rows,
        caption="; ".join(filter(None, [caption_of(entries, varying), ALIKE * alike])),
        notes=notes.all,
        foot=sum(len(grid[place]) for place in places if place[0]),
    )


def _place(entry: Entry, rows: list[_Cells]) -> None:
    """Put an entry into the first row whose cell is free: two results never share one."""
    cell = entry.metric, entry.part
    row = next((row for row in rows if cell not in row), None)
    if row is None:
        rows.append(row := {})
    row[cell] = entry


def _pivot_row(
    cells: Mapping[tuple[str, str], Entry],
    varying: Iterable[str],
    columns: Iterable[tuple[str, str]],
    notes: Notes,
) -> Row:
    first = next(iter(cells.values()))
    coordinates = [text_of(first.others[n]) if n in first.others else "" for n in varying]
    numbers = [cell_of(cells[c], notes) if c in cells else Cell("") for c in columns]
    return [first.name or "", *coordinates, *numbers]


def _column_titles(
    entries: Iterable[Entry], called: Callable[[Entry], str]
) -> dict[tuple[str, str], str]:
    owners: dict[str, set[str]] = {}
    for entry in entries:
        owners.setdefault(entry.part, set()).add(entry.metric)
    return {
        (entry.metric, entry.part): entry.part
        if entry.part and len(owners[entry.part]) == 1
        else f"{called(entry)} {entry.part}".rstrip()
        for entry in entries
    }
