"""Sections of a report: a few tables that read well, from any metrics' results.

Single numbers pivot like a classification report: one row per label, one column per metric,
averages at the bottom. Results without a label stand in a table of their own. Parameters that
are the same throughout a table stand in its caption, and the others become columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any

from attrs import evolve

from valor_core.metrics.result import Failed, Result, Undefined, is_number
from valor_core.report.keys import NO_VALUE
from valor_core.report.report import Report
from valor_core.report.results import Results
from valor_core.report.tables.detail_tables import detail_tables
from valor_core.report.tables.pivot import (
    Entry,
    Notes,
    apart,
    by_label,
    caption_of,
    cell_of,
    comparable,
    entries_of,
    headlines,
    is_single,
    of_key,
    overall,
    parts_of,
    several,
    text_of,
    titles_of,
    varying_names,
)
from valor_core.report.tables.structures import (
    Breakdown,
    Matrix,
    breakdown,
    curves,
    matrix,
    outline,
)
from valor_core.report.tables.text_table import (
    MISSING,
    Cell,
    Row,
    TextColumn,
    TextTable,
    number_text,
)

Directions = Mapping[str, bool | None]
"""By a metric's name without version, whether higher is better; None or absent: unknown."""

LONG = 40
MOST_COLUMNS = 8
MATRIX_IN_TEXT = 15
MOST_PAIRS = 20


def tables_of(
    found: Iterable[Result],
    *,
    most_rows: int | None = None,
    most_matrix: int = MATRIX_IN_TEXT,
    directions: Directions | None = None,
) -> tuple[TextTable, ...]:
    r"""The tables of a report, or of some results.

    Parameters
    ----------
    found : iterable of Result
        What to show: some results, or a report, of which there is more to show.
    most_rows : int, optional
        How many rows of a long table to show, the worst where the direction of a metric is
        known, else the first; all without it.
    most_matrix : int
        How many labels a matrix may have to be shown whole; of a larger one the largest numbers
        off the diagonal are shown.
    directions : mapping of str to bool or None, optional
        Whether higher is better, by the metric's name.

    Examples
    --------
    >>> results = Results([
    ...     Result(type="Recall", metric="c.Recall@1", parameters={"label": "cat"}, value=0.5),
    ...     Result(type="Accuracy", metric="c.Accuracy@1", value=0.75),
    ... ])
    >>> print("\n\n".join(table.plain() for table in tables_of(results)))
    Results
    <BLANKLINE>
    metric     value
    --------  ------
    Accuracy  0.7500
    <BLANKLINE>
    Results by label
    <BLANKLINE>
    label  Recall
    -----  ------
    cat    0.5000
    """
    results = Results(found)
    entries = list(entries_of(results))
    of_no_label = [entry for entry in entries if entry.name is None]
    ready = [overall(of_no_label)] if of_no_label else []
    ready += by_label([entry for entry in entries if entry.name is not None])
    ready += detail_tables(results)
    if most_rows is not None:
        ready = [_shortened(table, most_rows, directions or {}) for table in ready]
    ready += [*_matrices(results, most_matrix), *_breakdowns(results), *_structures(results)]
    if isinstance(found, Report):
        ready += [*_slices(found), *_requirements(found), *_facts(found)]
    return tuple(ready)


def _shortened(table: TextTable, most_rows: int, directions: Directions) -> TextTable:
    """A long table's worst rows, or its first where no direction is known."""
    cut = len(table.rows) - table.foot
    body, foot = list(table.rows[:cut]), table.rows[cut:]
    if len(body) <= max(LONG, most_rows):
        return table
    which = f"the first {most_rows}"
    for place, column in enumerate(table.columns):
        higher_is_better = directions.get(column.metric)
        if higher_is_better is not None:
            sign = 1 if higher_is_better else -1
            body.sort(key=lambda row: _sortable(row[place], sign))
            which = f"the {most_rows} worst by {column.title}"
            break
    more = f"{len(body) - most_rows:,} more rows in the JSON report"
    return evolve(
        table,
        title=f"{table.title}: {which} of {len(body):,}",
        rows=(*body[:most_rows], *foot),
        caption="; ".join(filter(None, [table.caption, more])),
    )


def _sortable(cell: Cell, sign: int) -> tuple[bool, float]:
    return (True, 0.0) if cell.number is None else (False, sign * cell.number)


def _structured(results: Iterable[Result]) -> Iterable[Result]:
    """Results that are neither a number nor the reason why there is none."""
    for result in results:
        if not is_single(result.value):
            yield result


def _is_matrix(result: Result) -> bool:
    return not curves(result.value) and matrix(result.value) is not None


