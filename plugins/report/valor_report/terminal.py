"""Tables and a progress bar in a terminal, drawn with rich.

Requires the extra `terminal`, which `valor-cli` installs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal

from rich import box
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table as Drawing
from rich.text import Text

from valor_report.tables.text_table import TextTable, width

_GAP = 2
_PROSE = 20
"""Minimum width of a column of prose, in characters."""

_STYLES = {"": "", "good": "green", "bad": "red", "faint": "dim"}


def draw(tables: Iterable[TextTable], console: Console | None = None) -> None:
    """Print tables in a terminal.

    Parameters
    ----------
    tables : iterable of Table
        The tables.
    console : Console, optional
        Output. Defaults to standard output.
    """
    console = Console(highlight=False) if console is None else console
    for table in tables:
        console.print(Text(table.title, "bold"))
        if table.about:
            console.print(Text(table.about, "dim"))
        for number, part in enumerate(_parts(table, console.width)):
            if number and isinstance(part, Drawing):
                console.print()
            console.print(part)
        for note in table.numbered_notes:
            console.print(Text(note, "dim"))
        console.print()


def _parts(table: TextTable, room: int) -> Iterable[RenderableType]:
    """Split a table into blocks of columns that fit the width, or into rows.

    A table is printed row by row if a block does not fit, or if it has several blocks and texts.
    """
    needs = [_need(table, place) for place in range(len(table.columns))]
    keys = [*range(table.keys)]
    blocks: list[list[int]] = [keys]
    for place in range(table.keys, len(needs)):
        if len(blocks[-1]) > len(keys) and _least(needs, [*blocks[-1], place]) > room:
            blocks.append(keys)
        blocks[-1] = [*blocks[-1], place]
    has_texts = not all(column.numeric for column in table.columns[table.keys :])
    if any(_least(needs, block) > room for block in blocks) or (has_texts and len(blocks) > 1):
        return _row_by_row(table, room)
    return [_drawing(table, block, _widths(needs, block, room)) for block in blocks]


def _need(table: TextTable, place: int) -> tuple[int, int]:
    """Minimum width of a column, which splits no word and leaves room for prose, and maximum."""
    column, cells = table.columns[place], [row[place].text for row in table.rows]
    words = max(map(width, " ".join([column.title, *cells]).split()), default=0)
    most = max(map(width, [column.title, *cells]))
    least = max(map(width, cells), default=0) if column.numeric else min(most, _PROSE)
    return max(words, least), most


def _least(needs: Sequence[tuple[int, int]], block: Sequence[int]) -> int:
    return sum(needs[place][0] for place in block) + _GAP * (len(block) - 1)


def _widths(needs: Sequence[tuple[int, int]], block: Sequence[int], room: int) -> dict[int, int]:
    """Width of each column; columns that need the least more get free space first."""
    free, widths = room - _least(needs, block), {}
    wants = sorted((needs[place][1] - needs[place][0], place) for place in block)
    for number, (more, place) in enumerate(wants):
        extra = min(more, free // (len(wants) - number))
        free -= extra
        widths[place] = needs[place][0] + extra
    return widths


def _drawing(table: TextTable, block: Sequence[int], widths: Mapping[int, int]) -> Drawing:
    drawing = Drawing(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for place in block:
        column = table.columns[place]
        justify: Literal["right", "left"] = "right" if column.numeric else "left"
        drawing.add_column(
            Text(column.title), justify=justify, width=widths[place], overflow="fold"
        )
    for number, row in enumerate(table.rows):
        if table.foot and number == len(table.rows) - table.foot:
            drawing.add_section()
        cells = [row[place] for place in block]
        if any(cell.text for cell in cells[table.keys :]) or len(block) == len(row):
            drawing.add_row(*(Text(cell.text, _STYLES[cell.tone]) for cell in cells))
    return drawing


def _row_by_row(table: TextTable, room: int) -> Iterable[RenderableType]:
    """Print each row as a heading with one line per cell."""
    titles = [column.title for column in table.columns]
    for row in table.rows:
        first, *others = zip(titles, row, strict=True)
        keys = [f"{title} {cell.text}" for title, cell in others[: table.keys - 1] if cell.text]
        name = ", ".join([first[1].text, *keys])
        yield Text(name if width(name) <= room else name.replace(".", ".\n", 1), "bold")
        for title, cell in others[table.keys - 1 :]:
            if cell.text:
                line = Text.assemble((f"{title} ", "dim"), (cell.text, _STYLES[cell.tone]))
                yield Padding(line, (0, 0, 0, 2), expand=False)


@contextmanager
def progress() -> Iterator[Callable[[str, float | None], None]]:
    """Context with a transient line on standard error: a text, a bar of a share, and the time.

    The context is a function of the text and the finished share, None if it is unknown.
    """
    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("reading", total=None)

        def show(text: str, share: float | None) -> None:
            total = None if share is None else 1.0
            bar.update(task, description=text, completed=share or 0.0, total=total)

        yield show
