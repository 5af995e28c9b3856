"""Pivot: from single results to rows and columns.

Metrics whose results vary in the same parameters share a table: one row per label or other
coordinate, one column per metric.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import define, field

from valor_core.results import (
    Entry,
    Failed,
    Result,
    Undefined,
    by_metric,
    comparable,
    entries_of,
    first_line,
    grouped,
    is_number,
    rows_of,
    varying_names,
)
from valor_report.tables.text_table import (
    MISSING,
    Cell,
    Row,
    TextColumn,
    TextTable,
    number_text,
    superscript,
)

MOST_COLUMNS = 8
MOST_NOTES = 12
ALIKE = "rows that are called the same are results that say the same of themselves"
_DEFAULT_KEY = "class"


@define(repr=False)
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


def apart(entries: Iterable[Entry]) -> Callable[[Entry], list[str]]:
    """What tells an entry from the others of its metric, in words: ``["score_threshold 0.5"]``."""
    varying = {metric: varying_names(own) for metric, own in by_metric(entries).items()}
    return lambda entry: said(entry, varying[entry.metric])


def said(entry: Entry, names: Iterable[str]) -> list[str]:
    """Some of the parameters of an entry, in words, where it has them."""
    return [f"{name} {text_of(entry.others[name])}" for name in names if name in entry.others]


def headings(results: Iterable[Result]) -> Callable[[Result], tuple[str, str]]:
    """Title and caption of results that stand alone; what tells them apart goes to the title."""
    entries = [Entry(result, "", None) for result in results]
    varying = {metric: varying_names(own) for metric, own in by_metric(entries).items()}

    def heading(result: Result) -> tuple[str, str]:
        own = Entry(result, "", None)
        names = varying[own.metric]
        named = [own.name] if own.name else []
        title = [f"{result.type}{of_key([own], names)}", *named, *said(own, names)]
        return ", ".join(title), caption_of([own], names)

    return heading


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
    types = grouped(entries, lambda entry: entry.result.type).items()
    shared = {type for type, own in types if len(by_metric(own)) > 1}
    return lambda entry: entry.metric if entry.result.type in shared else entry.result.type


def titled(entry: Entry, called: str, differing: Iterable[str]) -> str:
    """What a number is called where it stands alone: ``"F1 (macro, score_threshold 0.5)"``."""
    inside = [] if entry.name is None else [entry.name.removesuffix(" average")]
    inside += differing
    title = f"{called} {entry.part}".rstrip()
    return f"{title} ({', '.join(inside)})" if inside else title


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
    """The first entries, at most so many, and no second of a metric while others have none.

    Examples
    --------
    >>> value = {name: 0.5 for name in "abcde"}
    >>> entries = [*entries_of([Result(type="Many", value=value), Result(type="One", value=0.5)])]
    >>> [entry.part or entry.result.type for entry in several(entries, 3)]
    ['a', 'b', 'One']
    """
    rounds = [
        (number, place)
        for own in grouped(enumerate(entries), lambda one: one[1].metric).values()
        for number, (place, _) in enumerate(own)
    ]
    return [entries[place] for place in sorted(place for _, place in sorted(rounds)[:most])]


def overall(entries: Sequence[Entry]) -> TextTable:
    """The table of results that belong to no label: one row each."""
    called = titles_of(entries)
    return _pivot(
        entries,
        "Results",
        "metric",
        lambda entry: f"{called(entry)} {entry.part}".rstrip(),
        lambda entry: TextColumn("value", numeric=True),
    )


def _parameter_column(name: str, entries: Iterable[Entry]) -> TextColumn:
    return TextColumn(name, all(is_number(e.others[name]) for e in entries if name in e.others))


def by_label(entries: Sequence[Entry]) -> list[TextTable]:
    """The tables of results by label: one for all metrics that vary in the same parameters."""
    varying = {metric: varying_names(own) for metric, own in by_metric(entries).items()}
    return [_by_label(own) for own in grouped(entries, lambda e: varying[e.metric]).values()]


def _by_label(entries: Sequence[Entry]) -> TextTable:
    across = _across(entries)
    if not across:
        return _pivot(entries, "Results by label", "label", _name, _columns(entries))
    title = f"{titles_of(entries)(entries[0])} by label"
    return _pivot(entries, title, "label", _name, partial(_setting, names=across), across)


def _name(entry: Entry) -> str:
    return entry.name or ""


def _across(entries: Sequence[Entry]) -> tuple[str, ...]:
    """What varies in a table of one metric, where its settings are few enough to be columns."""
    names = tuple(name for name in varying_names(entries) if name != "label_key")
    settings = {_setting(entry, names) for entry in entries}
    is_one = len(by_metric(entries)) == 1 and not any(entry.part for entry in entries)
    return names if is_one and 1 < len(settings) <= MOST_COLUMNS else ()


def _setting(entry: Entry, names: Sequence[str]) -> TextColumn:
    texts = [text_of(entry.others[name]) for name in names if name in entry.others]
    words = texts if len(names) > 1 else said(entry, names)
    return TextColumn(", ".join(words) or entry.result.type, numeric=True, metric=entry.metric)


def _columns(entries: Sequence[Entry]) -> Callable[[Entry], TextColumn]:
    """The column of a number, called like its part unless two metrics share that."""
    called = titles_of(entries)
    owners = {part: len(by_metric(own)) for part, own in grouped(entries, _part).items()}

    def column(entry: Entry) -> TextColumn:
        is_told = entry.part and owners[entry.part] == 1
        title = entry.part if is_told else f"{called(entry)} {entry.part}".rstrip()
        return TextColumn(title, numeric=True, metric=entry.metric)

    return column


def _part(entry: Entry) -> str:
    return entry.part


def _pivot(
    entries: Sequence[Entry],
    title: str,
    head: str,
    named: Callable[[Entry], str],
    column: Callable[[Entry], TextColumn],
    across: Sequence[str] = (),
) -> TextTable:
    """The table of metrics that vary alike: a row for each name and setting that is not across."""
    varying = [name for name in varying_names(entries) if name not in across]
    columns = list(dict.fromkeys(map(column, entries)))

    def place(entry: Entry) -> tuple[Any, ...]:
        own = entry.others
        coordinates = (comparable(own[name]) if name in own else "" for name in varying)
        return entry.sums_up, named(entry), *coordinates

    notes, rows, foot = Notes(), list[Row](), 0
    places = grouped(entries, place).values()
    for own in sorted(places, key=lambda own: own[0].sums_up):
        coordinates = [
            text_of(own[0].others[name]) if name in own[0].others else "" for name in varying
        ]
        for cells in rows_of(own, column):
            numbers = [cell_of(cells[at], notes) if at in cells else Cell("") for at in columns]
            rows.append([named(own[0]), *coordinates, *numbers])
            foot += own[0].sums_up
    caption = [f"columns: {', '.join(across)}" if len(across) > 1 else ""]
    caption += [caption_of(entries, [*varying, *across]), ALIKE * (len(rows) > len(places))]
    return TextTable(
        f"{title}{of_key(entries, varying)}",
        [head, *(_parameter_column(name, entries) for name in varying), *columns],
        rows,
        caption="; ".join(filter(None, caption)),
        notes=notes.all,
        foot=foot,
        keys=1 + len(varying),
    )


def wide_rows(results: Iterable[Result]) -> list[tuple[str, dict[str, float | None]]]:
    """Numbers of all metrics by name, for each label, each average, and all items together.

    Examples
    --------
    >>> f1 = [Result(type="F1", parameters={"label": name}, value=0.5) for name in ("cat", "dog")]
    >>> mean = Result(type="F1", parameters={"average": "macro"}, value=Undefined("no data"))
    >>> wide_rows([mean, *f1])
    [('cat', {'F1': 0.5}), ('dog', {'F1': 0.5}), ('macro average', {'F1': None})]
    >>> wide_rows([Result(type="Accuracy", value=0.75), f1[0]])
    [('cat', {'F1': 0.5}), ('all', {'Accuracy': 0.75})]
    """
    entries = list(entries_of(results))
    every = "(all)" if "all" in {entry.name for entry in entries} else "all"
    called, differing = titles_of(entries), apart(entries)

    def column(entry: Entry) -> str:
        words = ", ".join(differing(entry))
        return f"{called(entry)} {entry.part}".rstrip() + f" ({words})" * bool(words)

    def row(entry: Entry) -> tuple[int, str]:
        return (2, every) if entry.name is None else (int(entry.sums_up), _name(entry))

    names = grouped(entries, row)
    return [
        (name, {at: one.value if is_number(one.value) else None for at, one in cells.items()})
        for (_, name), own in sorted(names.items(), key=lambda each: each[0][0])
        for cells in rows_of(own, column)
    ]
