"""Self-contained HTML page of the comparison of two reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from attrs import frozen

from valor_report.comparison.changes import Change
from valor_report.comparison.difference_tables import other_results
from valor_report.comparison.item_changes import ItemChange, ItemChanges, Prediction
from valor_report.comparison.main_numbers import main_changes, moved_slices, short_names
from valor_report.comparison.side_by_side import item_pairs
from valor_report.comparison.whiskers import DifferenceRow, difference_rows
from valor_report.gallery.gallery_page import data_url
from valor_report.pages.assets import COMPARISON_STYLE
from valor_report.pages.page_tables import Section
from valor_report.pages.templates import render
from valor_report.tables.text_table import MISSING, Tone, number_text

if TYPE_CHECKING:
    from valor_report.comparison.two_reports import Comparison

_MOST_ROWS = 500
_ITEM_TONES: dict[str, Tone] = {
    "broken": "bad",
    "worse": "bad",
    "fixed": "good",
    "better": "good",
    "wrong in both": "faint",
}
_ORDER = ("worse", "vanished", "better", "appeared", "different", "unclear", "same")


def html(found: Comparison, title: str | None = None) -> str:
    """Render a comparison: the answer, main numbers, items that changed, and slices that moved.

    Parameters
    ----------
    found : Comparison
        The comparison.
    title : str, optional
        Title of the page. Defaults to the names of the reports.
    """
    names = short_names(found.names)
    main = main_changes(found.changes)
    moved = moved_slices(found.changes)
    listed = {id(one) for one in (*main, *moved)}
    has_tests = any(one.is_tested for one in found.changes)
    others = [one for one in found.changes if id(one) not in listed and one.verdict != "same"]
    others.sort(key=lambda one: (_ORDER.index(one.verdict), one.p if one.is_tested else 1.0))
    same = sum(one.verdict == "same" and id(one) not in listed for one in found.changes)
    results = other_results(found.structures, found.only_a, found.only_b)
    return render(
        "comparison.html",
        style=COMPARISON_STYLE,
        title=f"{names[0]}, then {names[1]}" if title is None else title,
        answer=found.answer,
        about=_about(found),
        names=names,
        alerts=[f"Not comparable: {reason}" for reason in found.incomparable],
        untested=found.untested,
        main=_table(main, "Main numbers", has_tests),
        counts=_counts(found.items),
        items=_item_rows(found.items),
        hidden=_hidden(found.items),
        pairs=item_pairs(found, names),
        undrawn=found.drawings.reason,
        legend=found.drawings.legend,
        slices=_table(moved, "Slices that moved", has_tests),
        others=_table(others, "Other numbers that differ", has_tests, same),
        results=list(map(Section.of, results)),
        remarks=[one for one in found.remarks if not one.startswith("not comparable")],
        address=data_url,
    )


def _about(found: Comparison) -> str:
    """Number of items, tests and correction in one line."""
    parts = [] if found.read is None else [f"{found.read:,} items"]
    methods = dict.fromkeys(one.method for one in found.changes if one.method is not None)
    if methods:
        parts += [f"paired tests: {', '.join(methods)}"]
    return " · ".join([*parts, found.summary])


@frozen
class DifferenceTable:
    """Table of differences on a page.

    Parameters
    ----------
    title, caption : str
        Title, and remarks on the rows.
    rows : list of DifferenceRow
        Rows.
    """

    title: str
    caption: str
    rows: list[DifferenceRow]

    @property
    def has_items(self) -> bool:
        """True if a row has a number of items."""
        return any(row.items for row in self.rows)

    @property
    def has_p(self) -> bool:
        """True if a row has a p-value."""
        return any(row.p for row in self.rows)


def _table(
    changes: Sequence[Change], title: str, has_tests: bool, same: int = 0
) -> DifferenceTable:
    hidden = len(changes) - _MOST_ROWS
    caption = [
        f"{hidden:,} more in the JSON of the comparison" if hidden > 0 else "",
        f"{same:,} more are the same" if same else "",
    ]
    rows = difference_rows(changes[:_MOST_ROWS], has_tests=has_tests)
    return DifferenceTable(title, "; ".join(filter(None, caption)), rows)


@frozen
class _ItemRow:
    """Row of an item, with texts for its cells."""

    uid: str
    outcome: str
    tone: Tone
    truth: str
    first: tuple[str, str]
    second: tuple[str, str]
    values: str
    wrong: str
    slices: str


def _item_rows(found: ItemChanges | None) -> list[_ItemRow]:
    return [] if found is None else [_item_row(row, found) for row in found.rows]


def _item_row(row: ItemChange, found: ItemChanges) -> _ItemRow:
    values = ""
    if not found.is_right_or_wrong:
        values = f"{_number(row.first.value)} → {_number(row.second.value)}"
    return _ItemRow(
        str(row.uid),
        row.outcome,
        _ITEM_TONES[row.outcome],
        shortened(row.truth),
        _prediction(row.first),
        _prediction(row.second),
        values,
        shortened(row.second.wrong or row.first.wrong),
        row.slices,
    )


def _prediction(one: Prediction) -> tuple[str, str]:
    """Text of a prediction and its score."""
    score = "" if one.score is None else number_text(one.score)
    return shortened(one.text), score


def _number(value: float | None) -> str:
    return MISSING if value is None else number_text(value)


def shortened(text: str) -> str:
    """Return a text for a cell of a table; a long one ends with an ellipsis."""
    return text if len(text) <= _MOST_TEXT else f"{text[: _MOST_TEXT - 1]}…"


_MOST_TEXT = 160


def _counts(found: ItemChanges | None) -> list[tuple[str, str, Tone]]:
    """Outcomes of items with their numbers, for links."""
    if found is None:
        return []
    return [(way, f"{count:,}", _ITEM_TONES[way]) for way, count in found.counts.items()]


def _hidden(found: ItemChanges | None) -> str:
    """Say what the table of items lists."""
    if found is None:
        return ""
    rest = sum(found.counts.values()) - len(found.rows)
    more = f"; {rest:,} more in the JSON of the comparison" if rest else ""
    return f"by {found.title}, of {found.items:,} items in both reports{more}"
