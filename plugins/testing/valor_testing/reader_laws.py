"""Laws of readers, checked on one source with several partition sizes."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from attrs import define, evolve

from valor_core.errors import ValorError, short_repr
from valor_core.parameters import parameters_from, parameters_of
from valor_core.readers import Partition, Reader
from valor_core.readers.partition import identity
from valor_core.schemas import Batch
from valor_core.schemas.columns import natural
from valor_core.specs import ReaderSpec, Registry, TaskSpec
from valor_testing.difference import content
from valor_testing.input_laws import KEEP_HINT, NOTE, check_detected, has_note, with_note
from valor_testing.law import Breach, agree, law, run_all

_SIZES = (1, 100)
"""Additional partition sizes, in the unit of the reader's parameter."""


@define(slots=False)
class Source:
    """Reader of one source, and readers that partition the same source differently.

    Parameters
    ----------
    name : str
        Name of the reader.
    reader : Reader
        The reader.
    others : mapping of str to Reader
        Readers with other partition sizes, keyed by the changed parameter.
    task : str, optional
        Task of the batches.
    spec : ReaderSpec, optional
        Declaration of the reader.
    parameters : object, optional
        Its parameters.
    serves : str or TaskSpec, optional
        Task that the reader is made for.
    """

    name: str
    reader: Reader
    others: Mapping[str, Reader]
    task: str | None = None
    spec: ReaderSpec | None = None
    parameters: Any = None
    serves: Any = None

    @cached_property
    def batches(self) -> list[Any]:
        """All batches, in the order of the partitions."""
        return _all(self.reader)


def check_reader(
    reader: ReaderSpec | Reader,
    parameters: Mapping[str, Any] | None = None,
    *,
    task: str | None = None,
    registry: Registry | None = None,
) -> None:
    """Check all laws of a reader on one source.

    Parameters
    ----------
    reader : ReaderSpec or Reader
        Declaration of a reader, or a reader instance.
    parameters : mapping of str to object, optional
        Parameters of a declared reader, including the source. Use a small source, since it is read
        several times. Parameters named ``partition_…`` are also tried with other values.
    task : str, optional
        Task of the batches. Defaults to the reader's task, or ``text`` if it supports any.
    registry : Registry, optional
        Registry used to resolve the task of a reader for any task.

    Raises
    ------
    ConformanceError
        If a law is broken; lists every broken law.

    Examples
    --------
    >>> from valor_core.readers import InMemory
    >>> from valor_core.schemas.text import Text, TextBatch
    >>> check_reader(InMemory.of([Text("q1", response="Paris")], TextBatch.of))
    """
    source = _source(reader, parameters or {}, task, registry or Registry())
    run_all(partial(each, source) for each in READER_LAWS)


def _source(
    reader: ReaderSpec | Reader,
    parameters: Mapping[str, Any],
    task: str | None,
    registry: Registry,
) -> Source:
    if not isinstance(reader, ReaderSpec):
        return Source(type(reader).__name__, reader, {}, task)
    wanted = task or reader.task or "text"
    serves = registry.find(TaskSpec, wanted) if reader.task is None else wanted
    code = reader.load()
    given: Any = parameters_from(reader.parameter_class, parameters, f"{reader.name}: ")
    others = {
        f"{one.name}: {size}": code(evolve(given, **{one.name: size}), serves)
        for one in parameters_of(reader.parameter_class)
        for size in _SIZES
        if one.name.startswith("partition_") and one.name not in parameters
    }
    return Source(reader.name, code(given, serves), others, wanted, reader, given, serves)


@law
def partitions_are_named(source: Source) -> None:
    """Partitions have distinct names that do not change between calls."""
    for setting, reader in {"": source.reader, **source.others}.items():
        names = [_name(partition) for partition in reader.partitions()]
        place = f" with {setting}" if setting else ""
        twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
        if twice is not None:
            raise Breach(f"expected names that differ, found {twice!r} twice{place}")
        first, again = (list(map(identity, reader.partitions())) for _ in range(2))
        agree(first, again, f"asked once{place}", "asked again")


@law
def batches_of_the_task(source: Source) -> None:
    """The reader yields batches of its task."""
    for batch in source.batches:
        if not isinstance(batch, Batch):
            raise Breach(f"expected batches, found {short_repr(batch)}")
        if source.task is not None and batch.task != source.task:
            raise Breach(f"expected batches of {source.task}, found one of {batch.task}")


@law
def uids_are_unique(source: Source) -> None:
    """Every uid occurs once."""
    uids: set[Any] = set()
    for batch in source.batches:
        if batch.datums.numbered:
            continue
        for uid in batch.datums.uids.tolist():
            if uid in uids:
                raise Breach(f"expected every item once, found {uid!r} twice")
            uids.add(uid)


