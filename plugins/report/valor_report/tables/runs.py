"""Table of runs: the headline numbers of several reports, one report per row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from valor_core.results import Report
from valor_core.results.entries import Entry, by_metric, comparable, entries_of, varying_names
from valor_core.results.result import first_line, is_number
from valor_report.tables.pivot import (
    MOST_COLUMNS,
    Notes,
    caption_of,
    cell_of,
    first_of_each,
    headlines,
    parameter_texts,
    titled,
    titles_of,
)
from valor_report.tables.sections import directions
from valor_report.tables.text_table import MISSING, Cell, Row, TextColumn, TextTable

_Key = tuple[str, str, str | None, str]


def run_table(outcomes: Mapping[str, Report | str], title: str = "Runs") -> TextTable:
    """Compare runs in a table.

    The best number of a column is marked if all its numbers have the same parameters.

    Parameters
    ----------
    outcomes : mapping of str to Report or str
        Report of each run by its name, or the reason why it has none.
    title : str
        Title of the table, a plural.

    Examples
    --------
    >>> from valor_core import Result
    >>> reports = {name: Report(results=[Result(type="F1", value=value)])
    ...     for name, value in (("small", 0.5), ("large", 0.75))}
    >>> print(run_table(reports | {"huge": "out of memory"}).plain())
    Runs
    <BLANKLINE>
    run         F1
    -----  -------
    small   0.5000
    large   0.7500
    huge   failed¹
    <BLANKLINE>
    ¹ out of memory
    """
    reports = {name: one for name, one in outcomes.items() if isinstance(one, Report)}
    found = {name: _headlines(report) for name, report in reports.items()}
    names = _names(found.values())
    held = {name: {_key(one, names): one for one in entries} for name, entries in found.items()}
    columns: dict[_Key, list[Entry]] = {}
    for keyed in held.values():
        for key, entry in keyed.items():
            columns.setdefault(key, []).append(entry)
    chosen = [entries[0] for entries in columns.values()]
    shown = first_of_each(chosen, MOST_COLUMNS)
    better = {name: up for report in reports.values() for name, up in directions(report).items()}
    best = {key: _best(entries, better.get(entries[0].metric)) for key, entries in columns.items()}
    notes, called = Notes(), titles_of(chosen)
    rows: list[Row] = []
    for name, outcome in outcomes.items():
        if isinstance(outcome, str):
            failed = Cell(f"failed{notes.mark(first_line(outcome))}", tone="bad")
            rows.append([name, *[failed for _ in shown[:1]], *[MISSING for _ in shown[1:]]])
            continue
        row: Row = [name]
        for one in shown:
            key = _key(one, names)
            row.append(_cell(held[name].get(key), best[key], notes))
        rows.append(row)
    titles = (titled(e, called(e), parameter_texts(e, names[e.metric])) for e in shown)
    every = [entry for entries in columns.values() for entry in entries]
    varying = varying_names(every)
    across = [one for one in varying if not any(one in inner for inner in names.values())]
    hidden = len(chosen) - len(shown)
    caption = [
        caption_of(every, varying),
        f"{', '.join(across)} var{'ies' if len(across) == 1 else 'y'} by run" if across else "",
        f"{hidden:,} more column{'' if hidden == 1 else 's'} in the reports" if hidden else "",
    ]
    return TextTable(
        title,
        [title.removesuffix("s").lower(), *(TextColumn(title, numeric=True) for title in titles)],
        rows,
        caption="; ".join(filter(None, caption)),
        notes=notes.all,
    )


def rank_table(found: Any) -> TextTable | None:
    """Return the intervals of the ranks of runs, or None without any.

    Parameters
    ----------
    found : Leaderboard
        Ranks, as `valor_intervals.leaderboard` returns them.
    """
    first = [Entry(one.number.result, one.number.part, one.number.a) for one in found.rankings]
    rankings = {id(one): each for one, each in zip(first, found.rankings, strict=True)}
    chosen = headlines(first) or first
    shown = first_of_each(chosen, MOST_COLUMNS)
    if not shown:
        return None
    cells: dict[str, Row] = {}
    for one in shown:
        for ranked in rankings[id(one)].rows:
            text = f"{ranked.rank}" + (f" ({ranked.low} to {ranked.high})")
            is_best = ranked.high == 1
            cell = Cell(text, ranked.rank, "good" if is_best else "")
            cells.setdefault(ranked.name, [ranked.name]).append(cell)
    called, names = titles_of(chosen), _names([chosen])
    titles = (titled(e, called(e), parameter_texts(e, names[e.metric])) for e in shown)
    columns = [TextColumn(title, numeric=True) for title in titles]
    rows = [cells[name] for name in found.names]
    caption = f"in parentheses, the ranks that the data allow at {100 * found.level:.4g} %"
    return TextTable("Ranks", ["report", *columns], rows, caption=caption)


def _headlines(report: Report) -> list[Entry]:
    """Return the headline numbers of a report, or all if it has none."""
    kept = [entry for entry in entries_of(report.results) if not entry.result.error]
    return headlines(kept) or kept


def _names(found: Iterable[Sequence[Entry]]) -> dict[str, tuple[str, ...]]:
    """Return the parameters that distinguish the numbers of one report, by metric."""
    names: dict[str, dict[str, None]] = {}
    for entries in found:
        for metric, of_one in by_metric(entries).items():
            names.setdefault(metric, {}).update(dict.fromkeys(varying_names(of_one)))
    return {metric: tuple(varying) for metric, varying in names.items()}


def _key(entry: Entry, names: Mapping[str, Sequence[str]]) -> _Key:
    others = [(name, entry.others.get(name)) for name in names[entry.metric]]
    return entry.metric, entry.part, entry.name, comparable(others)


def _best(entries: Sequence[Entry], higher: bool | None) -> float | None:
    """Return the best number of a column, or None if its numbers cannot be ranked."""
    parameters = {comparable(sorted(entry.result.parameters.items())) for entry in entries}
    numbers = {float(entry.value) for entry in entries if is_number(entry.value)}
    if higher is None or len(parameters) > 1 or len(numbers) < 2:
        return None
    return max(numbers) if higher else min(numbers)


def _cell(entry: Entry | None, best: float | None, notes: Notes) -> Cell:
    if entry is None:
        return Cell(MISSING, tone="faint")
    cell = cell_of(entry, notes)
    is_best = cell.number is not None and cell.number == best
    return Cell(cell.text, cell.number, "good") if is_best else cell
