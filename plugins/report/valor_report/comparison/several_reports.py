"""Leaderboard of several reports: ranks by each main number, and differences to the best."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import asdict, field, frozen

from valor_core.results import Report
from valor_core.results.entries import CONFIDENCE, Entry, entries_of
from valor_core.results.files import write_text
from valor_core.results.result import is_number
from valor_core.specs import Registry
from valor_core.specs.extensions import INTERVALS, extension
from valor_report.comparison.answers import Answer
from valor_report.comparison.changes import Identity, identity_of, metric_direction
from valor_report.comparison.item_board import ItemBoard, item_board
from valor_report.comparison.main_numbers import short_names
from valor_report.tables.pivot import (
    distinguishing,
    first_of_each,
    headlines,
    interval_of,
    titled,
    titles_of,
)
from valor_report.tables.runs import rank_table, run_table
from valor_report.tables.text_table import TextTable

SUFFIXES_OF_SEVERAL = (".md", ".html", ".json", ".csv")
"""File suffixes that `RankedReports.save` supports."""

MOST_BOARDS = 12
"""Maximum number of main numbers by which reports are ranked."""


@frozen
class BoardRow:
    """A report in the order of one number.

    Parameters
    ----------
    name : str
        Name of the report.
    value : float
        Its number.
    interval : (float, float) or None
        Interval of the number.
    rank : int
        One plus the number of reports with a better number.
    ranks : (int, int) or None
        Lowest and highest rank that the data allow; None without tests.
    difference : float
        Its number minus that of the best report.
    difference_interval : (float, float) or None
        Interval of the difference.
    p : float or None
        Probability of such a difference by chance, corrected for all pairs of reports.
    verdict : str
        ``"best"`` if better than all others beyond chance, ``"may be best"``, or ``"worse"`` than
        the best beyond chance; empty without tests.
    """

    name: str
    value: float
    interval: tuple[float, float] | None
    rank: int
    ranks: tuple[int, int] | None
    difference: float
    difference_interval: tuple[float, float] | None
    p: float | None
    verdict: str

    def to_dict(self) -> dict[str, Any]:
        """Return the row as JSON values."""
        tested = {}
        if self.ranks is not None:
            tested = {"ranks": list(self.ranks), "p": self.p, "verdict": self.verdict}
        ends = {} if self.interval is None else {"interval": list(self.interval)}
        around = self.difference_interval
        difference = {} if around is None else {"difference_interval": list(around)}
        return {
            "report": self.name,
            "value": self.value,
            **ends,
            "rank": self.rank,
            "difference": self.difference,
            **difference,
            **tested,
        }


@frozen
class Board:
    """Reports ranked by one number, the best first.

    Parameters
    ----------
    title : str
        Metric with what distinguishes the number.
    higher_is_better : bool
        Direction of the metric.
    rows : tuple of BoardRow
        Reports, the best first.
    """

    title: str
    higher_is_better: bool
    rows: tuple[BoardRow, ...]

    @property
    def is_tested(self) -> bool:
        """True if a pair of reports has a test."""
        return any(row.ranks is not None for row in self.rows)

    @property
    def best(self) -> list[str]:
        """Names of the reports with the best number."""
        return [row.name for row in self.rows if row.rank == 1]

    @property
    def is_clear(self) -> bool:
        """True if one report is better than all others beyond chance."""
        return self.rows[0].verdict == "best"

    def to_dict(self) -> dict[str, Any]:
        """Return the board as JSON values."""
        return {
            "number": self.title,
            "higher_is_better": self.higher_is_better,
            "rows": [row.to_dict() for row in self.rows],
        }


@frozen(repr=False)
class RankedReports:
    """Several reports, ranked by their main numbers.

    Parameters
    ----------
    reports : mapping of str to Report
        Reports by name.
    boards : tuple of Board
        Ranks by each main number that all reports have and that has a direction.
    remarks : tuple of str
        Reasons why reports are not comparable or not tested.
    ranks : Leaderboard, optional
        Ranks with tests of all pairs, as `valor_intervals.leaderboard` returns them.
    differing : ItemBoard, optional
        Items on which the reports differ; None without rows of the same items.
    """

    reports: Mapping[str, Report]
    boards: tuple[Board, ...]
    remarks: tuple[str, ...] = ()
    ranks: Any = field(default=None, repr=False)
    differing: ItemBoard | None = None

    def __repr__(self) -> str:
        return f"<RankedReports: {len(self.reports):,} reports; print(ranked.answer)>"

    @property
    def title(self) -> str:
        """Title of files."""
        return f"Leaderboard of {len(self.reports):,} reports"

    @property
    def answer(self) -> Answer:
        """Sentence that says which report is best in how many main numbers."""
        found = () if self.ranks is None else self.ranks.incomparable
        return _answer(self.boards, self.short_names, [str(one) for one in found])

    @property
    def items(self) -> str:
        """Number of items of the reports in words."""
        read = [report.counts.get("read", 0) for report in self.reports.values()]
        if len(set(read)) == 1:
            return f"{read[0]:,} items in each report"
        listed = ", ".join(f"{count:,}" for count in read)
        return f"{listed} items; each number is of all items of its report"

    @property
    def short_names(self) -> dict[str, str]:
        """Names of the reports without their folders."""
        return dict(zip(self.reports, short_names([*self.reports]), strict=True))

    def number_table(self) -> TextTable:
        """Table of the main numbers, one report per row, with short names."""
        short = self.short_names
        return run_table({short[name]: one for name, one in self.reports.items()}, "Reports")

    def tables(self) -> tuple[TextTable, ...]:
        """Tables of the main numbers and of the ranks."""
        ranks = None if self.ranks is None else rank_table(self.ranks)
        return (run_table(self.reports, "Reports"), *([] if ranks is None else [ranks]))

    def to_dict(self) -> dict[str, Any]:
        """Return numbers and ranks as JSON values."""
        ranked = {} if self.ranks is None else {"leaderboard": self.ranks.to_dict()}
        return {
            "answer": str(self.answer),
            "reports": {name: report.flat(short=True) for name, report in self.reports.items()},
            "boards": [board.to_dict() for board in self.boards],
            "remarks": list(self.remarks),
            "differing": None if self.differing is None else asdict(self.differing),
            **ranked,
        }

    def save(self, path: Path, title: str | None = None) -> None:
        """Write the leaderboard to a file in Markdown, HTML, JSON or CSV.

        Raises
        ------
        ReportError
            If the file cannot be written.
        """
        if path.suffix == ".html":
            from valor_report.comparison.leaderboard_page import html

            text = html(self, title)
        elif path.suffix == ".md":
            text = self.markdown(title)
        elif path.suffix == ".csv":
            text = self.csv()
        else:
            text = json.dumps(self.to_dict(), indent=1, ensure_ascii=False) + "\n"
        write_text(path, text)

    def markdown(self, title: str | None = None) -> str:
        """Format the leaderboard as Markdown for a comment of a pull request."""
        from valor_report.comparison.comment import comment_of_several

        return comment_of_several(self, title)

    def csv(self) -> str:
        """Format the ranks as CSV, one row for each number and report."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(_COLUMNS)
        for board in self.boards:
            for row in board.rows:
                ends, ranks = row.interval or ("", ""), row.ranks or ("", "")
                around = row.difference_interval or ("", "")
                p = "" if row.p is None else row.p
                cells = [board.title, row.name, row.value, *ends, row.rank, *ranks]
                writer.writerow([*cells, row.difference, *around, p, row.verdict])
        return stream.getvalue()


