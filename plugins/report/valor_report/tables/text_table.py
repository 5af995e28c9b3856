"""Tables of text, shared by the terminal, text files, Markdown and HTML.

All outputs use the same cells, so a number is formatted the same everywhere.
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
"""Text of a cell without a value."""

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_MARKDOWN = re.compile(r"([\\`*\[\]|])|(?<![^\W_])(_)|(_)(?![^\W_])")


@frozen(repr=False)
class Cell:
    """Cell of a table.

    Parameters
    ----------
    text : str
        Text of the cell.
    number : float, optional
        Value of the text, used to sort and draw.
    tone : {"", "good", "bad", "faint"}
        Meaning of the value. Outputs with color show it.
    interval : (float, float), optional
        Interval of the value. Pages draw it.
    """

    text: str = field(converter=printable)
    number: float | None = None
    tone: Tone = ""
    interval: tuple[float, float] | None = None


@frozen(repr=False)
class TextColumn:
    """Column of a table.

    Parameters
    ----------
    title : str
        Title of the column.
    numeric : bool
        Whether cells are numbers, which are aligned right.
    metric : str
        Name of the metric, if all values are of one metric.
    bars : bool
        Whether pages may draw a bar for each number.
    """

    title: str = field(converter=printable)
    numeric: bool = False
    metric: str = ""
    bars: bool = True


Row = list[str | Cell]
"""Cells of a row, or their texts."""


def _columns(columns: Iterable[str | TextColumn]) -> tuple[TextColumn, ...]:
    return tuple(TextColumn(entry) if isinstance(entry, str) else entry for entry in columns)


def _rows(rows: Iterable[Sequence[str | Cell]]) -> tuple[tuple[Cell, ...], ...]:
    return tuple(
        tuple(Cell(entry) if isinstance(entry, str) else entry for entry in row) for row in rows
    )


@frozen(repr=False)
class TextTable:
    """Table with a title.

    Parameters
    ----------
    title : str
        Title of the table.
    columns : sequence of TextColumn or str
        Columns. A string is the title of a column of text.
    rows : sequence of sequence of Cell or str
        One cell per column.
    caption : str
        Remarks on the rows and columns.
    settings : str
        Parameters that are the same in all rows. Texts have them beside the caption, pages in one
        section for all tables.
    notes : tuple of str
        Footnotes, in the order of their numbers.
    foot : int
        Number of rows at the end that summarize the others.
    keys : int
        Number of columns at the start that identify a row.

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
    settings: str = field(default="", kw_only=True)
    notes: tuple[str, ...] = field(default=(), kw_only=True)
    foot: int = field(default=0, kw_only=True)
    keys: int = field(default=1, kw_only=True)

    def plain(self) -> str:
        """Format the table as aligned text."""
        cells = [[column.title for column in self.columns]]
        cells += [[cell.text for cell in row] for row in self.rows]
        widths = [list(map(width, row)) for row in cells]
        widest = list(map(max, zip(*widths, strict=True)))
        rule = "  ".join("-" * wide for wide in widest)
        lines = [self._line(*row, widest) for row in zip(cells, widths, strict=True)]
        lines.insert(1, rule)
        if 0 < self.foot < len(self.rows):
            lines.insert(len(lines) - self.foot, rule)
        head = [self.title, *([self.about] if self.about else []), ""]
        foot = ["", *self.numbered_notes] if self.notes else []
        return "\n".join([*head, *lines, *foot])

    def markdown(self) -> str:
        """Format the table as a Markdown section."""
        head = [f"## {escaped(self.title)}", ""]
        if self.about:
            head += [f"*{escaped(self.about)}*", ""]
        lines = [
            _pipes(escaped(column.title) for column in self.columns),
            _pipes("---:" if column.numeric else "---" for column in self.columns),
            *(_pipes(escaped(cell.text) for cell in row) for row in self.rows),
        ]
        notes = [f"{escaped(note)}  " for note in self.numbered_notes]
        return "\n".join([*head, *lines, *(["", *notes] if notes else [])])

    @property
    def about(self) -> str:
        """Settings and caption in one line."""
        return "; ".join(filter(None, [self.settings, self.caption]))

    @property
    def numbered_notes(self) -> tuple[str, ...]:
        """Footnotes with their numbers."""
        return tuple(f"{superscript(i)} {note}" for i, note in enumerate(self.notes, 1))

    def _line(self, texts: Sequence[str], widths: Sequence[int], widest: Sequence[int]) -> str:
        padded = []
        for text, wide, most, column in zip(texts, widths, widest, self.columns, strict=True):
            gap = " " * (most - wide)
            padded.append(gap + text if column.numeric else text + gap)
        return "  ".join(padded).rstrip()


def number_text(value: float) -> str:
    """Format a number: integers in full, floats to four decimals.

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


def probability_text(p: float) -> str:
    """Format a p-value.

    Examples
    --------
    >>> probability_text(0.03125), probability_text(1e-9)
    ('0.0312', '< 0.0001')
    """
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def superscript(value: int) -> str:
    """Format the number of a footnote.

    Examples
    --------
    >>> superscript(12)
    '¹²'
    """
    return str(value).translate(_SUPERSCRIPTS)


def width(text: str) -> int:
    """Width of a text in a terminal: East Asian characters count 2, combining characters 0.

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
    r"""Escape the markup of Markdown and HTML in a text.

    Examples
    --------
    >>> print(escaped("a|b <i> score_threshold *x*"))
    a\|b &lt;i> score_threshold \*x\*
    """
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    return _MARKDOWN.sub(lambda match: "\\" + match[0], text)


def _pipes(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
