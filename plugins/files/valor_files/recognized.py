"""Recognized: what a reader makes of files that somebody names without a config."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import field, frozen

from valor_core.errors import ReadError
from valor_core.plugins.names import fold
from valor_files.tables import (
    Table,
    TableInMemory,
    TableSource,
    read_table,
    split_table,
    table_format,
)

_HEAD_BYTES = 1 << 16
_MOST_JSON = 1 << 22  # a list in JSON is read as a whole; a larger one is no table of items


@frozen(kw_only=True, repr=False)
class Recognized:
    """What a config says of files that a reader knows.

    Parameters
    ----------
    data : mapping
        Its section ``data``, without the name of the reader.
    metrics : tuple of str
        Metrics to begin with.
    task : str, optional
        The task, where the reader serves several.
    needs : mapping of str to str, optional
        Parameters that the data do not contain and a person must add, with their meaning.
    is_guess : bool
        Whether another reader that is not a guess comes first.
    """

    data: Mapping[str, Any]
    metrics: tuple[str, ...] = ()
    task: str | None = None
    needs: Mapping[str, str] = field(factory=dict)
    is_guess: bool = False


def first_rows(file: TableSource) -> Table | None:
    """The first rows of a file with a table in it; None where it is none.

    Parameters
    ----------
    file : Path or TableInMemory
        A file in CSV, JSON Lines, JSON or Parquet, as its suffix says; or a table in memory.
    """
    if isinstance(file, TableInMemory):
        return file.beginning
    try:
        if not file.is_file() or (
            table_format(file) == "json" and file.stat().st_size > _MOST_JSON
        ):
            return None
        return read_table(split_table(file, partition_bytes=_HEAD_BYTES)[0])
    except ReadError:
        return None


def named_source(file: TableSource) -> str | TableInMemory:
    """What a config has for a file: its path; a table in memory itself.

    Examples
    --------
    >>> from pathlib import Path
    >>> named_source(Path("preds.csv"))
    'preds.csv'
    """
    return file if isinstance(file, TableInMemory) else str(file)


def column_called(table: Table, names: Iterable[str]) -> str | None:
    """The column that has the first of some names, however it is written; None without one.

    Examples
    --------
    >>> column_called(Table({"Y_True": [1]}, "t.csv"), ["label", "y_true"])
    'Y_True'
    """
    written: dict[str, str] = {}
    for name in table.names:
        written.setdefault(_folded(name), name)
    return next((written[one] for one in map(_folded, names) if one in written), None)


def renamed(chosen: Mapping[str, str | None], own: Sequence[str] = ()) -> dict[str, str]:
    """Names of columns by parameter, without those that a reader takes anyway.

    Examples
    --------
    >>> renamed({"label": "y_true", "uid": "uid", "key": None})
    {'label': 'y_true'}
    """
    return {key: name for key, name in chosen.items() if name not in (None, key, *own)}  # type: ignore[misc]


def _folded(name: str) -> str:
    return fold(name).replace(" ", "")
