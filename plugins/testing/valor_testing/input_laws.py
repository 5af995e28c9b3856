"""Laws of functions that recognize and convert data: `detect`, `pairs` and `rows`."""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from valor_core.errors import ValorError, short_repr
from valor_core.parameters import parameters_from, parameters_of
from valor_core.readers import Reader
from valor_core.schemas import Batch
from valor_core.specs import ReaderSpec, Registry, TaskSpec
from valor_core.specs.spec import import_object
from valor_testing.data_set import Batches
from valor_testing.difference import content
from valor_testing.law import Breach, agree, law

NOTE = "conformance_note"
"""Additional column of a table, which becomes metadata."""
_KEPT = "kept"
"""Value of the additional column in every row."""
TABLES = "tables.table"
"""Reader of tables whose rows are items of a task."""
KEEP_HINT = (
    ", found none; add the columns that are not used: "
    "metadata=columns_beside(table, own=…) of valor_files"
)


# Detection


@law
def unknown_files_are_declined(spec: ReaderSpec) -> None:
    """`detect` returns None for unknown formats, and raises for no file."""
    if spec.detect is None:
        return
    detect = spec.load(spec.detect)
    with tempfile.TemporaryDirectory() as name:
        unknown, others = _unknown_files(Path(name)), _odd_files(Path(name))
        for files in [*([each] for each in unknown), unknown]:
            found = _detected(detect, files)
            if found is not None:
                raise Breach(
                    f"detect: expected None for {_names(files)} of an unknown format, found "
                    f"{short_repr(getattr(found, 'data', found))}"
                )
        for files in [*([each] for each in others), others[:2], [others[0], unknown[0]]]:
            check_detected(spec, _detected(detect, files), files)


def check_detected(spec: ReaderSpec, found: Any, files: Sequence[Path]) -> None:
    """Raise a `Breach` unless a detected section has parameters of its reader."""
    if found is None:
        return
    place = f"detect: {_names(files)}"
    data = getattr(found, "data", None)
    if not isinstance(data, Mapping):
        raise Breach(f"{place}: expected None or Detected(data=…), found {short_repr(found)}")
    entries = parameters_of(spec.parameter_class)
    names = {name for entry in entries for name in (entry.name, *entry.aliases)}
    for name in data:
        if name not in names:
            raise Breach(f"{place}: expected parameters of {spec.name} in data, found {name!r}")
    if spec.task is None and found.task is None:
        raise Breach(f"{place}: expected a task, since the reader serves several")


def _detected(detect: Callable[[Any], Any], files: Sequence[Path]) -> Any:
    try:
        return detect(tuple(files))
    except Exception as error:  # an error here hides all other readers
        raise Breach(
            f"detect: expected None for {_names(files)}, found {type(error).__name__}: {error}"
        ) from error


def _unknown_files(folder: Path) -> list[Path]:
    """Return a binary file, a text and an empty folder, which no reader recognizes."""
    (folder / "data.unknown").write_bytes(bytes(range(256)))
    (folder / "notes.txt").write_text("Buy milk.\n", encoding="utf-8")
    (folder / "empty").mkdir()
    return [folder / "data.unknown", folder / "notes.txt", folder / "empty"]


def _odd_files(folder: Path) -> list[Path]:
    """Return tables, broken and empty files, and a missing one."""
    texts = {
        "table.csv": "alpha,beta\n1,x\n2,y\n",
        "empty.csv": "",
        "header.csv": "alpha,beta\n",
        "rows.jsonl": '{"alpha": 1}\n{"alpha": [1, {"beta": null}]}\n',
        "list.json": '[{"alpha": 1}]',
        "number.json": "1",
        "broken.json": '{"alpha": ',
        "broken.jsonl": '{"alpha": 1}\n{"alp',
        "notes.xml": "<notes><alpha/></notes>",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "binary.csv").write_bytes(bytes(range(256)))
    return [*(folder / name for name in texts), folder / "binary.csv", folder / "missing.csv"]


def _names(files: Sequence[Path]) -> str:
    return " and ".join(file.name for file in files)


# Pairs


@law
def other_sides_are_declined(spec: ReaderSpec | TaskSpec) -> None:
    """`pairs` returns None for unknown data, and a batch of its task or a `ValorError` otherwise.

    It does not modify the data.
    """
    if spec.pairs is None:
        return
    pairs = spec.load(spec.pairs)
    task = spec.short_name if isinstance(spec, TaskSpec) else spec.task
    for sides in _UNKNOWN_SIDES:
        found = _paired(pairs, sides, is_known=False)
        if found is not None:
            raise Breach(f"pairs: expected None for {_sides(sides)}, found {short_repr(found)}")
    for sides in _SIDES:
        before = content(sides)
        found = _paired(pairs, sides, is_known=True)
        agree(before, content(sides), "before pairs", "after")
        if found is None:
            continue
        if not isinstance(found, Batch):
            raise Breach(f"pairs: expected None or a batch for {_sides(sides)}, found {found!r}")
        if task is not None and found.task != task:
            raise Breach(f"pairs: expected a batch of {task}, found one of {found.task}")


