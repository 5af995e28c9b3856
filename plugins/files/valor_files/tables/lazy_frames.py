"""Rejection of data frames whose rows are not in memory, with the call that gets them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from valor_core.errors import SchemaError
from valor_core.packages import version_of, ways

_HOSTS = "valor-hosts"

_COLLECT = (
    ("dask", "iterrows", "data.compute()"),
    ("pyspark", "toPandas", "data.toPandas()"),
    ("pyspark", "to_pandas", "data.to_pandas()"),
    ("ray", "iter_batches", "data.to_pandas()"),
    ("polars", "collect", "data.collect()"),
    ("duckdb", "to_arrow_table", "data.to_arrow_table()"),
    ("ibis", "to_pyarrow", "data.to_pyarrow()"),
    ("pyarrow", "to_table", "data.to_table()"),
    ("pyarrow", "read_all", "data.read_all()"),
    ("datasets", "load_state_dict", "list(data)"),
)
"""Library of a class, method that only its lazy classes have, and expression of its rows."""

_BY_PARTITION = {
    "dask": "data",
    "pyspark": "data",
    "ray": "data",
    "datasets": "data.iter(1000)",
    "pyarrow": "data.to_batches()",
}
"""First argument of `evaluate_partitions` by library."""


def check_in_memory(data: Any, place: str) -> None:
    """Raise a `SchemaError` for a lazy or distributed data frame.

    Parameters
    ----------
    data : object
        Possible table.
    place : str
        Name of the data in the message.
    """
    kind = type(data)
    library = kind.__module__.partition(".")[0]
    if library == "datasets" and isinstance(data, dict):
        raise SchemaError(
            f"{place}: expected one data set, got a {kind.__name__} of {', '.join(data)}",
            f"Pass one of them: data[{next(iter(data), 'test')!r}]",
        )
    for root, method, rows in _COLLECT:
        if library == root and hasattr(kind, method):
            raise SchemaError(
                f"{place}: expected rows in memory, got a lazy {kind.__name__} of {root}",
                "\n".join(_remedies(rows, _BY_PARTITION.get(root), hasattr(kind, "to_batches"))),
            )


def _remedies(rows: str, partitions: str | None, has_batches: bool) -> Iterable[str]:
    yield f"Pass its rows: {rows}"
    if partitions is None or (".to_batches" in partitions and not has_batches):
        return
    yield f"Or count it in parts: valor_hosts.evaluate_partitions({partitions}, metrics)"
    if version_of(_HOSTS) is None:
        yield f"Install it with: {ways(_HOSTS)}"
