"""Output files of an evaluation, which are checked before the run and written after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from attrs import define, evolve, field, frozen

from valor_core.errors import ConfigError, ReportError, ValorError, described
from valor_core.results import Report
from valor_core.results.files import check_writable
from valor_core.results.report import either, report_suffixes
from valor_core.specs.extensions import FORMATS, extension, plugin_of
from valor_report.item_file import write_items
from valor_report.plots.extra import check_matplotlib

_ROWS = (".jsonl", ".parquet")
_FLAT = (".json",)


SHOW_TRACEBACK = "Show the traceback with: VALOR_TRACEBACK=1 valor …"
"""Remedy of errors that are bugs."""


def bug_message(error: Exception) -> str:
    """Return the text of an unexpected error, and the plugin whose code raised it.

    Examples
    --------
    >>> bug_message(KeyError("points"))
    "KeyError: 'points'; this is a bug in valor or a plugin"
    """
    return f"{described(error)}; this is a bug in {plugin_of(error) or 'valor or a plugin'}"


@define
class WriteErrors:
    """Errors of output files, collected so that the other files are still written.

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
        """Context that collects an error of writing a file."""
        try:
            yield
        except ValorError as error:
            self.errors[path] = error
        except Exception as error:
            unforeseen = ReportError(
                f"{path}: cannot be written, {bug_message(error)}", SHOW_TRACEBACK
            )
            unforeseen.__cause__ = error
            self.errors[path] = unforeseen

    def add(self, path: Path, error: ValorError | None) -> None:
        """Add the error of a file, unless it is None.

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
        """Raise the first error, if any, with the others as notes."""
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
        Files of the report.
    rows : Path, optional
        Separate file of item rows.
    state : Path, optional
        File of the metric states.
    flat : Path, optional
        File of the numbers alone, under flat keys.
    """

    reports: tuple[Path, ...] = ()
    rows: Path | None = None
    state: Path | None = None
    flat: Path | None = None

    def check(self, place: str) -> None:
        """Raise a `ConfigError` if a file cannot be written, before a long run fails to.

        Parameters
        ----------
        place : str
            Beginning of error messages, such as ``"config.yaml: "``.
        """
        for path in self.reports:
            check_destination(path, report_suffixes(), f"{place}output: ")
            check_format(path.suffix)
            check_matplotlib(path.suffix, f"{place}output: {path}: a plot")
        if self.rows is not None:
            check_destination(self.rows, _ROWS, f"{place}items: ")
        if self.flat is not None:
            check_destination(self.flat, _FLAT, f"{place}flat: ")
            check_not_read(
                [self.flat], self.reports, f"{place}flat: ", "the report", "another output"
            )

    def check_not_inputs(self, inputs: Iterable[tuple[str, Path]], place: str) -> None:
        """Raise a `ConfigError` if the run also reads an output file.

        Parameters
        ----------
        inputs : iterable of (str, Path)
            Input files with their keys, such as ``("data.path", …)``.
        place : str
            As in `check`.
        """
        read = list(inputs)
        for key, path in self.written():
            others = read if key == "state" or not self.state else [*read, ("state", self.state)]
            for name, other in others:
                check_not_read([path], [other], f"{place}{key}: ", name)

    def written(self) -> Iterator[tuple[str, Path]]:
        """Yield the output files with their config keys."""
        yield from (("output", path) for path in self.reports)
        if self.rows is not None:
            yield "items", self.rows
        if self.state is not None:
            yield "state", self.state
        if self.flat is not None:
            yield "flat", self.flat

    def write(self, report: Report, unwritten: WriteErrors) -> Report:
        """Write all files; return the report without item rows that are in a separate file.

        Parameters
        ----------
        report : Report
            The report.
        unwritten : WriteErrors
            Collector of errors.
        """
        if self.rows is not None:
            with unwritten.collect(self.rows):
                write_items(self.rows, report.items, private=bool(report.facts))
                report = evolve(report, items=())
        self.write_reports(report, unwritten)
        if self.flat is not None:
            with unwritten.collect(self.flat):
                report.save(self.flat, flat=True)
        return report

    def write_reports(self, report: Report, unwritten: WriteErrors) -> None:
        """Write the files of the report alone.

        Parameters
        ----------
        report : Report
            The report.
        unwritten : WriteErrors
            Collector of errors.
        """
        for path in self.reports:
            with unwritten.collect(path):
                report.save(path)


def check_not_read(
    written: Iterable[Path], read: Sequence[Path], place: str, name: str, kind: str = "an input"
) -> None:
    """Raise a `ConfigError` if an output file is also an input file, which is called `name`."""
    for path in written:
        if any(_is_same(path, other) for other in read):
            raise ConfigError(
                f"{place}expected a file that is not {kind}, {path.name} is {name}",
                "Choose another file.",
            )


def _is_same(path: Path, other: Path) -> bool:
    """Return True if two paths lead to the same file."""
    try:
        return path.samefile(other)
    except OSError:  # one does not exist yet
        return path.resolve() == other.resolve()


_DOCUMENTS = (".pdf", ".htm", ".docx", ".odt", ".pptx", ".ipynb", ".png", ".svg", ".jpg")


def check_destination(path: Path, suffixes: Sequence[str], place: str) -> None:
    """Raise a `ConfigError` if a file cannot be written.

    Parameters
    ----------
    path : Path
        Output file.
    suffixes : sequence of str
        Supported suffixes.
    place : str
        Beginning of error messages, such as ``"config.yaml: output: "``.
    """
    if path.suffix not in suffixes:
        likely = path.suffix.casefold()
        if likely not in suffixes:  # suggest a page for other documents
            likely = ".html" if likely in _DOCUMENTS and ".html" in suffixes else suffixes[0]
        remedy = f"Name it {path.with_suffix(likely).name}, for example." if path.name else None
        raise ConfigError(f"{place}expected {either(suffixes)}, got {path.name or path}", remedy)
    if path.is_dir():
        raise ConfigError(f"{place}expected a file, {path} is a folder")
    if not path.parent.is_dir():
        raise ConfigError(
            f"{place}there is no folder {path.parent}", f"Create it with: mkdir -p {path.parent}"
        )
    try:
        check_writable(path)
    except OSError as error:
        raise ConfigError(f"{place}{path} cannot be written, {error.strerror}") from error


def check_format(suffix: str) -> None:
    """Raise a `RegistryError` if several distributions declare a format, or its code is broken.

    Examples
    --------
    >>> check_format(".json")
    """
    found = extension(FORMATS, suffix)
    if found is not None:
        found.load()
