"""Self-contained HTML page of a report.

Styles, drawings and scripts are embedded. The page supports light and dark screens, phones and
print. Without scripts, only drawings of large matrices are missing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from attrs import evolve, frozen

from valor_core.results import Report
from valor_core.results.results import installed_spec
from valor_report.gallery.parameters import INDEX, NOT_DRAWN
from valor_report.pages.findings import Finding, Titled, findings_of
from valor_report.pages.headline import DIRECTIONS, cards_of
from valor_report.pages.heights import fitting, section_height, summary_height
from valor_report.pages.item_links import ItemLinks
from valor_report.pages.item_section import MOST_BYTES, ItemSection
from valor_report.pages.page_tables import NO_LINKS, PageTable, Section
from valor_report.pages.templates import Link, render
from valor_report.plots.bar_figures import shares_of
from valor_report.plots.charts import Figure
from valor_report.plots.diagrams import bins, tallies
from valor_report.plots.figures import figures_of
from valor_report.plots.matrix_figure import Normalize
from valor_report.plots.operating_points import chosen_points
from valor_report.tables.detail_tables import detail_tables
from valor_report.tables.pivot import headings, text_of
from valor_report.tables.sections import (
    MATRIX_IN_TEXT,
    Structured,
    breakdown_table,
    directions,
    fact_table,
    matrix_tables,
    number_tables,
    requirement_table,
    structure_tables,
    structured,
)
from valor_report.tables.slice_tables import slice_tables
from valor_report.tables.structures import Breakdown, Matrix, Structure
from valor_report.tables.text_table import TextTable
from valor_report.text import cut_short, failures, items_line


def html(
    report: Report,
    *,
    navigation: Sequence[Link] = (),
    item_links: ItemLinks = NO_LINKS,
) -> str:
    """Render a report as an HTML page.

    Parameters
    ----------
    report : Report
        The report.
    navigation : sequence of Link
        Other pages of the report.
    item_links : ItemLinks
        Links to items on another page, for a report without item rows.

    Examples
    --------
    >>> from valor_core import Result
    >>> page = html(Report(results=[Result(type="Accuracy", value=0.75)], counts={"read": 4}))
    >>> page.startswith("<!doctype html>"), "0.7500" in page, "https://" in page
    (True, True, False)
    """
    held = structured(report)
    heading = headings(result for result, _ in held)
    titled = [(result, one, heading(result)[0]) for result, one in held]
    items = ItemSection.of(report)
    links = item_links if items is None else items.links
    pictures = list(_pictures(titled, links))
    found = directions(report)
    sections = [
        *pictures,
        *map(Section.of, requirement_table(report.requirements)),
        *(Section.of(table, found, links) for table in number_tables(report.results)),
        *(Section.of(table, found, links) for table in slice_tables(report)),
        *map(Section.of, detail_tables(report.results)),
        *map(Section.of, _not_drawn(held)),
        *map(Section.of, fact_table(report)),
    ]
    sections = _unique(sections)
    main = next((one for one in sections if one.figures), None)
    cards = cards_of(report)
    findings = findings_of(report, titled, None if items is None else items.listed)
    others = [one for one in sections if one is not main]
    summary = summary_height(cards, [one.text for one in findings])
    beside = [] if main is None else fitting(others, section_height(main) - summary)
    page = partial(
        render,
        "report.html",
        navigation=navigation,
        title=_title(report),
        verdict=_verdict(report),
        about=_about(report),
        gallery=None if navigation else _gallery(report),
        troubles=[*cut_short(report), *failures(report)],
        cards=cards,
        findings=_linked(findings, sections, links),
        main=main,
        beside=beside,
        sections=[one for one in others if all(one is not other for other in beside)],
        definitions=_definitions(report),
        versions=list(report.versions.items()),
        config=json.dumps(dict(report.config), indent=2, ensure_ascii=False),
    )
    if items is None:
        return page(items="")
    return page(items=items.html(MOST_BYTES - len(page(items="").encode())))


def _title(report: Report) -> str:
    """Name and task of the run, or the task alone."""
    run, task = report.config.get("run"), report.config.get("task")
    of_task = f": {task}" if isinstance(task, str) else ""
    return f"{run}{of_task}" if isinstance(run, str) else f"Evaluation report{of_task}"


@frozen
class _Verdict:
    """Number of requirements that are met, in words."""

    text: str
    met: bool


def _verdict(report: Report) -> _Verdict | None:
    if not report.requirements:
        return None
    met, count = sum(outcome.met for outcome in report.requirements), len(report.requirements)
    words = f"{met} of {count} requirement{'' if count == 1 else 's'} met"
    return _Verdict(words, met == count)


def _about(report: Report) -> str:
    """Date, number of items, data and model in one line; paths are in the config."""
    parts = [_written(), items_line(report)]
    data = report.config.get("data")
    if isinstance(data, Mapping):
        names = {key: value for key, value in data.items() if isinstance(value, str)}
        parts += [f"{key} {PurePath(value).name or value}" for key, value in names.items()]
    model = report.facts.get("judge", {}).get("model")
    parts += [f"judge {model}"] if isinstance(model, str) else []
    return " · ".join(parts)


def _written() -> str:
    """Time at which the page is written, or that of `SOURCE_DATE_EPOCH` for equal bytes."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    at = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now(UTC)
    return f"{at:%Y-%m-%d %H:%M} UTC"


