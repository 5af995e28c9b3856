"""Known: which readers know some data by how they look, and what they make of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from attrs import frozen

from valor_core.errors import ConfigError, and_more
from valor_core.parameters.declaration import declared
from valor_core.parameters.kinds import Kind, ListKind, UnionKind
from valor_core.plugins.meaning import has_all
from valor_core.plugins.registry import Registry, implementation
from valor_core.plugins.spec import ReaderSpec
from valor_files.recognized import Recognized
from valor_files.tables import Table, TableInMemory, TableSource
from valor_files.tables.in_memory import TableSourceKind

_MOST_NAMES = 20


@frozen(repr=False)
class Known:
    """A reader that knows some data, and what it makes of them."""

    reader: ReaderSpec
    made: Recognized

    @property
    def task(self) -> str:
        """The task of the data."""
        return self.reader.task or self.made.task or ""

    @property
    def section(self) -> dict[str, Any]:
        """The section ``data`` of a config."""
        return {"reader": self.reader.name, **self.made.data}

    def config(self, metrics: Sequence[str]) -> dict[str, Any]:
        """The config that evaluates the files."""
        return {"task": self.task, "data": self.section, "metrics": list(metrics)}


def known_by(
    sources: Sequence[TableSource],
    registry: Registry,
    *,
    task: str | None = None,
    reader: ReaderSpec | None = None,
    metrics: Iterable[Any] = (),
) -> list[Known]:
    """Readers that know some files or tables in memory, the likeliest first.

    Parameters
    ----------
    sources : sequence of Path or TableInMemory
        What they are asked of.
    registry : Registry
        What is installed.
    task : str, optional
        What it is, where somebody says so.
    reader : ReaderSpec, optional
        The only one to ask.
    metrics : iterable
        What is to be computed: a reader of a task that has these is likelier.
    """
    specs = registry.all(ReaderSpec) if reader is None else [reader]
    if any(isinstance(source, TableInMemory) for source in sources):
        specs = [spec for spec in specs if takes_tables(spec)]
    found = [
        Known(spec, made)
        for spec in specs
        if spec.recognizes is not None
        if (made := implementation(spec, spec.recognizes)(tuple(sources))) is not None
    ]
    fitting = [known for known in found if task is None or known.task == task]
    # a reader of one task is told from more than one that takes any table
    fitting.sort(key=lambda known: known.reader.task is None)
    having = [known for known in fitting if has_all(registry, known.task, metrics)] or fitting
    return [known for known in having if not known.made.is_guess] or having


def takes_tables(spec: ReaderSpec) -> bool:
    """Whether a table in memory may stand where a reader takes a file."""
    return any(_is_of_tables(entry.kind) for entry in declared(spec.parameter_class))


def _is_of_tables(kind: Kind) -> bool:
    if isinstance(kind, ListKind):
        return _is_of_tables(kind.item)
    if isinstance(kind, UnionKind):
        return any(map(_is_of_tables, kind.members))
    return isinstance(kind, TableSourceKind)


def unknown_columns(place: str, table: Table, remedy: str, of_task: str = "") -> ConfigError:
    """What to raise where no reader knows a table, with the columns that it has."""
    columns = table.names
    listed = ", ".join(map(repr, columns[:_MOST_NAMES])) + and_more(len(columns) - _MOST_NAMES)
    return ConfigError(
        f"{place}: no reader{of_task} knows what these columns are: {listed}",
        table.header_remedy or remedy,
    )
