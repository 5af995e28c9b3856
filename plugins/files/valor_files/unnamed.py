"""Inference of the reader and task of tables and files from their columns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from valor_core.errors import ConfigError, did_you_mean_file
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
    names = ["data.groundtruths", "data.predictions"]
    if len(sides) != 2:
        names = ["data"] if len(sides) == 1 else [f"data[{i}]" for i in range(len(sides))]
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
_WORKBOOKS = (".xlsx", ".xls")
_SEE_READERS = "See the readers with: valor list --readers"


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
    paths = [source for source in sources if isinstance(source, Path)]
    names = " and ".join(map(str, paths)) if paths else "data"
    tables = [table for source in sources if (table := first_rows(source)) is not None]
    if len(tables) == len(sources):
        remedy = _reader_to_name(registry, task, repr(str(paths[0])) if paths else "data")
        return unknown_columns(names, tables[0], remedy, second=[*tables, None][1])
    written = ", ".join(repr(str(path)) for path in paths)
    for path in paths:
        suffix = path.suffix.casefold()
        if suffix in _WORKBOOKS:
            return ConfigError(
                f"{path}: expected a table such as CSV, found an Excel workbook",
                f"Read it with pandas: evaluate(pandas.read_excel({str(path)!r}), metrics)",
            )
        if suffix in _CONFIGS:
            return ConfigError(
                f"{names}: no reader recognizes it"
                if len(paths) == 1
                else f"{names}: no reader recognizes them",
                f"Run a config on the command line: valor run {path}\n"
                "For a YOLO data set, pass the folder of predictions after its data.yaml: "
                f"evaluate({str(path)!r}, 'runs/detect/val/labels', metrics)",
            )
    if len(paths) == 1:
        remedy = f"If it has predictions, pass the ground truths first: evaluate(…, {written}, …)"
    else:
        remedy = "Specify a reader and its parameters: evaluate({'reader': …}, metrics)"
    return ConfigError(
        f"{names}: not recognized by any reader{'' if task is None else f' of the task {task}'}",
        f"{remedy}\n{_SEE_READERS}",
    )


def _reader_to_name(registry: Registry, task: str | None, path: str) -> str:
    """Remedy for a table that no reader recognizes: the readers of tables."""
    served = None if task is None else registry.find(TaskSpec, task)
    readers = [
        spec
        for spec in registry.all(ReaderSpec)
        if takes_tables(spec) and (served is None or spec.serves(served))
    ]
    if not readers:
        remedy = None if task is None else registry.arrays_remedy(task)
        return remedy or _SEE_READERS
    readers.sort(key=lambda spec: spec.task is None)  # readers of one task first
    names = [spec.short_name if task else spec.name for spec in readers]
    listed = f"Readers of tables are: {', '.join(names)}"
    if any(spec.short_name == "predicted" for spec in readers):
        return (
            f"Specify a reader and its columns: {{'reader': 'predicted', 'path': {path}, "
            f"'label': COLUMN, 'prediction': COLUMN}}\n{listed}"
        )
    return (
        f"Specify a reader and its parameters: {{'reader': '{names[0]}', …}}. {listed}\n"
        f"See its parameters with: valor show {readers[0].name}"
    )