_COLUMNS = (
    *("number", "report", "value", "low", "high", "rank", "rank_low", "rank_high"),
    *("difference", "difference_low", "difference_high", "p", "verdict"),
)


def rank_reports(
    reports: Mapping[str, Report], *, registry: Registry | None = None, **tests: Any
) -> RankedReports:
    """Rank several reports by their main numbers.

    Parameters
    ----------
    reports : mapping of str to Report
        Reports by name.
    registry : Registry, optional
        Registry with the metrics. Defaults to a new `Registry()`.
    tests : optional
        Options of `valor_intervals.leaderboard`, such as ``correction="bh"``.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> def answered(right):
    ...     found = ["a"] * right + ["b"] * (40 - right)
    ...     return evaluate(["a"] * 40, found, ["Accuracy"], items=True)
    >>> reports = {"small": answered(10), "large": answered(36)}
    >>> ranked = rank_reports(reports)
    >>> print(ranked.answer)
    large is best in 1 of 1 main number, in 1 beyond chance.
    >>> [(row.name, row.rank, row.verdict) for row in ranked.boards[0].rows]
    [('large', 1, 'best'), ('small', 2, 'worse')]
    """
    registry = registry or Registry()
    found = extension(INTERVALS, "leaderboard")
    ranks = None if found is None else found.load()(reports, registry=registry, **tests)
    rankings = {} if ranks is None else {one.number.key: one for one in ranks.rankings}
    boards = tuple(_boards(reports, rankings, registry))
    remarks = [] if ranks is None else [f"not comparable: {one}" for one in ranks.incomparable]
    if not remarks and not any(board.is_tested for board in boards):
        remarks = [*_untested(reports)]
    return RankedReports(reports, boards, tuple(remarks), ranks, item_board(reports, registry))


