"""Pivot tables of results.

Metrics whose results vary in the same parameters share a table, with one row per label or other
parameter and one column per metric.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import define, field

from valor_core.results import Failed, Result, Undefined
from valor_core.results.entries import (
    Entry,
    by_metric,
    comparable,
    entries_of,
    grouped,
    one_of_each_result,
    rows_of,
    varying_names,
)
from valor_core.results.result import first_line, is_number
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
ALIKE = "rows with the same name are results with equal parameters"
_DEFAULT_KEY = "class"


@define(repr=False)
class Notes:
    """Footnotes of a table, numbered in order of first use."""

    texts: list[str] = field(factory=list)
    left: int = 0

    def mark(self, text: str) -> str:
        """Add a note and return its number; empty if there are `MOST_NOTES` already."""
        if text not in self.texts:
            if len(self.texts) >= MOST_NOTES:
                self.left += 1
                return ""
            self.texts.append(text)
        return superscript(self.texts.index(text) + 1)

    @property
    def all(self) -> tuple[str, ...]:
        """Notes of the table."""
        if not self.left:
            return tuple(self.texts)
        return (*self.texts, f"{self.left:,} more reasons are in the JSON report")


def cell_of(entry: Entry, notes: Notes) -> Cell:
    """Cell of a value; the reason for a missing value becomes a note."""
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
    row = entry.confidence
    if row is not None and row["interval"] is None:
        mark = f"{notes.mark(row['method'])}{mark}"
    interval = interval_of(entry)
    text = f"{number_text(value)}{half_width(interval)}{mark}"
    return Cell(text, float(value), interval=interval)


def interval_of(entry: Entry) -> tuple[float, float] | None:
    """Ends of the interval of a number, or None without an interval."""
    ends = entry.ends
    return (ends["low"], ends["high"]) if ends else None


def half_width(interval: tuple[float, float] | None) -> str:
    """Format half of the width of an interval; empty without an interval.

    Examples
    --------
    >>> half_width((0.25, 0.75)), half_width(None)
    (' ± 0.2500', '')
    """
    return "" if interval is None else f" ± {number_text((interval[1] - interval[0]) / 2)}"


def _joined(reason: str, gaps: str) -> str:
    return f"{reason}: {gaps}" if gaps else reason


def _about_this(entry: Entry, reason: str) -> str:
    """Replace the label in a reason, so that all rows share a footnote."""
    label = entry.result.parameters.get("label")
    return reason if label is None else reason.replace(f"label {label!r}", "this label")


def text_of(value: Any) -> str:
    """Format the value of a parameter; long lists show the first and last item."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        if len(value) > 5:
            return f"{text_of(value[0])} … {text_of(value[-1])} ({len(value)})"
        return f"[{', '.join(map(text_of, value))}]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, Mapping) else str(value)


def distinguishing(entries: Iterable[Entry]) -> Callable[[Entry], list[str]]:
    """Function that returns an entry's varying parameters, such as ``["score_threshold 0.5"]``."""
    varying = {metric: varying_names(of_one) for metric, of_one in by_metric(entries).items()}
    return lambda entry: parameter_texts(entry, varying[entry.metric])


def parameter_texts(entry: Entry, names: Iterable[str]) -> list[str]:
    """Format those of the named parameters that an entry has."""
    return [f"{name} {text_of(entry.others[name])}" for name in names if name in entry.others]


def headings(results: Iterable[Result]) -> Callable[[Result], tuple[str, str]]:
    """Function that returns the title, with the varying parameters, and caption of a result."""
    entries = [Entry(result, "", None) for result in results]
    varying = {metric: varying_names(of_one) for metric, of_one in by_metric(entries).items()}

    def heading(result: Result) -> tuple[str, str]:
        entry = Entry(result, "", None)
        names = varying[entry.metric]
        named = [entry.name] if entry.name else []
        texts = parameter_texts(entry, names)
        called = with_asked(result, result.type)
        title = [f"{called}{of_key([entry], names)}", *named, *texts]
        return ", ".join(title), caption_of([entry], names)

    return heading


