"""Detection of the reader, task and columns of data that are given without a config."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from attrs import field, frozen

from valor_core.errors import ConfigError, ReadError, ValorError, and_more
from valor_core.parameters import parameters_of
from valor_core.parameters.kinds import Kind, ListKind, UnionKind
from valor_core.specs import ReaderSpec, Registry, TaskSpec
from valor_core.specs.lookup import has_all, meaning_of
from valor_core.specs.names import folded_name
from valor_files.tables import (
    Table,
    TableInMemory,
    TableSource,
    read_table,
    split_table,
    table_format,
)
from valor_files.tables.in_memory import TableSourceKind

_OF_COLUMNS = "Column of "
"""Beginning of the help of parameters that name a column."""
_HEAD_BYTES = 1 << 16
_MOST_JSON = 1 << 22  # a JSON list is parsed in one piece, so larger files are not inspected
_MOST_NAMES = 20


@frozen(kw_only=True, repr=False)
class Detected:
    """Section `data` of a config for files that a reader recognizes.

    Parameters
    ----------
    data : mapping
        The section ``data``, without the name of the reader.
    metrics : tuple of str
        Suggested metrics.
    task : str, optional
        Task, if the reader serves several.
    needs : mapping of str to str, optional
        Help of required parameters that cannot be inferred from the data.
    is_guess : bool
        Whether readers that are not guesses take precedence.
    """

    data: Mapping[str, Any]
    metrics: tuple[str, ...] = ()
    task: str | None = None
    needs: Mapping[str, str] = field(factory=dict)
    is_guess: bool = False


@frozen(repr=False)
class ReaderMatch:
    """Reader that recognizes data, and the parameters that it detected."""

    reader: ReaderSpec
    detected: Detected

    @classmethod
    def of_files(
        cls, reader: ReaderSpec, files: Sequence[Path], task: str | None, registry: Registry
    ) -> ReaderMatch:
        """Pass the paths of files to a reader without inspecting the files."""
        if task is None and reader.task is None:
            served = [spec.short_name for spec in registry.all(TaskSpec) if reader.serves(spec)]
            task = served[0] if len(served) == 1 else None
        paths: list[Any] = [str(file) for file in files]
        names = {entry.name for entry in parameters_of(reader.parameter_class)}
        sides = [first_rows(file) for file in files]
        is_pair = len(sides) == 2 and None not in sides and "predictions" in names
        if len(files) <= 2 and "path" not in names and "groundtruths" in names:
            data = dict(zip(("groundtruths", "predictions"), paths, strict=False))
        elif is_pair and len({side.names for side in sides if side is not None}) == 2:
            data = {"path": paths[0], "predictions": paths[1]}
        else:
            data = {"path": paths[0] if len(paths) == 1 else paths}
        return cls(reader, Detected(data=data, task=task))

    @property
    def task(self) -> str:
        """The task of the data."""
        return self.reader.task or self.detected.task or ""

    @property
    def section(self) -> dict[str, Any]:
        """The section ``data`` of a config."""
        return {"reader": self.reader.name, **self.detected.data}

    def config(self, metrics: Sequence[str]) -> dict[str, Any]:
        """Config that evaluates the data."""
        return {"task": self.task, "data": self.section, "metrics": list(metrics)}

    def missing(self, data: Mapping[str, Any]) -> dict[str, str]:
        """Help of required parameters that are neither detected nor given.

        Parameters
        ----------
        data : mapping
            Given parameters.
        """
        found = {*self.detected.data, *data}
        required = {
            entry.name: entry.help or ""
            for entry in parameters_of(self.reader.parameter_class)
            if entry.required and found.isdisjoint((entry.name, *entry.aliases))
        }
        return required | {
            name: help
            for name, help in self.detected.needs.items()
            if name not in found and not any(f"data.{given}" in help for given in data)
        }


def matching_readers(
    sources: Sequence[TableSource],
    registry: Registry,
    *,
    task: str | None = None,
    reader: ReaderSpec | None = None,
    metrics: Iterable[Any] = (),
) -> list[ReaderMatch]:
    """Readers that recognize files or tables in memory, best match first.

    Parameters
    ----------
    sources : sequence of Path or TableInMemory
        The files or tables.
    registry : Registry
        Registry used to find readers.
    task : str, optional
        The task, if it is given.
    reader : ReaderSpec, optional
        The only reader to try.
    metrics : iterable
        Metrics to compute. Readers of a task that has all of them are preferred.
    """
    specs = registry.all(ReaderSpec) if reader is None else [reader]
    if any(isinstance(source, TableInMemory) for source in sources):
        specs = [spec for spec in specs if takes_tables(spec)]
    found = [
        ReaderMatch(spec, detected)
        for spec in specs
        if spec.detect is not None
        if (detected := spec.load(spec.detect)(tuple(sources))) is not None
    ]
    matches = [match for match in found if task is None or match.task == task]
    # A reader of one task is more specific than a reader of any table.
    matches.sort(key=lambda match: match.reader.task is None)
    # Misspelled metrics belong to no task and must not hide all readers.
    matches = [match for match in matches if has_all(registry, match.task, metrics)] or matches
    return [match for match in matches if not match.detected.is_guess] or matches


def takes_tables(spec: ReaderSpec) -> bool:
    """Return True if a reader accepts a table in memory instead of a file."""
    return any(_accepts_tables(entry.kind) for entry in parameters_of(spec.parameter_class))


def _accepts_tables(kind: Kind) -> bool:
    if isinstance(kind, ListKind):
        return _accepts_tables(kind.item)
    if isinstance(kind, UnionKind):
        return any(map(_accepts_tables, kind.members))
    return isinstance(kind, TableSourceKind)


def column_parameters(spec: ReaderSpec, *, only_required: bool = False) -> list[str]:
    """Parameters of a reader that name columns.

    Parameters
    ----------
    spec : ReaderSpec
        The reader.
    only_required : bool, default False
        Whether to list only columns that every table must have.
    """
    return [
        entry.name
        for entry in parameters_of(spec.parameter_class)
        if (help := entry.help or "").startswith(_OF_COLUMNS) and isinstance(entry.default, str)
        if not only_required or ("; without" not in help and entry.default == entry.name)
    ]


def columns_to_name(
    files: int, task: str, registry: Registry, metrics: Sequence[Any]
) -> tuple[ReaderSpec, list[str]] | None:
    """Simplest reader of tables, and its parameters that name columns.

    It is a reader of predicted labels, or else the one with the fewest parameters.

    Parameters
    ----------
    files : int
        Number of files: readers of two files have a parameter ``predictions``.
    task : str
        Name of the task.
    registry : Registry
        Registry used to resolve names.
    metrics : sequence
        Names of metrics, or tables with a name.
    """
    found = []
    for spec in registry.all(ReaderSpec):
        if spec.detect is None or not takes_tables(spec):
            continue
        entries = parameters_of(spec.parameter_class)
        accepted = "predictions" if files == 2 else "path"
        is_accepted = any(entry.name == accepted for entry in entries)
        if is_accepted and spec.serves(registry.find(TaskSpec, task)):
            columns = column_parameters(spec, only_required=True)
            columns = ["uid", *columns] if files == 2 and "prediction" in columns else columns
            order = (spec.namespace != task, spec.short_name != "predicted", len(entries))
            found.append((order, spec, columns))
    if not found:
        return None
    _, reader, columns = min(found, key=lambda one: one[0])
    if reader.task is None:
        return reader, [f"columns.{name}" for name in _fields_read(task, registry, metrics)]
    return reader, columns


def _fields_read(task: str, registry: Registry, metrics: Sequence[Any]) -> list[str]:
    """Fields of an item that the metrics read."""
    found: dict[str, None] = {}
    for metric in metrics:
        name = metric.get("name") if isinstance(metric, Mapping) else metric
        try:
            spec = meaning_of(str(name), registry, task).spec
            found |= dict.fromkeys((*spec.requires, *spec.uses))
        except ValorError:  # raised again where metrics are resolved
            continue
    return [*found] or ["response"]


def unknown_columns(
    place: str, table: Table, remedy: str, of_task: str = "", second: Table | None = None
) -> ConfigError:
    """Error for tables that no reader recognizes; lists their columns.

    Parameters
    ----------
    place : str
        Names of the tables.
    table, second : Table
        The table, and the one of predictions if there are two.
    remedy : str
        Remedy, unless the tables lack a header or a common column.
    of_task : str
        End of "no reader", such as " of the task text".
    """
    tables = [table] if second is None else [table, second]
    listed = " and ".join(dict.fromkeys(map(_listed_columns, tables)))
    if second is not None and not set(table.names) & set(second.names):
        remedy = (
            "Rename a column so that both tables have the uids of the items under one name, "
            "such as id."
        )
    headers = (one.header_remedy for one in tables)
    return ConfigError(
        f"{place}: no reader{of_task} recognizes these columns: {listed}",
        next(filter(None, headers), remedy),
    )


def _listed_columns(table: Table) -> str:
    columns = table.names
    return ", ".join(map(repr, columns[:_MOST_NAMES])) + and_more(len(columns) - _MOST_NAMES)


def first_rows(file: TableSource) -> Table | None:
    """First rows of a file that contains a table; None for other files.

    Parameters
    ----------
    file : Path or TableInMemory
        File with a suffix of CSV, JSON Lines, JSON or Parquet, or a table in memory.
    """
    if isinstance(file, TableInMemory):
        return file.beginning
    try:
        if not file.is_file():
            return None
        status = file.stat()
        if table_format(file) == "json" and status.st_size > _MOST_JSON:
            return None
        return _first_rows(file, status.st_size, status.st_mtime_ns)
    except ReadError:
        return None


@lru_cache(maxsize=8)
def _first_rows(file: Path, size: int, changed: int) -> Table:
    # Every reader inspects the same head; a changed file has another key.
    return read_table(split_table(file, partition_bytes=_HEAD_BYTES)[0])


def named_source(file: TableSource) -> str | TableInMemory:
    """Value of a file in a config: its path, or the table in memory itself.

    Examples
    --------
    >>> from pathlib import Path
    >>> named_source(Path("preds.csv"))
    'preds.csv'
    """
    return file if isinstance(file, TableInMemory) else str(file)


def column_called(table: Table, names: Iterable[str]) -> str | None:
    """Column with the first of several names, ignoring case and separators; None if missing.

    Examples
    --------
    >>> column_called(Table({"Y_True": [1]}, "t.csv"), ["label", "y_true"])
    'Y_True'
    """
    written: dict[str, str] = {}
    for name in table.names:
        written.setdefault(_folded(name), name)
    return next((written[one] for one in map(_folded, names) if one in written), None)


def changed_columns(chosen: Mapping[str, str | None], own: Sequence[str] = ()) -> dict[str, str]:
    """Column names by parameter, without the defaults of a reader.

    Examples
    --------
    >>> changed_columns({"label": "y_true", "uid": "uid", "key": None})
    {'label': 'y_true'}
    """
    return {key: name for key, name in chosen.items() if name not in (None, key, *own)}  # type: ignore[misc]


@lru_cache(maxsize=4096)
def _folded(name: str) -> str:
    return folded_name(name).replace(" ", "")
