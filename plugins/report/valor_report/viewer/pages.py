"""Pages of the viewer: the report, its items, an item, and thresholds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qsl, urlencode

from attrs import evolve, field, frozen

from valor_core.errors import ReadError, ReportError, ValorError, short_repr
from valor_core.results import Failed, NoScore
from valor_core.results.result import first_line, is_number
from valor_core.results.results import Results
from valor_report.gallery.gallery_page import columns_of, data_url
from valor_report.pages.item_links import ANCHOR, ItemLinks
from valor_report.pages.page import html
from valor_report.pages.page_tables import PageTable
from valor_report.pages.templates import Link, policy, render
from valor_report.tables.item_tables import NAMED
from valor_report.tables.pivot import Notes
from valor_report.tables.sections import number_tables
from valor_report.tables.text_table import MISSING, Cell, Row, TextTable, number_text
from valor_report.viewer.item_columns import Column, ItemNumbers, ItemTexts
from valor_report.viewer.item_query import ITEM, PAGE, ItemQuery
from valor_report.viewer.pictures import Drawn, Pictures, detail_texts
from valor_report.viewer.source import ReportSource
from valor_report.viewer.thresholds import (
    Threshold,
    Thresholds,
    changed_parameters,
    chosen_values,
    thresholds_of,
)

_FOLDER = files(__package__)
SCRIPT = _FOLDER.joinpath("viewer.js").read_text(encoding="utf-8")
STYLE = _FOLDER.joinpath("viewer.css").read_text(encoding="utf-8")

_MOST_COLUMNS = 12
_MOST_NUMBERS = 6
_MOST_WORDS = 60
_MOST_FIELDS = 6
_LONGEST = 160
_MOST_PAIRS = 100
_SOON = 20_000
"""Number of items up to which the first page reads them, for its links."""

_UID = "uid"
_COLORS = "in color at these thresholds, in gray in the report"


@frozen
class Page:
    """A page as HTML.

    Parameters
    ----------
    html : str
        The page.
    policy : str
        Its content security policy.
    status : int
        Status code of HTTP.
    """

    html: str = field(repr=False)
    policy: str
    status: int = 200


@frozen
class _Field:
    """Field of a form that filters a column."""

    name: str
    title: str
    value: str
    words: Sequence[str] = ()
    example: str = ""
    has_empty: bool = False


@frozen
class _Head:
    """Head of a column, with the address that sorts by it."""

    title: str
    address: str
    order: str = ""
    numeric: bool = False


@frozen
class _ItemLine:
    """Row of the table of items."""

    uid: str
    address: str
    cells: Sequence[Cell]


@frozen
class _Setting:
    """Field of a form for a threshold."""

    name: str
    title: str
    value: str
    start: str
    help: str
    low: float
    high: float
    metrics: str


@frozen(eq=False, repr=False)
class ViewerPages:
    """Pages of a report by path.

    Parameters
    ----------
    source : ReportSource
        Report, data and metrics.
    warning : str
        Warning for the first page, such as that data are newer than the report.
    """

    source: ReportSource
    warning: str = ""

    def page(self, path: str, query: str) -> Page:
        """Return the page of an address; errors are pages, too.

        Parameters
        ----------
        path : str
            Path, such as ``"/items"``. It never names a file.
        query : str
            Query, such as ``"truth=cat"``.
        """
        made = {
            "/": lambda: self._report,
            "/items": lambda: self._items(query),
            "/item": lambda: self._item(query),
            "/thresholds": lambda: self._thresholds(query),
        }.get(path)
        if made is None:
            return self._trouble(404, f"{short_repr(path)}: no such page", "Open the first page: /")
        try:
            return made()
        except ReadError as error:
            return self._trouble(409, error.message, error.remedy)
        except ValorError as error:
            return self._trouble(400, error.message, error.remedy)

    def _links(self, current: str) -> tuple[Link, ...]:
        links = {"Report": ".", "Items": "items", "Thresholds": "thresholds"}
        return tuple(
            Link(text, to, text == current, ANCHOR if current == "Report" and to == "items" else "")
            for text, to in links.items()
        )

    def _made(self, template: str, status: int = 200, **values: Any) -> Page:
        text = render(template, style=STYLE, script=SCRIPT, connects=True, **values)
        return Page(text, policy(SCRIPT, connects=True), status)

    def _trouble(self, status: int, message: str, remedy: str | None) -> Page:
        lines = [message, *(remedy or "").splitlines()]
        return self._made(
            "viewer/trouble.html",
            status,
            navigation=self._links(""),
            title="Not shown",
            lines=lines,
        )

    @cached_property
    def _report(self) -> Page:
        """Page of the report; its items have their own pages."""
        report = evolve(self.source.report, items=())
        if self.warning:
            report = evolve(report, warnings=(*report.warnings, self.warning))
        text = html(report, navigation=self._links("Report"), item_links=self._item_links())
        return Page(text, policy())

    def _item_links(self) -> ItemLinks:
        """Links to filtered items, if their columns are read already or soon."""
        report = self.source.report
        if not report.items and report.counts.get("read", 0) > _SOON:
            return ItemLinks()
        try:
            return ItemLinks(frozenset(self.source.items.columns), "items")
        except ValorError:
            return ItemLinks()

    def _items(self, text: str) -> Page:
        items = self.source.items
        query = ItemQuery.parse(text)
        chosen = query.positions(items)
        pages = max(1, -(-len(chosen) // PAGE))
        query = evolve(query, page=min(query.page, pages))
        shown = _shown(items.columns, self.source.fields)
        notes, rows = Notes(), []
        for position in chosen[(query.page - 1) * PAGE : query.page * PAGE].tolist():
            uid = str(items.uids[position])
            cells = [_cell(column.at(position), notes) for column in shown]
            rows.append(_ItemLine(uid, f"item?{query.address(uid=uid)}", cells))
        of = f"{len(chosen):,} of {len(items):,}" if len(chosen) < len(items) else f"{len(items):,}"
        hidden = len(items.columns) - len(shown)
        more = f" · {hidden} more columns on the page of each item" if hidden > 0 else ""
        first = "" if query.sort or not len(items) else ", the worst first"
        return self._made(
            "viewer/items.html",
            navigation=self._links("Items"),
            title="Items",
            about=f"{of} item{'' if len(items) == 1 else 's'}{first}{more}",
            query=query,
            fields=[*_fields(items.columns, query)],
            all=f"items?{urlencode({'sort': query.sort})}" if query.sort else "items",
            heads=[_head(ITEM, ITEM, query, False), *(_head_of(one, query) for one in shown)],
            rows=rows,
            notes=notes.all,
            page=f"{query.page:,}",
            pages=f"{pages:,}",
            before=f"items?{query.address(page=query.page - 1)}" if query.page > 1 else "",
            after=f"items?{query.address(page=query.page + 1)}" if query.page < pages else "",
        )

    def _item(self, text: str) -> Page:
        items = self.source.items
        pairs = _pairs(text)
        uid = dict(pairs).get(_UID, "")
        position = items.position(uid)
        if position is None:
            return self._trouble(
                404, f"items: no item {short_repr(uid)}", "Open the list of items: /items"
            )
        pictures = Pictures(self.source)
        settings = thresholds_of([("", pictures.parameters(), self.source.gallery or {})])
        names = {one.name for one in settings}
        given = [pair for pair in pairs if pair[0] in names]
        query = ItemQuery.parse(urlencode([pair for pair in pairs if pair[0] not in names]))
        trouble: list[str] = []
        drawn = []
        tables = [_values(items.columns, position)]
        try:
            if self.source.data is None:
                drawn = [Drawn(detail_texts(self.source.details(uid)), {})]
            else:
                item = self.source.item(uid)
                values = chosen_values(given, settings)
                drawn = pictures.of(item, changed_parameters(pictures.parameters(), values))
                tables += _metadata(item.datums.at(0).metadata)
        except ValorError as error:
            trouble = [error.message, *(error.remedy or "").splitlines()]
        order = query.positions(items).tolist()
        rank = order.index(position) if position in order else -1
        return self._made(
            "viewer/item.html",
            navigation=self._links(""),
            title=uid,
            about=f"{rank + 1:,} of {len(order):,}" if rank >= 0 else "",
            before=self._at(order, rank - 1, query, given) if rank > 0 else "",
            after=self._at(order, rank + 1, query, given) if 0 <= rank < len(order) - 1 else "",
            back=f"items?{query.address()}",
            thresholds=_settings(settings, given),
            hidden=parse_qsl(query.address(uid=uid)),
            drawn=drawn,
            trouble=trouble,
            columns=columns_of,
            address=data_url,
            tables=[PageTable.of(one) for one in tables if one.rows],
        )

    def _at(
        self, order: Sequence[int], rank: int, query: ItemQuery, given: Sequence[tuple[str, str]]
    ) -> str:
        uid = str(self.source.items.uids[order[rank]])
        settings = f"&{urlencode(given)}" if given else ""
        return f"item?{query.address(uid=uid)}{settings}"

    @cached_property
    def _live(self) -> Thresholds:
        return Thresholds(self.source)

    def _thresholds(self, text: str) -> Page:
        live, trouble, values = self._live, list[str](), dict[str, float]()
        available = live.available
        given = _pairs(text)
        found, status = None, 200
        try:
            values = chosen_values(given, available)
            if available:
                found = live.at(values) if values else live.unchanged
        except ValorError as error:
            trouble = [error.message, *(error.remedy or "").splitlines()]
            status = 409 if isinstance(error, ReadError) else 400
        kept = live.kept
        results = [one for one in self.source.report if one.type in kept]
        about = "Set a value to evaluate the data again. The report does not change."
        missing = self.source.missing
        nothing = (
            missing.one_line
            if missing is not None
            else "The report has no data section, so that it cannot be evaluated again."
            if self.source.data is None
            else "No metric of the report has a threshold to change."
        )
        return self._made(
            "viewer/thresholds.html",
            status,
            navigation=self._links("Thresholds"),
            title="Thresholds",
            about=about if available else nothing,
            thresholds=_settings(available, given),
            trouble=trouble,
            legend=_COLORS if values else "",
            warnings=() if found is None else found.warnings,
            table=None if found is None else PageTable.of(found.table),
            drawings=() if found is None else found.drawings,
            kept=kept,
            kept_tables=[PageTable.of(one) for one in number_tables(Results(results))],
        )


def _pairs(text: str) -> list[tuple[str, str]]:
    """Return the names and values of an address."""
    try:
        return parse_qsl(text, True, errors="replace", max_num_fields=_MOST_PAIRS)
    except ValueError as error:
        raise ReportError(
            f"address: expected at most {_MOST_PAIRS} values, got more", "Open the first page: /"
        ) from error


def _head(title: str, name: str, query: ItemQuery, numeric: bool, first: str = "") -> _Head:
    """Head of a column; a click sorts, a second one reverses the order."""
    sort, order = f"{first}{name}", ""
    if name and query.sort.removeprefix("-") == name:
        order = "descending" if query.sort.startswith("-") else "ascending"
        sort = name if query.sort.startswith("-") else f"-{name}"
    address = query.address(page=1, sort=sort)
    return _Head(title, f"items?{address}" if address else "items", order, numeric)


def _head_of(column: Column, query: ItemQuery) -> _Head:
    numeric = isinstance(column, ItemNumbers)
    # The first click shows the worst items, or the highest of numbers without a direction.
    worst = "-" if isinstance(column, ItemNumbers) and column.is_high_first else ""
    return _head(column.name.replace("_", " "), column.name, query, numeric, worst)


def _shown(columns: Mapping[str, Column], slices: Sequence[str]) -> list[Column]:
    """Columns of the table: shared details, numbers of metrics, slices, then other details."""
    named = [name for name in NAMED if name in columns]
    metrics = [name for name, one in columns.items() if isinstance(one, ItemNumbers) and one.metric]
    sliced = [name for name in slices if name in columns]
    order = dict.fromkeys([*named, *metrics[:_MOST_NUMBERS], *sliced, *columns])
    return [columns[name] for name in order][:_MOST_COLUMNS]


def _fields(columns: Mapping[str, Column], query: ItemQuery) -> Iterable[_Field]:
    """Yield fields for columns of few words, and for those that the address filters by."""
    filtered = dict.fromkeys(name for name, _ in query.filters)
    few = [
        name
        for name, one in columns.items()
        if isinstance(one, ItemTexts) and 1 < len(one.words) <= _MOST_WORDS
    ]
    scores = [name for name in ("score",) if name in columns]
    shared = [name for name in ("truth", "prediction") if name in columns]
    for name in dict.fromkeys([*filtered, *[*shared, *scores, *few][:_MOST_FIELDS]]):
        column, value = columns.get(name), query.of(name)
        words: Sequence[str] = ()
        if isinstance(column, ItemTexts) and len(column.words) <= _MOST_WORDS:
            words = tuple(filter(None, column.words))
        example = "0.2..0.5" if isinstance(column, ItemNumbers) else ""
        has_empty = isinstance(column, ItemTexts) and "" in column.words
        yield _Field(name, name.replace("_", " "), value, words, example, has_empty)


def _cell(value: Any, notes: Notes) -> Cell:
    if value is None:
        return Cell(MISSING, tone="faint")
    if isinstance(value, NoScore):
        failed = isinstance(value, Failed)
        mark = notes.mark(first_line(value.reason))
        return Cell(f"{'failed' if failed else MISSING}{mark}", tone="bad" if failed else "faint")
    if is_number(value):
        return Cell(number_text(value), float(value))
    text = str(value)
    return Cell(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")


def _values(columns: Mapping[str, Column], position: int) -> TextTable:
    notes, rows = Notes(), list[Row]()
    for name, column in columns.items():
        value = column.at(position)
        if value is not None:
            text = _cell(value, notes).text if not isinstance(value, str) else value
            rows.append([name.replace("_", " "), text])
    return TextTable("Numbers", ["name", "value"], rows, notes=notes.all)


def _metadata(metadata: Mapping[str, Any]) -> list[TextTable]:
    rows: list[Row] = [[name, str(value)] for name, value in metadata.items() if value is not None]
    return [TextTable("Fields of the item", ["field", "value"], rows)] if rows else []


def _settings(available: Sequence[Threshold], given: Sequence[tuple[str, str]]) -> list[_Setting]:
    values = dict(given)
    return [
        _Setting(
            one.name,
            one.title,
            values.get(one.name, ""),
            "" if one.only is None else f"{one.only:g}",
            one.help,
            one.low,
            one.high,
            ", ".join(one.metrics),
        )
        for one in available
    ]