def caption_of(entries: Sequence[Entry], excluded: Iterable[str]) -> str:
    """Format parameters with their values, and with their metrics if not all metrics have them."""
    excluded = {*excluded, "label_key"}
    types = dict.fromkeys(entry.result.type for entry in entries)
    having: dict[tuple[str, str], dict[str, None]] = {}
    for entry in one_of_each_result(entries):
        for name, value in entry.others.items():
            if name not in excluded:
                having.setdefault((name, text_of(value)), {})[entry.result.type] = None
    grouped: dict[tuple[str, ...], list[str]] = {}
    for (name, text), owners in having.items():
        grouped.setdefault(tuple(owners), []).append(f"{name} {text}")
    ordered = sorted(grouped.items(), key=lambda group: len(group[0]) < len(types))
    return "; ".join(f"{', '.join(texts)}{_of(owners, types)}" for owners, texts in ordered)


def _of(owners: Sequence[str], types: Iterable[str]) -> str:
    """Metrics that have a parameter, in parentheses; empty if all have it."""
    others = [name for name in types if name not in owners]
    if not others:
        return ""
    return f" (not {others[0]})" if len(others) == 1 < len(owners) else f" ({', '.join(owners)})"


def of_key(entries: Iterable[Entry], varying: Iterable[str]) -> str:
    """Suffix of a title if all labels have the same key and it is not the default."""
    keys = {str(entry.others["label_key"]) for entry in entries if "label_key" in entry.others}
    if "label_key" in varying or len(keys) != 1 or keys == {_DEFAULT_KEY}:
        return ""
    return f" of {keys.pop()!r}"


def titles_of(entries: Iterable[Entry]) -> Callable[[Entry], str]:
    """Function that returns a metric's name, with the requested name first if it differs.

    The name is the short name, or the full name if two metrics share the short one.

    Examples
    --------
    >>> half = Result(type="mAP", metric="detection.mAP@2", asked="mAP50", value=0.5)
    >>> [(called(one), one.part) for one in entries_of([half]) for called in [titles_of([one])]]
    [('mAP50 (mAP)', '')]
    """
    types = grouped(entries, lambda entry: entry.result.type).items()
    shared = {type for type, of_type in types if len(by_metric(of_type)) > 1}

    def title(entry: Entry) -> str:
        name = entry.metric if entry.result.type in shared else entry.result.type
        return with_asked(entry.result, name)

    return title


def with_asked(result: Result, name: str) -> str:
    """Return the requested name of a result with a name of its metric in parentheses.

    Examples
    --------
    >>> with_asked(Result(type="Accuracy", asked="acc", value=0.5), "Accuracy")
    'acc (Accuracy)'
    >>> with_asked(Result(type="Accuracy", value=0.5), "Accuracy")
    'Accuracy'
    """
    return name if result.asked is None else f"{result.asked} ({name})"


def titled(entry: Entry, called: str, differing: Iterable[str]) -> str:
    """Title of a single number, such as ``"F1 (macro, score_threshold 0.5)"``."""
    inside = [] if entry.name is None else [entry.name.removesuffix(" average")]
    inside += differing
    title = f"{called} {entry.part}".rstrip()
    return f"{title} ({', '.join(inside)})" if inside else title


def headlines(entries: Sequence[Entry]) -> list[Entry]:
    """Numbers without a label, then each metric's macro average, or its other averages."""
    averages = [entry for entry in entries if entry.sums_up]
    macro = [entry for entry in averages if entry.result.parameters["average"] == "macro"]
    covered = {entry.metric for entry in macro}
    return [
        *(entry for entry in entries if entry.name is None),
        *macro,
        *(entry for entry in averages if entry.metric not in covered),
    ]


def first_of_each(entries: Sequence[Entry], most: int) -> list[Entry]:
    """Select at most `most` entries, taking turns between metrics, in their original order.

    Examples
    --------
    >>> value = {name: 0.5 for name in "abcde"}
    >>> entries = [*entries_of([Result(type="Many", value=value), Result(type="One", value=0.5)])]
    >>> [entry.part or entry.result.type for entry in first_of_each(entries, 3)]
    ['a', 'b', 'One']
    """
    rounds = [
        (number, index)
        for of_one in grouped(enumerate(entries), lambda one: one[1].metric).values()
        for number, (index, _) in enumerate(of_one)
    ]
    return [entries[index] for index in sorted(index for _, index in sorted(rounds)[:most])]


def overall(entries: Sequence[Entry]) -> TextTable:
    """Table of results without a label, one per row."""
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
    """Tables of results by label, one for all metrics that vary in the same parameters."""
    varying = {metric: varying_names(of_one) for metric, of_one in by_metric(entries).items()}
    return [_by_label(group) for group in grouped(entries, lambda e: varying[e.metric]).values()]


