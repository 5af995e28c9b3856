"""Inference of the reader and task of tables and files from their columns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from valor_core.errors import ConfigError, did_you_mean_file, short_repr
from valor_core.readers.resolve import check_one_task
from valor_core.specs import ReaderSpec, Registry, TaskSpec
from valor_files.detect import first_rows, matching_readers, takes_tables, unknown_columns
from valor_files.tables import TableInMemory, TableSource


def recognize(
    sides: Sequence[Any], registry: Registry, task: str | None, metrics: Sequence[Any]
) -> tuple[Any, str] | None:
    """Infer section ``data`` of a config, and the task; None for data that are not tables or files.

    Parameters
    ----------
    sides : sequence
        One table or file with both sides, or ground truths and predictions.
    registry : Registry
        Registry used to find readers.
    task : str, optional
        The task, if it is given.
    metrics : sequence
        Metrics to compute; a task that has all of them is preferred.

    Raises
    ------
    ConfigError
        If a path does not exist, no reader recognizes a table, or several tasks fit.
    """
    names = ["data"] if len(sides) == 1 else ["data.groundtruths", "data.predictions"]
    found = [_source(side, name) for side, name in zip(sides, names, strict=True)]
    sources = [source for source in found if source is not None]
    if len(sources) < len(sides):
        return None
    section = _recognized(sources, registry, task, metrics)
    if section is None and (len(sides) == 1 or any(isinstance(one, Path) for one in sources)):
        raise _unknown(sources, registry, task)
    return section


_IN_LISTS = "A string is the name of a file. Pass texts and labels in lists."
_CONFIGS = (".yaml", ".yml", ".toml")


def _source(data: Any, place: str) -> TableSource | None:
    """Table in memory or path of an existing file; None for other data."""
    if not isinstance(data, (str, os.PathLike)):
        return TableInMemory.of(data, place)
    path = Path(data)
    try:
        exists = path.exists()
    except (OSError, ValueError):  # not a valid path
        exists = False
    if not exists:
        raise ConfigError(
            f"{place}: no such file: {str(path)!r}", did_you_mean_file(path) or _IN_LISTS
        )
    return path


def _recognized(
    sources: Sequence[TableSource], registry: Registry, task: str | None, metrics: Sequence[Any]
) -> tuple[Any, str] | None:
    matches = matching_readers(sources, registry, task=task, metrics=metrics)
    if not matches:
        return None
    check_one_task({match.task for match in matches})
    return matches[0].section, matches[0].task


def _unknown(sources: Sequence[TableSource], registry: Registry, task: str | None) -> ConfigError:
    """Error for tables or files that no reader recognizes."""
    tables = [table for source in sources if (table := first_rows(source)) is not None]
    remedy = _reader_to_name(registry, task)
    if len(tables) < len(sources):
        names = " and ".join(map(str, sources))
        if any(isinstance(one, Path) and one.suffix.casefold() in _CONFIGS for one in sources):
            remedy = f"Run a config on the command line: valor run {names}"
        return ConfigError(f"data: no reader recognizes {names}", remedy)
    if len(tables) == 1:
        return unknown_columns("data", tables[0], remedy)
    names = " and ".join(short_repr(list(table.names)) for table in tables)
    return ConfigError(f"data: no reader recognizes two tables with these columns: {names}", remedy)


def _reader_to_name(registry: Registry, task: str | None) -> str:
    """Remedy for a table that no reader recognizes: the readers of tables."""
    served = None if task is None else registry.find(TaskSpec, task)
    readers = [
        spec
        for spec in registry.all(ReaderSpec)
        if takes_tables(spec) and (served is None or spec.serves(served))
    ]
    if not readers:
        remedy = None if task is None else registry.arrays_remedy(task)
        return remedy or "See the readers with: valor list --readers"
    readers.sort(key=lambda spec: spec.task is None)  # readers of one task first
    names = [spec.short_name if task else spec.name for spec in readers]
    listed = f"Readers of tables are: {', '.join(names)}"
    if any(spec.short_name == "predicted" for spec in readers):
        return (
            "Specify a reader and its columns: {'reader': 'predicted', 'path': data, "
            f"'label': COLUMN, 'prediction': COLUMN}}\n{listed}"
        )
    return (
        f"Specify a reader and its parameters: {{'reader': '{names[0]}', …}}. {listed}\n"
        f"See its parameters with: valor show {readers[0].name}"
    )
