"""Recorded responses to the prompts of a data set, by uid."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from valor_files import Table, read_table

from valor_core.errors import ReadError, and_more, short_repr
from valor_rgb.readers.responses import split_records
from valor_rgb.samples.batch import NAMES

Stamp = tuple[tuple[str, int, int], ...]
"""Names, sizes and modification times of files."""


def recorded_responses(paths: Iterable[Path], groups: Collection[str]) -> Mapping[str, str | None]:
    """Return the responses of files by uid, including responses to other prompts.

    Parameters
    ----------
    paths : iterable of Path
        Tables with ``uid`` and ``response``.
    groups : collection of str
        Prefixes of the uids of the data set.

    Raises
    ------
    ReadError
        If a column is missing, a uid is repeated, or a file has no uid of the data set.
    """
    stats = [(path, path.stat()) for path in paths if path.exists()]
    stamp = tuple((str(path), stat.st_size, stat.st_mtime_ns) for path, stat in stats)
    return _recorded(tuple(paths), frozenset(groups), stamp)


@lru_cache(maxsize=4)
def _recorded(
    paths: tuple[Path, ...], groups: frozenset[str], stamp: Stamp
) -> Mapping[str, str | None]:
    """Read responses, cached for the partitions of one data set."""
    found: dict[str, str | None] = {}
    for path in paths:
        (part,) = split_records(path)
        table = read_table(part)
        uid, response = _column(table, "uid"), _column(table, "response")
        uids = table.uids(uid).tolist()
        for row, name in enumerate(uids):
            if name in found:
                expected = "each uid once in all files"
                raise ReadError(
                    f"{table.place(row, uid)}: expected {expected}, found {short_repr(name)}"
                )
        if len(uids) and not any(name.rpartition("/")[0] in groups for name in uids):
            raise ReadError(
                f"{table.place(0, uid)}: expected a uid of this data set in some row, "
                f"found {short_repr(uids[0])}{and_more(len(uids) - 1)}",
                "See its uids with: valor rgb prompts CONFIG",
            )
        found.update(zip(uids, table.strings(response, allow_missing=True), strict=True))
    return found


def _column(table: Table, field: str) -> str:
    for name in NAMES[field]:
        if table.has(name):
            return name
    raise table.missing(*NAMES[field])