def _matrices(results: Iterable[Result], most: int) -> list[TextTable]:
    found = [result for result in _structured(results) if _is_matrix(result)]
    return [
        matrix_table(held, *title_and_caption(result, found), most)
        for result in found
        if (held := matrix(result.value)) is not None
    ]


def matrix_table(held: Matrix, title: str, caption: str, most: int = MATRIX_IN_TEXT) -> TextTable:
    """The table of a matrix, whole or, where it has too many labels, its largest errors.

    Parameters
    ----------
    held : Matrix
        Its numbers.
    title, caption : str
        As `title_and_caption` has them.
    most : int
        How many labels it may have to be shown whole.
    """
    whole = held.size <= most
    return _whole_matrix(held, title, caption) if whole else _largest(held, title, caption)


def title_and_caption(result: Result, among: Iterable[Result]) -> tuple[str, str]:
    """Title and caption of a result that stands alone.

    Parameters
    ----------
    result : Result
        The result.
    among : iterable of Result
        The results that it is to be told from; what differs goes to the title.
    """
    alike = [Entry(other, "", None) for other in among if other.metric == result.metric]
    varying = varying_names(alike)
    given = result.parameters
    own = Entry(result, "", None)
    coordinates = [own.name] if own.name else []
    coordinates += [f"{name} {text_of(given[name])}" for name in varying if name in given]
    title = ", ".join([f"{result.type}{of_key([own], varying)}", *coordinates])
    return title, caption_of([own], varying)


def _whole_matrix(held: Matrix, title: str, caption: str) -> TextTable:
    corner = "ground truth" if held.confusion else ""
    about = "a row per ground truth, a column per prediction" if held.confusion else ""
    return TextTable(
        title,
        [corner, *(TextColumn(name, numeric=True) for name in held.columns)],
        [
            [name, *(Cell(number_text(value), float(value)) for value in values)]
            for name, values in zip(held.rows, held.numbers, strict=True)
        ],
        caption="; ".join(filter(None, [about, caption])),
    )


def _breakdowns(results: Iterable[Result]) -> list[TextTable]:
    found = [(r, held) for r in _structured(results) if (held := breakdown(r.value)) is not None]
    among = [result for result, _ in found]
    return [breakdown_table(held, *title_and_caption(result, among)) for result, held in found]


def breakdown_table(held: Breakdown, title: str, caption: str) -> TextTable:
    """The table of a breakdown; title and caption are as `title_and_caption` has them."""
    return TextTable(
        title,
        [_heading(held), *(TextColumn(name, numeric=True) for name in held.columns)],
        [
            [
                kind.replace("_", " "),
                *(Cell(MISSING) if n is None else Cell(number_text(n), float(n)) for n in numbers),
            ]
            for kind, numbers in zip(held.kinds, held.numbers, strict=True)
        ],
        caption=caption,
    )


def _heading(held: Breakdown) -> str:
    """What stands above the kinds: what they are values of, if they are numbers."""
    return "" if held.places is None else held.by.replace("_", " ")


def _largest(held: Matrix, title: str, caption: str) -> TextTable:
    pairs = held.off_diagonal()
    cut = (
        f"; {len(pairs) - MOST_PAIRS:,} more in the JSON report" if len(pairs) > MOST_PAIRS else ""
    )
    about = f"{held.size:,} labels, the largest numbers where the two differ{cut}"
    return TextTable(
        title,
        [
            "ground truth" if held.confusion else "row",
            "prediction" if held.confusion else "column",
            TextColumn("count" if held.confusion else "value", numeric=True),
        ],
        [
            [row, column, Cell(number_text(value), float(value))]
            for row, column, value in pairs[:MOST_PAIRS]
        ],
        caption="; ".join(filter(None, [about, caption])),
    )


def _structures(results: Iterable[Result]) -> list[TextTable]:
    """Curves and whatever else has no place in a table, in a line each."""
    rows: list[Row] = []
    found = [
        result
        for result in _structured(results)
        if not _is_matrix(result) and breakdown(result.value) is None
    ]
    for result in found:
        if parts_of(result.value) and not curves(result.value) and _only_numbers(result.value):
            continue
        title, caption = title_and_caption(result, found)
        rows.append([title, outline(result.value), caption])
    if not rows:
        return []
    note = "Values are in the JSON report (.value in Python), plots in the HTML report."
    return [
        TextTable("Curves and other values", ["metric", "value", "parameters"], rows, caption=note)
    ]


def _only_numbers(value: Any) -> bool:
    return isinstance(value, Mapping) and len(parts_of(value)) == len(value)