@law
def stable_batches(source: Source) -> None:
    """Reading further partitions does not modify batches read before."""
    before, kept = [], []
    for partition in source.reader.partitions():
        for batch in source.reader.read(partition):
            before.append(content(batch))
            kept.append(batch)
    agree(before, [content(batch) for batch in kept], "as read", "when the rest was read")


@law
def repeated_reads_agree(source: Source) -> None:
    """Reading twice, or in reverse order, gives the same items."""
    expected = _items(source.batches)
    agree(expected, _items(_all(source.reader)), "read once", "read again")
    backwards = [list(source.reader.read(each)) for each in _reversed(source.reader.partitions())]
    again = _items([batch for batches in _reversed(backwards) for batch in batches])
    agree(expected, again, "in order", "when the last partition was read first")


@law
def reader_survives_pickling(source: Source) -> None:
    """The reader and its partitions can be pickled and read the same items afterwards."""
    reader = pickle.loads(pickle.dumps(source.reader))
    partitions = pickle.loads(pickle.dumps(list(source.reader.partitions())))
    before, after = (list(map(identity, each)) for each in (source.reader.partitions(), partitions))
    agree(before, after, "as they were", "after pickling")
    batches = [batch for partition in partitions for batch in reader.read(partition)]
    agree(_items(source.batches), _items(batches), "as it was", "after pickling")


@law
def any_partitioning(source: Source) -> None:
    """Every partition size gives the same items."""
    expected = _items(source.batches)
    for setting, reader in source.others.items():
        agree(expected, _items(_all(reader)), "as given", f"with {setting}")


@law
def its_files_are_detected(source: Source) -> None:
    """`detect` returns None or valid parameters for the reader's files, and raises no error."""
    spec = source.spec
    if spec is None or spec.detect is None:
        return
    files = tuple(path for _, path in _paths(source.parameters))
    if files:
        check_detected(spec, spec.load(spec.detect)(files), files)


@law
def other_columns_are_kept(source: Source) -> None:
    """A reader of one table with a row per item keeps columns that it does not use as metadata."""
    paths = [] if source.spec is None else _paths(source.parameters)
    if source.spec is None or len(paths) != 1 or not paths[0][1].is_file():
        return
    (name, path) = paths[0]
    with tempfile.TemporaryDirectory() as folder:
        table = with_note(path, Path(folder))
        if table is None or _rows(table) != sum(map(len, source.batches)):
            return
        given = evolve(source.parameters, **{name: table})
        try:
            batches = _all(source.spec.load()(given, source.serves))
        except ValorError:  # the reader allows no other columns
            return
    if not has_note(batches):
        raise Breach(f"{path.name}: expected the column {NOTE!r} in the metadata{KEEP_HINT}")


READER_LAWS: Sequence[Callable[[Source], None]] = (
    partitions_are_named,
    batches_of_the_task,
    uids_are_unique,
    stable_batches,
    repeated_reads_agree,
    reader_survives_pickling,
    any_partitioning,
    its_files_are_detected,
    other_columns_are_kept,
)
"""Laws of a reader on one source, the most informative first."""


def _paths(parameters: Any) -> list[tuple[str, Path]]:
    """Return the parameters that are paths of existing files or folders."""
    cls: type = type(parameters)
    values = [(one.name, getattr(parameters, one.name)) for one in parameters_of(cls)]
    return [
        (name, Path(value))
        for name, value in values
        if isinstance(value, (str, Path)) and value and Path(value).exists()
    ]


def _rows(table: Path) -> int:
    return len(table.read_text(encoding="utf-8").splitlines()) - (table.suffix == ".csv")


def _all(reader: Reader) -> list[Any]:
    return [batch for partition in reader.partitions() for batch in reader.read(partition)]


def _name(partition: Any) -> str:
    name = partition.name if isinstance(partition, Partition) else None
    if not isinstance(name, str) or not name:
        raise Breach(f"expected a Partition with a name, found {short_repr(partition)}")
    return name


def _items(batches: Sequence[Batch]) -> list[Any]:
    """Return the content of all items sorted by uid; items without uid are numbered."""
    items: list[tuple[Any, Any]] = []
    count = 0
    for batch in batches:
        named = batch.renumber(count) if batch.datums.numbered else batch
        pairs = zip(named.datums.uids.tolist(), named.items(), strict=True)
        items.extend((natural(uid), content(item)) for uid, item in pairs)
        count += len(batch)
    return [item for _, item in sorted(items, key=lambda pair: pair[0])]


def _reversed(values: Sequence[Any]) -> list[Any]:
    return list(values)[::-1]
