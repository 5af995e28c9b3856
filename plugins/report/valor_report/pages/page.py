"""Self-contained HTML page of a report.

Styles, drawings and scripts are embedded. The page supports light and dark screens, phones and
print. Without scripts, only drawings of large matrices are missing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from html import escape
from urllib.parse import quote

from attrs import evolve

from valor_core.errors import printable_lines
from valor_core.results import Report, Result
from valor_core.results.entries import Entry, entries_of
from valor_report.gallery.parameters import INDEX, NOT_DRAWN
from valor_report.pages import plots
from valor_report.pages.assets import SCRIPT, STYLE
from valor_report.pages.canvas import canvas
from valor_report.pages.diagrams import bins, tallies
from valor_report.pages.figures import (
    MOST_LABELS_DRAWN,
    Figure,
    breakdown_figure,
    curve_figure,
    heat_figure,
    reliability_figure,
    shaded,
    shares_of,
    tallied_figure,
)
from valor_report.tables.detail_tables import detail_tables
from valor_report.tables.pivot import (
    distinguishing,
    first_of_each,
    half_width,
    headings,
    headlines,
    interval_of,
    titles_of,
)
from valor_report.tables.sections import (
    MATRIX_IN_TEXT,
    Structured,
    breakdown_table,
    fact_table,
    matrix_tables,
    number_tables,
    requirement_table,
    structure_tables,
    structured,
)
from valor_report.tables.slice_tables import slice_tables
from valor_report.tables.structures import Breakdown, Matrix
from valor_report.tables.text_table import Cell, TextColumn, TextTable, number_text
from valor_report.text import cut_short, failures, items_line

MOST_CARDS = 8
LONG_TABLE = 40


def html(report: Report) -> str:
    """Render a report as an HTML page.

    Parameters
    ----------
    report : Report
        The report.

    Examples
    --------
    >>> page = html(Report(results=[Result(type="Accuracy", value=0.75)], counts={"read": 4}))
    >>> page.startswith("<!doctype html>"), "0.7500" in page, "https://" in page
    (True, True, False)
    """
    held = structured(report)
    heading = headings(result for result, _ in held)
    body = [
        _header(report),
        _cards(report),
        *(f'<p class="alert">{_e(warning)}</p>' for warning in report.warnings),
        *map(section, requirement_table(report.requirements)),
        *map(section, number_tables(report.results)),
        *map(section, slice_tables(report)),
        *map(section, detail_tables(report.results)),
        *(_matrix(one, *heading(result)) for result, one in held if isinstance(one, Matrix)),
        _curves(held, heading),
        *(_breakdown(one, *heading(result)) for result, one in held if isinstance(one, Breakdown)),
        *map(section, _not_drawn(held)),
        *map(section, fact_table(report)),
        _origin(report),
    ]
    return document(f"Evaluation report{_of_task(report)}", body)


def document(title: str, body: Iterable[str]) -> str:
    """Render an HTML document.

    Parameters
    ----------
    title : str
        Title of the document.
    body : iterable of str
        HTML of its parts. Empty parts are skipped.
    """
    return printable_lines(
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_e(title)}</title>\n<style>{STYLE}{plots.STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(part for part in body if part)
        + f"\n</main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
    )


def _of_task(report: Report) -> str:
    task = report.config.get("task")
    return f": {task}" if isinstance(task, str) else ""


def _header(report: Report) -> str:
    pill = ""
    if report.requirements:
        met = sum(outcome.met for outcome in report.requirements)
        count = len(report.requirements)
        text = f"{met} of {count} requirement{'' if count == 1 else 's'} met"
        pill = f'<span class="pill {"good" if met == count else "bad"}">{text}</span>'
    parts = [items_line(report)]
    data = report.config.get("data")
    if isinstance(data, dict):
        parts += [f"{key} {value}" for key, value in data.items() if isinstance(value, str)]
    gallery = report.config.get("gallery")
    link = ""
    is_drawn = not any(warning.startswith(NOT_DRAWN) for warning in report.warnings)
    if is_drawn and isinstance(gallery, dict) and isinstance(gallery.get("folder"), str):
        address = _e(quote(f"{gallery['folder']}/{INDEX}"))
        link = f'\n<p><a href="{address}">Gallery of the worst items</a></p>'
    troubles = [*cut_short(report), *failures(report)]
    alerts = "".join(f'\n<p class="alert bad">{_e(trouble)}</p>' for trouble in troubles)
    return (
        f"<header>\n<h1>Evaluation report{_e(_of_task(report))}{pill}</h1>\n"
        f'<p class="sub">{_e(" · ".join(parts))}</p>{link}{alerts}\n</header>'
    )


def _cards(report: Report) -> str:
    """Cards of the main measures: numbers without a label and averages, without repetition."""
    entries = list(entries_of(report.results))
    summary = headlines(entries)
    measures = {one.value: one for one in reversed(summary) if isinstance(one.value, float)}
    shown = first_of_each([one for one in summary if measures.get(one.value) is one], MOST_CARDS)
    called, differing = titles_of(entries), distinguishing(summary)
    cards = []
    for entry in shown:
        about = [*([entry.name] if entry.name else []), *differing(entry)]
        small = f"<small>{_e(', '.join(about))}</small>" if about else ""
        name = f"{called(entry)} {entry.part}".rstrip()
        cards.append(
            f'<div class="card"><dt>{_e(name)}</dt>'
            f"<dd>{_e(number_text(entry.value))}{_half(entry)}</dd>{small}</div>"
        )
    return f'<dl class="cards">\n{chr(10).join(cards)}\n</dl>' if cards else ""


def _half(entry: Entry) -> str:
    text = half_width(interval_of(entry))
    return f'<span class="half">{_e(text)}</span>' if text else ""


def section(table: TextTable) -> str:
    """Render a table with its title."""
    return f"<section>\n<h2>{_e(table.title)}</h2>\n{_table(table)}\n</section>"


def _table(table: TextTable) -> str:
    caption = f'<p class="caption">{_e(table.caption)}</p>\n' if table.caption else ""
    heads = "".join(
        f'<th scope="col"{_class("n" if column.numeric else "")}>{_e(column.title)}</th>'
        for column in table.columns
    )
    cut = len(table.rows) - table.foot
    barred = [_is_share(table.rows, place) for place in range(len(table.columns))]
    body = "\n".join(_row(row, table.columns, barred) for row in table.rows[:cut])
    foot = "\n".join(_row(row, table.columns, barred) for row in table.rows[cut:])
    long = " long" if len(table.rows) > LONG_TABLE else ""
    focus = f' tabindex="0" role="region" aria-label="{_e(table.title)}"' if long else ""
    notes = "".join(f"<li>{_e(note)}</li>" for note in table.numbered_notes)
    return (
        f'{caption}<div class="scroll{long}"{focus}><table>\n<thead><tr>{heads}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody>\n"
        + (f'<tbody class="foot">\n{foot}\n</tbody>\n' if foot else "")
        + "</table></div>"
        + (f'\n<ul class="notes">{notes}</ul>' if notes else "")
    )


def _is_share(rows: Sequence[Sequence[Cell]], place: int) -> bool:
    """Return True if a column contains measures from 0 to 1, which are shown as bars."""
    numbers = [row[place].number for row in rows if row[place].number is not None]
    measured = any("." in row[place].text for row in rows)
    return len(numbers) > 1 and measured and all(0 <= n <= 1 for n in numbers if n is not None)


def _row(row: Sequence[Cell], columns: Sequence[TextColumn], barred: Sequence[bool]) -> str:
    cells = []
    for place, (cell, column) in enumerate(zip(row, columns, strict=True)):
        bar = barred[place] and cell.number is not None
        ends = cell.interval if bar else None
        kinds = ("n" if column.numeric else "", "bar" if bar else "", "range" if ends else "")
        classes = _class(*kinds, cell.tone)
        style = f' style="--share:{cell.number or 0:.1%}{_whisker(ends)}"' if bar else ""
        tag, scope = ("th", ' scope="row"') if place == 0 else ("td", "")
        cells.append(f"<{tag}{scope}{classes}{style}>{_e(cell.text)}</{tag}>")
    return f"<tr>{''.join(cells)}</tr>"


def _whisker(ends: tuple[float, float] | None) -> str:
    return "" if ends is None else f";--low:{max(ends[0], 0):.1%};--high:{min(ends[1], 1):.1%}"


def _class(*names: str) -> str:
    given = " ".join(name for name in names if name)
    return f' class="{given}"' if given else ""


def _matrix(held: Matrix, title: str, caption: str) -> str:
    tables = matrix_tables(held, title, "", MATRIX_IN_TEXT)
    is_large = held.size > MOST_LABELS_DRAWN
    if is_large:
        name = f"{title}: {len(held.rows)} rows by {len(held.columns)} columns"
        figure = Figure("", shaded(held, caption), (canvas(held, name),))
    else:
        figure = evolve(heat_figure(held, title, caption), title="")
    if held.size <= MATRIX_IN_TEXT:
        numbers = f"<details><summary>Numbers</summary>\n{_table(tables[0])}\n</details>"
        return f"<section>\n<h2>{_e(title)}</h2>\n{figure}\n{numbers}\n</section>"
    called = zip(("Largest errors", "Without a match"), tables, strict=False)
    columns = [f"<div>\n<h3>{name}</h3>\n{_table(table)}\n</div>" for name, table in called]
    parts = [str(figure), '<div class="figures">', *columns, "</div>"]
    if is_large:
        parts[:2] = parts[1::-1]
    inner = "\n".join(parts)
    return f"<section>\n<h2>{_e(title)}</h2>\n{inner}\n</section>"


def _breakdown(held: Breakdown, title: str, caption: str) -> str:
    figure = evolve(breakdown_figure(held, title, caption), title="")
    if not shares_of(held):
        return f"<section>\n<h2>{_e(title)}</h2>\n{figure}\n</section>"
    table = _table(breakdown_table(held, title, caption))
    numbers = f"<details><summary>Numbers</summary>\n{table}\n</details>"
    figures = f'<div class="figures">\n{figure}\n</div>'
    return f"<section>\n<h2>{_e(title)}</h2>\n{figures}\n{numbers}\n</section>"


_Heading = Callable[[Result], tuple[str, str]]
"""Function that returns the title and caption of a result."""


def _curves(held: Sequence[Structured], heading: _Heading) -> str:
    figures = [
        curve_figure(one, *heading(result)) for result, one in held if isinstance(one, tuple)
    ]
    others = [result for result, one in held if one is None]
    figures += [
        reliability_figure(found, *heading(result))
        for result in others
        if (found := bins(result.content))
    ]
    figures += [
        tallied_figure(counted, *heading(result))
        for result in others
        if (counted := tallies(result.content))
    ]
    if not figures:
        return ""
    inner = "\n".join(map(str, figures))
    return f'<section>\n<h2>Curves</h2>\n<div class="figures">\n{inner}\n</div>\n</section>'


def _not_drawn(held: Iterable[Structured]) -> Iterable[TextTable]:
    """Table that names the results without a table or a plot."""
    others = [
        (one, found)
        for one, found in held
        if found is None and not bins(one.content) and not tallies(one.content)
    ]
    for table in structure_tables(others, 0):
        yield evolve(table, title="Other values", caption="In the JSON report.")


def _origin(report: Report) -> str:
    versions = "".join(
        f'<tr><th scope="row">{_e(name)}</th><td>{_e(version)}</td></tr>'
        for name, version in report.versions.items()
    )
    config = json.dumps(dict(report.config), indent=2, ensure_ascii=False)
    made = f"<table><tbody>{versions}</tbody></table>\n" if versions else ""
    return (
        "<details>\n<summary>Versions and configuration</summary>\n"
        f"{made}<pre>{_e(config)}</pre>\n</details>"
    )


def _e(text: str) -> str:
    return escape(text, quote=True)