def _slices(report: Report) -> list[TextTable]:
    """One table per set of sliced fields; results over all items at the bottom."""
    together: dict[tuple[str, ...], list[tuple[tuple[str, ...], Results]]] = {}
    for part in report.slices:
        where = part[0].slice
        values = tuple(NO_VALUE if value is None else text_of(value) for value in where.values())
        together.setdefault(tuple(where), []).append((values, part))
    if all(entry.result.error for entry in entries_of(report.results)):
        return []
    return [_slice_table(fields, rows, report) for fields, rows in together.items()]


def _slice_table(
    fields: tuple[str, ...], parts: Sequence[tuple[tuple[str, ...], Results]], report: Report
) -> TextTable:
    entries = [entry for entry in entries_of(report.results) if not entry.result.error]
    chosen = headlines(entries) or entries
    called, differing, notes = titles_of(chosen), apart(chosen), Notes()
    kept = set(map(id, several(chosen, MOST_COLUMNS)))
    shown = {
        place: _slice_title(entry, called(entry), [*differing(entry), *_repeated(place)])
        for place, entry in _placed(chosen).items()
        if id(entry) in kept
    }
    rows: list[Row] = []
    for values, results in [*parts, (("all", *[""] * (len(fields) - 1)), report.results)]:
        own = list(entries_of(results))
        cells, nothing = _placed(own), _without_data(own)
        held = [cells.get(place) or nothing.get(place[0]) for place in shown]
        rows.append([*values, *(cell_of(one, notes) if one else Cell("") for one in held)])
    hidden = len(chosen) - len(shown)
    caption = [caption_of(chosen, varying_names(chosen))]
    if hidden:
        caption.append(f"{hidden:,} more column{'' if hidden == 1 else 's'} in the JSON report")
    return TextTable(
        f"Results by {', '.join(fields)}",
        [*fields, *(TextColumn(title, numeric=True) for title in shown.values())],
        rows,
        caption="; ".join(filter(None, caption)),
        notes=notes.all,
        foot=1,
    )


def _without_data(entries: Iterable[Entry]) -> dict[str, Entry]:
    """By metric, the entry that says why a slice has no result at all of it.

    It stands for the metric as a whole and has the parameters as they were chosen, so that no
    column is called like it.
    """
    by_metric: dict[str, list[Entry]] = {}
    for entry in entries:
        by_metric.setdefault(entry.metric, []).append(entry)
    return {
        metric: own[0]
        for metric, own in by_metric.items()
        if all(e.name is None and isinstance(e.value, (Undefined, Failed)) for e in own)
    }


_Place = tuple[str, str, str, int]
"""Metric, part, parameters, and which of those that say the same of themselves."""


def _placed(entries: Iterable[Entry]) -> dict[_Place, Entry]:
    """The entries by their places, none at that of another."""
    placed: dict[_Place, Entry] = {}
    for entry in entries:
        said = comparable(sorted(entry.result.parameters.items(), key=str))
        places = ((entry.metric, entry.part, said, number) for number in count(1))
        placed[next(place for place in places if place not in placed)] = entry
    return placed


def _repeated(place: _Place) -> list[str]:
    """How a column says that it is not the first that would be called the same."""
    return [f"result {place[-1]}"] if place[-1] > 1 else []


def _slice_title(entry: Entry, called: str, differing: Iterable[str]) -> str:
    inside = [] if entry.name is None else [entry.name.removesuffix(" average")]
    inside += differing
    title = f"{called} {entry.part}".rstrip()
    return f"{title} ({', '.join(inside)})" if inside else title


def _requirements(report: Report) -> list[TextTable]:
    rows: list[Row] = []
    notes = Notes()
    for outcome in report.requirements:
        reason = " ".join(filter(None, [outcome.reason and f"{outcome.reason}.", outcome.remedy]))
        value = Cell(MISSING + notes.mark(reason) if outcome.value is None else outcome.found)
        met = Cell("met", tone="good") if outcome.met else Cell("not met", tone="bad")
        rows.append([outcome.name, outcome.condition, value, met])
    if not rows:
        return []
    found = TextColumn("found", numeric=True)
    titles: list[str | TextColumn] = ["result", "required", found, "outcome"]
    return [TextTable("Requirements", titles, rows, notes=notes.all)]


def _facts(report: Report) -> list[TextTable]:
    """What resources tell of the run: calls, tokens, the model that answered."""
    rows: list[Row] = []
    for resource, facts in report.facts.items():
        for fact, value in facts.items():
            rows.append([resource, fact.replace("_", " "), _fact(value)])
    titles: list[str | TextColumn] = ["resource", "fact", TextColumn("value", numeric=True)]
    return [TextTable("Facts", titles, rows)] if rows else []


def _fact(value: Any) -> Cell:
    if is_number(value):
        return Cell(f"{value:,}" if isinstance(value, int) else number_text(value), float(value))
    return Cell(text_of(value))
