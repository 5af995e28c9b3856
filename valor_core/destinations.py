"""Destinations: the files that a run writes, checked before any work is done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from attrs import evolve, frozen

from valor_core.errors import ConfigError
from valor_core.item_file import write_items
from valor_core.report import Report
from valor_core.whole_file import check_writable

_REPORTS = (".json", ".csv", ".md", ".html")
_ROWS = (".jsonl", ".parquet")


@frozen
class Destinations:
    """The files that a run writes.

    Parameters
    ----------
    reports : tuple of Path
        Where the report goes.
    rows : Path, optional
        Where the rows of per-item metrics go, if they have a file of their own.
    state : Path, optional
        Where the counts are saved.
    """

    reports: tuple[Path, ...] = ()
    rows: Path | None = None
    state: Path | None = None

    def check(self, place: str) -> None:
        """Raise a `ConfigError` if a file cannot be written: hours later, it costs a report.

        Parameters
        ----------
        place : str
            Where the keys stand that name them, for errors: ``"config.yaml: "``.
        """
        for path in self.reports:
            _check(path, _REPORTS, f"{place}output: ")
        if self.rows is not None:
            _check(self.rows, _ROWS, f"{place}items: ")

    def spare(self, inputs: Iterable[tuple[str, Path]], place: str) -> None:
        """Raise a `ConfigError` if a file that would be written is one that the run reads.

        Parameters
        ----------
        inputs : iterable of (str, Path)
            What the run reads, each with what names it: ``("data.path", …)``.
        place : str
            As in `check`.
        """
        read = list(inputs)
        for key, path in self._written():
            own = read if key == "state" or self.state is None else [*read, ("state", self.state)]
            for name, other in own:
                if _is_same(path, other):
                    raise ConfigError(
                        f"{place}{key}: expected a file that the run does not read, "
                        f"{path.name} is {name}",
                        "Name another file.",
                    )

    def _written(self) -> Iterator[tuple[str, Path]]:
        """The files, each with the key that names it."""
        yield from (("output", path) for path in self.reports)
        if self.rows is not None:
            yield "items", self.rows
        if self.state is not None:
            yield "state", self.state

    def write(self, report: Report) -> Report:
        """Write everything; the answer is the report without the rows that have their own file."""
        if self.rows is not None:
            write_items(self.rows, report.items)
            report = evolve(report, items=())
        for path in self.reports:
            report.save(path)
        return report


def _is_same(path: Path, other: Path) -> bool:
    """Whether two paths lead to one file, also by a link."""
    try:
        return path.samefile(other)
    except OSError:  # one is not there yet
        return path.resolve() == other.resolve()


def _check(path: Path, suffixes: Sequence[str], place: str) -> None:
    if path.suffix not in suffixes:
        listed = f"{', '.join(suffixes[:-1])} or {suffixes[-1]}"
        raise ConfigError(f"{place}expected {listed}, got {path.name or path}")
    if path.is_dir():
        raise ConfigError(f"{place}expected a file, {path} is a folder")
    if not path.parent.is_dir():
        raise ConfigError(
            f"{place}there is no folder {path.parent}", f"Make it with: mkdir -p {path.parent}"
        )
    try:
        check_writable(path)
    except OSError as error:
        raise ConfigError(f"{place}{path} cannot be written, {error.strerror}") from error
