"""Report: the results of an evaluation with everything needed to read, compare and rerun it."""

from __future__ import annotations

import json
import operator
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from io import TextIOBase
from itertools import chain
from pathlib import Path
from typing import Any

from attrs import asdict, evolve, field, frozen

from valor_core.errors import (
    BrokenPluginError,
    ReportError,
    and_more,
    did_you_mean_file,
    short_repr,
)
from valor_core.packages import DRAWING, STATISTICS, version_of
from valor_core.results.files import path_of, write_text
from valor_core.results.item_tables import ItemTable as ItemTable
from valor_core.results.item_tables import ItemTables
from valor_core.results.report_records import check_report
from valor_core.results.result import Result
from valor_core.results.results import Results
from valor_core.specs.extensions import (
    FORMATS,
    INTERVALS,
    REQUIREMENTS,
    VIEWS,
    announced,
    extension,
    missing,
    required,
)

_COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "==": operator.eq,
}
CONDITION = re.compile(
    r"\s*(>=|<=|==|>|<)\s*([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)\s*"
)
"""Condition: an operator and a number."""


@frozen
class Requirement:
    """A threshold, and whether the result met it.

    Parameters
    ----------
    name : str
        Key of a number, as in `select`: ``"Recall/cat"``, ``"COCOSummary/AP"``,
        ``"Recall/macro/weather:rain"``.
    condition : str
        Operator and number, such as ``">= 0.5"``, or a sentence.
    value : float or None
        Value in the report.
    met : bool
        Whether the value satisfies the condition. An undefined value does not.
    reason : str, optional
        Reason for the outcome, if the value does not show it.
    remedy : str, optional
        Correction of a name that does not identify one number.
    """

    name: str
    condition: str
    value: float | None = None
    met: bool = False
    reason: str | None = None
    remedy: str | None = None

    @property
    def is_wrong(self) -> bool:
        """True if the name does not identify a number."""
        return self.remedy is not None

    @property
    def found(self) -> str:
        """Value with enough digits to show why the condition is met or not."""
        if self.value is None:
            return self.reason or "undefined"
        short = f"{self.value:.15g}" if self.value.is_integer() else f"{self.value:.6g}"
        is_number = CONDITION.fullmatch(self.condition) is not None
        hides = is_number and is_met(self.condition, float(short)) != self.met
        return repr(self.value) if hides else short

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as JSON values."""
        optional = ("reason", "remedy")
        return {k: v for k, v in asdict(self).items() if v or k not in optional}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Requirement:
        """Return the outcome that `to_dict` wrote."""
        return cls(**record)

    def __str__(self) -> str:
        line = f"{self.name} {self.condition}: {self.found}"
        if self.remedy is not None:
            return f"{line}\n{self.remedy}"
        reason = f", {self.reason}" if self.reason and self.value is not None else ""
        return f"{line}{reason}, {'met' if self.met else 'not met'}"


def is_met(condition: str, number: float) -> bool:
    """Return whether a number satisfies a condition.

    Examples
    --------
    >>> is_met(">= 0.5", 0.5), is_met("< 0.5", 0.5)
    (True, False)
    """
    match = CONDITION.fullmatch(condition)
    return match is not None and _COMPARISONS[match[1]](number, float(match[2]))


REPORT_FORMAT = 1
_JSON = ".json"
_LISTED = 10
_COPIED = ("config", "versions", "counts", "stopped", "interrupted", "facts")
_INCOMPLETE = ("failed", "not_run", "missing_partitions")
_WRITE_AGAIN = "Write it again with: valor run CONFIG -o report.json"
_WRITE_ONE = "Specify a report written with: valor run CONFIG -o report.json"


@frozen(repr=False)
class Slice(Results):
    """Results of one slice.

    Parameters
    ----------
    results : iterable of Result
        Results over the items of the slice.
    items : int, optional
        Number of items; None in a report of an earlier version.
    """

    items: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the slice as JSON values."""
        counted = {} if self.items is None else {"items": self.items}
        results = [result.to_dict() for result in self]
        return {"slice": dict(self[0].slice), **counted, "results": results}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Slice:
        """Return the slice that `to_dict` wrote."""
        results = Results(map(Result.from_dict, record["results"]))
        return cls(results.in_slice(record["slice"]), record.get("items"))


