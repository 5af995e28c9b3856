"""Trial of a reader on data files, before the config is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import evolve
from valor_files import ReaderMatch

from valor_core.errors import ValorError
from valor_core.parameters import parameters_of
from valor_core.readers import reader_of
from valor_core.specs import ReaderSpec, Registry, TaskSpec

_SOURCES = frozenset({"path", "groundtruths", "predictions"})


def read_first_batch(data: Mapping[str, Any], task: str, registry: Registry) -> None:
    """Read the first batch of data, to raise the errors of the reader.

    Parameters
    ----------
    data : mapping
        Section ``data`` of a config with paths relative to the working directory.
    task : str
        Task of the data.
    registry : Registry
        Registry used to resolve the reader's name.

    Raises
    ------
    ValorError
        If the reader rejects its parameters or the first rows of the data.
    """
    reader = reader_of(data, task, registry)
    for partition in reader.partitions():
        for _ in reader.read(partition):
            return


def fitting_readers(
    files: Sequence[Path], task: str | None, registry: Registry
) -> list[ReaderSpec]:
    """Return the readers that can read files, or need only further parameters for it."""
    tasks = registry.all(TaskSpec)
    served = [one for one in tasks if task in (None, one.short_name)]
    return [
        spec
        for spec in registry.all(ReaderSpec)
        for first in [next((one for one in served if spec.serves(one)), None)]
        if first is not None and _fits(spec, files, first.short_name, registry)
    ]


def match_of(
    spec: ReaderSpec, files: Sequence[Path], task: str | None, registry: Registry
) -> ReaderMatch:
    """Pass files to the parameters of a reader for paths, in their order, without inspection."""
    match = ReaderMatch.of_files(spec, files, task, registry)
    entries = parameters_of(spec.parameter_class)
    if {entry.name for entry in entries}.issuperset(match.detected.data):
        return match
    paths = [entry.name for entry in entries if entry.kind.has_paths]
    data = dict(zip(paths, map(str, files), strict=False))
    return evolve(match, detected=evolve(match.detected, data=data))


def _fits(spec: ReaderSpec, files: Sequence[Path], task: str, registry: Registry) -> bool:
    match = match_of(spec, files, task, registry)
    missing = match.missing({})
    if len(match.detected.data) < min(len(files), 2) or not _SOURCES.isdisjoint(missing):
        return False
    if missing:
        return True
    try:
        read_first_batch(match.section, task, registry)
    except (ValorError, OSError):
        return False
    return True
