"""Terminal: tables drawn for a person; the only module that draws with rich."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table as Drawing
from rich.text import Text

from valor_core.evaluation.evaluate import Progress as Advance
from valor_core.report.tables.text_table import TextTable, width

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
        console.print(_drawing(table))
        for note in table.numbered_notes:
            console.print(Text(note, "dim"))
        console.print()


def _drawing(table: TextTable) -> Drawing:
    drawing = Drawing(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for place, column in enumerate(table.columns):
        cells = [width(row[place].text) for row in table.rows]
        drawing.add_column(
            Text(column.title),
            justify="right" if column.numeric else "left",
            min_width=max(cells, default=0) if column.numeric else None,
            overflow="fold",
        )
    for place, row in enumerate(table.rows):
        if table.foot and place == len(table.rows) - table.foot:
            drawing.add_section()
        drawing.add_row(*(Text(cell.text, _STYLES[cell.tone]) for cell in row))
    return drawing


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