def _by_label(entries: Sequence[Entry]) -> TextTable:
    across = _across(entries)
    if not across:
        return _pivot(entries, "Results by label", "label", _name, _columns(entries))
    titles = dict.fromkeys(map(titles_of(entries), entries))
    title = f"{', '.join(titles)} by label"
    return _pivot(entries, title, "label", _name, partial(_setting, names=across), across)


def _name(entry: Entry) -> str:
    return entry.name or ""


def _across(entries: Sequence[Entry]) -> tuple[str, ...]:
    """Parameters that become columns: those of a single metric with few settings."""
    names = tuple(name for name in varying_names(entries) if name != "label_key")
    settings = {_setting(entry, names) for entry in entries}
    is_one = len(by_metric(entries)) == 1 and not any(entry.part for entry in entries)
    return names if is_one and 1 < len(settings) <= MOST_COLUMNS else ()


def _setting(entry: Entry, names: Sequence[str]) -> TextColumn:
    texts = [text_of(entry.others[name]) for name in names if name in entry.others]
    words = texts if len(names) > 1 else parameter_texts(entry, names)
    return TextColumn(", ".join(words) or entry.result.type, numeric=True, metric=entry.metric)


def _columns(entries: Sequence[Entry]) -> Callable[[Entry], TextColumn]:
    """Function that returns an entry's column, titled by its part if one metric has the part."""
    called = titles_of(entries)
    owners = {part: len(by_metric(same)) for part, same in grouped(entries, _part).items()}

    def column(entry: Entry) -> TextColumn:
        is_unique = entry.part and owners[entry.part] == 1
        title = entry.part if is_unique else f"{called(entry)} {entry.part}".rstrip()
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
    """Table of metrics that vary in the same parameters.

    Each name and combination of varying parameters is a row, except parameters in `across`, which
    are columns.
    """
    varying = [name for name in varying_names(entries) if name not in across]
    columns = list(dict.fromkeys(map(column, entries)))

    def row_key(entry: Entry) -> tuple[Any, ...]:
        values = entry.others
        coordinates = (comparable(values[name]) if name in values else "" for name in varying)
        return entry.sums_up, named(entry), *coordinates

    notes, rows, foot = Notes(), list[Row](), 0
    groups = grouped(entries, row_key).values()
    for group in sorted(groups, key=lambda group: group[0].sums_up):
        first = group[0]
        coordinates = [text_of(first.others[n]) if n in first.others else "" for n in varying]
        for cells in rows_of(group, column):
            numbers = [cell_of(cells[at], notes) if at in cells else Cell("") for at in columns]
            rows.append([named(first), *coordinates, *numbers])
            foot += first.sums_up
    caption = [f"columns: {', '.join(across)}" if len(across) > 1 else ""]
    caption += [ALIKE * (len(rows) > len(groups))]
    return TextTable(
        f"{title}{of_key(entries, varying)}",
        [head, *(_parameter_column(name, entries) for name in varying), *columns],
        rows,
        settings=caption_of(entries, [*varying, *across]),
        caption="; ".join(filter(None, caption)),
        notes=notes.all,
        foot=foot,
        keys=1 + len(varying),
    )


def wide_rows(results: Iterable[Result]) -> list[tuple[str, dict[str, float | None]]]:
    """Numbers of all metrics by name, for each label, each average and all items.

    With intervals, two more columns of a metric have their ends.

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
    called, differing = titles_of(entries), distinguishing(entries)

    def column(entry: Entry) -> str:
        words = ", ".join(differing(entry))
        return f"{called(entry)} {entry.part}".rstrip() + f" ({words})" * bool(words)

    def row(entry: Entry) -> tuple[int, str]:
        return (2, every) if entry.name is None else (int(entry.sums_up), _name(entry))

    names = grouped(entries, row)
    ranged = {column(entry) for entry in entries if entry.ends}

    def numbers(at: str, one: Entry) -> dict[str, float | None]:
        ends = {f"{at} {end}": one.ends.get(end) for end in ("low", "high") if at in ranged}
        return {at: one.value if is_number(one.value) else None, **ends}

    return [
        (name, {key: n for at, one in cells.items() for key, n in numbers(at, one).items()})
        for (_, name), group in sorted(names.items(), key=lambda each: each[0][0])
        for cells in rows_of(group, column)
    ]
