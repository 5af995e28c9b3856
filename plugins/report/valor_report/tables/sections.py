"""Tables of a report for the results of any metrics.

Numbers are pivoted like a classification report: one row per label, one column per metric, averages
at the bottom. Results without a label have a separate table. Parameters that are constant in a
table are in its caption, and other parameters are columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from valor_core.results import Report, Result
from valor_core.results.entries import (
    entries_of,
    is_single,
)
from valor_core.results.report import Requirement
from valor_core.results.result import is_number
from valor_core.results.results import Results, installed_spec
from valor_report.tables.detail_tables import detail_tables
from valor_report.tables.pivot import (
    Notes,
    by_label,
    headings,
    overall,
    text_of,
)
from valor_report.tables.slice_tables import slice_tables
from valor_report.tables.structures import (
    Breakdown,
    Matrix,
    Structure,
    outline,
    structure,
)
from valor_report.tables.text_table import (
    MISSING,
    Cell,
    Row,
    TextColumn,
    TextTable,
    number_text,
)

Directions = Mapping[str, bool | None]
"""Direction of metrics by name without version: True if higher is better, None if unknown."""

LONG = 40
MATRIX_IN_TEXT = 15
MOST_PAIRS = 20


def tables_of(
    found: Iterable[Result],
    *,
    most_rows: int | None = None,
    most_matrix: int = MATRIX_IN_TEXT,
    directions: Directions | None = None,
) -> tuple[TextTable, ...]:
    r"""Tables of a report or of results.

    Parameters
    ----------
    found : iterable of Result
        Results, or a report, which also has tables of slices, requirements and facts.
    most_rows : int, optional
        Maximum number of rows in a long table: the worst rows if a direction is known, else the
        first. By default, all rows are included.
    most_matrix : int
        Maximum number of labels in a full matrix. Larger matrices are reduced to their largest
        numbers off the diagonal.
    directions : mapping of str to bool or None, optional
        Whether higher is better by metric name.

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
    ready = [*number_tables(results), *detail_tables(results)]
    if most_rows is not None:
        ready = [_shortened(table, most_rows, directions or {}) for table in ready]
    ready += structure_tables(structured(results), most_matrix)
    if isinstance(found, Report):
        ready += report_tables(found)
    return tuple(ready)


def number_tables(results: Results) -> list[TextTable]:
    """Tables of numbers without a label, and of numbers by label."""
    entries = list(entries_of(results))
    of_no_label = [entry for entry in entries if entry.name is None]
    of_labels = [entry for entry in entries if entry.name is not None]
    return [
        *([overall(of_no_label)] if of_no_label else []),
        *(by_label(of_labels) if of_labels else []),
    ]


def report_tables(report: Report) -> list[TextTable]:
    """Tables of slices, requirements and facts of a report."""
    return [*slice_tables(report), *requirement_table(report.requirements), *fact_table(report)]


def _shortened(table: TextTable, most_rows: int, directions: Directions) -> TextTable:
    """Reduce a long table to its worst rows, or its first rows if no direction is known."""
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


Structured = tuple[Result, Structure | None]
"""Result that is not a single number, with its structure; None if it is not recognized."""


def structured(results: Iterable[Result]) -> list[Structured]:
    """Results that are neither a number nor a reason, with their structures."""
    return [(one, structure(one.content)) for one in results if not is_single(one.content)]


def structure_tables(held: Sequence[Structured], most_matrix: int) -> list[TextTable]:
    """Tables of matrices and breakdowns, and a table with a row for each other value."""
    shown = [(result, found) for result, found in held if found or not is_tabled(result)]
    if not shown:
        return []
    heading = headings(result for result, _ in held)
    matrices, breakdowns, lines = list[TextTable](), list[TextTable](), list[Row]()
    for result, found in shown:
        title, caption = heading(result)
        if isinstance(found, Matrix):
            matrices += matrix_tables(found, title, caption, most_matrix)
        elif isinstance(found, Breakdown):
            breakdowns.append(breakdown_table(found, title, caption))
        else:
            lines.append([title, outline(result.content, found or ()), caption])
    return [*matrices, *breakdowns, *_other_values(lines)]


