"""Errors for data files that do not exist or that no reader recognizes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Any

from valor_files import (
    ReaderMatch,
    Table,
    columns_to_name,
    first_rows,
    matching_readers,
    read_table,
    split_table,
    unknown_columns,
)

from valor_cli.config.reading.files import PARSERS
from valor_core.errors import ConfigError, and_more, did_you_mean, did_you_mean_file, short_repr
from valor_core.specs import Registry, TaskSpec
from valor_core.specs.lookup import has_all

_MOST_NAMES = 20
_SPLITS = frozenset({"train", "val", "test"})
_ADDRESS = re.compile(r"([a-z][a-z0-9+]+):/+(.*)", re.DOTALL)
_SEE_READERS = "See the readers with: valor list --readers"


def missing(file: Path) -> ConfigError:
    """Return the error for a file that does not exist.

    Examples
    --------
    >>> print(missing(Path("F1")))
    F1: no such file
    Pass metrics with -m, separated by commas: -m F1
    """
    address = _ADDRESS.fullmatch(str(file))  # a Path keeps one of the slashes
    if address is not None:
        written = f"{address[1]}://{address[2]}"
        return ConfigError(
            f"{written}: expected a file, got a URL", "Download it and pass the file."
        )
    remedy = did_you_mean_file(file)
    if remedy is None and file.parent == Path() and file.name.isidentifier():
        remedy = f"Pass metrics with -m, separated by commas: -m {file}"
    if remedy is None:
        folder = next(parent for parent in (*file.parents, Path()) if parent.is_dir())
        remedy = f"See the files there with: ls {quote(str(folder))}"
    return ConfigError(f"{file}: no such file", remedy)


def new_folder(file: Path) -> str:
    """Return the remedy for a file that cannot be written.

    Examples
    --------
    >>> new_folder(Path("missing/config.yaml"))
    'Create its folder with: mkdir -p missing'
    """
    if file.parent.exists():
        return "Choose another folder."
    return f"Create its folder with: mkdir -p {quote(str(file.parent))}"


def not_read(
    files: Sequence[Path],
    typed: str,
    task: str | None,
    registry: Registry,
    metrics: Sequence[Any] = (),
) -> ConfigError:
    """Return the error for files that no reader recognizes, with the columns found in them.

    A damaged table raises its own error.

    Parameters
    ----------
    files : sequence of Path
        Existing files.
    typed : str
        Command line with the files, for remedies.
    task : str, optional
        Name of the task.
    registry : Registry
        Registry used to resolve names.
    metrics : sequence
        Names of metrics, or tables with a name.
    """
    if task is not None:
        registry.find(TaskSpec, task)
    of_task = "" if task is None else f" of the task {task}"
    names = " and ".join(map(str, files))
    tables = [table for file in files if (table := first_rows(file)) is not None]
    if not tables:
        _check_no_workbook(files)
        _check_is_intact(files)
        return ConfigError(f"{names}: not recognized by any reader{of_task}", _remedy(files, typed))
    if not tables[0].names:
        return ConfigError(
            f"{names}: expected rows, found none", "Check the program that wrote it."
        )
    _check_not_two_models(files, tables, registry, metrics)
    remedy = _flat_copy(files[0], tables[0]) if len(files) == 1 else None
    if remedy is None:
        commands = _table_commands(files, typed, task, registry, metrics)
        remedy = _remedy(files, typed, tables=commands)
    second = tables[1] if len(tables) == 2 else None
    return unknown_columns(names, tables[0], remedy, of_task, second)


def _check_not_two_models(
    files: Sequence[Path], tables: Sequence[Table], registry: Registry, metrics: Sequence[Any]
) -> None:
    """Raise a `ConfigError` if two tables have the same columns, of both sides."""
    if len(tables) != 2 or tables[0].names != tables[1].names or files[0] == files[1]:
        return
    if matching_readers(files[:1], registry, metrics=metrics):
        first, second = (quote(str(file)) for file in files)
        chosen = ",".join(name for name in metrics if isinstance(name, str)) or "…"
        raise ConfigError(
            f"{files[0]} and {files[1]}: expected one table of both sides, found two",
            f"To compare two models: valor run {first} -m {chosen} -o a.json; "
            f"valor run {second} -m {chosen} -o b.json; valor compare a.json b.json",
        )


def _flat_copy(file: Path, table: Table) -> str | None:
    """Return a command that flattens nested objects in a JSON file into columns."""
    suffixes = (".json", ".jsonl", ".ndjson")
    cells = [cell for name in table.names for cell in table.values(name).tolist()[:1]]
    if file.suffix.casefold() not in suffixes or not any(isinstance(c, Mapping) for c in cells):
        return None
    is_list = file.suffix.casefold() == ".json"
    rows = "json.load(file)" if is_list else "[json.loads(line) for line in file if line.strip()]"
    columns = (
        "[{name: cell for key, value in row.items() for name, cell in "
        "({f'{key}.{inner}': one for inner, one in value.items()} "
        f"if isinstance(value, dict) else {{key: value}}).items()}} for row in {rows}]"
    )
    flat = _copy(file, columns, "flat")
    return f"Nested objects cannot be columns; copy them into a flat file: {flat}"


def _copy(file: Path, rows: str, name: str) -> str:
    """Return a command that writes `rows`, a Python expression of the open `file`, to a copy."""
    copy = file.with_name(f"{file.stem}-{name}.json")
    code = (
        f"import json; file = open({str(file)!r}, encoding='utf-8'); "
        f"json.dump({rows}, open({str(copy)!r}, 'w'))"
    )
    return f'python -c "{code}"\nThen: valor init {copy}'


def _table_commands(
    files: Sequence[Path],
    typed: str,
    task: str | None,
    registry: Registry,
    metrics: Sequence[Any],
) -> list[str]:
    """Return commands with placeholders for columns, one for each possible task."""
    chosen = ",".join(name for name in metrics if isinstance(name, str))
    typed += f" -m {chosen}" if chosen else ""
    tasks = [task] if task else [spec.short_name for spec in registry.all(TaskSpec)]
    tasks = [one for one in tasks if has_all(registry, one, metrics)] or tasks
    found = []
    for one in tasks:
        columns = columns_to_name(len(files), one, registry, metrics)
        if columns is not None and columns[1]:
            settings = "".join(f" --set data.{name}=COLUMN" for name in columns[1])
            which = "" if task else f" --task {one}"
            found.append(f"{typed}{which} --reader {columns[0].short_name}{settings}")
    return found


def check_complete(
    match: ReaderMatch,
    files: Sequence[Path],
    typed: str,
    metrics: Sequence[Any],
    data: Mapping[str, Any],
) -> None:
    """Raise a `ConfigError` if required parameters of a reader are not set.

    Parameters
    ----------
    match : ReaderMatch
        The reader, and the parameters inferred from the files.
    files : sequence of Path
        The files.
    typed : str
        Command line with the files, for the remedy.
    metrics : sequence
        Names of metrics, or tables with a name.
    data : mapping
        Parameters set on the command line.
    """
    spec, needed = match.reader, match.missing(data)
    if not needed:
        return
    chosen = ",".join(name for name in metrics if isinstance(name, str))
    settings = "".join(f" --set data.{name}={name.upper()}" for name in needed)
    reader = f" --reader {spec.short_name}"
    words = "\n".join(f"{name.upper()}: {text}" for name, text in needed.items())
    raise ConfigError(
        f"{' and '.join(map(str, files))}: {spec.name} also needs {' and '.join(needed)}",
        f"Add: {typed}{f' -m {chosen}' if chosen else ''}{reader}{settings}\n{words}",
    )


def check_no_data_set(files: Sequence[Path]) -> None:
    """Raise a `ConfigError` if the first file is a YOLO data set without readable predictions."""
    file = files[0]
    try:
        values = PARSERS[file.suffix.casefold()](file.read_text(encoding="utf-8"), file)
    except (ConfigError, KeyError, OSError, ValueError):  # raised again as a config
        return
    if not isinstance(values, Mapping) or "names" not in values or _SPLITS.isdisjoint(values):
        return
    with_folder = f"valor run {quote(str(file))} runs/detect/val/labels"
    if len(files) == 1:
        raise ConfigError(
            f"{file}: expected a config, found a YOLO data set",
            f"Pass the folder of predictions, too: {with_folder}",
        )
    found = " and ".join(map(str, files[1:]))
    expected = f"{file}: expected a folder of predictions next to a YOLO data set, found {found}"
    if files[1].suffix.casefold() == ".json":
        raise ConfigError(
            expected,
            f"Write them with save_txt=True save_conf=True, and pass their folder: {with_folder}\n"
            "Or pass COCO's annotations before the predictions: valor run instances.json "
            f"{quote(str(files[1]))}",
        )
    raise ConfigError(
        expected, f"Write them with save_txt=True save_conf=True, and pass: {with_folder}"
    )


def check_is_config(values: Mapping[str, Any], file: Path, known: Sequence[str]) -> None:
    """Raise a `ConfigError` if a file holds data instead of the keys of a config.

    Parameters
    ----------
    values : mapping
        Content of the file.
    file : Path
        The file.
    known : sequence of str
        Keys of configs.
    """
    if not values or any(key in known or did_you_mean(str(key), known) for key in values):
        return
    listed = ", ".join(short_repr(key) for key in list(values)[:_MOST_NAMES])
    expected = "a config or a list of items" if file.suffix.casefold() == ".json" else "a config"
    raise ConfigError(
        f"{file}: expected {expected}, found a table of {listed}",
        _list_inside(values, file)
        or f"If it has ground truths, also pass the predictions: valor run {file} PREDICTIONS\n"
        f"{_SEE_READERS}",
    )


def _list_inside(values: Mapping[str, Any], file: Path) -> str | None:
    """Return a command that copies the only list of items in a table into a separate file."""
    if file.suffix.casefold() != ".json":
        return None
    paths = [*_lists(values, "")]
    if len(paths) != 1:
        return None
    return (
        f"Copy its list of items into a file: {_copy(file, f'json.load(file){paths[0]}', 'rows')}"
    )


def _lists(values: Mapping[str, Any], path: str, deep: int = 3) -> Iterator[str]:
    """Yield Python subscripts of the lists of tables in a table, at most `deep` levels down."""
    for key, value in values.items():
        inside = f"{path}[{key!r}]"
        if isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
            yield inside
        elif isinstance(value, Mapping) and deep > 1:
            yield from _lists(value, inside, deep - 1)


def _check_no_workbook(files: Sequence[Path]) -> None:
    """Raise a `ConfigError` that explains the export to CSV if a file is an Excel workbook."""
    for file in files:
        if file.suffix.casefold() in (".xlsx", ".xls"):
            saved = file.with_suffix(".csv")
            to = f"to_csv({str(saved)!r}, index=False)"
            code = f"import pandas; pandas.read_excel({str(file)!r}).{to}"
            raise ConfigError(
                f"{file}: expected a table such as CSV, found an Excel workbook",
                f'Save it as CSV there, or with pandas: python -c "{code}"\n'
                f"Then: valor init {quote(str(saved))}",
            )


def _check_is_intact(files: Sequence[Path]) -> None:
    """Raise the `ReadError` of a damaged table, for files that can only be tables."""
    last = files[-1]
    if last.is_file() and (len(files) == 1 or last.suffix.casefold() != ".json"):
        read_table(split_table(last)[0])


def _may_be_config(path: Path) -> bool:
    """Return True for YAML and TOML, and for JSON that begins with a config, not with data."""
    if path.suffix not in PARSERS or path.suffix != ".json":
        return path.suffix in PARSERS
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD)
    except OSError:
        return False
    return b'"metrics"' in head and b'"valor_report"' not in head


_HEAD = 4_000


def _remedy(files: Sequence[Path], typed: str, tables: Sequence[str] = ()) -> str:
    """Return the remedy for the most likely mistake, and one that always works."""
    first, *others = files
    named = [f"Specify the reader and its columns: {line}" for line in tables]
    ask = f"Or answer questions: {typed.replace('valor run', 'valor init', 1)}"
    if len({*files}) < len(files):
        return f"Pass two files, ground truths before predictions.\n{_SEE_READERS}"
    if not others and first.is_dir():
        configs = sorted(filter(_may_be_config, first.iterdir()))
        if configs:
            named = [f"valor run {quote(str(config))}" for config in configs[:_MOST_NAMES]]
            more = and_more(len(configs) - len(named)) if len(configs) > len(named) else ""
            return f"Pass a config in it: {', or '.join(named)}{more}"
        return (
            "If it has predictions, pass the folder of ground truths before it: "
            f"valor run GROUNDTRUTHS {first}\n{_SEE_READERS}"
        )
    if not others and not tables:
        return (
            "If it has predictions, pass the file of ground truths before it: "
            f"valor run GROUNDTRUTHS {first}\n{_SEE_READERS}"
        )
    if not named:
        return f"Specify the reader with --reader.\n{_SEE_READERS}"
    return "\n".join([*named, ask])