class _Unknown:
    """Class of data that no task has."""

    def __repr__(self) -> str:
        return "an object of an unknown class"


_UNKNOWN_SIDES: Sequence[tuple[Any, Any]] = (
    (_Unknown(), _Unknown()),
    (None, None),
    ([_Unknown()], [_Unknown()]),
)
_SIDES: Sequence[tuple[Any, Any]] = (
    ([], []),
    (["a", "b"], ["a", "c"]),
    (["a", "b"], ["a"]),
    ([0, 1, 1], [0.25, 0.75, 1.0]),
    ([1.5, 2.5], [1.0, None]),
    (np.array([0, 1]), np.array([0.25, 0.75])),
    (np.array(["a", "b"]), np.array([[0.25, 0.75], [0.5, 0.5]])),
    (np.zeros((2, 3, 3)), np.zeros((2, 3, 3))),
    ([["a"], ["b", "c"]], [["a"], []]),
    ([{"alpha": 1}], [{"beta": 2}]),
    ({"a": 1}, {"a": 2}),
)


def _paired(pairs: Callable[..., Any], sides: tuple[Any, Any], is_known: bool) -> Any:
    try:
        return pairs(*sides)
    except Exception as error:
        if is_known and isinstance(error, ValorError):
            return None
        raise Breach(
            f"pairs: expected None for {_sides(sides)}, found {type(error).__name__}: {error}"
        ) from error


def _sides(sides: tuple[Any, Any]) -> str:
    return " and ".join(map(short_repr, sides))


# Tasks and rows


@law
def task_has_its_classes(spec: TaskSpec) -> None:
    """The batch is a `Batch` of the task; the item class and the functions can be imported."""
    batch = spec.load()
    if not (isinstance(batch, type) and issubclass(batch, Batch)):
        raise Breach(f"expected {spec.implementation} to be a subclass of Batch")
    if batch.task != spec.short_name:
        raise Breach(f"expected task = {spec.short_name!r} in the batch, found {batch.task!r}")
    for place in (spec.item, spec.rows, spec.examples):
        if place is not None and not callable(import_object(place)):
            raise Breach(f"expected {place} to be a class or a function")


@law
def rows_keep_other_columns(
    spec: TaskSpec, examples: Mapping[str, Batches], registry: Registry
) -> None:
    """`rows` keeps columns that it does not use as metadata, for slices and filters."""
    if spec.rows is None:
        return
    reader = registry.find(ReaderSpec, TABLES)
    with tempfile.TemporaryDirectory() as folder:
        for table in _example_tables(examples, Path(folder)):
            given: Any = parameters_from(reader.parameter_class, {"path": str(table)}, "")
            with suppress(Exception):  # the columns of the task may have another form
                batches = _all(reader.load()(given, spec))
                break
        else:
            raise Breach(
                "rows: no table of the example items can be read; give a table: "
                f"readers={{{TABLES!r}: {{'path': …}}}}"
            )
    if not has_note(batches):
        raise Breach(f"rows: expected the column {NOTE!r} in the metadata{KEEP_HINT}")


def _example_tables(examples: Mapping[str, Batches], folder: Path) -> Iterator[Path]:
    """Yield tables of the example items: as JSON, and as CSV with lists joined by spaces."""
    for name, batches in examples.items():
        rows = [_row(item) for batch in batches for item in batch.items()]
        if not rows or not all(rows):
            continue
        with suppress(TypeError):
            yield _written_json(folder / f"{name}.jsonl", rows)
        joined = [{key: _joined(value) for key, value in row.items()} for row in rows]
        if complete := [row for row in joined if all(row.values())]:
            yield _written_csv(folder / f"{name}.csv", complete)


def _row(item: Any) -> dict[str, Any]:
    if not attrs.has(type(item)):
        return {}
    fields = attrs.asdict(item, recurse=True)
    fields.pop("metadata", None)
    return fields | {NOTE: _KEPT}


def _joined(value: Any) -> Any:
    return " ".join(map(str, value)) if isinstance(value, (list, tuple)) else value


def _written_json(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def _written_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def _all(reader: Reader) -> list[Batch]:
    return [batch for partition in reader.partitions() for batch in reader.read(partition)]


def with_note(table: Path, folder: Path) -> Path | None:
    """Copy a CSV or JSON Lines table with an additional column; None for other files."""
    copied = folder / table.name
    if table.suffix == ".csv":
        with table.open(encoding="utf-8", newline="") as file:
            rows = [row | {NOTE: _KEPT} for row in csv.DictReader(file)]
        return _written_csv(copied, rows) if rows else None
    if table.suffix == ".jsonl":
        parsed = [json.loads(line) for line in table.read_text(encoding="utf-8").splitlines()]
        return _written_json(copied, [row | {NOTE: _KEPT} for row in parsed])
    return None


def has_note(batches: Sequence[Batch]) -> bool:
    """Return whether all items have the additional column in their metadata."""
    values = [
        value for batch in batches for value in batch.datums.metadata.get(NOTE, [None] * len(batch))
    ]
    return all(value == _KEPT for value in values)
