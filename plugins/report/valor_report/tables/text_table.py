"""Table: rows and columns of text that every surface shows alike.

The terminal, a pipe, Markdown and HTML are given the same tables, so that a number reads the same
wherever it stands.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Literal

from attrs import field, frozen

from valor_core.errors import printable

Tone = Literal["", "good", "bad", "faint"]

MISSING = "–"  # noqa: RUF001
"""What a table shows where there is no value."""

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_MARKDOWN = re.compile(r"([\\`*\[\]|])|(?<![^\W_])(_)|(_)(?![^\W_])")


@frozen(repr=False)
class Cell:
    """Text of one cell, with what else is known of it.

    Parameters
    ----------
    text : str
        What is shown.
    number : float, optional
        The number behind the text, to sort by and to draw.
    tone : {"", "good", "bad", "faint"}
        How it is to be taken; color where there is any, nothing elsewhere.
    """

    text: str = field(converter=printable)
    number: float | None = None
    tone: Tone = ""


@frozen(repr=False)
class TextColumn:
    """Title of a column, and what it holds.

    Parameters
    ----------
    title : str
        What stands above it.
    numeric : bool
        Whether it holds numbers, which stand to the right.
    metric : str
        Name of the metric whose values it holds, if it holds one metric's only.
    """

    title: str = field(converter=printable)
    numeric: bool = False
    metric: str = ""


Row = list[str | Cell]
"""Cells as a table's maker writes them."""


def _columns(columns: Iterable[str | TextColumn]) -> tuple[TextColumn, ...]:
    return tuple(TextColumn(entry) if isinstance(entry, str) else entry for entry in columns)


def _rows(rows: Iterable[Sequence[str | Cell]]) -> tuple[tuple[Cell, ...], ...]:
    return tuple(
        tuple(Cell(entry) if isinstance(entry, str) else entry for entry in row) for row in rows
    )


@frozen(repr=False)
class TextTable:
    """A titled table.

    Parameters
    ----------
    title : str
        What it shows.
    columns : sequence of Column or str
        Its columns; a bare string is a column of words.
    rows : sequence of sequence of Cell or str
        One cell per column.
    caption : str
        What holds for the whole table: parameters that are the same throughout.
    notes : tuple of str
        Footnotes, in the order of their numbers.
    foot : int
        How many of the last rows sum up the others.
    keys : int
        How many of the first columns say what a row is of.

    Examples
    --------
    >>> table = TextTable("Results", ["label", TextColumn("F1", numeric=True)], [["cat", "0.5000"]])
    >>> print(table.plain())
    Results
    <BLANKLINE>
    label      F1
    -----  ------
    cat    0.5000
    """

    title: str
    columns: tuple[TextColumn, ...] = field(converter=_columns)
    rows: tuple[tuple[Cell, ...], ...] = field(converter=_rows)
    caption: str = field(default="", kw_only=True)
    notes: tuple[str, ...] = field(default=(), kw_only=True)
    foot: int = field(default=0, kw_only=True)
    keys: int = field(default=1, kw_only=True)

    def plain(self) -> str:
        """Aligned text, for pipes and files."""
        cells = [[column.title for column in self.columns]]
        cells += [[cell.text for cell in row] for row in self.rows]
        widths = [max(map(width, column)) for column in zip(*cells, strict=True)]
        rule = "  ".join("-" * wide for wide in widths)
        lines = [self._line(row, widths) for row in cells]
        lines.insert(1, rule)
        if 0 < self.foot < len(self.rows):
            lines.insert(len(lines) - self.foot, rule)
        head = [self.title, *([self.caption] if self.caption else []), ""]
        foot = ["", *self.numbered_notes] if self.notes else []
        return "\n".join([*head, *lines, *foot])

    def markdown(self) -> str:
        """A section with a pipe table."""
        head = [f"## {escaped(self.title)}", ""]
        if self.caption:
            head += [f"*{escaped(self.caption)}*", ""]
        lines = [
            _pipes(escaped(column.title) for column in self.columns),
            _pipes("---:" if column.numeric else "---" for column in self.columns),
            *(_pipes(escaped(cell.text) for cell in row) for row in self.rows),
        ]
        notes = [f"{escaped(note)}  " for note in self.numbered_notes]
        return "\n".join([*head, *lines, *(["", *notes] if notes else [])])

    @property
    def numbered_notes(self) -> tuple[str, ...]:
        """The footnotes with their numbers."""
        return tuple(f"{superscript(i)} {note}" for i, note in enumerate(self.notes, 1))

    def _line(self, texts: Sequence[str], widths: Sequence[int]) -> str:
        padded = []
        for text, wide, column in zip(texts, widths, self.columns, strict=True):
            gap = " " * (wide - width(text))
            padded.append(gap + text if column.numeric else text + gap)
        return "  ".join(padded).rstrip()


def number_text(value: float) -> str:
    """Text of a number: counts in full, measures to four places.

    Examples
    --------
    >>> number_text(1234), number_text(0.5), number_text(12345.678)
    ('1,234', '0.5000', '12,345.7')
    >>> number_text(2e-7), number_text(-0.0)
    ('2.00e-07', '0.0000')
    """
    if isinstance(value, int):
        return f"{value:,}"
    size = abs(value)
    if 0 < size < 0.00005 or size >= 1e15:
        return f"{value:.2e}"
    return f"{value:,.1f}" if size >= 1000 else f"{value + 0.0:.4f}"


def superscript(value: int) -> str:
    """A footnote's number.

    Examples
    --------
    >>> superscript(12)
    '¹²'
    """
    return str(value).translate(_SUPERSCRIPTS)


def width(text: str) -> int:
    """Columns that a text takes in a terminal; East Asian characters take two, accents none.

    Examples
    --------
    >>> width("cat"), width("猫")
    (3, 2)
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def escaped(text: str) -> str:
    r"""The text with what Markdown would take for markup escaped.

    Examples
    --------
    >>> print(escaped("a|b <i> score_threshold *x*"))
    a\|b &lt;i> score_threshold \*x\*
    """
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    return _MARKDOWN.sub(lambda match: "\\" + match[0], text)


def _pipes(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
