"""Data frames of Dask, Ray and Spark, counted by partition where the partition is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import field, frozen

from valor_core import Evaluator, Report
from valor_core.errors import SchemaError, short_repr
from valor_core.evaluation import MetricChoice
from valor_core.packages import import_extra


def evaluate_partitions(
    frame: Any,
    metrics: Sequence[MetricChoice] | MetricChoice,
    task: str | None = None,
    *,
    reader: Mapping[str, Any] | None = None,
    **options: Any,
) -> Report:
    """Evaluate a distributed data frame without collecting its rows.

    Each partition is counted on its worker. Only counts are sent and merged, and results are
    bit-identical to those of the whole table.

    Parameters
    ----------
    frame : Dask or Spark data frame, Ray data set, or iterable of tables
        Rows of items, with both sides. Each partition is a table for `valor_core.evaluate`.
    metrics : sequence
        Metrics, as for `Evaluator`. Workers need their packages, and ``valor-hosts``.
    task : str, optional
        Task used to resolve short names.
    reader : mapping, optional
        Reader and its parameters, if columns have other names: ``{"reader": "predicted", "label":
        "y_true", "prediction": "y_pred"}``.
    **options
        Further arguments of `Evaluator`, such as ``slices`` and ``require``.

    Raises
    ------
    ValorError
        As for `evaluate`. A worker's error has the class that its host gives it.

    Examples
    --------
    >>> parts = [{"label": ["cat", "dog"], "prediction": ["cat", "cat"]}] * 2
    >>> evaluate_partitions(parts, ["Accuracy"])["Accuracy"].value
    0.5
    """
    count = PartitionCount(metrics, task, reader, options)
    host = type(frame).__module__.partition(".")[0]
    merged: Evaluator | None = None
    count_in: Callable[[Any, PartitionCount], Iterator[Counted]] = _HOSTS.get(host, _of_tables)
    for found, content in count_in(frame, count):
        if merged is None:
            merged = Evaluator(metrics, found, **options)
        merged.resume(content)
    if merged is None and task is None:
        raise SchemaError(
            "evaluate_partitions: expected rows, found none",
            "Pass rows, or the task of the report: task='classification'",
        )
    return (Evaluator(metrics, task, **options) if merged is None else merged).compute()


Counted = tuple[str, bytes]
"""Task and counts of a partition."""


@frozen
class PartitionCount:
    """Function that counts tables on a worker.

    Parameters
    ----------
    metrics, task, reader, options
        As for `evaluate_partitions`.
    """

    metrics: Any
    task: str | None
    reader: Mapping[str, Any] | None
    options: Mapping[str, Any] = field(factory=dict)

    def __call__(self, tables: Iterable[Any]) -> list[Counted]:
        """Count tables; return nothing if they are empty."""
        with Evaluator(self.metrics, self.task, **self.options) as evaluator:
            for table in tables:
                if _has_rows(table):
                    data = table if self.reader is None else {**self.reader, "path": table}
                    evaluator.update(data)
            if not evaluator.state.outside:
                return []
            return [(evaluator.evaluation.task, evaluator.dumps())]


def _has_rows(table: Any) -> bool:
    columns = next(iter(table.values()), ()) if isinstance(table, Mapping) else table
    return not hasattr(columns, "__len__") or len(columns) > 0


def _of_tables(frame: Any, count: PartitionCount) -> Iterator[Counted]:
    is_table = hasattr(type(frame), "columns") or isinstance(frame, Mapping)
    tables = [frame] if is_table else frame
    if not isinstance(tables, Iterable) or isinstance(tables, str):
        raise SchemaError(
            f"evaluate_partitions: expected a data frame or tables, got {short_repr(frame)}",
            "Pass a list of tables. For a file, call: valor_core.evaluate(PATH, METRICS)",
        )
    for table in tables:
        yield from count([table])


def _of_dask(frame: Any, count: PartitionCount) -> Iterator[Counted]:
    dask = import_extra("dask", "evaluate_partitions", "dask")
    counted = [dask.delayed(count)([part]) for part in frame.to_delayed()]
    for found in dask.compute(*counted):
        yield from found


def _of_ray(frame: Any, count: PartitionCount) -> Iterator[Counted]:
    def counted(table: Any) -> dict[str, list[Any]]:
        found = count([table])
        return {"task": [task for task, _ in found], "counts": [content for _, content in found]}

    parts = frame.map_batches(counted, batch_size=None, batch_format="pandas")
    for row in parts.iter_rows():
        yield str(row["task"]), bytes(row["counts"])


def _of_spark(frame: Any, count: PartitionCount) -> Iterator[Counted]:
    def counted(tables: Iterator[Any]) -> Iterator[Any]:
        from pandas import DataFrame

        yield DataFrame(count(tables), columns=["task", "counts"])

    frame = frame.to_spark() if hasattr(frame, "to_spark") else frame  # of pyspark.pandas
    parts = frame.mapInPandas(counted, "task string, counts binary")
    for row in parts.toLocalIterator():
        yield str(row["task"]), bytes(row["counts"])


_HOSTS: Mapping[str, Callable[[Any, PartitionCount], Iterator[Counted]]] = {
    "dask": _of_dask,
    "pyspark": _of_spark,
    "ray": _of_ray,
}
