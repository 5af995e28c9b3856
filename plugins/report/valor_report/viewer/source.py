"""Source of a viewed report: its data, which are read on demand, and its metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from shlex import quote
from threading import RLock
from typing import Any, cast

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from valor_core.errors import ReadError, ReportError, ValorError, short_repr
from valor_core.evaluation import Evaluation, Evaluator
from valor_core.evaluation.evaluate import run
from valor_core.evaluation.options import EvaluationOptions
from valor_core.readers import Partition, Reader, reader_of
from valor_core.results import Report
from valor_core.results.report import ItemTable
from valor_core.schemas import Batch, Codes
from valor_core.specs import Registry
from valor_report.tables.item_tables import NAMED, RECORDS, SLICES
from valor_report.viewer.item_columns import ItemColumns

_COLUMNS = (*NAMED, SLICES, *RECORDS)
"""Details that are columns of the list of items, or only in the JSON report."""


@frozen(eq=False, repr=False)
class ItemPlaces:
    """Positions of items in the data.

    Parameters
    ----------
    uids : ndarray of str
        Uids as texts, in the order of the data.
    partitions, places : ndarray of int64
        Partition of each item, and its index in the filtered partition.
    starts : tuple of int
        Number of items before each partition, before the filter.
    fields : mapping of str to list
        Metadata of the items by field, for the fields of slices.
    """

    uids: NDArray[np.str_]
    partitions: Codes
    places: Codes
    starts: tuple[int, ...]
    fields: Mapping[str, Sequence[Any]] = field(factory=dict)

    def find(self, uid: str) -> tuple[int, int] | None:
        """Return the partition of an item and its index there, or None."""
        found = np.flatnonzero(self.uids == uid)
        if not len(found):
            return None
        return int(self.partitions[found[0]]), int(self.places[found[0]])


@frozen(eq=False, repr=False, kw_only=True)
class ReportSource:
    """Report with its data and metrics.

    Parameters
    ----------
    report : Report
        The report.
    name : str
        Name of its file, for messages.
    options : EvaluationOptions, optional
        Options of the run.
    task : str
        Task of the data.
    data : mapping, optional
        Name and parameters of the reader. Without it, as in reports of Python, the viewer shows the
        rows of the report alone.
    gallery : mapping, optional
        Section ``gallery`` of the config.
    registry : Registry
        Registry used to resolve names.
    resources : mapping of str to mapping
        Sections of resources.
    folder : Path
        Folder that relative paths start from.
    place : str
        Prefix of error messages, such as ``"report.json: config."``.
    missing : ReportError, optional
        Error of data that no longer exist. The viewer then shows the rows of the report alone.
    """

    report: Report
    name: str
    options: EvaluationOptions | None = None
    task: str = ""
    data: Mapping[str, Any] | None = None
    gallery: Mapping[str, Any] | None = None
    registry: Registry = field(factory=Registry)
    resources: Mapping[str, Any] = field(factory=dict)
    folder: Path = Path()
    place: str = ""
    missing: ReportError | None = None
    _lock: Any = field(factory=RLock, init=False)
    _recent: dict[str, Any] = field(factory=dict, init=False)

    @cached_property
    def evaluation(self) -> Evaluation:
        """Evaluation of the run, which filters items and maps labels."""
        return Evaluation.of(
            self._options(), self.task, self.resources, self.registry, self.folder, self.place
        )

    def _options(self) -> EvaluationOptions:
        if self.missing is not None:
            raise self.missing
        if self.options is None or self.data is None:
            raise ReportError(
                f"{self.name}: has no data section to read items from",
                "Write a report of data files, with: valor run CONFIG -o report.json",
            )
        return self.options

    @property
    def fields(self) -> tuple[str, ...]:
        """Metadata fields of the slices."""
        return () if self.data is None else self.evaluation.slices.fields

    def check(self) -> None:
        """Raise the error of an invalid metric or reader, before anything is read."""
        self.evaluation, self._reader  # noqa: B018

    @cached_property
    def repeatable(self) -> tuple[int, ...]:
        """Positions of the metrics that need no resource such as a judge, so they cost nothing."""
        return tuple(
            position
            for position, choice in enumerate(() if self.data is None else self._options().metrics)
            if self._is_repeatable(choice)
        )

    def _is_repeatable(self, choice: Any) -> bool:
        options = evolve(cast(Any, self._options()), metrics=(choice,))
        try:
            alone = Evaluation.of(options, self.task, {}, self.registry, self.folder, self.place)
        except ValorError:
            return False
        return not alone.resources

    @property
    def judged(self) -> frozenset[str]:
        """Full names of the metrics that need a resource."""
        metrics = self.evaluation.plan.metrics
        others = (one for at, one in enumerate(metrics) if at not in self.repeatable)
        return frozenset(one.spec.name for one in others)

    @property
    def names(self) -> tuple[str, ...]:
        """Short names of the metrics in the order of the config."""
        if self.data is None:
            return ()
        return tuple(metric.spec.short_name for metric in self.evaluation.plan.metrics)

    def evaluated(self, metrics: Sequence[Any], *, items: bool = False) -> Report:
        """Evaluate metrics on the data, without slices and intervals.

        Parameters
        ----------
        metrics : sequence
            Names, or tables of a name and parameters.
        items : bool
            Whether the report has the rows of items.

        Raises
        ------
        ValorError
            If a parameter is invalid, or the data cannot be read or have changed.
        """
        options = evolve(
            cast(Any, self._options()),
            metrics=tuple(metrics),
            slices=(),
            confidence=None,
            require={},
            items=items,
            state=None,
        )
        with self._reading():
            evaluator = Evaluator.of(
                options,
                self.task,
                resources={},
                registry=self.registry,
                folder=self.folder,
                place=self.place,
            )
            with evaluator:
                run(evaluator, self._reader, place=self.place)
                report = evaluator.compute()
            self._check_count(sum(report.counts.get(key, 0) for key in ("read", "skipped")))
        return report

    @cached_property
    def tables(self) -> tuple[ItemTable, ...]:
        """Rows of items: those of the report, or of its metrics that cost nothing."""
        if self.report.items:
            return self.report.items
        metrics = [self._options().metrics[position] for position in self.repeatable]
        return self.evaluated(metrics, items=True).items if metrics else ()

    @cached_property
    def items(self) -> ItemColumns:
        """All items in columns."""
        with self._lock:
            tables = [table for table in self.tables if len(table.rows)]
            found = ItemColumns.of(tables, None if tables else self.places.uids)
            if {*self.fields} <= found.columns.keys():
                return found
            with suppress(ValorError):  # without the data, the rows of the report are shown
                return found.with_texts(self.places.uids, self.places.fields)
            return found

    @cached_property
    def places(self) -> ItemPlaces:
        """Positions of the items in the data, which are read once for it."""
        self._options()
        with self._reading():
            uids: list[NDArray[np.str_]] = []
            partitions: list[Codes] = []
            places: list[Codes] = []
            starts = [0]
            fields: dict[str, list[Any]] = {name: [] for name in self.fields}
            for number, partition in enumerate(self._partitions):
                first = 0
                start = starts[-1]
                for batch in self._reader.read(partition):
                    kept = self.evaluation.taking_part(batch, start)
                    start += len(batch)
                    uids.append(kept.datums.uids.astype(np.str_))
                    places.append(np.arange(first, first + len(kept)))
                    partitions.append(np.full(len(kept), number))
                    for name, values in fields.items():
                        column = kept.datums.metadata.get(name)
                        values += [None] * len(kept) if column is None else column.tolist()
                    first += len(kept)
                starts.append(start)
            self._check_count(starts[-1])
            empty = np.empty(0, np.int64)
            return ItemPlaces(
                np.concatenate([np.empty(0, "U1"), *uids]),
                np.concatenate([empty, *partitions]),
                np.concatenate([empty, *places]),
                tuple(starts),
                fields,
            )

    def details(self, uid: str) -> dict[str, Any]:
        """Return the details of an item in the rows of the report, by metric and name."""
        found: dict[str, Any] = {}
        for table in self.tables:
            short = table.metric.partition("@")[0].rpartition(".")[2]
            for row in np.flatnonzero(table.rows.uids.astype(np.str_) == uid)[:1].tolist():
                held = table.rows.details.get(row, {})
                named = {name: one for name, one in held.items() if name not in _COLUMNS}
                found |= {f"{short} {name.replace('_', ' ')}": one for name, one in named.items()}
        return found

    def item(self, uid: str) -> Batch:
        """Read an item.

        Raises
        ------
        ReadError
            If the data have no such item, or have changed.
        """
        with self._reading():
            found = self.places.find(uid)
            if found is None:
                raise self._changed(f"expected the item {short_repr(uid)}, found none")
            number, place = found
            batch, first = self._batch(number, place)
            return batch.select(np.array([place - first]))

    def _batch(self, number: int, place: int) -> tuple[Batch, int]:
        """Return the batch with an item, and the index of its first item; the last one is kept."""
        recent = self._recent.get("batch")
        if recent is not None:
            at, first, batch = recent
            if at == number and first <= place < first + len(batch):
                return batch, first
        first, start = 0, self.places.starts[number]
        for read in self._reader.read(self._partitions[number]):
            batch = self.evaluation.taking_part(read, start)
            if place < first + len(batch):
                self._recent["batch"] = (number, first, batch)
                return batch, first
            start += len(read)
            first += len(batch)
        raise self._changed(f"expected {place + 1:,} items, found {first:,}")

    @cached_property
    def _reader(self) -> Reader:
        return reader_of(self.data or {}, self.task, self.registry, self.folder, self.place)

    @cached_property
    def _partitions(self) -> tuple[Partition, ...]:
        return tuple(self._reader.partitions())

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Context in which one thread reads the data, after a check that they are as before."""
        with self._lock:
            versions = {
                path: (stat.st_size, stat.st_mtime_ns)
                for part in self._partitions
                for path in part.paths
                if path.exists() and (stat := path.stat())
            }
            before = self._recent.setdefault("versions", versions)
            for path in before:
                if versions.get(path) != before[path]:
                    found = "a changed file" if path in versions else "none"
                    raise ReadError(
                        f"{path}: expected the data as they were when the viewer started, "
                        f"found {found}",
                        f"Start it again with: valor view {quote(self.name)}",
                    )
            yield

    def _check_count(self, found: int) -> None:
        """Raise a `ReadError` if the data have another number of items than the report."""
        counts = self.report.counts
        expected = counts.get("read", 0) + counts.get("skipped", 0)
        if not self.report.stopped and "missing_partitions" not in counts and found != expected:
            raise self._changed(f"expected {expected:,} items, found {found:,}")

    def _changed(self, finding: str) -> ReadError:
        name = quote(self.name)
        return ReadError(
            f"{self.name}: data: {finding}",
            f"Write the report of these data with: valor rerun {name} -o {name}",
        )


def newer(paths: Sequence[Path], report: Path) -> str:
    """Warning about data files that are newer than a report; empty without any."""
    try:
        written = report.stat().st_mtime_ns
        found = [path for path in paths if path.exists() and path.stat().st_mtime_ns > written]
    except OSError as error:
        raise ReportError(f"{report}: cannot be read, {error.strerror}") from error
    if not found:
        return ""
    return f"{found[0].name} is newer than {report.name}, whose numbers may be of earlier data"
