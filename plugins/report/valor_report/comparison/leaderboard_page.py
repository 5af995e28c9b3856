"""Self-contained HTML page of several reports, ranked by their main numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from attrs import frozen

from valor_report.comparison.comparison_page import shortened
from valor_report.comparison.whiskers import ARROWS, Whisker, percent_of
from valor_report.pages.assets import COMPARISON_STYLE
from valor_report.pages.page_tables import Section
from valor_report.pages.templates import render
from valor_report.tables.pivot import half_width
from valor_report.tables.text_table import Tone, number_text, probability_text

if TYPE_CHECKING:
    from valor_report.comparison.item_board import BoardItem, ItemBoard
    from valor_report.comparison.item_changes import Prediction
    from valor_report.comparison.several_reports import Board, BoardRow, RankedReports

_TONES: dict[str, Tone] = {"best": "good", "worse": "bad", "may be best": ""}


def html(found: RankedReports, title: str | None = None) -> str:
    """Render the leaderboard: the answer, and a ranking by each main number.

    Parameters
    ----------
    found : RankedReports
        Ranked reports.
    title : str, optional
        Title of the page.
    """
    names = found.short_names
    return render(
        "leaderboard.html",
        style=COMPARISON_STYLE,
        title=found.title if title is None else title,
        answer=found.answer,
        about=found.items,
        remarks=found.remarks,
        boards=[_board(board, names) for board in found.boards],
        names=list(names.values()),
        differing=found.differing,
        items=[]
        if found.differing is None
        else [_item(row, found.differing) for row in found.differing.rows],
        tables=[Section.of(found.number_table())],
    )


@frozen
class _Row:
    """Row of a ranking, with texts for its cells."""

    rank: str
    name: str
    value: str
    difference: str
    p: str
    verdict: str
    tone: Tone
    whisker: Whisker | None


@frozen
class _Board:
    """Ranking on the page."""

    title: str
    arrow: str
    rows: list[_Row]

    @property
    def is_tested(self) -> bool:
        return any(row.p for row in self.rows)


def _board(board: Board, names: Mapping[str, str]) -> _Board:
    ends = [end for row in board.rows for end in row.difference_interval or (row.difference,)]
    scale = (min(ends, default=0.0), max(ends, default=0.0))
    rows = [_row(row, names[row.name], scale) for row in board.rows]
    return _Board(board.title, ARROWS[board.higher_is_better], rows)


def _row(row: BoardRow, name: str, scale: tuple[float, float]) -> _Row:
    tone = _TONES.get(row.verdict, "")
    ranks = ""
    if row.ranks is not None and row.ranks[0] != row.ranks[1]:
        ranks = f" ({row.ranks[0]} to {row.ranks[1]})"
    low, high = row.difference_interval or (row.difference, row.difference)
    sign = "+" if row.difference > 0 else ""
    difference = f"{sign}{number_text(row.difference)}{half_width(row.difference_interval)}"
    is_best = not row.difference and row.p is None
    return _Row(
        f"{row.rank}{ranks}",
        name,
        f"{number_text(row.value)}{half_width(row.interval)}",
        "" if is_best else difference,
        "" if row.p is None else probability_text(row.p),
        row.verdict,
        tone,
        None if is_best else percent_of((low, row.difference, high), scale, tone),
    )


@frozen
class _Item:
    """Row of an item: its texts, and the text, score and tone of each prediction."""

    uid: str
    outcome: str
    truth: str
    cells: list[tuple[str, str, Tone]]


def _items(board: ItemBoard | None) -> list[_Item]:
    return [] if board is None else [_item(row, board) for row in board.rows]


def _item(row: BoardItem, board: ItemBoard) -> _Item:
    cells = [_cell(one, board) for one in row.predictions]
    return _Item(str(row.uid), row.outcome, shortened(row.truth), cells)


def _cell(one: Prediction, board: ItemBoard) -> tuple[str, str, Tone]:
    value = "" if one.value is None else number_text(one.value)
    if not board.is_right_or_wrong:
        return shortened(one.text) or value, value if one.text else "", ""
    is_right = one.value == board.best
    text = shortened(one.text) or ("right" if is_right else "wrong")
    score = "" if one.score is None else number_text(one.score)
    return text, score, "good" if is_right else "bad"