def _as_slices(slices: Iterable[Iterable[Result]]) -> tuple[Slice, ...]:
    each = (one if isinstance(one, Slice) else Slice(one) for one in slices)
    return tuple(filter(len, each))


@frozen(kw_only=True)
class Report(Results):
    """All results of an evaluation; as a sequence, the results over all datums.

    Parameters
    ----------
    results : iterable of Result
        Results over all evaluated datums.
    slices : tuple of Slice
        Results of each slice by metadata values.
    items : ItemTables
        Rows of items by metric, if requested: ``report.items["Accuracy"]``.
    config : mapping
        Resolved config, used by `valor rerun`.
    versions : mapping of str to str
        Versions of the distributions used.
    counts : mapping of str to int
        Numbers of datums ``read``, ``skipped`` by the filter, and ``failed`` in a per-item metric;
        also ``not_run`` and ``missing_partitions`` if not 0.
    requirements : tuple of Requirement
        Outcomes of the thresholds from ``require``.
    warnings : tuple of str
        Warnings.
    not_found : tuple of str
        Names in the request that the data lacks, such as a field to slice by.
    stopped : str, optional
        Why the run ended early or items were not run, and its progress.
    interrupted : bool
        Whether the user stopped the run.
    facts : mapping of str to mapping
        Usage reported by resources: calls, tokens, the model that answered.
    """

    slices: tuple[Slice, ...] = field(default=(), converter=_as_slices)
    items: ItemTables = field(factory=ItemTables, converter=ItemTables)
    config: Mapping[str, Any] = field(factory=dict)
    versions: Mapping[str, str] = field(factory=dict)
    counts: Mapping[str, int] = field(factory=dict)
    requirements: tuple[Requirement, ...] = ()
    warnings: tuple[str, ...] = ()
    not_found: tuple[str, ...] = ()
    stopped: str | None = None
    interrupted: bool = False
    facts: Mapping[str, Mapping[str, Any]] = field(factory=dict)

    def __bool__(self) -> bool:
        """Return True: a report without results is still a report."""
        return True

    def __repr__(self) -> str:
        task = self.config.get("task")
        counts = [(self.counts.get("read", 0), "item"), (len(self), "result")]
        counts += [(len(self.slices), "slice")] if self.slices else []
        parts = [f"{count:,} {what}{'' if count == 1 else 's'}" for count, what in counts]
        listed = ", ".join([*([task] if isinstance(task, str) else []), *parts])
        return f"<Report: {listed}; print(report) shows them>"

    @property
    def results(self) -> Results:
        """Results over all evaluated datums."""
        return Results(self._results)

    def slice(self, **where: Any) -> Slice:
        """Return the results of one slice: ``report.slice(weather="rain")``.

        Raises
        ------
        ReportError
            If the report has no such slice.
        """
        for part in self.slices:
            if _distinct(part[0].slice) == _distinct(where):
                return evolve(part, results=part.in_slice({}))
        raise ReportError(f"report: no slice {where!r}", self._available_slices(where))

    def _available_slices(self, where: Mapping[str, Any]) -> str:
        slices = [part[0].slice for part in self.slices]
        listed = [one for one in slices if set(one) == set(where)] or slices
        if not listed:
            return "Add the fields to slices."
        first = ", ".join(repr(dict(one)) for one in listed[:_LISTED])
        return f"Available slices: {first}{and_more(len(listed) - _LISTED)}."

    def judged(self, requirements: Collection[Requirement]) -> Report:
        """Return the report with the outcomes of requirements."""
        if not requirements:
            return self
        check = required(REQUIREMENTS, "check", "require: thresholds")
        return evolve(self, requirements=check(requirements, self))

    @property
    def ok(self) -> bool:
        """True if data was read, everything was computed, and all requirements are met."""
        incomplete = self.stopped or self.not_found or self.counts.get("read") == 0
        incomplete = incomplete or any(self.counts.get(name, 0) for name in _INCOMPLETE)
        failed = incomplete or any(result.error for result in self)
        return not failed and all(requirement.met for requirement in self.requirements)

    def _all(self) -> Iterable[Result]:
        return chain(self, *self.slices)

    def _items(self) -> list[int | None]:
        parts = [Slice(self, self.counts.get("read")), *self.slices]
        return [part.items for part in parts for _ in part]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        record: dict[str, Any] = {
            "valor_report": REPORT_FORMAT,
            "results": [result.to_dict() for result in self],
        }
        if self.slices:
            record["slices"] = [part.to_dict() for part in self.slices]
        if self.items:
            record["items"] = [table.to_dict() for table in self.items]
        if self.requirements:
            record["requirements"] = [outcome.to_dict() for outcome in self.requirements]
        if self.not_found:
            record["not_found"] = list(self.not_found)
        if self.stopped is not None:
            record |= {"stopped": self.stopped, "interrupted": self.interrupted}
        if self.facts:
            record["facts"] = {name: dict(facts) for name, facts in self.facts.items()}
        return record | {
            "counts": dict(self.counts),
            "warnings": list(self.warnings),
            "versions": dict(self.versions),
            "config": dict(self.config),
        }

    def to_json(self) -> str:
        """Return the report as JSON text, identical for the same data and config.

        Each result and each row of an item is on one line.
        """
        return _lines(self.to_dict(), _LEVELS) + "\n"

    def to_markdown(self) -> str:
        """Return the report as Markdown tables."""
        made: str = required(FORMATS, ".md", "report.to_markdown: Markdown")(self)
        return made

    def to_html(self) -> str:
        """Return the report as a self-contained HTML page.

        Raises
        ------
        MissingExtraError
            If ``valor-report`` is not installed.
        """
        made: str = required(FORMATS, ".html", "report.to_html: a page")(self)
        return made

    def save(self, path: str | os.PathLike[str], *, flat: bool = False) -> None:
        """Write the report to a file in the format of its suffix.

        `report_suffixes` lists the formats: ``.json``, and those of installed distributions such as
        ``valor-report``.

        Parameters
        ----------
        path : path
            File to write.
        flat : bool
            Whether to write only the defined numbers, as a flat JSON object for DVC and experiment
            trackers. Its keys are those of `valor_report.scalars`.

        Raises
        ------
        ReportError
            If the suffix is not supported or the file cannot be written.
        MissingExtraError
            If ``valor-report``, which provides most formats, is not installed.
        """
        encoded = "" if isinstance(path, TextIOBase) else ".encode()"
        path = path_of(path, f"Write JSON to it with: file.write(report.to_json(){encoded})")
        # Rows of metrics with a resource, such as a judge, repeat the texts sent to it.
        private = bool(self.facts) and bool(self.items)
        write_text(path, self._flat(path) if flat else self._in_format(path), private)

    def _flat(self, path: Path) -> str:
        if path.suffix != _JSON:
            raise ReportError(
                f"{path}: expected a name in .json for flat numbers",
                f"Name it {path.stem or 'report'}.json.",
            )
        made: str = required(VIEWS, "scalars", "report.save: flat numbers")(self)
        return made

    def _in_format(self, path: Path) -> str | bytes:
        """Return the content of a file in the format of its suffix."""
        if path.suffix == _JSON:
            return self.to_json()
        found = extension(FORMATS, path.suffix)
        if found is None and version_of(DRAWING) is None:
            raise missing(f"{path}: a report in {path.suffix}")
        if found is None:
            raise ReportError(
                f"{path}: expected a name in {either(report_suffixes())}",
                f"Name it {path.stem or 'report'}.json, for example.",
            )
        made = found.load()(self)
        if not isinstance(made, (str, bytes)):
            raise BrokenPluginError(
                f"{found.distribution}: expected text or bytes of {found.value}, "
                f"got {short_repr(made)}"
            )
        return made

    @classmethod
    def from_dict(cls, record: Any, source: str = "report") -> Report:
        """Return the report that `to_dict` wrote.

        Raises
        ------
        ReportError
            If the record is not a report.
        """
        if not isinstance(record, Mapping) or record.get("valor_report") != REPORT_FORMAT:
            raise ReportError(
                f"{source}: expected a report of format {REPORT_FORMAT}, "
                f"found {short_repr(record)}",
                _WRITE_ONE,
            )
        try:
            check_report(record)
            return cls._from_record(record)
        except (ReportError, KeyError, TypeError, AttributeError, ValueError) as error:
            named = f"{type(error).__name__}: {error}"
            reason = error.message if isinstance(error, ReportError) else named
            raise ReportError(
                f"{source}: expected a report, its content is damaged, {reason}", _WRITE_AGAIN
            ) from error

    @classmethod
    def _from_record(cls, record: Mapping[str, Any]) -> Report:
        return cls(
            results=[Result.from_dict(entry) for entry in record["results"]],
            slices=map(Slice.from_dict, record.get("slices", ())),
            items=tuple(map(ItemTable.from_dict, record.get("items", ()))),
            requirements=tuple(map(Requirement.from_dict, record.get("requirements", ()))),
            warnings=tuple(record.get("warnings", ())),
            not_found=tuple(record.get("not_found", ())),
            **{name: record[name] for name in _COPIED if name in record},
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Report:
        """Load a report from a JSON file.

        Raises
        ------
        ReportError
            If the file does not exist or is not a report.
        """
        path = path_of(path, "Use: Report.from_dict(json.load(file))")
        try:
            text = path.read_text(encoding="utf-8")
            record = json.loads(text)
        except FileNotFoundError as error:
            raise ReportError(
                f"{path}: no such file", did_you_mean_file(path) or _WRITE_ONE
            ) from error
        except OSError as error:
            raise ReportError(f"{path}: cannot be read, {error.strerror}") from error
        except (ValueError, RecursionError) as error:
            place = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
            if place and text.lstrip().startswith("{"):
                raise ReportError(
                    f"{path}{place}: expected a complete report, it may be truncated here",
                    _WRITE_AGAIN,
                ) from error
            raise ReportError(
                f"{path}{place}: expected a report as JSON, found something else", _WRITE_ONE
            ) from error
        return cls.from_dict(record, str(path))


def compare(a: Report, b: Report, **options: Any) -> Any:
    """Test the differences between two reports; see `valor_intervals.compare`.

    Parameters
    ----------
    a, b : Report
        First and second report, with ``confidence`` or ``items``.
    options : optional
        Options of `valor_intervals.compare`, such as ``correction="bh"``.

    Raises
    ------
    MissingExtraError
        If ``valor-intervals`` is not installed.
    """
    return required(INTERVALS, "compare", "compare: a test", STATISTICS)(a, b, **options)


_LEVELS: Mapping[str, int] = {"results": 1, "slices": 3, "items": 3, "facts": 1, "config": 2}
"""Depth to which each entry of a report is split into lines; 1 splits a list into lines."""


def _lines(value: Any, levels: Mapping[str, int] | int, indent: str = "\n") -> str:
    """Return JSON text with a line for each entry of the upper levels.

    The fast encoder in C only writes text without indentation.
    """
    if not levels or not isinstance(value, (dict, list)) or not value:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    inner = f"{indent} "
    if isinstance(value, list):
        below = levels - 1 if isinstance(levels, int) else 0
        return f"[{','.join(inner + _lines(one, below, inner) for one in value)}{indent}]"
    entries = []
    for name, one in value.items():
        below = levels - 1 if isinstance(levels, int) else levels.get(name, 1)
        key = json.dumps(name, ensure_ascii=False)
        entries.append(f"{inner}{key}: {_lines(one, below, inner)}")
    return f"{{{','.join(entries)}{indent}}}"


def _distinct(where: Mapping[str, Any]) -> dict[str, tuple[bool, Any]]:
    """Return the values of a slice, with True distinct from 1."""
    return {name: (isinstance(value, bool), value) for name, value in where.items()}


def report_suffixes() -> tuple[str, ...]:
    """Return the suffixes that a report can be saved to.

    Examples
    --------
    >>> report_suffixes()[0]
    '.json'
    """
    return (_JSON, *sorted(announced(FORMATS)))


def either(words: Sequence[str]) -> str:
    """Join words with commas and "or".

    Examples
    --------
    >>> either([".json", ".csv", ".html"]), either([".json"])
    ('.json, .csv or .html', '.json')
    """
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
