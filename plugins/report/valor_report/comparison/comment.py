"""Comparisons as Markdown for a comment of a pull request.

Names and texts from reports are code, in which GitHub finds no mention, issue, link or HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from valor_core.errors import printable
from valor_report.comparison.changes import Change
from valor_report.comparison.item_changes import ItemChanges, Prediction
from valor_report.comparison.main_numbers import main_changes, moved_slices, names_of, slice_name
from valor_report.tables.pivot import half_width
from valor_report.tables.text_table import MISSING, escaped, number_text, probability_text

if TYPE_CHECKING:
    from valor_report.comparison.several_reports import RankedReports
    from valor_report.comparison.two_reports import Comparison

LIMIT = 65_000
"""Maximum number of characters; GitHub accepts 65,536 in a comment."""

_ROWS = 20
_MOST_TEXT = 80
_BACKTICKS = re.compile("`+")


def code(text: str, most: int = 200) -> str:
    r"""Return a text as code in a cell of a table or in a line.

    Parameters
    ----------
    text : str
        The text.
    most : int
        Maximum number of characters; longer texts end with an ellipsis.

    Examples
    --------
    >>> print(code("@cat|<b>"), code("a`b"))
    `@cat\|<b>` `` a`b ``
    """
    text = " ".join(printable(text).split())
    if not text:
        return ""
    text = text if len(text) <= most else f"{text[: most - 1]}…"
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence, pad = "`" * (longest + 1), " " * (longest > 0 or text.startswith(" "))
    return f"{fence}{pad}{text}{pad}{fence}".replace("|", "\\|")


def comment_of_two(found: Comparison, title: str | None = None) -> str:
    """Format the comparison of two reports: the answer, and details that can be opened.

    Parameters
    ----------
    found : Comparison
        The comparison.
    title : str, optional
        Title of the comment. Defaults to the names of the reports.
    """
    answer = found.answer
    main = main_changes(found.changes)
    shown = {id(one) for one in main}
    moved = moved_slices(found.changes)
    shown |= {id(one) for one in moved}
    others = [
        one
        for one in found.changes
        if id(one) not in shown and one.verdict in ("better", "worse", "vanished", "appeared")
    ]
    parts = [
        f"# {_sentence(found.title if title is None else title)}",
        f"{_MARKS.get(answer.tone, '')}{_sentence(answer.text)}",
        f"**{found.summary}**",
        "\n".join(f"- {code(remark, 500)}" for remark in (*found.remarks, *found.untested)),
        _numbers(main),
    ]
    if found.items is not None:
        parts.append(_items(found.items))
    parts += [
        _details(f"Slices that moved ({len(moved):,})", _numbers(moved)),
        _details(f"Other numbers that differ ({len(others):,})", _numbers(others)),
    ]
    return limited(parts)


def comment_of_several(found: RankedReports, title: str | None = None) -> str:
    """Format the leaderboard of several reports.

    Parameters
    ----------
    found : RankedReports
        The leaderboard.
    title : str, optional
        Title of the comment.
    """
    parts = [
        f"# {_sentence(found.title if title is None else title)}",
        _sentence(found.answer.text),
        "\n".join(f"- {code(remark, 500)}" for remark in found.remarks),
        *(_unlinked(table.markdown()) for table in found.tables()),
    ]
    return limited(parts)


_MARKS = {"good": "✅ ", "bad": "❌ "}


def _sentence(text: str) -> str:
    """Escape a sentence and separate what GitHub would link."""
    return _unlinked(escaped(printable(text)))


def _unlinked(text: str) -> str:
    """Insert invisible characters into mentions, issue numbers, addresses, emoji and formulas."""
    return _LINKED.sub(lambda found: f"{found[0]}\N{ZERO WIDTH SPACE}", text)


_LINKED = re.compile(r"@(?=\w)|#(?=\d)|:(?=//)|www(?=\.)|:(?=\w+:)|\$(?=\S)")


def limited(parts: Iterable[str], most: int = LIMIT) -> str:
    """Join the parts that fit into a comment, and say if some do not.

    Examples
    --------
    >>> print(limited(["first", "second " * 9], 60))
    first
    <BLANKLINE>
    More is in the page of the comparison.
    <BLANKLINE>
    """
    kept: list[str] = []
    room = most - len(_MORE) - 4
    is_cut = False
    for part in filter(None, parts):
        if len(part) + 2 > room:
            is_cut = True
            continue
        kept.append(part)
        room -= len(part) + 2
    return "\n\n".join([*kept, *([_MORE] if is_cut else [])]) + "\n"


_MORE = "More is in the page of the comparison."


def _details(title: str, text: str) -> str:
    if not text:
        return ""
    return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"


def _numbers(changes: Sequence[Change]) -> str:
    """Table of numbers; at most `_ROWS`."""
    if not changes:
        return ""
    has_p = any(change.is_tested for change in changes)
    name = names_of(changes)
    heads = ["metric", "first", "second", "difference", *(["p"] if has_p else []), "verdict"]
    lines = [_row(heads), _row(["---", *["---:"] * (len(heads) - 2), "---"])]
    for change in changes[:_ROWS]:
        words = [change.title, name(change)]
        if change.entry.result.slice:
            items = "" if change.items is None else f" ({change.items:,} items)"
            words.append(f"{slice_name(change)}{items}")
        cells = [code(", ".join(filter(None, words))), _value(change.a), _value(change.b)]
        cells.append(difference_text(change))
        cells += [("" if change.p is None else probability_text(change.p))] if has_p else []
        verdict = change.shown_verdict if has_p else change.verdict
        lines.append(_row([*cells, _BOLD.get(verdict, verdict)]))
    if len(changes) > _ROWS:
        lines += ["", f"{len(changes) - _ROWS:,} more are in the page of the comparison."]
    return "\n".join(lines)


_BOLD = {"better": "**better**", "worse": "**worse**", "vanished": "**vanished**"}


def difference_text(change: Change) -> str:
    """Return the difference of a number with half of the width of its interval."""
    difference = change.difference
    if difference is None:
        return ""
    sign = "+" if difference > 0 else ""
    text = "0" if difference == 0 else f"{sign}{number_text(difference)}"
    return f"{text}{half_width(change.interval)}"


def _value(value: float | None) -> str:
    return MISSING if value is None else number_text(value)


def _items(found: ItemChanges) -> str:
    counts = ", ".join(f"{count:,} {outcome}" for outcome, count in found.counts.items())
    rows = list(_item_rows(found))
    if not rows:
        return ""
    heads = ["item", "outcome", "true", "first", "second"]
    table = "\n".join([_row(heads), _row(["---"] * len(heads)), *rows])
    return _details(f"Items by {found.title}: {counts}", table)


def _item_rows(found: ItemChanges) -> Iterator[str]:
    for row in found.most_changed(_ROWS):
        cells = [code(str(row.uid)), row.outcome, code(row.truth, _MOST_TEXT)]
        sides = (_prediction(one, found.is_right_or_wrong) for one in (row.first, row.second))
        yield _row([*cells, *sides])


def _prediction(one: Prediction, is_right_or_wrong: bool) -> str:
    text = code(one.text or one.wrong, _MOST_TEXT)
    if one.value is None:
        return text
    value = {0.0: "wrong", 1.0: "right"}.get(one.value, "") if is_right_or_wrong else ""
    value = value or number_text(one.value)
    return f"{text} ({value})" if text else value


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