def _boards(
    reports: Mapping[str, Report], rankings: Mapping[Any, Any], registry: Registry
) -> Iterator[Board]:
    numbers = {name: _numbers(report) for name, report in reports.items()}
    first = [
        entry
        for entry in entries_of(next(iter(reports.values())))
        if entry.name is None or entry.sums_up
    ]
    shared = [
        one for one in headlines(first) if all(_key(one) in each for each in numbers.values())
    ]
    directions = {one.metric: metric_direction(one.result, registry) for one in shared}
    directed = [one for one in shared if directions[one.metric] is not None]
    called, differing = titles_of(directed), distinguishing(directed)
    for entry in first_of_each(directed, MOST_BOARDS):
        title = titled(entry, called(entry), differing(entry))
        held = {name: each[_key(entry)] for name, each in numbers.items()}
        ranking = rankings.get((*identity_of(entry.result), entry.part))
        is_better = directions[entry.metric] is True
        yield Board(title, is_better, tuple(_rows(held, ranking, is_better)))


_Key = tuple[Identity, str]


def _key(entry: Entry) -> _Key:
    return identity_of(entry.result), entry.part


def _numbers(report: Report) -> dict[_Key, Entry]:
    return {_key(one): one for one in entries_of(report) if is_number(one.value)}


def _rows(held: Mapping[str, Entry], ranking: Any, higher_is_better: bool) -> Iterator[BoardRow]:
    sign = -1 if higher_is_better else 1
    values = {name: float(entry.value) for name, entry in held.items()}
    ordered = sorted(values, key=lambda name: sign * values[name])
    best = ordered[0]
    ends = {} if ranking is None else {one.name: (one.low, one.high) for one in ranking.rows}
    for name in ordered:
        test = None if ranking is None or name == best else ranking.difference(best, name)
        ranks = ends.get(name)
        yield BoardRow(
            name,
            values[name],
            interval_of(held[name]),
            1 + sum(sign * other < sign * values[name] for other in values.values()),
            ranks,
            values[name] - values[best],
            None if test is None else (test.low, test.high),
            None if test is None else test.p,
            _verdict(ranks, test),
        )


def _verdict(ranks: tuple[int, int] | None, test: Any) -> str:
    if ranks is None:
        return ""
    if ranks == (1, 1):
        return "best"
    if test is not None and test.is_clear:
        return "worse"
    return "may be best" if ranks[0] == 1 else ""


def _untested(reports: Mapping[str, Report]) -> Iterator[str]:
    """Say how to test the differences."""
    without = [name for name, report in reports.items() if not report.config.get(CONFIDENCE)]
    if without:
        listed = " and ".join(without[:2]) + (" and others" if len(without) > 2 else "")
        yield (
            f"no test: {listed} without intervals; for them: "
            "valor rerun REPORT --confidence 0.95 -o REPORT"
        )


def _answer(
    boards: Sequence[Board], short: Mapping[str, str], incomparable: Sequence[str]
) -> Answer:
    if not boards:
        return Answer("The reports have no main number with a direction in common.", "faint")
    numbers = f"{len(boards):,} main number{'' if len(boards) == 1 else 's'}"
    if all(len(board.best) == len(board.rows) for board in boards):
        return Answer(f"All reports have the same {numbers}.", "faint")
    wins = {name: [board for board in boards if name in board.best] for name in short}
    most = max(map(len, wins.values()))
    leaders = [name for name, won in wins.items() if len(won) == most]
    listed = " and ".join([", ".join(short[name] for name in leaders[:-1])] * (len(leaders) > 1))
    listed = f"{listed} and {short[leaders[-1]]}" if listed else short[leaders[0]]
    text = f"{listed} {'is' if len(leaders) == 1 else 'are each'} best in {most:,} of {numbers}"
    if incomparable:
        return Answer(f"{text}, but not comparable: {incomparable[0]}.", "bad")
    if not any(board.is_tested for board in boards):
        return Answer(f"{text}; no test says whether that is chance.")
    clear = sum(board.is_clear for board in wins[leaders[0]])
    if len(leaders) > 1:
        return Answer(f"{text}.")
    beyond = f"in {clear:,} beyond chance" if clear else "in none beyond chance"
    return Answer(f"{text}, {beyond}.", "good" if clear else "")