def _gallery(report: Report) -> str | None:
    """Address of the gallery, or None without one."""
    gallery = report.config.get("gallery")
    is_drawn = not any(warning.startswith(NOT_DRAWN) for warning in report.warnings)
    if is_drawn and isinstance(gallery, Mapping) and isinstance(gallery.get("folder"), str):
        return quote(f"{gallery['folder']}/{INDEX}")
    return None


def _unique(sections: Iterable[Section]) -> list[Section]:
    """Number the anchors of sections with the same title."""
    counts: dict[str, int] = {}
    found = []
    for one in sections:
        count = counts[one.anchor] = counts.get(one.anchor, 0) + 1
        found.append(one if count == 1 else evolve(one, anchor=f"{one.anchor}-{count}"))
    return found


@frozen
class _Linked:
    """Finding with the address of its items or its section; empty if the page has none."""

    text: str
    tone: str
    address: str


def _linked(
    findings: Iterable[Finding], sections: Sequence[Section], links: ItemLinks
) -> list[_Linked]:
    anchors = {one.title: f"#{one.anchor}" for one in reversed(sections)}
    return [
        _Linked(
            one.text,
            one.tone,
            links.to_values(one.filter)
            or next((anchors[t] for t in one.titles if t in anchors), ""),
        )
        for one in findings
    ]


def _pictures(titled: Sequence[Titled], links: ItemLinks) -> Iterator[Section]:
    """Sections with drawings: curves, matrices, breakdowns and diagrams."""
    chosen = chosen_points(result for result, _, _ in titled)
    for kind in (tuple, Matrix, Breakdown, type(None)):
        for result, found, title in titled:
            if isinstance(found, kind):
                normalize = _normalize(found)
                figures = figures_of((result, found), title, "", normalize=normalize, chosen=chosen)
                for one in figures:
                    figure = evolve(one, title="", has_links=_has_links(found, links))
                    yield _section(found, one.title, figure, links)


def _has_links(found: Structure | None, links: ItemLinks) -> bool:
    """Return True if the items have the columns by which cells of matrices or bars filter."""
    columns = ("truth", "prediction") if isinstance(found, Matrix) else ("score",)
    return links.to(**dict.fromkeys(columns, "")) is not None


def _normalize(found: Structure | None) -> Normalize | None:
    """Share of the row for counts of a confusion matrix, which has the counts in a table."""
    is_counted = isinstance(found, Matrix) and found.confusion and found.cells.dtype.kind in "iu"
    return "true" if is_counted else None


def _section(found: Structure | None, title: str, figure: Figure, links: ItemLinks) -> Section:
    """Section of a figure with the numbers in tables."""
    figures = (figure,)
    if isinstance(found, Matrix):
        is_full = found.size <= MATRIX_IN_TEXT
        links = links if found.confusion else NO_LINKS
        tables = [
            PageTable.of(table, links=links, is_matrix=is_full)
            for table in matrix_tables(found, title, "", MATRIX_IN_TEXT)
        ]
        if is_full:
            return Section(title=title, figures=figures, numbers=tables[0])
        named = tuple(zip(("Largest errors", "Without a match"), tables, strict=False))
        return Section(title=title, figures=figures, tables=named)
    if isinstance(found, Breakdown) and shares_of(found):
        numbers = PageTable.of(breakdown_table(found, title, ""))
        return Section(title=title, figures=figures, numbers=numbers)
    return Section(title=title, figures=figures)


def _not_drawn(held: Iterable[Structured]) -> Iterable[TextTable]:
    """Table that names the results without a table or a plot."""
    others = [
        (one, found)
        for one, found in held
        if found is None and not bins(one.content) and not tallies(one.content)
    ]
    for table in structure_tables(others, 0):
        yield evolve(table, title="Other values", caption="In the JSON report.")


def _definitions(report: Report) -> PageTable | None:
    """Table with the meaning, the direction and the settings of each metric."""
    metrics = report.config.get("metrics")
    rows = [_definition(one) for one in metrics] if isinstance(metrics, (list, tuple)) else []
    table = TextTable("Metrics", ["metric", "meaning", "direction", "settings"], rows)
    return PageTable.of(table) if rows else None


def _definition(entry: Any) -> list[str]:
    settings = dict(entry) if isinstance(entry, Mapping) else {"name": entry}
    name = str(settings.pop("name", "")).partition("@")[0]
    spec = installed_spec(name)
    better = None if spec is None else spec.higher_is_better
    words = [f"{key} {text_of(value)}" for key, value in settings.items()]
    return [
        name,
        "" if spec is None else spec.summary,
        "" if better is None else DIRECTIONS[better],
        ", ".join(words),
    ]
