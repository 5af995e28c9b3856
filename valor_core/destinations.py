"""Destinations: the files that a run will write, checked before any work is done."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from valor_core.errors import ConfigError
from valor_core.whole_file import check_writable


def check_destinations(
    key: str, paths: Iterable[Path], suffixes: Sequence[str], place: str
) -> None:
    """Raise a `ConfigError` if a file could not be written: hours later, it would cost a report.

    Parameters
    ----------
    key : str
        Key of the config that has the paths.
    paths : iterable of Path
        The files.
    suffixes : sequence of str
        What their names may end in.
    place : str
        Where the key stands, for errors: ``"config.yaml: "``.
    """
    for path in paths:
        if path.suffix not in suffixes:
            listed = f"{', '.join(suffixes[:-1])} or {suffixes[-1]}"
            raise ConfigError(f"{place}{key}: expected {listed}, got {path.name or path}")
        if path.is_dir():
            raise ConfigError(f"{place}{key}: expected a file, {path} is a folder")
        if not path.parent.is_dir():
            raise ConfigError(
                f"{place}{key}: there is no folder {path.parent}",
                f"Make it with: mkdir -p {path.parent}",
            )
        try:
            check_writable(path)
        except OSError as error:
            raise ConfigError(
                f"{place}{key}: {path} cannot be written, {error.strerror}"
            ) from error
