"""Unknown files: what to do about what a command line names and nothing can read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from valor_cli.config.files import PARSERS
from valor_core.errors import ConfigError, did_you_mean_file, shown
from valor_core.plugins.registry import Registry
from valor_core.plugins.spec import TaskSpec
from valor_core.readers.known import unknown_columns
from valor_core.readers.recognized import first_rows
from valor_core.readers.tables import read_table, split_table

_MOST_NAMES = 20
_ADDRESS = re.compile(r"([a-z][a-z0-9+]+):/+(.*)", re.DOTALL)
_SEE_READERS = "See the readers with: valor list --readers"


def missing(file: Path) -> ConfigError:
    """What to raise where a file is not there.

    Examples
    --------
    >>> print(missing(Path("F1")))
    F1: no such file
    Names of metrics stand after -m, with commas between: -m F1
    """
    address = _ADDRESS.fullmatch(str(file))  # a Path keeps one of the slashes
    if address is not None:
        written = f"{address[1]}://{address[2]}"
        return ConfigError(
            f"{written}: expected a file, got an address", "Download it, and name the file."
        )
    remedy = did_you_mean_file(file)
    if remedy is None and file.parent == Path() and file.name.isidentifier():
        remedy = f"Names of metrics stand after -m, with commas between: -m {file}"
    return ConfigError(f"{file}: no such file", remedy)


def not_read(
    files: Sequence[Path], typed: str, task: str | None, registry: Registry
) -> ConfigError:
    """What to raise where no reader knows the files, with what was found in them.

    A file that only a table can be, and that is damaged, has its own error.

    Parameters
    ----------
    files : sequence of Path
        The files, which are there.
    typed : str
        The command that names them.
    task : str, optional
        The task, where somebody says it.
    registry : Registry
        What is installed.
    """
    if task is not None:
        registry.find(TaskSpec, task)
    of_task = "" if task is None else f" of the task {task}"
    names = " and ".join(map(str, files))
    tables = [table for file in files if (table := first_rows(file)) is not None]
    if not tables:
        _check_is_whole(files)
        return ConfigError(f"{names}: no reader{of_task} knows what this is", _remedy(files, typed))
    remedy = _remedy(files, typed, columns=" --set data.label=COLUMN")
    return unknown_columns(names, tables[0], remedy, of_task)


def check_is_config(values: Mapping[str, Any], file: Path, known: Sequence[str]) -> None:
    """Raise a `ConfigError` if a file in JSON has data in the place of the keys of a config.

    Parameters
    ----------
    values : mapping
        What the file holds.
    file : Path
        The file.
    known : sequence of str
        Keys of configs.
    """
    if file.suffix.casefold() == ".json" and values and not set(known) & set(values):
        listed = ", ".join(shown(key) for key in list(values)[:_MOST_NAMES])
        raise ConfigError(
            f"{file}: expected a config or a list of items, found a table of {listed}",
            f"If it has ground truths, name the predictions, too: valor run {file} PREDICTIONS\n"
            f"{_SEE_READERS}",
        )


def _check_is_whole(files: Sequence[Path]) -> None:
    """Raise the `ReadError` of a file that only a table can be, and that cannot be read as one."""
    last = files[-1]
    if last.is_file() and (len(files) == 1 or last.suffix.casefold() != ".json"):
        read_table(split_table(last)[0])


def _remedy(files: Sequence[Path], typed: str, columns: str = "") -> str:
    """What may have been meant, and the way that always works."""
    first, *others = files
    named = (
        f"Name the reader{' and its columns' if columns else ''}: {typed} --reader NAME{columns}"
    )
    if first in others:
        return f"Name two files, ground truths before predictions.\n{_SEE_READERS}"
    if not others and first.is_dir():
        configs = sorted(path for path in first.iterdir() if path.suffix in PARSERS)
        if configs:
            return f"Name the config in it: valor run {configs[0]}"
        return (
            "If it has predictions, name the folder of ground truths before it: "
            f"valor run GROUNDTRUTHS {first}\n{_SEE_READERS}"
        )
    if not others and first.suffix.casefold() == ".json":
        return (
            "If it has predictions, name the file of ground truths before it: "
            f"valor run GROUNDTRUTHS {first}\n{named}"
        )
    return f"{named}\n{'Or be asked: valor init' if columns else _SEE_READERS}"