def is_tabled(result: Result) -> bool:
    """Return True if a value has only numbers, which are in the tables of numbers."""
    held = result.content
    return isinstance(held, Mapping) and len(list(entries_of([result]))) == len(held) > 0


def _other_values(lines: Sequence[Row]) -> list[TextTable]:
    note = "Values are in the JSON report (.value in Python), plots in the HTML report."
    columns = ["metric", "value", "parameters"]
    return [TextTable("Curves and other values", columns, lines, caption=note)] if lines else []


def matrix_tables(held: Matrix, title: str, caption: str, most: int) -> list[TextTable]:
    """Table of a matrix; of a large one, tables of the largest errors and of unmatched objects.

    Parameters
    ----------
    held : Matrix
        The matrix.
    title, caption : str
        Title and caption from `headings`.
    most : int
        Maximum number of labels in a full matrix.
    """
    if held.size <= most:
        return [_full_matrix(held, title, caption)]
    off, unmatched = ~held.is_hit, held.is_unmatched
    about = f"{held.size:,} labels, the largest numbers where the two differ"
    tables = [_largest(held, title, off & ~unmatched, about, caption)]
    if unmatched.any():
        about = "the largest numbers of what is matched with nothing"
        tables.append(_largest(held, f"{title}: without a match", unmatched, about, ""))
    return tables


def _full_matrix(held: Matrix, title: str, caption: str) -> TextTable:
    corner = "ground truth" if held.confusion else ""
    about = "a row per ground truth, a column per prediction" if held.confusion else ""
    return TextTable(
        title,
        [corner, *(TextColumn(name, numeric=True) for name in held.columns)],
        [
            [name, *(Cell(number_text(value), float(value)) for value in values)]
            for name, values in zip(held.rows, held.numbers.tolist(), strict=True)
        ],
        caption="; ".join(filter(None, [about, caption])),
    )


def breakdown_table(held: Breakdown, title: str, caption: str) -> TextTable:
    """Table of a breakdown; title and caption are from `headings`."""
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
    """Title of the first column, if the kinds are numbers."""
    return "" if held.places is None else held.by.replace("_", " ")


def _largest(
    held: Matrix, title: str, among: NDArray[np.bool_], about: str, caption: str
) -> TextTable:
    more = np.count_nonzero(among) - MOST_PAIRS
    cut = f"{about}; {more:,} more in the JSON report" if more > 0 else about
    titles = ("ground truth", "prediction", "count") if held.confusion else _CELL
    return TextTable(
        title,
        [*titles[:2], TextColumn(titles[2], True), TextColumn("share of row", True)],
        [
            [row, column, Cell(number_text(number), float(number)), Cell(f"{share:.1%}", share)]
            for row, column, number, share in held.largest(among, MOST_PAIRS)
        ],
        caption="; ".join(filter(None, [cut, caption])),
        keys=2,
    )


_CELL = ("row", "column", "value")


def requirement_table(outcomes: Iterable[Requirement]) -> list[TextTable]:
    """Table of requirements and their outcomes; empty if there are none."""
    rows: list[Row] = []
    notes = Notes()
    for outcome in outcomes:
        reason = " ".join(filter(None, [outcome.reason and f"{outcome.reason}.", outcome.remedy]))
        found = MISSING if outcome.value is None else outcome.found
        value = Cell(found + notes.mark(reason) if reason else found)
        met = Cell("met", tone="good") if outcome.met else Cell("not met", tone="bad")
        rows.append([outcome.name, outcome.condition, value, met])
    if not rows:
        return []
    titles: list[str | TextColumn] = [
        "result",
        "required",
        TextColumn("found", numeric=True),
        "outcome",
    ]
    return [TextTable("Requirements", titles, rows, notes=notes.all)]


def fact_table(report: Report) -> list[TextTable]:
    """Table of facts from resources, such as calls, tokens and the model."""
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


def directions(report: Report) -> dict[str, bool | None]:
    """Direction of each installed metric of a report: whether higher is better."""
    names = {result.metric.partition("@")[0] for result in report}
    specs = {name: installed_spec(name) for name in names}
    return {name: None if spec is None else spec.higher_is_better for name, spec in specs.items()}
