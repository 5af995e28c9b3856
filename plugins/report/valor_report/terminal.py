"""Tables and a progress bar on a terminal, drawn with rich.

Needs the extra `terminal`, which the command line installs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal

from rich import box
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table as Drawing
from rich.text import Text

from valor_core.evaluation import Progress as Advance
from valor_report.tables.text_table import TextTable, width

_GAP = 2
_PROSE = 20
"""Columns that a text of several words has at least: narrower ones are hard to read."""

_STYLES = {"": "", "good": "green", "bad": "red", "faint": "dim"}


def draw(tables: Iterable[TextTable], console: Console | None = None) -> None:
    """Print tables on a terminal.

    Parameters
    ----------
    tables : iterable of Table
        What to print.
    console : Console, optional
        Where; standard output unless given.
    """
    console = Console(highlight=False) if console is None else console
    for table in tables:
        console.print(Text(table.title, "bold"))
        if table.caption:
            console.print(Text(table.caption, "dim"))
        for number, part in enumerate(_parts(table, console.width)):
            if number and isinstance(part, Drawing):
                console.print()
            console.print(part)
        for note in table.numbered_notes:
            console.print(Text(note, "dim"))
        console.print()


def _parts(table: TextTable, room: int) -> Iterable[RenderableType]:
    """The table in blocks of columns that fit; row by row where one does not, or holds texts."""
    needs = [_need(table, place) for place in range(len(table.columns))]
    keys = [*range(table.keys)]
    blocks: list[list[int]] = [keys]
    for place in range(table.keys, len(needs)):
        if len(blocks[-1]) > len(keys) and _least(needs, [*blocks[-1], place]) > room:
            blocks.append(keys)
        blocks[-1] = [*blocks[-1], place]
    has_texts = not all(column.numeric for column in table.columns[table.keys :])
    if any(_least(needs, block) > room for block in blocks) or (has_texts and len(blocks) > 1):
        return _turned(table, room)
    return [_drawing(table, block, _widths(needs, block, room)) for block in blocks]


def _need(table: TextTable, place: int) -> tuple[int, int]:
    """The least width that splits no word of a column, and leaves room for prose; and the most."""
    column, cells = table.columns[place], [row[place].text for row in table.rows]
    words = max(map(width, " ".join([column.title, *cells]).split()), default=0)
    most = max(map(width, [column.title, *cells]))
    whole = max(map(width, cells), default=0) if column.numeric else min(most, _PROSE)
    return max(words, whole), most


def _least(needs: Sequence[tuple[int, int]], block: Sequence[int]) -> int:
    return sum(needs[place][0] for place in block) + _GAP * (len(block) - 1)


def _widths(needs: Sequence[tuple[int, int]], block: Sequence[int], room: int) -> dict[int, int]:
    """Columns with their widths: what is left is for those that need the least more."""
    spare, widths = room - _least(needs, block), {}
    wants = sorted((needs[place][1] - needs[place][0], place) for place in block)
    for number, (more, place) in enumerate(wants):
        given = min(more, spare // (len(wants) - number))
        spare -= given
        widths[place] = needs[place][0] + given
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


def _turned(table: TextTable, room: int) -> Iterable[RenderableType]:
    """The rows below each other, with a line for each of their cells."""
    titles = [column.title for column in table.columns]
    for row in table.rows:
        first, *others = zip(titles, row, strict=True)
        told = [f"{title} {cell.text}" for title, cell in others[: table.keys - 1] if cell.text]
        name = ", ".join([first[1].text, *told])
        yield Text(name if width(name) <= room else name.replace(".", ".\n", 1), "bold")
        for title, cell in others[table.keys - 1 :]:
            if cell.text:
                line = Text.assemble((f"{title} ", "dim"), (cell.text, _STYLES[cell.tone]))
                yield Padding(line, (0, 0, 0, 2), expand=False)


@contextmanager
def progress() -> Iterator[Advance]:
    """A progress bar on standard error, gone when the work is done."""
    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,} of {task.fields[parts]}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("reading", total=None, parts="…")

        def advance(finished: int, partitions: int, read: int) -> None:
            bar.update(
                task,
                description=f"{read:,} items",
                completed=finished,
                total=partitions,
                parts=f"{partitions:,}",
            )

        yield advance
