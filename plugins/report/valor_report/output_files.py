"""Output files of an evaluation, checked before any work and written after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from attrs import define, evolve, field, frozen

from valor_core.errors import ConfigError, ReportError, ValorError
from valor_core.results import Report, check_format, check_writable, either, report_suffixes
from valor_report.item_file import write_items

_ROWS = (".jsonl", ".parquet")


@define
class WriteErrors:
    """Errors of files that a finished run cannot write, kept until all others are written.

    Examples
    --------
    >>> unwritten = WriteErrors()
    >>> with unwritten.collect(Path("a.json")):
    ...     raise ReportError("a.json: cannot be written, Permission denied")
    >>> unwritten.errors[Path("a.json")].message
    'a.json: cannot be written, Permission denied'
    """

    errors: dict[Path, ValorError] = field(factory=dict)

    @contextmanager
    def collect(self, path: Path) -> Iterator[None]:
        """Context in which an error of writing a path is kept."""
        try:
            yield
        except ValorError as error:
            self.errors[path] = error
        except Exception as error:
            unforeseen = ReportError(
                f"{path}: cannot be written, {type(error).__name__}: {error}; this is a bug in "
                "valor or a plugin",
                "See where it comes from with: VALOR_TRACEBACK=1 valor …",
            )
            unforeseen.__cause__ = error
            self.errors[path] = unforeseen

    def add(self, path: Path, error: ValorError | None) -> None:
        """Keep the error of a path, unless it is None.

        Examples
        --------
        >>> unwritten = WriteErrors()
        >>> unwritten.add(Path("s.npz"), ReportError("s.npz: cannot be written, disk is full"))
        >>> [path.name for path in unwritten.errors]
        ['s.npz']
        """
        if error is not None:
            self.errors[path] = error

    def check(self) -> None:
        """Raise the first error, if there is any, with the others as its notes."""
        if not self.errors:
            return
        first, *others = self.errors.values()
        for other in others:
            first.add_note(str(other))
        raise first


@frozen
class OutputFiles:
    """Files that a run writes.

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
            check_destination(path, report_suffixes(), f"{place}output: ")
            check_format(path.suffix)
        if self.rows is not None:
            check_destination(self.rows, _ROWS, f"{place}items: ")

    def check_not_inputs(self, inputs: Iterable[tuple[str, Path]], place: str) -> None:
        """Raise a `ConfigError` if the run also reads an output file.

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
                check_not_read([path], [other], f"{place}{key}: ", name)

    def _written(self) -> Iterator[tuple[str, Path]]:
        """Output files with their keys in a config."""
        yield from (("output", path) for path in self.reports)
        if self.rows is not None:
            yield "items", self.rows
        if self.state is not None:
            yield "state", self.state

    def write(self, report: Report, unwritten: WriteErrors) -> Report:
        """Write all files, and return the report without the rows that have a file.

        Parameters
        ----------
        report : Report
            What to write.
        unwritten : WriteErrors
            Takes what cannot be.
        """
        if self.rows is not None:
            with unwritten.collect(self.rows):
                write_items(self.rows, report.items, private=bool(report.facts))
                report = evolve(report, items=())
        for path in self.reports:
            with unwritten.collect(path):
                report.save(path)
        return report


def check_not_read(written: Iterable[Path], read: Sequence[Path], place: str, name: str) -> None:
    """Raise a `ConfigError` if a file to write is also read, and is called `name` there."""
    for path in written:
        if any(_is_same(path, other) for other in read):
            raise ConfigError(
                f"{place}expected a file that is not read, {path.name} is {name}",
                "Name another file.",
            )


def _is_same(path: Path, other: Path) -> bool:
    """Whether two paths are the same file, links resolved."""
    try:
        return path.samefile(other)
    except OSError:  # one is not there yet
        return path.resolve() == other.resolve()


_PAGES = (".pdf", ".htm", ".docx", ".odt", ".pptx", ".ipynb")


def check_destination(path: Path, suffixes: Sequence[str], place: str) -> None:
    """Raise a `ConfigError` if a file cannot be written.

    Parameters
    ----------
    path : Path
        The file.
    suffixes : sequence of str
        Endings that it may have.
    place : str
        What asks for it, for errors: ``"config.yaml: output: "``.
    """
    if path.suffix not in suffixes:
        likely = path.suffix.casefold()
        if likely not in suffixes:  # a document for a person is nearest to a page
            likely = ".html" if likely in _PAGES and ".html" in suffixes else suffixes[0]
        remedy = f"Name it {path.with_suffix(likely).name}, for example." if path.name else None
        raise ConfigError(f"{place}expected {either(suffixes)}, got {path.name or path}", remedy)
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
